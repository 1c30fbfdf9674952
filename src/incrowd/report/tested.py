"""The human intruder test in a report: its charts, its section, and a page of its own."""

from __future__ import annotations

from typing import Any

from incrowd.intruder_test.value import Compared, Scores, Tested
from incrowd.keys.natural import natural
from incrowd.report.render import render, svg

MOST_VARIABLES = 15


def section(tested: Tested | None) -> dict[str, Any]:
    """What the section of the internal report shows."""
    return {
        "tested": tested,
        "tested_bands": None if tested is None or not tested.scores.total.claims else svg(bands_chart(tested.scores)),
        "tested_used": None if tested is None or not tested.scores.by_variable else svg(used_chart(tested.scores)),
        "compared": None,
    }


def intruder_report(scores: Scores, compared: Compared | None = None) -> str:
    """The test as one page, for those who decide. It holds counts only, and stays inside."""
    return render("intruder_report.html", scores=scores, **{**section(Tested(scores, True)), "compared": compared})


def bands_chart(scores: Scores) -> Any:
    """Were those right who said that they were sure? Share of right claims by stated confidence, with its interval."""
    import altair as alt

    from incrowd.report.charts import look, palette

    rows = [
        {"band": line.label, "share": line.correct / line.claims, "low": line.low, "high": line.high,
         "stated": line.stated, "what": "right"}
        for line in scores.bands if line.claims
    ]  # fmt: skip
    told = "Share of right claims by stated confidence. "
    told += " ".join(
        f"{line.label}: {line.correct} of {line.claims} right, at most {line.high:.0%}." if line.claims
        else f"{line.label}: no claims."
        for line in scores.bands
    )  # fmt: skip
    x = alt.X("band:N", title="stated confidence", axis=alt.Axis(labelAngle=0, grid=False),
              scale=alt.Scale(domain=[line.label for line in scores.bands]))  # fmt: skip
    y = alt.Scale(domain=[0, 1])
    base = alt.Chart(look.data(rows)).encode(x=x)
    axis = alt.Axis(format=".0%", tickCount=5)
    bars = base.mark_bar(color=palette.SUCCESS, size=44).encode(
        y=alt.Y("share:Q", title="share right", scale=y, axis=axis)
    )
    ends = base.mark_rule(color=palette.INK, strokeWidth=1.5).encode(y=alt.Y("low:Q", scale=y), y2="high:Q")
    stated = base.mark_point(color=palette.INK, filled=True, size=70, opacity=1, shape="diamond")
    points = stated.encode(y=alt.Y("stated:Q", scale=y))
    return look.sized(alt.layer(bars, ends, points), told, 480, 240)


def used_chart(scores: Scores) -> Any:
    """Which variables did the claims rely on? Share of the right claims, and of the others, that used each."""
    import altair as alt

    from incrowd.report.charts import look, palette

    right, others = scores.total.correct, scores.total.claims - scores.total.correct
    shown = sorted(scores.by_variable, key=lambda u: (-u.correct, -u.others, natural(u.variable)))[:MOST_VARIABLES]
    kinds = [(name, number) for name, number in (("right claims", right), ("other claims", others)) if number]
    rows = [
        {"variable": u.variable, "what": name, "share": (u.correct if name == "right claims" else u.others) / number}
        for u in shown for name, number in kinds
    ]  # fmt: skip
    told = "Variables that claims relied on. "
    told += " ".join(f"{u.variable}: {u.correct} of {right} right, {u.others} of {others} others." for u in shown)
    axis = alt.Axis(format=".0%", tickCount=5)
    named = look.names("variable", (u.variable for u in shown))
    chart = alt.Chart(look.data(rows)).mark_bar().encode(
        y=named.y,
        x=alt.X("share:Q", title="share of the claims that used it", scale=alt.Scale(domain=[0, 1]), axis=axis),
        yOffset=alt.YOffset("what:N", sort=[name for name, _ in kinds]),
        color=look.colours(["right claims", "other claims"], [palette.SUCCESS, palette.OTHERS], look.above()),
    )  # fmt: skip
    return look.sized(alt.layer(*named.layers, chart), told, look.WIDTH, named.step, fit=False)
