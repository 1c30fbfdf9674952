"""Microaggregation of n records with five variables at k = 5: how CPU time grows, beside looking at everybody.

    python benchmarks/bench_microaggregate.py [plot.svg]

CPU seconds of this process after one run that loads the compiled kernels. Exit code 1 when time grows with the square
of the records or faster.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit

from incrowd.keys.grouping import mdav, standardised, univariate

SIZES = (12_500, 25_000, 50_000, 100_000, 200_000)
K = 5
TOLD = "CPU time of microaggregation with 5 variables and k = 5, for 12,500 to 200,000 records, on logarithmic axes"


def points(kind: str, size: int) -> np.ndarray:
    """Five variables: independent, skewed and correlated as incomes are, or spread evenly."""
    draw = np.random.default_rng(size)
    if kind == "even":
        return draw.random((size, 5))
    normal = draw.normal(size=(size, 5))
    return np.exp(normal @ (np.eye(5) + 0.5)) if kind == "skewed" else normal


@njit(cache=False)
def plain(values: Any, k: int) -> Any:
    """The definition: every search looks at all records that are left."""
    n, width = values.shape
    groups, left, number = np.full(n, -1, np.int64), n, 0
    while left >= 2 * k:
        average = np.zeros(width)
        for i in range(n):
            if groups[i] < 0:
                average += values[i]
        average /= left
        centre = average
        for _ in range(2 if left >= 3 * k else 1):
            best, found, far = -1.0, -1, np.empty(n)
            for i in range(n):
                if groups[i] < 0:
                    distance = ((values[i] - centre) ** 2).sum()
                    if distance > best:
                        best, found = distance, i
            for i in range(n):
                far[i] = ((values[i] - values[found]) ** 2).sum() if groups[i] < 0 else np.inf
            groups[np.argpartition(far, k)[:k]] = number
            number += 1
            left -= k
            centre = values[found]
    groups[groups < 0] = number
    return groups


def seconds(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return time.process_time() - begun


def main() -> int:
    mdav(points("normal", 100), K)
    univariate(np.arange(100.0), K)
    plain(points("normal", 100), K)
    lines: list[dict[str, Any]] = []
    for kind in ("normal", "skewed", "even"):
        for size in SIZES:
            values = standardised(points(kind, size))
            lines.append({"records": size, "seconds": seconds(lambda v=values: mdav(v, K)), "what": f"MDAV, {kind}"})
    for size in SIZES[:2]:
        values = standardised(points("normal", size))
        lines.append({"records": size, "seconds": seconds(lambda v=values: plain(v, K)), "what": "everybody, normal"})
    for size in SIZES:
        column = points("skewed", size)[:, 0]
        lines.append({"records": size, "seconds": seconds(lambda c=column: univariate(c, K)), "what": "one variable"})
    worst = 0.0
    for what in dict.fromkeys(line["what"] for line in lines):
        mine = [line for line in lines if line["what"] == what]
        power = float(np.polyfit(np.log([m["records"] for m in mine]), np.log([m["seconds"] for m in mine]), 1)[0])
        times = ", ".join(f"{m['records']:,}: {m['seconds']:.2f}" for m in mine)
        print(f"{what:<18} CPU s {times}; grows with the power {power:.2f}")
        worst = max(worst, power) if what.startswith("MDAV") else worst
    if len(sys.argv) > 1:
        plot(lines, Path(sys.argv[1]))
    return int(worst >= 2)


def plot(lines: list[dict[str, Any]], path: Path) -> None:
    """Both axes logarithmic: a straight line's slope is the power."""
    import altair as alt

    from incrowd.report.charts.run import to_svg

    chart = (
        alt.Chart(alt.Data(values=lines), width=460, height=300, description=TOLD)
        .mark_line(point=True)
        .encode(
            x=alt.X("records:Q", scale=alt.Scale(type="log"), title="records"),
            y=alt.Y("seconds:Q", scale=alt.Scale(type="log"), title="CPU seconds"),
            color=alt.Color("what:N", title=None),
        )
    )
    path.write_text(to_svg(chart), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
