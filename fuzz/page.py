"""The figures of a run as a table, for docs/quality.md and the terminal."""

from __future__ import annotations

import platform
import time
from pathlib import Path

from fuzz.outcome import Tally

BEGIN, END = "<!-- figures: made by `python -m fuzz --write` -->", "<!-- end of figures -->"


def table(tallies: list[Tally]) -> str:
    """One line a kind, and the sums."""
    lines = [
        "| kind | tried | released or answered | refused | comparisons | not judged | unexplained | wrong |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    sums = [0] * 7
    for tally in tallies:
        figures = [
            tally.tried, tally.released, sum(tally.refused.values()), tally.checks, tally.unjudged, tally.unexplained,
            tally.wrong,
        ]  # fmt: skip
        sums = [a + b for a, b in zip(sums, figures, strict=True)]
        lines.append(f"| {tally.kind} | " + " | ".join(f"{figure:,}" for figure in figures) + " |")
    lines.append("| **all** | " + " | ".join(f"**{figure:,}**" for figure in sums) + " |")
    return "\n".join(lines)


def codes(tallies: list[Tally]) -> str:
    """By which codes was refused."""
    lines = []
    for tally in tallies:
        found = ", ".join(f"{code} {number:,}" for code, number in tally.refused.most_common())
        lines.append(f"- {tally.kind}: {found or 'nothing'}")
    return "\n".join(lines)


def write(page: Path, tallies: list[Tally], seed: str) -> None:
    """Put the figures between the marks of a page."""
    text = page.read_text()
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    seconds = sum(tally.seconds for tally in tallies)
    made = f"Seed {seed}, {seconds / 60:.0f} minutes, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}."
    parts = [BEGIN, "", made, "", table(tallies), "", "Refused, by [code](errors.md) (or by signal):", ""]
    page.write_text(before + "\n".join([*parts, codes(tallies), "", END]) + after)
