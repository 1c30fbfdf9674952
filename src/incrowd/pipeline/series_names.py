"""What columns and people are called in two releases of a series: the same, or otherwise, as their plans say."""

from __future__ import annotations

from dataclasses import replace

from incrowd.attack.matching.editions import Edition
from incrowd.audit.series import Member
from incrowd.errors import NotReleasable
from incrowd.plan import Plan
from incrowd.plan.prepare import renames
from incrowd.plan.steps.columns import Pseudonymise


def in_our_names(earlier: Edition, then: Plan, now: Plan) -> Edition:
    """The earlier release with columns called as in this plan: that a plan renames one makes it no other."""
    came = {new: old for _, rename in renames(then) for old, new in rename.variables.items()}
    ours = {old: new for _, rename in renames(now) for old, new in rename.variables.items()}
    called = {name: ours.get(came.get(name, name), came.get(name, name)) for name in earlier.table.column_names}
    if len(set(called.values())) < len(called) or all(old == new for old, new in called.items()):
        return earlier  # what is derived now may have the name of what was renamed then: told as it was
    keys, sensitive = (tuple(called[name] for name in names) for names in (earlier.keys, earlier.sensitive))
    table = earlier.table.rename_columns([called[name] for name in earlier.table.column_names])
    return replace(earlier, table=table, keys=keys, sensitive=sensitive)


def names_broken(plan: Plan, member: Member, before: Edition, now: Edition, linked: bool) -> NotReleasable | None:
    """Do pseudonyms change, or stay, as the plan says?"""
    series, then = plan.release.series, member.plan.release.series
    assert series is not None
    for name in (step.into for _, step in plan.active if isinstance(step, Pseudonymise)):
        if name not in before.table.column_names or name not in now.table.column_names:
            continue
        mine, theirs = (set(one.table[name].unique().to_pylist()) - {None, ""} for one in (now, before))
        if series.pseudonyms == "change" and (shared := len(mine & theirs)):
            message = f"{shared:,} pseudonyms in {name} are in {member.run} too, and the plan says that they change."
            return NotReleasable("R044", message, "Give the release a version of its own: release: version.")
        stays = then is not None and (then.name, then.pseudonyms) == (series.name, "stay")
        if series.pseudonyms == "stay" and stays and linked and (lost := _renamed(before, now, name)):
            message = f"{lost:,} people are called otherwise in {name} than in {member.run}, and the plan says that "
            message += "pseudonyms stay."
            return NotReleasable("R044", message, "Run with the secret of the earlier release.")
    return None


def _renamed(before: Edition, now: Edition, name: str) -> int:
    """How many people of both have other pseudonyms."""
    sides: list[dict[bytes, set[str]]] = []
    for one in (before, now):
        assert one.people is not None
        called: dict[bytes, set[str]] = {}
        for person, text in zip(one.people.to_pylist(), one.table[name].to_pylist(), strict=True):
            if person is not None:
                called.setdefault(person, set()).add(text)
        sides.append(called)
    return sum(sides[0][person] != sides[1][person] for person in sides[0].keys() & sides[1].keys())
