"""Charts of a run, as functions of its log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt

from incrowd.audit.log import LARGEST_K, StepLog
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.report.charts.look import WIDTH, above, amount, colours, data, names, sized, some
from incrowd.report.charts.palette import CLASSES, GRID, HEAT, INK, LOST, UNIQUES
from incrowd.report.words import count, share

_SHORT = {"under 0.1%": "<0.1%", "over 99.9%": ">99.9%", "none": ""}  # where a cell has little room


def class_sizes(step: StepLog, called: UnitName = PEOPLE) -> alt.Chart:
    """How many classes of each size up to LARGEST_K are there after this step? One panel of the study's figure 1."""
    after = step.after
    numbers = {size: after.sizes.get(size, 0) for size in range(1, LARGEST_K + 1)}
    rows = [
        {"size": size, "classes": number, "what": "unique" if size == 1 else "class"}
        for size, number in numbers.items()
    ]
    told = f"Classes by size after {_name(step)}: {count(after.uniques)} uniques"
    told += "".join(f", {count(number)} of size {size}" for size, number in numbers.items() if size > 1) + "."
    return sized(
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=alt.X("size:O", title=f"{called.many} in the class", axis=alt.Axis(labelAngle=0, grid=False)),
            y=amount("classes", "classes"),
            color=colours(["unique", "class"], [UNIQUES, CLASSES], legend=None),
        ),
        told,
        300,
        190,
    )


def released_sizes(sizes: Sequence[tuple[str, int]], called: UnitName = PEOPLE) -> alt.Chart:
    """How large are the classes of this file? By rows that may be told in public."""
    rows = [{"size": label, "classes": number} for label, number in sizes]
    told = "Classes of the released file by size: "
    told += ", ".join(f"{count(number)} of {label} {called.many}" for label, number in sizes) + "."
    base = alt.Chart(data(rows)).encode(
        x=alt.X("size:O", sort=None, title=f"{called.many} in the class", axis=alt.Axis(labelAngle=0, grid=False)),
        y=amount("classes", "classes"),
    )
    bars = base.mark_bar(color=CLASSES)
    numbers = base.mark_text(dy=-7, color=INK, fontSize=11).encode(text=alt.Text("classes:Q", format=",d"))
    return sized(alt.layer(bars, numbers), told, 680, 260)


def classes_by_step(steps: Sequence[StepLog]) -> alt.Chart:
    """How many classes, and how many uniques among them, are left after each step?"""
    rows = [{"step": _name(step), "classes": step.after.classes, "uniques": step.after.uniques} for step in steps]
    told = "Classes and uniques after each step: "
    told += "; ".join(f"{_name(s)}: {count(s.after.classes)} and {count(s.after.uniques)}" for s in steps) + "."
    named = names("step", (_name(step) for step in steps))
    base = alt.Chart(data(rows)).encode(y=named.y)
    layers = list(named.layers)
    for what, size in (("classes", 16), ("uniques", 7)):
        bar = base.transform_calculate(what=f"'{what}'").mark_bar(size=size)
        layers.append(
            bar.encode(
                x=alt.X(f"{what}:Q", title=None, axis=some()),
                color=colours(["classes", "uniques"], [CLASSES, UNIQUES], above()),
            )
        )
    room = 10 + max((len(count(step.after.classes)) for step in steps), default=1) * 8
    for what, colour, right in (("classes", INK, WIDTH + room), ("uniques", UNIQUES, WIDTH + 2 * room)):
        number = base.mark_text(align="right", color=colour, fontSize=12)
        layers.append(number.encode(x=alt.value(right), text=alt.Text(f"{what}:Q", format=",d")))
    return sized(alt.layer(*layers), told, WIDTH, named.step, fit=False)


def records_lost(steps: Sequence[StepLog], called: UnitName = PEOPLE) -> alt.Chart | None:
    """How many records did each step drop, and for what? None when no step dropped any."""
    rows = [
        {"row": f"step {step.number}: {called.say(reason)}", "records": number, "text": count(number)}
        for step in steps
        for reason, number in lost_rows(step)
        if number
    ]
    if not rows:
        return None
    told = "Records dropped by step and reason: " + "; ".join(f"{r['row']}: {r['text']}" for r in rows) + "."
    named = names("row", (str(row["row"]) for row in rows))
    x = alt.X("records:Q", title="records dropped", axis=some())
    base = alt.Chart(data(rows)).encode(x=x, y=named.y)
    numbers = base.mark_text(align="left", dx=6, color=INK, fontSize=12).encode(text="text:N")
    return sized(
        alt.layer(*named.layers, base.mark_bar(color=LOST, size=16), numbers), told, WIDTH, named.step, fit=False
    )


def lost_rows(step: StepLog) -> list[tuple[str, int]]:
    """What a step dropped records for; records it dropped for nothing it names come last."""
    rows = list(step.removed_for.items())
    rest = step.records_removed - sum(step.removed_for.values())
    return [*rows, (step.title if not rows else "for no named reason", rest)] if rest > 0 else rows


def people_below(steps: Sequence[StepLog], who: str = "records") -> alt.Chart:
    """Which share of the file would each k drop, had the recoding stopped at this step? The study's table 1."""
    rows = [
        {
            "step": _name(step),
            "k": k,
            "share": below / (step.after.people or 1),
            "text": _SHORT.get(share(below, step.after.people), share(below, step.after.people)),
        }
        for step in steps
        for k, below in sorted(step.after.people_below.items())
    ]
    return _heat(rows, steps, who)


def _heat(rows: list[dict[str, Any]], steps: Sequence[StepLog], who: str) -> alt.Chart:
    told = f"Share of {who} in classes smaller than k, for k from 2 to {LARGEST_K}, after each step. "
    told += " ".join(
        f"{_name(s)}: {share(s.after.people_below.get(2, 0), s.after.people)} at k = 2, "
        f"{share(s.after.people_below.get(LARGEST_K, 0), s.after.people)} at k = {LARGEST_K}."
        for s in steps
    )
    named = names("step", (_name(step) for step in steps))
    x = alt.X("k:O", title="k", axis=alt.Axis(orient="top", labelAngle=0, domain=False, ticks=False))
    base = alt.Chart(data(rows)).encode(x=x, y=named.y)
    cells = base.mark_rect(stroke=GRID, strokeWidth=1).encode(
        color=alt.Color("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=HEAT, interpolate="rgb"))
    )
    texts = base.mark_text(fontSize=11, color=INK).encode(text="text:N")
    return sized(alt.layer(*named.layers, cells, texts), told, alt.Step(44), named.step, fit=False)


def _name(step: StepLog) -> str:
    return f"{step.number} · {step.title}"
