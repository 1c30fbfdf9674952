"""incrowd attack: what do simulated intruders achieve on a release?"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer.core import TyperCommand

from incrowd.cli import root
from incrowd.cli._foreign import HierarchiesOf, IdOf, Keys, PlanOf, SameOrder, Sensitive, foreign_release
from incrowd.cli._options import writable
from incrowd.cli._terminal import say
from incrowd.cli._trusting import Trusted, Unsigned, trusting
from incrowd.machine.writing import write_private

if TYPE_CHECKING:
    from incrowd.attack.value import Rate
    from incrowd.tasks.attack import Intrusion


class _Command(TyperCommand):
    """Names every attack in its help. They are imported when somebody asks, not at every start of the program."""

    @property
    def help(self) -> str | None:
        from incrowd.attack import ATTACKS

        lines = []
        for one in ATTACKS.values():
            more = [f"needs {one.needed}"] if one.needed else []
            more += ["on request"] if one.on_request else []
            lines.append(f"{one.word}: {one.acts}" + (f" ({'; '.join(more)})" if more else "") + ".")
        return "\n\n".join([str(self._help), "The intruder of each attack:", *lines])

    @help.setter
    def help(self, text: str | None) -> None:
        self._help = text


@root.command(cls=_Command, short_help="Let simulated intruders try a release, and count how often they are right.")
def attack(
    source: Annotated[
        Path,
        typer.Argument(
            help="A plan (.yaml), the folder of a run (runs/ID) or its release, or a file that another tool made."
        ),
    ],
    original: Annotated[
        Path | None, typer.Option(help="The data that the release was made from, where they are now.")
    ] = None,
    scenario: Annotated[
        list[str] | None, typer.Option(help="A scenario of the plan. May be given several times; all when left out.")
    ] = None,
    attacks: Annotated[
        str | None, typer.Option(help="Which attacks, separated by commas; all that cost little when left out.")
    ] = None,
    register: Annotated[
        Path | None,
        typer.Option(help="People whom an intruder could look up, with the keys as columns; else the population."),
    ] = None,
    other: Annotated[
        list[Path] | None,
        typer.Option(help="Another release about some of the same people. May be given several times."),
    ] = None,
    table: Annotated[
        list[Path] | None, typer.Option(help="A published table of counts. May be given several times.")
    ] = None,
    salts: Annotated[
        Path | None,
        typer.Option(help="Salts or keys of pseudonyms that may have leaked, one in each line: dictionary tries them."),
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(help="Where the other files of the plan are; left out, where the plan or run is.")
    ] = None,
    engine: Annotated[str, typer.Option(help="Where probabilistic linkage runs: duckdb or spark.")] = "duckdb",
    records: Annotated[
        Path | None,
        typer.Option(
            help="Write the lines of the records most at risk here. Keep it inside: it is about people.",
            callback=writable,
        ),
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Let attacks take longer than the run: more targets, more is solved.")
    ] = False,
    keys: Keys = None,
    sensitive: Sensitive = None,
    plan: PlanOf = None,
    hierarchies: HierarchiesOf = None,
    id_: IdOf = None,
    same_order: SameOrder = False,
    trust: Trusted = None,
    unsigned: Unsigned = False,
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """Let simulated intruders try a release, and count how often they are right.

    Each attack is shown with what the intruder knows (a scenario of the plan), the success with its 95% interval, the
    baseline (a guess without the file), the control (the same on people who are not in the file, where that can
    succeed at all), and the residual, (success - control) / (1 - control): what the file adds.

    `incrowd attack plan.yaml` attacks what the plan would release; `incrowd attack runs/ID` a release, which is made
    again from its audit and must be the same. Nothing is released. Keep the result inside.

    `incrowd attack release.csv --original people.csv --keys age,sex` attacks a file that another tool made. Whose
    record is whose is told by an id that both files have, by their order (--same-order), or by what fits; attacks that
    cannot be judged by that have no figure and say why.
    """
    from incrowd.cli._bars import bar
    from incrowd.tasks.attack import attack as measure

    names = None if attacks is None else [name.strip() for name in attacks.split(",") if name.strip()]
    with bar("attacks tried", quiet=json_) as told:
        found = measure(
            source, original=original, scenarios=scenario, attacks=names, register=register, others=other or (),
            tables=table or (), folder=folder, linker=engine, trust=trusting(trust, unsigned),
            progress=lambda _, number, total: told(number - 1, total),
            foreign=foreign_release(keys, sensitive, plan, hierarchies, id_, same_order), thorough=thorough,
            salts=salts,
        )  # fmt: skip
        told(len(found.attacks) or 1, len(found.attacks) or 1)
    if records is not None:
        _write(found, records)
    if json_:
        # The lines are about people: they go to a file of their own, or nowhere.
        shown = [
            {
                **asdict(one), "residual": one.residual, "tried": one.tried, "worst": len(one.worst),
                **{name: _rate(getattr(one, name)) for name in ("success", "control", "claimed", "outsiders")},
            }
            for one in found.attacks
        ]  # fmt: skip
        say(json.dumps({**asdict(found), "attacks": shown}, indent=1))
        return
    _show(found)
    if records is not None:
        say(f"lines most at risk in {records}: keep it inside")


def _rate(rate: Rate | None) -> dict[str, float] | None:
    """A rate with its share and interval."""
    return None if rate is None else {**asdict(rate), "value": rate.value, "low": rate.low, "high": rate.high}


def _write(found: Intrusion, path: Path) -> None:
    """The lines by attack and scenario, for the owner only."""
    lines = ["attack,scenario,line"]
    for one in found.attacks:
        scenario = '"' + one.scenario.replace('"', '""') + '"'
        lines += [f"{one.attack},{scenario},{line}" for line in one.worst]
    write_private(path, "\n".join(lines) + "\n")


def _show(found: Intrusion) -> None:
    from incrowd.attack.words import list_keys
    from incrowd.cli._consoles import console, marked
    from incrowd.cli._show import attack_table

    console.print(marked("\n", (found.source, "bold"), f": {found.records:,} released records of {found.of:,}"))
    if found.refusal is not None:
        console.print(marked(("This file would not be released.", "red"), f" {found.refusal}"))
    for note in found.notes:
        console.print(marked(("note", "yellow"), f"   {note}"))
    for name in dict.fromkeys(one.scenario for one in found.attacks):
        those = [one for one in found.attacks if one.scenario == name]
        console.print(attack_table(those, f"Attacks in the scenario: {name}"))
        if untried := list_keys([one.name for one in those if not one.in_full and not one.does_not_apply]):
            console.print(marked(("not tried, or not in full", "yellow"), f"  {untried}: no figure bounds them"))
        for one in those:
            console.print(marked((one.name, "bold"), f"  {one.sentence}"))
            if one.why:
                console.print(marked((one.why, "dim")))
            if one.assumed and one.in_full:
                console.print(marked((f"Assumed: {one.assumed}", "dim")))
