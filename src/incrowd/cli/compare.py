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
from incrowd.keys.saying import percent, percents

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
    """What if? Carry out plans up to the gate, side by side: records kept, k, risk, loss, each requirement, attack and
    use case.

    Nothing is released and no audit is kept. A step with `off: true` is left out, so a copy of a plan shows what a step
    is worth. The figures are for those who decide: swap rates and risks do not belong in public.
    """
    from incrowd.cli._bars import step_bars
    from incrowd.tasks.compare import compare as measure

    with step_bars(quiet=json_) as bars:
        found = measure(plans, progress=bars.begin)
    if json_:
        say(json.dumps([asdict(one) for one in found], indent=1))
        return
    _show(found)


def _show(found: Sequence[PlanFigures]) -> None:
    from incrowd.cli._consoles import console
    from incrowd.report.words import risk as told

    lines: list[tuple[str, list[str]]] = []

    def line(what: str, figure: Callable[[PlanFigures], str]) -> None:
        lines.append((what, [figure(one) for one in found]))

    line("records kept", lambda one: f"{one.records_kept:,} of {one.records_in:,}")
    line("records lost", lambda one: percent(1 - one.records_kept / one.records_in))
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
                lines.append((f"{name}: {figure.replace('_', ' ')}", [told(each.get(figure)) for each in figures]))
    verdicts = [verdict for one in found for verdict in one.verdicts if verdict.model != "attack"]
    for words in dict.fromkeys(verdict.requirement for verdict in verdicts):
        line(words, lambda one, words=words: _verdict(one, words))  # type: ignore[misc]
    line("switched off", lambda one: ", ".join(one.switched_off) or "\N{EN DASH}")
    line("would be released", lambda one: "yes" if one.refusal is None else "no")
    _print("What if? Nothing was released.", found, lines)
    tried = dict.fromkeys((attack.scenario, attack.name) for one in found for attack in one.attacks)
    _print("Attacks: how often the intruder is right", found, [
        (f"{scenario}: {name}", [_attack(one, scenario, name) for one in found]) for scenario, name in tried
    ])  # fmt: skip
    cases = dict.fromkeys(outcome.use_case for one in found for outcome in one.use_cases)
    _print("Use cases: does the conclusion stay?", found, [
        (case, [_use_case(one, case) for one in found]) for case in cases
    ])  # fmt: skip
    for one in found:
        if one.refusal is not None:
            console.print(f"{one.plan}: {one.refusal}", soft_wrap=True)


def _print(title: str, found: Sequence[PlanFigures], lines: Sequence[tuple[str, Sequence[str]]]) -> None:
    from rich.table import Table

    from incrowd.cli._consoles import console

    if not lines:
        return
    table = Table(title=title, title_justify="left")
    table.add_column("")
    for one in found:
        table.add_column(one.plan, justify="right")
    for what, cells in lines:
        table.add_row(what, *cells)
    console.print(table)


def _attack(one: PlanFigures, scenario: str, name: str) -> str:
    """How often it was right; a figure that is not there is never a small one."""
    found = next((attack for attack in one.attacks if (attack.scenario, attack.name) == (scenario, name)), None)
    if found is None or found.success is None or found.incomplete:
        return "does not apply" if found is not None and found.does_not_apply else "not tried"
    value, low, high = percents(found.success.value, found.success.low, found.success.high)
    return f"{value} ({low} to {high})"


def _use_case(one: PlanFigures, name: str) -> str:
    found = next((outcome for outcome in one.use_cases if outcome.use_case == name), None)
    if found is None:
        return "\N{EN DASH}"
    return "keeps" if found.passed else "breaks" if found.judged else "cannot judge"


def _verdict(one: PlanFigures, words: str) -> str:
    from incrowd.report.words import figure

    found = next((verdict for verdict in one.verdicts if verdict.requirement == words), None)
    if found is None:
        return "\N{EN DASH}"
    return f"{'holds' if found.passed else 'fails'} ({figure(found.achieved)})"
