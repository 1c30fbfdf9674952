"""Hold the written file against the last releases of its series: what do they give away together?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import pyarrow as pa

from incrowd.attack.matching.editions import Edition
from incrowd.attack.matching.left_over import CHANGED
from incrowd.attack.over_time import compare_editions, matched
from incrowd.attack.situation import fetch, lines_of
from incrowd.audit.log import RunLog
from incrowd.audit.manifest import SECRET_FILE
from incrowd.audit.past import PastRun
from incrowd.audit.plan_changes import plan_differences
from incrowd.audit.series import (
    Member,
    SeriesLog,
    SeriesPair,
    SeriesRelease,
    chosen,
    find_series,
    in_figures,
    released_runs,
    unexcused,
)
from incrowd.audit.series_people import digest_people, read_people, which_secret
from incrowd.errors import NotReleasable
from incrowd.keys.saying import latest_runs
from incrowd.pipeline.attack import AttackedFile
from incrowd.pipeline.series_limits import BesideThis, all_together, too_much
from incrowd.pipeline.series_names import in_our_names, names_broken
from incrowd.plan import Plan
from incrowd.plan.series import Series, people_of
from incrowd.plan.verdict import Verdict
from incrowd.rows import Rows, open_released
from incrowd.rows.frame import LINE
from incrowd.secret import Secret


@dataclass(frozen=True, kw_only=True)
class Compared(AttackedFile):
    """The written file beside the earlier ones of its series; nothing of it without a series."""

    series: SeriesLog | None
    people: pa.Array | None  # keyed digests of the released people, for the next release to know them again


def compare_series(attacked: AttackedFile) -> Compared:
    """Compare with the last releases, and refuse what must not leave beside them."""
    plan, series = attacked.plan, attacked.plan.release.series
    if series is None:
        return Compared(**vars(attacked), series=None, people=None)
    found, names = attacked.found, _names(attacked)
    members, left_out = chosen(found, plan)
    people = None if names is None else digest_people(names, attacked.secret)
    releases = tuple(replace(one.in_figures(), compared=one in members, note=left_out.get(one.run, "")) for one in
                     found.members)  # fmt: skip
    log = SeriesLog(
        series.name, series.last, series.pseudonyms, series.limit, series.changed,
        () if people is None else people_of(plan),
        which_secret(attacked.secret), series.overlap, series.reason, releases,
        changes=tuple(plan_differences(found.members[-1].plan, plan)) if found.members else (),
        before=found.there, without=dict(series.without), notes=tuple(_notes(plan, found.members)),
    )  # fmt: skip
    if attacked.refusal is not None:
        return Compared(**vars(attacked), series=log, people=people)
    refusal, pairs, together = _missing(unexcused(found, series)), list[SeriesPair](), None
    attacked.progress("compare with the series")
    if refusal is None and members:
        this, sides = _edition(plan, _table(attacked), None), list[BesideThis]()
        for one in members:
            pair, problem, side = _pair(attacked, this, names, one, series)
            pairs.append(pair)
            sides += [] if side is None else [side]
            refusal = refusal or problem
        if refusal is None:
            together = all_together(sides)
            refusal = None if together is None else too_much(together, series)
    beside = pairs if together is None else [*pairs, together]
    verdicts = attacked.verdicts if refusal is None else (*attacked.verdicts, _verdict(refusal, beside, series))
    so_far = {**vars(attacked), "refusal": refusal, "verdicts": verdicts}
    return Compared(**so_far, series=replace(log, pairs=tuple(pairs), together=together), people=people)


def with_this(plan: Plan, log: RunLog) -> RunLog:
    """The log with this release beside the earlier ones."""
    if log.series is None:
        return log
    return replace(log, series=replace(log.series, releases=(*log.series.releases, _in_figures(plan, log))))


def refuse_newer(compared: Compared) -> None:
    """The last look, while nobody else can publish: is there a release of the series by now that nobody compared?"""
    if compared.series is None:
        return
    there = {name.rpartition("/")[2] for name in compared.found.there}
    if all(run.name in there for run in released_runs(compared.work.home)):
        return
    now = find_series(compared.plan, compared.work.home)
    new = [one.run for one in now.members if one.run not in compared.found.there and one.data != compared.sha256]
    new += [name for name in now.unread if name not in compared.found.unread]
    new = [name for name in new if name.rpartition("/")[2] in {run.name for run in released_runs(compared.work.home)}]
    if new:
        message = f"another release of the series was made meanwhile ({latest_runs(new)}); nothing was released."
        raise NotReleasable("R043", message, "Run again: the two are then compared.")


def _in_figures(plan: Plan, log: RunLog) -> SeriesRelease:
    return in_figures(PastRun.of(asdict(log)), "", "", plan)


def _notes(plan: Plan, members: Sequence[Member]) -> Iterator[str]:
    """What the custodian should know."""
    series = plan.release.series
    assert series is not None
    other = [one.run for one in members if one.plan.release.series is None or one.plan.release.series.name
             != series.name]  # fmt: skip
    if other:
        yield (
            f"releases here are of another series or of none, and have columns like these ({latest_runs(other)}): "
            f"they count as earlier releases of {series.name!r}"
        )


def _missing(unread: dict[str, str]) -> NotReleasable | None:
    if not unread:
        return None
    told = "; ".join(f"{run}: {why}" for run, why in list(unread.items())[:5])
    more = f"; and {len(unread) - 5:,} more" if len(unread) > 5 else ""
    return NotReleasable(
        "R040",
        f"earlier releases here cannot be compared with this one ({told}{more}).",
        "Put them back as they were sealed, or say in release: series: without why each may be left out.",
    )


def _names(attacked: AttackedFile) -> list[list[str | None]] | None:
    """For each written record the identifiers of its person, column by column; None where nobody can tell."""
    columns = people_of(attacked.plan)
    if not columns or attacked.traced is None:
        return None
    lines = pa.array(lines_of(attacked.traced))
    everybody = fetch(attacked.start.rows, columns, LINE)
    return [everybody[name].take(lines).to_pylist() for name in columns]


def _table(attacked: AttackedFile) -> pa.Table:
    """The written records, in the order of what is known of them."""
    if attacked.traced is not None:
        return fetch(attacked.traced, attacked.columns)
    return _read(open_released(attacked.file, spill=attacked.work.spill))


def _read(rows: Rows) -> pa.Table:
    try:
        return fetch(rows, rows.columns)
    finally:
        rows.close()


def _edition(plan: Plan, table: pa.Table, people: pa.Array | None) -> Edition:
    keys, sensitive = ([name for name in plan.with_role(role) if name in table.column_names] for role in
                       ("key", "sensitive"))  # fmt: skip
    crowd = max((each.crowd for each in plan.requirements), default=2)
    return Edition(table, tuple(keys), tuple(sensitive), people, max(int(crowd), 2))


def _pair(
    attacked: AttackedFile, this: Edition, names: list[list[str | None]] | None, member: Member, series: Series
) -> tuple[SeriesPair, NotReleasable | None, BesideThis | None]:
    """This release beside one before it; and that one, where it adds something."""
    if member.data == attacked.sha256:
        return SeriesPair(member.run, False, None, same=True, said="the same bytes: nothing is added"), None, None
    there, why = _known_again(attacked, names, member)
    mine = this if there is None else replace(this, people=_digests(names, there[1]))
    before = Edition(this.table, (), (), None if there is None else there[0], 2)
    both, smaller = matched(before, mine) if there is not None else (None, 0)
    if series.overlap == "none":
        if both:
            message = f"the plan says that nobody is in two releases, and {both:,} people are in {member.run} too."
            return (
                SeriesPair(member.run, True, both, said=message),
                NotReleasable("R045", message, "Mend the plan."),
                None,
            )
        said = "the plan says that nobody is in both" + ("; so say the identifiers" if both == 0 else f" ({why})")
        return SeriesPair(member.run, both == 0, both, said=said), None, None
    linked = both is not None and (2 * both >= smaller or series.overlap == "few")
    release, plan = member.archive.release, attacked.plan
    assert release is not None
    rows = open_released(release / member.plan.release.file)
    earlier = in_our_names(_edition(member.plan, _read(rows), before.people if linked else None), member.plan, plan)
    if linked and earlier.people is not None and len(earlier.people) != earlier.table.num_rows:
        linked, why = False, "its audit does not say whose record each is"
    if both is not None and not linked and not why:
        why = (
            f"only {both:,} of {smaller:,} people are known again: identifiers may be written otherwise (overlap: few "
            "says that they are not)"
        )
    said = "people are known again" if linked else f"everybody who can be in both is taken to be ({why})"
    pair = SeriesPair(member.run, linked, both, compare_editions(earlier, mine, linked), said=said)
    problem = names_broken(plan, member, earlier, mine, linked) or too_much(pair, series)
    keyed_by = "" if not linked or there is None else which_secret(there[1])
    return pair, problem, BesideThis(member.run, member.data, keyed_by, earlier, mine)


def _known_again(
    attacked: AttackedFile, names: list[list[str | None]] | None, member: Member
) -> tuple[tuple[pa.Array, Secret] | None, str]:
    """The digests of the earlier release's people, and the secret they are keyed by; or why they are of no use."""
    if names is None:
        return None, "the plan has no identifier by which people are known again: series: people"
    digests, own = read_people(member.archive.audit), member.own
    if digests is None:
        return None, "its audit keeps no digests of its people"
    if tuple(own.get("people", ())) != people_of(attacked.plan):
        return None, "it knew people by other identifiers"
    if own.get("keyed_by") == which_secret(attacked.secret):
        return (digests, attacked.secret), ""
    if not (member.archive.audit / SECRET_FILE).is_file():
        return None, "it was made with another secret, which is gone"
    return (digests, member.archive.secret), ""


def _digests(names: list[list[str | None]] | None, secret: Secret) -> pa.Array:
    assert names is not None
    return digest_people(names, secret)


def _verdict(refusal: NotReleasable, pairs: Sequence[SeriesPair], series: Series) -> Verdict:
    """What fails, for those who decide."""
    worst = max((one.share for pair in pairs for one in pair.exposed if one.whom != CHANGED), default=None)
    words = f"beside the releases of the series {series.name!r} it gives away at most {series.limit:.3g} of the people"
    return Verdict(f"{words} ({refusal.code})", "attack", False, series.limit, worst)
