"""Which attacks on a release were not tried, and which do not apply? What was not tried counts as failed.

Otherwise less testing would look better than more: whoever leaves out the attack that succeeds would be advised a more
open tier. What has nothing to attack is no reason, if the release itself shows it or somebody answers for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from incrowd.attack import ATTACKS
from incrowd.attack.registry import Attack, Need
from incrowd.attack.value import Attacked
from incrowd.audit.log import RunLog
from incrowd.risk.value import EVERYTHING

#: What somebody says that there is nothing of (attest), by what an attack needs of it.
DENIED: Mapping[Need, str] = {"others": "no_other_release", "tables": "no_tables"}


@dataclass(frozen=True)
class Untried:
    """What was not tried: never, or it could not be (for want of what only people can name beside the release, or for
    another reason); and what does not apply, with who says so.
    """

    never: tuple[str, ...]
    could_not: tuple[str, ...]
    does_not_apply: tuple[str, ...]
    beside: tuple[str, ...] = ()


def untried(log: RunLog) -> Untried:
    """Every attack that there is, in every scenario of the plan, on every sensitive variable: which are missing?"""
    never = [name for name, found in _wanted(log) if not found]
    failed = [one for one in log.attacks if not one.in_full and not one.does_not_apply]
    beside = [one for one in failed if _wants_other_files(one.attack)]
    apart = [*_apart(log), *_said(log)]
    return Untried(
        tuple(never), _places(one for one in failed if one not in beside), tuple(dict.fromkeys(apart)), _places(beside)
    )


def _wants_other_files(word: str) -> bool:
    return word in ATTACKS and bool(ATTACKS[word].auxiliary)


def _places(attacks: Iterable[Attacked]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{one.name} ({one.scenario})" for one in attacks))


def strongest_tried(log: RunLog) -> bool:
    """Whether some scenario knows all released keys, none of them wrongly, and who is in the file. Whoever knows less
    finds less, as a rule; so that leaving the strongest intruder out would look better.
    """
    if not log.about.scenarios:
        return True  # then all keys are taken as known
    scenarios = [risk.before.scenario for risk in log.risks]
    return any(
        set(log.end.keys) <= set(one.keys) and one.knows_who_is_in and not any(one.error.values())
        for one in scenarios
    )  # fmt: skip


def _wanted(log: RunLog) -> Iterator[tuple[str, list[Attacked]]]:
    """Each attack that is asked for, by name, and its results."""
    sensitive = [n for n, (role, _) in log.variables.items() if role == "sensitive" and n in log.released_columns]
    for attack in ATTACKS.values():
        if (attack.on_values and not sensitive) or not _asked(log, attack):
            continue
        named = attack.word.replace("_", " ")
        for scenario in ("",) if attack.once else log.about.scenarios or (EVERYTHING,):
            there = [one for one in log.attacks if one.attack == attack.word and scenario in ("", one.scenario)]
            where = f" ({scenario})" if scenario else ""
            if not attack.on_values or any(not one.about for one in there):
                yield f"{named}{where}", there
                continue
            for name in sensitive:
                yield f"{named} of {name}{where}", [one for one in there if one.about == name]


def _asked(log: RunLog, attack: Attack) -> bool:
    """Whether there is anything for it: where somebody says that there is nothing beside the release, what is missing
    is not asked for.
    """
    tried = any(one.attack == attack.word for one in log.attacks)
    return tried or attack.word not in _denied(log)


def _denied(log: RunLog) -> dict[str, str]:
    """The attacks that need what somebody says does not exist, with who says so. Where it does exist, nobody can say
    so.
    """
    if log.other_releases:
        return {}
    found = {}
    for attack in ATTACKS.values():
        said = [log.about.nothing_beside.get(DENIED[need]) for need in attack.auxiliary]
        told = [f"{one.role}, {one.date}: {one.text}" for one in said if one is not None]
        if said and len(told) == len(said):
            found[attack.word] = "; ".join(dict.fromkeys(told))
    return found


def _apart(log: RunLog) -> Iterator[str]:
    """What was asked for and does not apply: the same of several variables, or in several scenarios, is told once."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for one in log.attacks:
        if one.does_not_apply:
            found.setdefault((one.why, one.does_not_apply), {})[one.name] = None
    for (why, who), names in found.items():
        yield f"{', '.join(names)}: {why.rstrip('.')} (says {who.rstrip('.')})"


def _said(log: RunLog) -> Iterator[str]:
    for attack, who in _denied(log).items():
        if not any(one.attack == attack for one in log.attacks):
            yield f"{attack}: there is nothing beside the release (says {who.rstrip('.')})"
