"""What simulated intruders found, as the page Attack shows it; and the files that somebody names for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.app.sessions import Session
from incrowd.app.site import Site
from incrowd.attack import ATTACKS
from incrowd.attack.limits import limits_of
from incrowd.attack.value import Attacked
from incrowd.attack.words import knowledge
from incrowd.errors import InputError
from incrowd.keys.saying import fixed, percent, percents, sentence
from incrowd.plan import Plan
from incrowd.plan.verdict import Verdict
from incrowd.report.charts.attacks import attack_charts
from incrowd.risk.background import plan_scenarios
from incrowd.tasks.attack import Intrusion

#: So many attacks are told in words before all others.
MOST_TOLD = 3


@dataclass(frozen=True)
class Tried:
    """One attack in one scenario: its figures as texts, and what they mean."""

    one: Attacked
    success: str  # empty where it was not tried
    interval: str
    guess: str
    control: str
    adds: str
    limits: tuple[Verdict, ...]  # of the plan
    words: str  # what a manager understands
    acts: str
    why: str

    @property
    def state(self) -> str:
        """Tried, not tried, or nothing to attack; only the first tells anything."""
        return "tried" if self.one.in_full else "does not apply" if self.one.does_not_apply else "not tried"


@dataclass(frozen=True)
class Told:
    """An intrusion, scenario by scenario."""

    found: Intrusion
    tried: int
    scenarios: tuple[tuple[str, str, tuple[Any, ...], tuple[Tried, ...]], ...]  # name, what is known, charts, attacks
    gained: tuple[Tried, ...]  # those that gained most over what is possible without the file
    untried: tuple[tuple[str, str, str], ...]  # attack, why, and in which scenarios
    left_out: tuple[str, ...]  # attacks that nobody asked for

    @property
    def words(self) -> tuple[str, ...]:
        """The attacks that were tried, by their words in plans."""
        return tuple(dict.fromkeys(one.attack for one in self.found.attacks if one.in_full))

    @property
    def limits(self) -> tuple[Verdict, ...]:
        """Every verdict on a limit of the plan."""
        return tuple(limit for *_, some in self.scenarios for one in some for limit in one.limits)

    @property
    def broken(self) -> int:
        """How many limits are not kept; one that nobody could try is not."""
        return sum(not limit.passed for limit in self.limits)


def told(found: Intrusion, plan: Plan) -> Told:
    """What was found, in words, beside the limits of the plan."""
    tried = [_tried(one, plan) for one in found.attacks]
    charts = attack_charts(found.attacks)
    knows = {one.name: knowledge(one) for one in plan_scenarios(plan)}
    names = dict.fromkeys(one.scenario for one in found.attacks)
    return Told(
        found,
        sum(one.state == "tried" for one in tried),
        tuple(
            (
                name,
                plan.data.called.say(knows.get(name, "")),
                tuple(chart for of, chart in charts if of == name),
                tuple(one for one in tried if one.one.scenario == name),
            )
            for name in names
        ),
        tuple(sorted((one for one in tried if gain(one.one) > 0), key=lambda one: -gain(one.one))[:MOST_TOLD]),
        tuple(_untried(tried)),
        tuple(word for word in ATTACKS if word not in {one.attack for one in found.attacks}),
    )


def _untried(tried: Sequence[Tried]) -> Iterator[tuple[str, str, str]]:
    """What could not be tried, each reason once."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in tried:
        if one.state == "not tried":
            found.setdefault((one.one.name, one.one.why), []).append(one.one.scenario)
    for (name, why), scenarios in found.items():
        yield name, why, ", ".join(scenarios)


def gain(one: Attacked) -> float:
    """What the file adds to what is possible without it; all of it where there is nothing to compare with."""
    if one.success is None or one.incomplete:
        return 0.0
    return one.success.value if one.auxiliary(worst=False) is None else one.residual or 0.0


def _tried(one: Attacked, plan: Plan) -> Tried:
    say, success, interval = plan.data.called.say, "", ""
    if one.success is not None:
        success, low, high = percents(one.success.value, one.success.low, one.success.high)
        interval = f"{low} to {high}"
    return Tried(
        one,
        success,
        interval,
        guess="none" if one.baseline is None else percent(one.baseline),
        control="none" if one.control is None else percent(one.control.value),
        adds="none" if one.residual is None else fixed(one.residual),
        limits=limits_of(plan, one),
        words=sentence(say(one.sentence)),
        acts=sentence(say(f"The intruder {one.acts}")),
        why="" if one.why in one.sentence else sentence(say(one.why)),
    )


def strongest(attacks: Iterable[Attacked]) -> str:
    """What simulated intruders achieved, in a sentence; empty where none was tried."""
    tried = [one for one in attacks if one.in_full]
    if not tried:
        return ""
    worst = max(tried, key=gain)
    assert worst.success is not None
    without = worst.auxiliary(worst=False)
    beside = "" if without is None else f", where {percent(without)} is possible without the file"
    many = "One simulated attack was" if len(tried) == 1 else f"{len(tried)} simulated attacks were"
    return (
        f"{many} tried on the file. The one that gained most is {worst.name} ({worst.scenario}): the intruder "
        f"{worst.acts}, and is right for {percent(worst.success.value)} of those they go for{beside}."
    )


def named(site: Site, session: Session, text: str, instead: str = "incrowd audit sign") -> Path:
    """A file of this machine that somebody names: from the plan's folder on, where it is not a whole path."""
    if not site.paths:
        message = "files of this machine are named by whoever sits in front of it."
        raise InputError("D441", message, f"Use the command line there: {instead}.")
    if not text or "\0" in text:
        raise InputError("D441", "no file is named.", "Write its path.")
    try:
        return session.need_project().home / Path(text).expanduser()
    except RuntimeError:
        raise InputError("D462", "there is no such user of this machine.", "Write the whole path, without ~.") from None


def named_all(site: Site, session: Session, lines: str, instead: str) -> list[str]:
    """The files that are named, one on each line."""
    return [str(named(site, session, line.strip(), instead)) for line in lines.splitlines() if line.strip()]


def choices(plan: Plan, asked: Sequence[str] | None) -> list[dict[str, Any]]:
    """Every attack to tick, with what its intruder does."""
    return [
        {
            "word": one.word, "name": one.word.replace("_", " "), "acts": plan.data.called.say(one.acts),
            "needs": one.needed, "long": one.on_request,
            "ticked": one.word in asked if asked is not None else not one.on_request,
        }
        for one in ATTACKS.values()
    ]  # fmt: skip
