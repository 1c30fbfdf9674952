"""incrowd intruder-test: a test with friendly human intruders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from incrowd.cli import root
from incrowd.cli._foreign import HierarchiesOf, IdOf, Keys, PlanOf, SameOrder, Sensitive, foreign_release
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting

intruder_app = typer.Typer(
    no_args_is_help=True,
    help="A test with friendly human intruders: new makes it, serve runs its web pages, score judges the claims.",
)
root.add_typer(intruder_app, name="intruder-test")

Test = Annotated[str, typer.Argument(help="The test: its file, or postgresql://host/database?schema=name.")]


@intruder_app.command()
def new(
    release: Annotated[
        Path, typer.Argument(help="A run's folder, runs/ID, or its release folder; or a file that another tool made.")
    ],
    out: Annotated[
        str, typer.Option("-o", "--out", help="Where to: a new file, or postgresql://host/database?schema=name.")
    ],
    original: Annotated[
        Path | None, typer.Option(help="The data that the release was made from, where it is now.")
    ] = None,
    plan_folder: Annotated[Path | None, typer.Option(help="Where the other files of the plan are now.")] = None,
    intruders: Annotated[
        str,
        typer.Option(help="How many, or a file with a name on each line; behind tabs the team, and the area."),
    ] = "10",
    team: Annotated[
        list[str] | None,
        typer.Option(help="A team and its scenario, NAME=SCENARIO; for several teams, again. One when left out."),
    ] = None,
    targets: Annotated[
        int, typer.Option(help="How many target cards, decoys included: of each team, and of each area.")
    ] = 10,
    cards_each: Annotated[
        int | None, typer.Option(help="How many of these each intruder gets; all when left out.")
    ] = None,
    decoys: Annotated[float, typer.Option(help="The share of the cards whose person is not in the release.")] = 0.3,
    scenario: Annotated[
        str | None, typer.Option(help="The plan's scenario that says what cards tell; its first when left out.")
    ] = None,
    riskiest: Annotated[
        bool, typer.Option("--riskiest", help="Targets from the smallest classes, instead of any.")
    ] = False,
    strata: Annotated[
        str,
        typer.Option(
            help="How many targets by how rare they are in the original, such as unique=3,pair=2,safe=2; decoys come "
            "on top. Instead of --targets, which takes anybody."
        ),
    ] = "",
    by_area: Annotated[
        str | None, typer.Option(help="The key that is an area: intruders with an area get people of that area.")
    ] = None,
    acquaintances: Annotated[
        bool, typer.Option("--acquaintances", help="Intruders may look for people whom they know, who agreed to it.")
    ] = False,
    after: Annotated[
        str | None, typer.Option(help="The test of the round before, or its scores: this is the next round.")
    ] = None,
    name_column: Annotated[
        list[str] | None, typer.Option(help="Show this column of the original on the cards, too. Identifies people.")
    ] = None,
    register: Annotated[Path | None, typer.Option(help="Take decoys from this file of other people.")] = None,
    hours: Annotated[float, typer.Option(help="How long each intruder has.")] = 2.0,
    expires: Annotated[
        str | None, typer.Option(help="The last day, such as 2026-12-31. In 14 days when left out.")
    ] = None,
    delete_on: Annotated[
        str | None, typer.Option(help="The day on which truth and claims are deleted. In 90 days when left out.")
    ] = None,
    prize: Annotated[str, typer.Option(help="What there is to win, and for what.")] = "",
    sources: Annotated[str | None, typer.Option(help="What intruders may use.")] = None,
    confidentiality: Annotated[str | None, typer.Option(help="What they promise.")] = None,
    texts: Annotated[
        Path | None, typer.Option(help="A folder with your own texts for participants; see intruder-test texts.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the test is called; another title, other targets.")] = None,
    address: Annotated[
        str | None, typer.Option(help="Where intruders will find it, for the links; this machine when left out.")
    ] = None,
    keys: Keys = None,
    sensitive: Sensitive = None,
    plan: PlanOf = None,
    hierarchies: HierarchiesOf = None,
    id_: IdOf = None,
    same_order: SameOrder = False,
    trust: Trusted = None,
    unsigned: Unsigned = False,
) -> None:
    """Prepare a test of a release: target cards, decoys, protocol, invitations with one-time links.

    Beside the test two private files are written: the invitations, and the protocol. The truth behind the release is
    found again from the run's audit; it is stored in the test only, and deleted with it.

    Of a file that another tool made, --keys says what cards tell, and the truth is found from --original: people of
    whom it is not certain have no card, and it is said how many those are.
    """
    from incrowd.tasks.intruder_test_new import IntruderTestOptions, intruder_test_new

    options = IntruderTestOptions(
        intruders, targets, decoys, scenario, riskiest, tuple(name_column or ()), register, hours, expires, delete_on,
        prize, title=title, teams=tuple(team or ()), by_area=by_area, strata=strata, acquaintances=acquaintances,
        cards_each=cards_each, after=after, texts=texts,
        sources=sources or IntruderTestOptions.sources,
        confidentiality=confidentiality or IntruderTestOptions.confidentiality,
    )  # fmt: skip
    made = intruder_test_new(
        release, out, options, original=original, folder=plan_folder, address=address, trust=trusting(trust, unsigned),
        foreign=foreign_release(keys, sensitive, plan, hierarchies, id_, same_order),
    )  # fmt: skip
    say(f"{made.facts.title}: {made.facts.cards} target cards ({made.decoys}), scenario {made.facts.scenario!r}.")
    say(f"Truth and claims will be deleted on {made.deletes_on}.")
    say(f"Each link works once. They are in {made.written[0]}, too; the protocol is in {made.written[1]}.")
    for each in made.invitations:
        say(f"{each.name}\t{each.link(address)}")
