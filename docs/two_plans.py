"""The picture of the README: what attacks may add to a guess, on the study's plan and on the proposed one.

    python docs/two_plans.py demo     from the two runs that `incrowd demo demo` made: docs/images/two-plans.svg

A dot is the most of one kind of attack, over scenarios and variables, by the upper end of its 95% interval. An attack
that has nothing to attack, or was not tried, has no dot.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import altair as alt
from pydantic import TypeAdapter

from incrowd.attack.value import Attacked
from incrowd.report.board.advice import most
from incrowd.report.charts import palette
from incrowd.report.charts.look import above, colours, data, names, sized, to_svg
from incrowd.report.charts.palette import INK, SOFT

PICTURE = Path(__file__).resolve().parent / "images" / "two-plans.svg"
STUDY, PROPOSED = "the study's plan, k = 9", "the proposed plan"
SHAPES = ["circle", "diamond"]
#: The limit of the tier open.
LIMIT = 0.09


def attacks(folder: Path) -> dict[str, float]:
    """The most that each kind of attack may add, in the last run of a folder."""
    log = json.loads((max((folder / "runs").glob("*/audit")) / "log.json").read_text(encoding="utf-8"))
    found: dict[str, float] = {}
    for one in TypeAdapter(list[Attacked]).validate_python(log["attacks"]):
        if one.success is not None and (worst := most(one)) is not None:
            name = one.attack.replace("_", " ")
            found[name] = max(found.get(name, 0.0), worst)
    return found


def rows(demo: Path) -> Iterator[dict[str, Any]]:
    """A row for each dot."""
    for what, folder in ((STUDY, demo), (PROPOSED, demo / "proposals")):
        for name, share in attacks(folder).items():
            yield {"attack": name, "what": what, "share": share, "told": f"{share:.0%}" if share >= 0.005 else "<1%"}


def chart(drawn: list[dict[str, Any]]) -> alt.Chart:
    """Dots by attack, those that find most first; the limit as a line."""
    worst = {one["attack"]: max(two["share"] for two in drawn if two["attack"] == one["attack"]) for one in drawn}
    side = names("attack", sorted(worst, key=lambda name: -worst[name]))
    base = alt.Chart(data(drawn)).encode(
        y=side.y,
        x=alt.X("share:Q", title="the most that the attack may add to a guess", axis=alt.Axis(format="~%", tickCount=5),
                scale=alt.Scale(domain=[0, 1])),
    )  # fmt: skip
    fills = [palette.SUCCESS, palette.HOLDS]
    dots = base.mark_point(filled=True, size=90, opacity=1).encode(
        color=colours([STUDY, PROPOSED], fills, above()),
        shape=alt.Shape("what:N", scale=alt.Scale(domain=[STUDY, PROPOSED], range=SHAPES), legend=above()),
    )
    high = base.transform_filter(f"datum.share > {LIMIT}").mark_text(align="right", dx=-9, fontSize=11, color=INK)
    line = alt.Chart(data([{"at": LIMIT}])).mark_rule(strokeDash=[4, 3], color=SOFT).encode(x="at:Q")
    words = alt.Chart(data([{"at": LIMIT}])).mark_text(
        align="left", dx=4, dy=4, fontSize=11, color=SOFT, baseline="top"
    )
    words = words.encode(x="at:Q", y=alt.value(-16), text=alt.value(f"{LIMIT:.0%}: the limit for open"))
    told = "What each attack may add to a guess. " + "; ".join(
        f"{one['attack']}, {one['what']}: {one['told']}" for one in drawn
    )
    layers = alt.layer(line, words, dots, high.encode(text="told:N"), *side.layers)
    made = sized(layers, told, 420, side.step, fit=False)
    made.config.background = "white"  # it also stands on dark pages
    return made


if __name__ == "__main__":
    drawn = list(rows(Path(sys.argv[1])))
    PICTURE.write_text(to_svg(chart(drawn)) + "\n", encoding="utf-8")
    print(PICTURE, *(f"{one['attack']:18} {one['what']:26} {one['share']:.3f}" for one in drawn), sep="\n")
