"""Files that have been published since, counted against a release that is looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from incrowd.attack.auxiliary import Files
from incrowd.attack.external import Categories, brought_over, external_figures
from incrowd.risk.value import Risk, Scenario
from incrowd.rows import Rows, open_source


@dataclass(frozen=True)
class ExternalFiles:
    """What the other files tell: their names, the figures, what limits them, and which had nothing to compare."""

    names: tuple[str, ...]
    risks: tuple[Risk, ...]
    notes: tuple[str, ...]
    not_tried: tuple[str, ...]


def count_external(
    stack: ExitStack, released: Rows, files: Sequence[Path], categories: Categories, scenarios: Sequence[Scenario]
) -> ExternalFiles:
    """Each file at the release's categories, as far as they are known, and counted against the release. The files stay
    open until the stack ends.
    """
    names: list[str] = []
    risks: list[Risk] = []
    notes: list[str] = []
    not_tried: list[str] = []
    for place in files:
        rows = open_source(place)
        stack.callback(rows.close)
        name = place.name if place.name not in names else f"{place.name} ({len(names) + 1})"
        names.append(name)
        other, said = brought_over(released, rows, name, categories)
        notes += said
        figures = list(external_figures(released, other, name, scenarios))
        if all(figure.value is None for figure in figures):
            not_tried.append(f"{name}: {'; '.join(dict.fromkeys(figure.why for figure in figures))}")
        risks += figures
    return ExternalFiles(tuple(names), tuple(risks), tuple(notes), tuple(not_tried))


def as_files(external: Sequence[Path], scenarios: Sequence[Scenario]) -> Files:
    """What an intruder makes of them: the first with all the keys of a scenario is a register, others are releases."""
    registers = [file for file in external if any(set(s.keys) <= set(open_source(file).columns) for s in scenarios)]
    return Files(registers[0] if registers else None, tuple(file for file in external if file not in registers[:1]))
