"""The human intruder test in a report: its charts, its section, and a page of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from incrowd.intruder_test.rounds import compare_rounds
from incrowd.intruder_test.score_parts import SURE, Used
from incrowd.intruder_test.value import Scores, Tested
from incrowd.keys.natural import natural
from incrowd.report.render import render, svg

if TYPE_CHECKING:
    from incrowd.intruder_test.reading import ToldClaim

MOST_VARIABLES = 15


def section(tested: Tested | None) -> dict[str, Any]:
    """What the section of the internal report shows: counts and what the judges wrote for it, no claim."""
    if tested is None:
        return {"tested": None}
    scores = tested.scores
    return {
        "tested": tested,
        "sure": SURE,
        "calibration": svg(calibration_chart(scores)) if scores.total.claims else None,
        "used_charts": [
            (what, svg(used_chart(scores, used, what)), used)
            for what, used in (("Variables", scores.by_variable), ("Sources", scores.by_source))
            if used
        ],
        "rounds": compare_rounds((*tested.before, scores)),
    }


def intruder_report(scores: Scores, before: Sequence[Scores] = (), claims: Sequence[ToldClaim] | None = None) -> str:
    """The test as one page, for those who decide. With `claims` it has every claim and its reasoning: what intruders
    wrote may name people, so that it stays inside and is deleted with the test.
    """
    page = section(Tested(scores, True, tuple(before)))
    if claims is not None:
        from incrowd.intruder_test.verdicts import JUDGMENTS  # who has claims to show has the extra that it needs

        page["judgments"] = JUDGMENTS
    return render("intruder_report.html", scores=scores, claims=claims, **page)


def calibration_chart(scores: Scores) -> Any:
    """Were those right who said that they were sure? Share of right claims against the confidence stated for them.

    On the diagonal people are right as often as they say; above it they know more than they say.
    """
    import altair as alt

    from incrowd.report.charts import look, palette

    rows = [
        {"stated": 100 * (line.stated or 0.0), "share": line.correct / line.claims, "low": line.low,
         "high": line.high, "claims": line.claims, "text": f"{line.correct} of {line.claims}"}
        for line in scores.bands if line.claims
    ]  # fmt: skip
    told = "Share of right claims by stated confidence, beside the diagonal of perfect knowledge. "
    told += " ".join(
        f"{line.label}: {line.correct} of {line.claims} right, {line.low:.0%} to {line.high:.0%}." if line.claims
        else f"{line.label}: no claims."
        for line in scores.bands
    )  # fmt: skip
    x = alt.X("stated:Q", title="mean stated confidence", scale=alt.Scale(domain=[0, 100]), axis=alt.Axis(tickCount=5))
    y = alt.Y("share:Q", title="share right", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5))
    ends = [{"stated": 0, "share": 0}, {"stated": 100, "share": 1}]
    line = alt.Chart(look.data(ends)).mark_line(color=palette.SOFT, strokeDash=[5, 4], strokeWidth=1.5)
    base = alt.Chart(look.data(rows)).encode(x=x)
    most = max((line.claims for line in scores.bands), default=1)
    size = alt.Size("claims:Q", scale=alt.Scale(domain=[0, most], range=[30, 500]), legend=None)
    points = base.mark_point(color=palette.SUCCESS, filled=True, opacity=1, shape="circle").encode(y=y, size=size)
    bars = base.mark_rule(color=palette.INK, strokeWidth=1.5).encode(y=alt.Y("low:Q"), y2="high:Q")
    names = [  # towards the middle, so that none runs out of the picture
        base.transform_filter(where).mark_text(align=align, dx=dx, dy=-10, fontSize=12, color=palette.INK)
        .encode(y=y, text="text:N")
        for where, align, dx in (("datum.stated <= 80", "left", 14), ("datum.stated > 80", "right", -14))
    ]  # fmt: skip
    return look.sized(alt.layer(line.encode(x=x, y=y), bars, points, *names), told, 480, 320)


def used_chart(scores: Scores, used: Sequence[Used], what: str = "Variables") -> Any:
    """What did the claims rely on, which variables or which sources? Share of the right claims, and of the others."""
    import altair as alt

    from incrowd.report.charts import look, palette

    right, others = scores.total.correct, scores.total.claims - scores.total.correct
    shown = sorted(used, key=lambda u: (-u.correct, u.others, natural(u.name)))[:MOST_VARIABLES]
    kinds = [(name, number) for name, number in (("right claims", right), ("other claims", others)) if number]
    rows = [
        {"name": u.name, "what": name, "share": (u.correct if name == "right claims" else u.others) / number}
        for u in shown for name, number in kinds
    ]  # fmt: skip
    told = f"{what} that claims relied on. "
    told += " ".join(f"{u.name}: {u.correct} of {right} right, {u.others} of {others} others." for u in shown)
    axis = alt.Axis(format=".0%", tickCount=5)
    named = look.names("name", (u.name for u in shown))
    chart = alt.Chart(look.data(rows)).mark_bar().encode(
        y=named.y,
        x=alt.X("share:Q", title="share of the claims that used it", scale=alt.Scale(domain=[0, 1]), axis=axis),
        yOffset=alt.YOffset("what:N", sort=[name for name, _ in kinds]),
        color=look.colours(["right claims", "other claims"], [palette.SUCCESS, palette.OTHERS], look.above()),
    )  # fmt: skip
    return look.sized(alt.layer(*named.layers, chart), told, look.WIDTH, named.step, fit=False)
