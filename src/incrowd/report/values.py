"""What each section of a report shows beside the run itself: tables worked out, charts drawn.

A function for each section that has something of its own; sections.py names it. Those of the public report are given
public facts only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from markupsafe import Markup

from incrowd.audit.log import LARGEST_K, RunLog, StepLog
from incrowd.report import words
from incrowd.report.board import crosswalk as guides
from incrowd.report.board.advice import advise
from incrowd.report.board.loss import LIMITS, PUBLIC_LIMITS, blanked_words, emptied_words, hardest_words, lost
from incrowd.report.board.naming import value_of
from incrowd.report.board.residual import residuals
from incrowd.report.charts.palette import key_of_counts
from incrowd.report.facts import PublicFacts, required_k
from incrowd.report.render import svg
from incrowd.report.tested import section as intruder_section
from incrowd.risk.before_after import RiskLog
from incrowd.risk.measure import Measured
from incrowd.risk.tables import TableLine
from incrowd.risk.value import Risk

Values = Mapping[str, Any]

#: Tables of each number of keys in the report, those with most uniques.
SHOWN = 4
#: How a loss looks, by its level: as verdicts do.
LOSS_STANDS = {"small": "pass", "noticeable": "warn", "large": "fail"}


def decision(log: RunLog) -> Values:
    """Which tier the evidence supports, what was lost, the conditions, and what each figure is."""
    conditions = (*words.CONDITIONS.get(log.tier, ()), *log.about.conditions)
    gone = lost(log)
    return {
        "advice": advise(log), "conditions": conditions, "measured": words.measured, "loss": gone,
        "blanked": blanked_words(log), "emptied": emptied_words(log), "hardest": hardest_words(log),
        "loss_limits": LIMITS, "loss_stands": LOSS_STANDS[gone.level],
    }  # fmt: skip


def before_after(log: RunLog) -> Values:
    """The classes after each step that changed them, and the tables of keys with most uniques."""
    from incrowd.report.charts import run as charts  # altair takes a second to import: only who wants a report pays

    shown = changing(log.steps)
    return {
        "panels": [(step, svg(charts.class_sizes(step, log.called))) for step in shown],
        "unchanged": [step.number for step in log.steps if step not in shown],
        "by_step": svg(charts.classes_by_step(log.steps)),
        "tables": [
            (risk, risk.before.tables or (risk.after and risk.after.tables), table_rows(risk)) for risk in log.risks
        ],
    }


def risk(log: RunLog) -> Values:
    """Each scenario with its heat maps and its rows, and the rarest combinations by their categories."""
    rarest = [
        (", ".join(value_of(log, key, value) for key, value in one.values), one) for one in log.rarest.combinations
    ]
    return {"risks": [(risk, *_heat_maps(risk), risk_rows(risk)) for risk in log.risks], "rarest": rarest}


def treatment(log: RunLog) -> Values:
    """The records lost by step and reason, as a chart and as rows."""
    from incrowd.report.charts import run as charts

    lost = charts.records_lost(log.steps, log.called)
    return {
        "lost_chart": None if lost is None else svg(lost),
        "lost_rows": [(step, reason, n) for step in log.steps for reason, n in charts.lost_rows(step)],
    }


def attacks(log: RunLog) -> Values:
    """The charts of how often each attack was right, by scenario."""
    from incrowd.report.charts.attacks import attack_charts

    return {"attack_charts": [(scenario, svg(chart)) for scenario, chart in attack_charts(log.attacks)]}


def intruder_test(log: RunLog) -> Values:
    """What people found, with its charts."""
    return intruder_section(log.intruder_test)


def proposed(log: RunLog) -> Values:
    """What each promise of a proposed plan costs, drawn."""
    from incrowd.report.charts.proposals import price_chart  # altair takes a second to import

    found = log.about.proposed or {}
    prices = [(price["promise"], price["back"]) for price in found.get("prices", ())]
    return {"proposed": found, "bars": svg(price_chart(prices)) if prices else None}


def alternatives(log: RunLog) -> Values:
    """What every k would drop after every step, and the frontier of the sweep."""
    from incrowd.report.charts import run as charts
    from incrowd.report.charts.frontier import frontier

    who = "records" if log.unit is None else log.called.many
    sweep = None if log.utility is None else log.utility.sweep
    return {
        "who": who,
        "required_k": required_k(log.verdicts),
        "ks": range(2, LARGEST_K + 1),
        "below": svg(charts.people_below(log.steps, who)),
        "frontier": None if sweep is None else svg(frontier(sweep)),
    }


def residual(log: RunLog) -> Values:
    """The risks that remain, each with what measured it."""
    return {"remaining": residuals(log)}


def crosswalk(log: RunLog) -> Values:
    """The points of three guides, and how each stands."""
    return {"crosswalk": guides.crosswalk(log), "guides": guides.GUIDES}


def public_decision(facts: PublicFacts) -> Values:
    """Who gets the file, and how a loss is called."""
    # A sample is a loss to its readers and no fault of the file, and the way there is not told: never red.
    stands = "pass" if facts.loss == "small" else "warn"
    return {"tiers": words.TIERS, "loss_stands": stands, "loss_limits": PUBLIC_LIMITS}


def classes(facts: PublicFacts) -> Values:
    """The chart of the sizes."""
    from incrowd.report.charts import run as charts

    return {"sizes_chart": svg(charts.released_sizes(facts.sizes, facts.called)) if facts.sizes else None}


def public_residual(facts: PublicFacts) -> Values:
    """What the requirements do not protect against."""
    return {"residuals": words.RESIDUALS}


def readers(facts: PublicFacts) -> Values:
    """What a reader should know, by tier and in any case."""
    return {"readers": words.READERS, "every_reader": words.EVERY_READER}


def changing(steps: Sequence[StepLog]) -> list[StepLog]:
    """The steps after which the classes are other ones than before, and the start."""
    return [
        step for before, step in zip((None, *steps), steps, strict=False) if not before or before.after != step.after
    ]


def risk_rows(risk: RiskLog) -> list[tuple[str, str, str, str, str]]:
    """Each figure of a scenario as a row: name, method, before, after, and why it has no value or interval.

    Every figure of either side has its row: what a sample makes possible to estimate is measured of the release alone.
    """
    before, after = _figures(risk.before), {} if risk.after is None else _figures(risk.after)
    absent = "not released" if risk.after is None else words.risk(None)
    rows = []
    for name, method in _in_order(before, after):
        one, then = before.get((name, method)), after.get((name, method))
        left = absent if then is None else words.risk(then)
        rows.append((name.replace("_", " "), method, words.risk(one), left, _reasons(one, then)))
    return rows


def _figures(measured: Measured) -> dict[tuple[str, str], Risk]:
    return {(one.name, one.method): one for one in (*measured.risks, *measured.worth)}


T = TypeVar("T")


def _in_order(before: Iterable[T], after: Iterable[T]) -> list[T]:
    """All of both, each once: those of the first, and where they belong in the second those that only it has."""
    found, there = list(dict.fromkeys(before)), set(before)
    last = -1
    for one in after:
        if one in there:
            last = max(last, found.index(one))
        else:
            last += 1
            found.insert(last, one)
            there.add(one)
    return found


def _reasons(before: Risk | None, after: Risk | None) -> str:
    """What to know of the two figures: once where it is the same."""
    said = [(when, one.why) for when, one in (("as it came", before), ("as it leaves", after)) if one is not None]
    if len({why for _, why in said}) < 2:
        return said[0][1]
    return "; ".join(f"{when}: {why}" for when, why in said if why)


def table_rows(risk: RiskLog) -> list[tuple[str, TableLine | None, TableLine | None]]:
    """The tables of each number of keys with most uniques, as the file came or as it leaves, each in both."""
    sides = [
        {} if one is None or one.tables is None else {frozenset(line.keys): line for line in one.tables.lines}
        for one in (risk.before, risk.after)
    ]
    rows = []
    for size in sorted({len(keys) for side in sides for keys in side}):
        most = [[keys for keys in side if len(keys) == size][:SHOWN] for side in sides]
        for keys in _in_order(*most):
            before, after = sides[0].get(keys), sides[1].get(keys)
            named = before or after
            assert named is not None
            rows.append((" + ".join(named.keys), before, after))
    return rows


def _heat_maps(risk: RiskLog) -> tuple[Markup | None, Markup | None, list[tuple[int, str]]]:
    """The tables as they came and as they leave, drawn alike, and the key to their colours."""
    from incrowd.report.charts.heat import most_uniques, uniques_heat

    before, after = risk.before.tables, None if risk.after is None else risk.after.tables
    most = most_uniques(before, after)
    first = [] if before is None else [one.key for one in before.contributions]
    states = [(before, "as it came"), (after, "as it leaves")]
    maps = [None if one is None else svg(uniques_heat(one, told, most=most, first=first)) for one, told in states]
    return maps[0], maps[1], key_of_counts(most)
