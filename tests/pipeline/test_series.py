"""A file that is released every quarter: two of its releases together give nobody away, or the later is refused."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from examples import quick_only
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.audit.series_people import PEOPLE
from incrowd.errors import NotReleasable, PlanError
from incrowd.pipeline import publish as publishing
from incrowd.report.series import PAGE

DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "40"]}
PSEUDONYMS = {"step": "pseudonymise", "variables": ["name"], "into": "who"}


def lines(*numbers: int) -> str:
    return "".join(f"n{i},{20 + i % 40},{'fm'[i // 40 % 2]},{'yn'[i // 3 % 2]},00{i % 7}\n" for i in numbers)


QUARTER = lines(*range(160))
ONE_MORE = QUARTER + "newcomer,25,f,y,001\n"
MANY_MORE = lines(*range(320))


def quarter(folder: Path, people: str = QUARTER, series: Any = "wages", steps: Any = (), **more: Any) -> Any:
    release = {"format": "csv", "name": "people", "series": series, **more.pop("release", {})}
    plan = plan_with(release=release, steps=[*(steps or [DROP, BANDS])], **more)
    return ic.run(write_case(folder, plan, people))


def refused(code: str, folder: Path, *args: Any, **more: Any) -> str:
    before = sorted(path.name for path in (folder / "runs").glob("*/release"))
    pointer = (folder / "release").resolve()
    with pytest.raises(NotReleasable) as caught:
        quarter(folder, *args, **more)
    assert caught.value.code == code
    assert sorted(path.name for path in (folder / "runs").glob("*/release")) == before
    assert (folder / "release").resolve() == pointer
    return str(caught.value)


def test_somebody_in_the_second_quarter_only_is_refused_with_the_reason(tmp_path: Path) -> None:
    first = quarter(tmp_path)
    why = refused("R041", tmp_path, ONE_MORE)
    assert first.folder.name in why
    assert "finds 1 of the 1 people new in the later release" in why
    assert "fewer than the 3 that are promised" in why
    assert "a single value is left (ill)" in why
    assert "Hold back who came" in why
    assert "newcomer" not in why
    report = next((tmp_path / "runs").glob("*-refused")) / "audit" / "report.html"
    text = report.read_text()
    assert "The series" in text
    assert "1 of 1" in text
    assert "newcomer" not in text


@pytest.mark.slow
def test_a_new_name_for_a_column_hides_nobody(tmp_path: Path) -> None:
    """Renamed by the plan it is the same; in the source, nobody can tell, and that is told in every report."""
    variables = plan_with()["variables"]
    named = {**{name: one for name, one in variables.items() if name not in ("ill", "note")}}
    named |= {"illness": variables["ill"], "remark": variables["note"]}
    quarter(tmp_path)
    rename = {"step": "rename", "variables": {"ill": "illness", "note": "remark"}}
    why = refused("R041", tmp_path, ONE_MORE, steps=[rename, DROP, BANDS], variables=named)
    assert "a single value is left (illness)" in why
    plan = plan_with(release={"format": "csv", "name": "people", "series": "wages"}, steps=[DROP, BANDS])
    path = write_case(tmp_path, {**plan, "variables": named}, ONE_MORE)
    source = tmp_path / "people.csv"
    source.write_text(source.read_text().replace("ill,note", "illness,remark", 1))
    with pytest.raises(NotReleasable) as caught:
        ic.run(path)
    assert caught.value.code == "R042"
    assert "the same values under other names" in str(caught.value)


@pytest.mark.slow
def test_somebody_who_left_is_refused_and_a_crowd_that_came_is_not(tmp_path: Path) -> None:
    quarter(tmp_path)
    assert "gone from the earlier one" in refused("R041", tmp_path, lines(*range(159)))
    second = quarter(tmp_path, MANY_MORE)
    (pair,) = second.log.series.pairs
    assert (pair.linked, pair.both) == (True, 160)
    assert all(one.found == 0 for one in pair.exposed)
    assert [one.records for one in second.log.series.releases] == [160, 320]


@pytest.mark.slow
def test_a_limit_allows_a_share_of_them(tmp_path: Path) -> None:
    quarter(tmp_path)
    assert quarter(tmp_path, ONE_MORE, {"name": "wages", "limit": 1}).log.series.pairs[0].exposed[0].found == 1


@pytest.mark.slow
def test_the_same_data_again_is_fine_and_a_correction_must_be_excused(tmp_path: Path) -> None:
    first = quarter(tmp_path)
    again = quarter(tmp_path)
    assert again.log.series.pairs[0].same
    corrected = QUARTER.replace("n5,25,f", "n5,45,f")
    refused("R041", tmp_path, corrected)
    why = {run.name: "withdrawn, never downloaded" for run in (first.folder, again.folder)}
    done = quarter(tmp_path, corrected, {"name": "wages", "without": why})
    assert not done.log.series.pairs
    assert "left out by the plan: withdrawn" in done.log.series.releases[0].note
    assert "was not compared" in (done.audit / "report.html").read_text()


@pytest.mark.parametrize("series", quick_only(["salaries"], ["salaries", {"name": "wages", "last": 1}]))
def test_another_name_evades_nothing_and_the_third_is_held_against_the_first(tmp_path: Path, series: Any) -> None:
    quarter(tmp_path)
    if series == "salaries":
        assert "finds 1 of the 1" in refused("R041", tmp_path, ONE_MORE, series)
        return
    quarter(tmp_path, MANY_MORE)
    back = lines(*range(159))  # against the second a crowd left; against the first one person alone
    assert "finds 1 of" in refused("R041", tmp_path, back)
    done = quarter(tmp_path, lines(*range(160)), series)
    assert [one.compared for one in done.log.series.releases[:-1]] == [False, True]
    assert "older than the last 1" in (done.audit / "report.html").read_text()


@pytest.mark.slow
def test_a_release_before_there_was_a_series_counts_and_is_told(tmp_path: Path) -> None:
    ic.run(write_case(tmp_path, plan_with(steps=[DROP, BANDS]), QUARTER))
    # Its audit keeps no digests: everybody who can be in both is taken to be.
    assert "records new in the later release" in refused("R041", tmp_path, ONE_MORE)
    assert any("they count as earlier releases" in note for note in quarter(tmp_path).notes)


@pytest.mark.slow
@pytest.mark.parametrize("harm", quick_only(["deleted"], ["deleted", "last deleted", "forged", "unsigned"]))
def test_what_is_gone_or_forged_stands_in_the_way_until_somebody_says_why(tmp_path: Path, harm: str) -> None:
    first, second = quarter(tmp_path), quarter(tmp_path, MANY_MORE)
    if harm != "last deleted":
        quarter(tmp_path, MANY_MORE)
    bad = second.folder
    if harm in ("deleted", "last deleted"):
        shutil.rmtree(bad)
    elif harm == "forged":
        (bad / "release" / "people.csv").write_bytes((first.release / "people.csv").read_bytes())
    else:
        (bad / "audit" / "manifest.json.sig").unlink()
    with pytest.raises(NotReleasable) as caught:
        quarter(tmp_path, ONE_MORE)
    assert caught.value.code == "R040"
    assert bad.name in caught.value.message
    done = quarter(tmp_path, MANY_MORE, {"name": "wages", "without": {bad.name: "lost in a fire"}})
    assert done.log.series.without == {bad.name: "lost in a fire"}


@pytest.mark.slow
def test_another_secret_still_knows_people_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = quarter(tmp_path)
    assert "n1" not in str((first.audit / PEOPLE).read_bytes())

    def other(people: str) -> Any:
        path = write_case(tmp_path, plan_with(release={"name": "people", "series": "wages"}, steps=[DROP, BANDS]),
                          people)  # fmt: skip
        monkeypatch.setenv("INCROWD_SECRET", SECRET[::-1])
        return ic.run(path)

    with pytest.raises(NotReleasable, match="finds 1 of the 1 people"):
        other(ONE_MORE)
    (first.audit / "secret").unlink()  # custodians may
    with pytest.raises(NotReleasable, match="records new"):
        other(ONE_MORE)


@pytest.mark.slow
def test_identifiers_written_otherwise_do_not_hide_anybody(tmp_path: Path) -> None:
    quarter(tmp_path)
    strange = ONE_MORE.replace("n", "N-").replace("\nN-ewcomer", "\nnewcomer")
    why = refused("R041", tmp_path, strange)
    assert "records new" in why


@pytest.mark.slow
def test_fresh_samples_need_somebodys_word_and_the_data_may_deny_it(tmp_path: Path) -> None:
    fresh = {"name": "wages", "overlap": "none", "reason": "drawn afresh each quarter"}
    quarter(tmp_path, series=fresh)
    refused("R045", tmp_path, ONE_MORE, fresh)
    other = lines(*range(1000, 1161))
    refused("R041", tmp_path, other)
    done = quarter(tmp_path, other, fresh)
    assert done.log.series.pairs[0].both == 0
    assert "Drawn afresh" in (done.audit / "report.html").read_text()
    with pytest.raises(PlanError, match="P112"):
        quarter(tmp_path, other, {"name": "wages", "overlap": "none"})


def _whos(done: Any) -> set[str]:
    with (done.release / "people.csv").open() as file:
        return {row["who"] for row in csv.DictReader(file)}


@pytest.mark.slow
def test_pseudonyms_change_with_the_version_or_stay_in_the_series(tmp_path: Path) -> None:
    unit = {"source": "people.csv", "kind": "survey", "unit": "name"}
    steps = [PSEUDONYMS, BANDS]
    with pytest.raises(PlanError, match="P111"):
        quarter(tmp_path, steps=steps, data=unit)
    first = quarter(tmp_path, steps=steps, data=unit, release={"version": "1"})
    refused("R044", tmp_path, MANY_MORE, steps=steps, data=unit, release={"version": "1"})
    second = quarter(tmp_path, MANY_MORE, steps=steps, data=unit, release={"version": "2"})
    assert not _whos(first) & _whos(second)
    (stay := tmp_path / "stay").mkdir()
    keeps = {"name": "wages", "pseudonyms": "stay"}
    first = quarter(stay, series=keeps, steps=steps, data=unit)
    second = quarter(stay, MANY_MORE, keeps, [BANDS, PSEUDONYMS], data=unit, title="Another title")
    assert _whos(first) < _whos(second)
    assert "R041" in refused("R041", stay, ONE_MORE.replace("n", "m"), keeps, steps=steps, data=unit)


@pytest.mark.slow
def test_finer_categories_beside_the_earlier_ones_are_held_together(tmp_path: Path) -> None:
    own = "".join(f"n{i},{20 + i % 40},f,{'yn'[i // 3 % 2]},{i:03}\n" for i in range(160))
    quarter(tmp_path, own, steps=[DROP, {**BANDS, "bands": ["0", "30", "40", "50"]}])
    crossing = [DROP, {**BANDS, "bands": ["0", "31", "41", "51"]}]
    k = [{"model": "k", "k": "10"}]
    assert "people in both" in refused("R041", tmp_path, own, steps=crossing, requirements=k)
    assert quarter(tmp_path, own, steps=[DROP, BANDS], requirements=k).log.series.changes  # coarser: nothing crosses


def test_two_at_the_same_time_are_not_both_published(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    quarter(tmp_path)
    real, inside = publishing.refuse_newer, []

    def meanwhile(compared: Any) -> None:
        if not inside:
            inside.append(1)
            runs = sorted((tmp_path / "runs").glob("*/release"))
            shutil.copytree(runs[0].parent, tmp_path / "runs" / "20990101-000000-aaaaaa")
            bad = tmp_path / "runs" / "20990101-000000-aaaaaa" / "release" / "people.csv"
            bad.write_text(bad.read_text() + "0-39,f,y,001\n")
        real(compared)

    monkeypatch.setattr(publishing, "refuse_newer", meanwhile)
    with pytest.raises(NotReleasable) as caught:
        quarter(tmp_path, MANY_MORE)
    assert caught.value.code == "R043"
    assert len(list((tmp_path / "runs").glob("*/release"))) == 2


def test_the_page_of_the_series_lists_public_facts_only(tmp_path: Path) -> None:
    quarter(tmp_path, release={"version": "2026-03", "licence": "OGL-UK-3.0"})
    with pytest.raises(NotReleasable):
        quarter(tmp_path, ONE_MORE, release={"version": "2026-06"})
    second = quarter(tmp_path, MANY_MORE, release={"version": "2026-06", "licence": "OGL-UK-3.0"})
    page = (tmp_path / PAGE).read_text()
    assert page.index("2026-06") < page.index("2026-03")
    assert "Open Government Licence" in page
    assert f"runs/{second.folder.name}/release/report.html" in page
    for inside in ("refused", "given away", "recode", "people.parquet", "digest", "n1,", SECRET):
        assert inside not in page.partition("<main>")[2]
    (refusal,) = (tmp_path / "runs").glob("*-refused")
    for file in second.release.iterdir():
        assert refusal.name.encode() not in file.read_bytes()
    assert json.loads((second.release / "series.json").read_text())["records"] == "320"
    assert not list(tmp_path.glob(f".{PAGE}*"))


def test_a_page_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / PAGE).write_text("mine")
    done = quarter(tmp_path)
    assert (tmp_path / PAGE).read_text() == "mine"
    assert any("in the way" in note for note in done.notes)


@pytest.mark.slow
def test_a_series_is_reproduced_and_a_plan_without_one_is_as_before(tmp_path: Path) -> None:
    quarter(tmp_path)
    done = quarter(tmp_path, MANY_MORE)
    assert ic.reproduce(done.folder).same
    plain = ic.run(write_case(tmp_path, plan_with(steps=[DROP, BANDS]), MANY_MORE))
    assert (plain.release / "people.csv").read_bytes() == (done.release / "people.csv").read_bytes()
    assert any("this plan names no series" in note for note in plain.notes)
    assert not (plain.release / "series.json").exists()
    assert not (plain.audit / PEOPLE).exists()


@pytest.mark.slow
def test_tiers_of_a_series_are_held_against_those_before_and_published_together(tmp_path: Path) -> None:
    def tiers(people: str) -> Any:
        plan = plan_with(steps=[DROP, BANDS], release={"name": "people", "series": "wages"})
        del plan["tier"]
        plan["tiers"] = [{"tier": "open"}, {"tier": "safeguarded"}]
        return ic.run(write_case(tmp_path, plan, people))

    tiers(QUARTER)
    with pytest.raises(NotReleasable, match="finds 1 of the 1 people"):
        tiers(ONE_MORE)
    assert not list(tmp_path.glob("safeguarded/runs/*-refused"))
    second = tiers(MANY_MORE)
    for tier in ("open", "safeguarded"):
        log = second.tiers[tier].log
        assert {pair.run.partition("/")[0] for pair in log.series.pairs} == {"open", "safeguarded"}
        assert (tmp_path / tier / PAGE).exists()
