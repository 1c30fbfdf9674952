"""What a machine would fill in and could not, for each point that a review board expects to read."""

from __future__ import annotations

from collections.abc import Iterator

from incrowd.audit.log import RunLog
from incrowd.report.board import crosswalk as guides
from incrowd.report.board.residual import residuals
from incrowd.risk.measure import Measured


def _absent(*wanted: tuple[str, object]) -> list[str]:
    """The words for what is not there."""
    return [words for words, there in wanted if not there]


def decision(log: RunLog) -> list[str]:
    """Requirements, sign-offs, the next review."""
    return _absent(
        ("a requirement", log.verdicts), ("a sign-off: sign_off", log.about.sign_offs),
        ("the next review: review", log.about.review),
    )  # fmt: skip


def consultation(log: RunLog) -> list[str]:
    """Use cases."""
    return _absent(("use cases", log.about.use_cases))


def variables(log: RunLog) -> Iterator[str]:
    """Any variable at all, and for each a reason that somebody wrote."""
    yield from _absent(("the variables", log.variables))
    if log.unconfirmed:
        yield f"the reason, confirmed by somebody, for the role of: {', '.join(log.unconfirmed)}"


def scenarios(log: RunLog) -> list[str]:
    """Intruders, with and without knowledge of who is in the file."""
    return _absent(
        ("intruder scenarios", log.risks),
        ("a scenario with response knowledge", _knowing(log, True)),
        ("a scenario without response knowledge", _knowing(log, False)),
    )


def before_after(log: RunLog) -> list[str]:
    """Tables of keys."""
    return _absent(("uniques in tables of keys: they need scenarios", log.risks))


def risk(log: RunLog) -> Iterator[str]:
    """Risk in the population, of every scenario."""
    yield from _absent(("risk in the population: it needs scenarios", log.risks))
    yield from _unmodelled(log)


def treatment(log: RunLog) -> Iterator[str]:
    """Steps, and the reason for each."""
    if len(log.steps) == 1:
        yield "protection steps"
    elif bare := [str(step.number) for step in log.steps[1:] if not step.reason]:
        yield f"the reason for step {', '.join(bare)}"


def attacks(log: RunLog) -> list[str]:
    """An attack that was tried."""
    return _absent(("attacks on the release", any(one.in_full for one in log.attacks)))


def intruder_test(log: RunLog) -> list[str]:
    """A test in which people claimed something."""
    return _absent(("a human intruder test with claims", log.human_test and log.human_test.claims))


def utility(log: RunLog) -> list[str]:
    """Use cases that were compared, and could be judged."""
    outcomes = log.utility.outcomes if log.utility else ()
    judged = [(f"a verdict on: {one.use_case}", one.judged) for one in outcomes]
    return _absent(("use cases that were compared", outcomes), *judged)


def alternatives(log: RunLog) -> list[str]:
    """What other choices would have cost."""
    return _absent(("alternatives or a sweep", log.utility and (log.utility.prices or log.utility.sweep)))


def residual(log: RunLog) -> Iterator[str]:
    """A measurement of every risk that remains."""
    if unmeasured := [one.name for one in residuals(log) if not one.measured]:
        yield f"a measurement of: {', '.join(unmeasured)}"


def crosswalk(log: RunLog) -> Iterator[str]:
    """Points of the guides."""
    if open_points := sum(row.status == guides.MISSING for row in guides.crosswalk(log)):
        yield f"{open_points} points of the guides"


def incidents(log: RunLog) -> list[str]:
    """The next review."""
    return _absent(("the next review: review", log.about.review))


def _knowing(log: RunLog, knows: bool) -> bool:
    return any(risk.before.scenario.knows_who_is_in == knows for risk in log.risks)


def _unmodelled(log: RunLog) -> Iterator[str]:
    """Scenarios of which no figure speaks of the population, and what that needs.

    A release without uniques has none that could be estimated, and a file that is its population needs none.
    """
    alone = ("prosecutor", "uniques", "right_match")
    unknown, unfitted = [], []
    for risk in log.risks:
        left = risk.after
        if left is None or (left.fraction is not None and left.fraction >= 1):
            continue
        models = [one for one in left.risks if not one.name.startswith(alone)]
        if not models and left.fraction is None:
            unknown.append(left.scenario.name)
        elif not any(one.value is not None for one in models) and not _no_uniques(left):
            unfitted.append(left.scenario.name)
    if unknown:
        needs = "it needs a sampling fraction, weights or a population"
        yield f"a model of the population for {', '.join(unknown)}: {needs}"
    if unfitted:
        yield f"a model of the population that gives a figure for {', '.join(unfitted)}: the table says why none does"


def _no_uniques(measured: Measured) -> bool:
    return any(one.name == "uniques" and one.value == 0 for one in measured.risks)
