"""incrowd compare: plans side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from incrowd.cli import root
from incrowd.cli._terminal import say

if TYPE_CHECKING:
    from incrowd.tasks.compare import PlanFigures

#: The figures of a scenario that are shown, as far as they were measured; --json has all.
SHOWN = (
    "prosecutor_max", "prosecutor_mean", "uniques", "journalist_max", "population_uniques_in_file", "right_match",
)  # fmt: skip


@root.command()
def compare(
    plans: Annotated[list[Path], typer.Argument(help="Two release plans or more, YAML files.")],
    json_: Annotated[bool, typer.Option("--json", help="Print the result as JSON, for scripts.")] = False,
) -> None:
    """What if? Carry out plans up to the gate, side by side: records kept, k, risk, loss, and each requirement.

    Nothing is released and no audit is kept. A step with `off: true` is left out, so a copy of a plan shows what a step
    is worth. The figures are for those who decide: swap rates and risks do not belong in public.
    """
    from incrowd.tasks.compare import compare as measure

    found = measure(plans)
    if json_:
        say(json.dumps([asdict(one) for one in found], indent=1))
        return
    _show(found)


def _show(found: Sequence[PlanFigures]) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console
    from incrowd.report.words import risk as told

    table = Table(title="What if? Nothing was released.", title_justify="left")
    table.add_column("")
    for one in found:
        table.add_column(one.plan, justify="right")

    def line(what: str, figure: Callable[[PlanFigures], str]) -> None:
        table.add_row(what, *(figure(one) for one in found))

    line("records kept", lambda one: f"{one.records_kept:,} of {one.records_in:,}")
    line("cells changed", lambda one: f"{one.cells_changed:,}")
    line("k (smallest class)", lambda one: f"{one.k:,}")
    line("uniques", lambda one: f"{one.uniques:,}")
    line("loss (bits of the keys)", lambda one: f"{one.loss:.1%}")
    for name in dict.fromkeys(scenario.scenario for one in found for scenario in one.scenarios):
        figures = [
            {risk.name: risk for s in one.scenarios if s.scenario == name for risk in s.figures} for one in found
        ]
        for figure in SHOWN:
            if any(figure in each for each in figures):
                table.add_row(f"{name}: {figure.replace('_', ' ')}", *(told(each.get(figure)) for each in figures))
    for words in dict.fromkeys(verdict.requirement for one in found for verdict in one.verdicts):
        line(words, lambda one, words=words: _verdict(one, words))  # type: ignore[misc]
    line("switched off", lambda one: ", ".join(one.switched_off) or "\N{EN DASH}")
    line("would be released", lambda one: "yes" if one.refusal is None else "no")
    console.print(table)
    for one in found:
        if one.refusal is not None:
            console.print(f"{one.plan}: {one.refusal}", soft_wrap=True)


def _verdict(one: PlanFigures, words: str) -> str:
    from incrowd.report.words import figure

    found = next((verdict for verdict in one.verdicts if verdict.requirement == words), None)
    if found is None:
        return "\N{EN DASH}"
    return f"{'holds' if found.passed else 'fails'} ({figure(found.achieved)})"
