"""A series in both reports: for those who decide, its releases beside each other; in public, a page that lists them."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from incrowd.attack.matching.left_over import CHANGED
from incrowd.audit.archive import Archive
from incrowd.audit.log import RunLog
from incrowd.audit.series import SERIES_FACTS, SeriesLog, SeriesPair, date_of, released_runs
from incrowd.errors import IncrowdError
from incrowd.plan import Plan, json_tree
from incrowd.report.facts import HIDDEN_BELOW, PublicFacts
from incrowd.report.render import render, svg

#: The page that is made of what the releases say of themselves, beside the pointer.
PAGE = "series.html"
#: By this a page is known to be ours: nobody else's is written over.
MARK = "<!-- the releases of a series, written by incrowd -->"


def section(log: RunLog) -> Mapping[str, Any]:
    """The releases of the series beside each other, and what each pair gives away."""
    series = log.series
    if series is None:
        return {}
    from incrowd.report.charts.series import over_time

    releases = series.releases
    pairs = _all_pairs(series)
    judged = [(pair, one, _limit(series, one.whom)) for pair in pairs for one in pair.exposed]
    broken = [pair.run for pair, one, limit in judged if limit is not None and one.share > limit]
    return {
        "series": series,
        "pairs": pairs,
        "judged": judged,
        "broken": list(dict.fromkeys(broken)),
        "untried": list(dict.fromkeys(pair.run for pair, one, _ in judged if one.untried)),
        "versions": {one.run: f"{one.version} ({one.run})" for one in releases if one.version},
        "requirements": _rows(one.requirements for one in releases),
        "risks": _rows(one.risks for one in releases),
        "use_cases": _rows(one.use_cases for one in releases),
        "over_time": svg(over_time(releases, log.called)) if len(releases) > 1 else None,
    }


def missing(log: RunLog) -> Iterable[str]:
    """What was not tried: nobody knows it."""
    for pair in () if log.series is None else _all_pairs(log.series):
        for one in pair.exposed:
            if one.untried:
                yield f"what this release and {pair.run} give away together ({one.why})"
        if not pair.same and not pair.exposed and not pair.linked:
            yield f"{pair.run}: {pair.said}; that was not measured"
    for release in () if log.series is None else log.series.releases:
        if release.run and not release.compared:
            yield f"{release.run} was not compared ({release.note})"


def series_facts(plan: Plan, log: RunLog) -> str:
    """What a release says of itself on the page of its series: public facts, and nothing else."""
    series, facts, licence = plan.release.series, PublicFacts.of(log), plan.release.licence
    assert series is not None
    content = {
        "series": series.name,
        "title": facts.title,
        "tier": facts.tier,
        "version": plan.release.version,
        "licence": None if licence is None else {"name": licence.title or licence.name, "url": licence.url},
        "publisher": plan.release.publisher,
        "pseudonyms": series.pseudonyms,
        "records": facts.records,
        "lost": facts.lost,
        "columns": list(facts.columns),
        "requirements": [
            {"requirement": one.requirement, "achieved": one.achieved, "holds": one.passed} for one in facts.verdicts
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def write_series_page(home: Path) -> tuple[str, ...]:
    """The public page of the series in a folder of runs, made anew from what each release says of itself; whole, or as
    it was. Gives what the custodian should know of it.
    """
    page = home / PAGE
    draft = home / f".{PAGE}-{secrets.token_hex(4)}"
    try:
        if os.path.lexists(page) and (page.is_symlink() or MARK not in page.read_text(errors="replace")):
            return (f"{PAGE} is in the way: it is not the page of a series, and was left as it is",)
        draft.write_text(series_page(home), encoding="utf-8")
        draft.replace(page)
    except OSError as error:
        return (f"the page of the series could not be written ({error.strerror}); the release is out",)
    finally:
        draft.unlink(missing_ok=True)
    return ()


def series_page(home: Path) -> str:
    """The page: every release here that is as it was sealed, by series, the latest first."""
    series: dict[str, list[dict[str, Any]]] = {}
    for run in reversed(released_runs(home)):
        try:
            archive = Archive.find(run, home)
            if archive.release is None or not (archive.release / SERIES_FACTS).is_file():
                continue
            told = json_tree((archive.release / SERIES_FACTS).read_bytes())
            where = f"runs/{run.name}/release"
            series.setdefault(str(told["series"]), []).append(
                {**told, "date": date_of(run.name), "report": f"{where}/report.html", "folder": where}
            )
        except (IncrowdError, OSError, ValueError, KeyError, TypeError):
            continue  # nobody vouches for it
    return render("series.html", mark=MARK, series=series, hidden_below=HIDDEN_BELOW)


def _rows(sides: Iterable[Mapping[str, Any]]) -> list[tuple[str, list[Any]]]:
    """Figures by name, and beside it those of every release; None where one has none."""
    columns = list(sides)
    return [(name, [one.get(name) for one in columns]) for name in dict.fromkeys(n for one in columns for n in one)]


def _all_pairs(series: SeriesLog) -> tuple[SeriesPair, ...]:
    """This release beside each of the others, and beside all of them at once."""
    return series.pairs if series.together is None else (*series.pairs, series.together)


def _limit(series: SeriesLog, whom: str) -> float | None:
    return series.changed if whom == CHANGED else series.limit
