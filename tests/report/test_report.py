"""The reports: what each must say, what the public one must not say, and how a real browser shows them."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import browser
import pytest
from browser import Page
from hypothesis import given
from hypothesis import strategies as st
from logs import small_log, snapshot, step, study_log

from incrowd.audit.log import BANDS, LARGEST_K, RunLog, Snapshot, StepLog
from incrowd.keys.table import from_records
from incrowd.plan.verdict import Verdict
from incrowd.report.charts import palette
from incrowd.report.charts import run as charts
from incrowd.report.facts import HIDDEN_BELOW, joined_sizes
from incrowd.report.internal import internal_report
from incrowd.report.pdf import print_pdf
from incrowd.report.public import public_report
from incrowd.report.sections import internal, public
from incrowd.report.words import RESIDUALS

Report = Callable[[RunLog], str]
BOTH = pytest.mark.parametrize("report", [internal_report, public_report])


@pytest.fixture(scope="module")
def inside() -> str:
    return internal_report(study_log())


@pytest.fixture(scope="module")
def outside() -> str:
    return public_report(study_log())


def test_internal_report_tells_the_whole_way(inside: str) -> None:
    text, log = Page(inside).text, study_log()
    assert log.title in text
    assert "All 3 requirements hold" in text
    for verdict in log.verdicts:
        assert verdict.requirement in text
    for name, (role, reason) in log.variables.items():
        assert name in text
        assert role in text
        assert reason in text
    for done in log.steps:
        assert done.title in text
        assert done.reason is None or done.reason in text
        assert all(note in text for note in done.notes)
        assert f"{done.after.classes:,}" in text
        assert f"{done.after.uniques:,}" in text
        for reason, number in done.removed_for.items():
            assert reason in text
            assert f"{number:,}" in text
    for risk in RESIDUALS:
        assert risk.name in text
        assert risk.words in text


def test_internal_report_has_the_studys_row_of_rows_dropped_for_each_k(inside: str) -> None:
    row = "2,561 4,925 6,911 8,751 10,761 12,723 14,767 17,039 19,658 22,428"
    assert f"8 · recode occupation by mapping {row}" in Page(inside).text


def test_internal_report_draws_each_step_that_changes_the_classes(inside: str) -> None:
    labels = [attrs["aria-label"] or "" for attrs in Page(inside).all("svg")]
    panels = [label for label in labels if label.startswith("Classes by size after")]
    assert len(panels) == 9  # ten with the start, but pseudonyms change no class
    assert "Step 1 left the classes as they were" in Page(inside).text
    assert "2,561 uniques, 1,182 of size 2, 662 of size 3" in panels[-2]


def test_public_report_tells_the_released_state(outside: str) -> None:
    text, log = Page(outside).text, study_log()
    assert log.title in text
    for number in (log.end.records, log.end.classes, log.end.smallest, log.start.records):
        assert f"{number:,}" in text
    assert text.count("21.2%") == 3  # the decision, the tile and the sentence; nothing else is a share
    assert "a large loss" in text
    for verdict in log.verdicts:
        assert verdict.requirement in text
    assert "0.95 or less" in text  # 18 of 19 people would be a small count
    assert "below 1" in text  # 0.99996 is not rounded to what fails
    assert not re.search(r"0\.9474|0\.99996", text)
    for name in log.released_columns:
        assert name in text
    for risk in RESIDUALS:
        assert risk.words in text
    assert "cannot be called back" in text


CANARIES = ("canary-reason", "canary-note", "canary-title", "canary-cause", "canary-role", "canary-unit")


def canary_log() -> RunLog:
    log = study_log()
    steps = [
        replace(done, title=f"canary-title {done.number}", reason="canary-reason", notes=("canary-note",),
                removed_for={f"canary-cause {cause}": n for cause, n in done.removed_for.items()}, seconds=98.76)
        for done in log.steps
    ]  # fmt: skip
    roles = {name: (role, "canary-role") for name, (role, _) in log.variables.items()}
    return replace(log, steps=tuple(steps), variables=roles, unit="canary-unit")


def test_public_report_says_nothing_about_the_way(inside: str) -> None:
    hidden, shown = public_report(canary_log()), internal_report(canary_log())
    for canary in CANARIES:
        assert canary in shown
        assert canary not in hidden
    for word in ("reason", "dropped", "removed", "suppress", "98.76", "step", "seconds"):
        assert word not in Page(hidden).text.lower()


def test_public_report_has_no_number_of_the_way(outside: str) -> None:
    log, text = study_log(), Page(outside).text
    numbers = set(re.findall(r"[\d,]*\d", text))
    for done in log.steps[1:-1]:
        for number in (done.after.classes, done.after.uniques, done.cells_changed):
            assert f"{number:,}" not in numbers or number in (0, log.start.records)
    for lost in (21_224, 17_039, 1_204, 2_981):
        assert f"{lost:,}" not in numbers


def test_public_report_depends_on_nothing_but_the_public_facts(outside: str) -> None:
    log = study_log()
    short = replace(log, steps=(log.steps[0], log.steps[-1]), variables={})
    assert public_report(short) == outside


def test_public_report_shows_no_variable_that_is_not_released(outside: str) -> None:
    assert not re.search(r"\b(dob|postcode)\b", Page(outside).text)


@BOTH
def test_markup_in_words_is_shown_and_not_run(report: Report) -> None:
    bad = '<script>alert("x")</script>'
    log = small_log(
        title=bad,
        steps=tuple(
            replace(s, title=bad, reason=bad, notes=(bad,), removed_for={bad: s.records_removed})
            for s in small_log().steps
        ),
        verdicts=(Verdict(bad, "k", True, 4, 4),),
        variables={bad: ("key", bad)},
        released_columns=(bad,),
    )
    text = report(log)
    assert "<script" not in text
    assert "&lt;script&gt;" in text
    assert bad in Page(text).text


@pytest.mark.slow
@BOTH
def test_same_log_same_bytes(report: Report, inside: str, outside: str) -> None:
    first = inside if report is internal_report else outside
    assert report(study_log()) == first


@pytest.mark.slow
def test_same_bytes_in_another_process(outside: str) -> None:
    code = "from logs import *; from incrowd.report.public import *; print(public_report(study_log()), end='')"
    folder = Path(__file__).parents[1] / "helpers"
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, check=True, timeout=120)
    assert done.stdout.decode() == outside


@BOTH
def test_page_is_sound_and_accessible(report: Report, inside: str, outside: str) -> None:
    text = inside if report is internal_report else outside
    page = Page(text)
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
    assert len(page.all("caption")) == len(page.all("table")) > 0
    assert all(attrs.get("scope") in ("row", "col") for attrs in page.all("th"))
    assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in page.all("svg"))
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    anchors = {attrs["href"] for attrs in page.all("a")}
    sections = internal() if report is internal_report else public()
    assert anchors >= {f"#{section.name}" for section in sections}
    assert {anchor[1:] for anchor in anchors if anchor} <= set(ids)


@BOTH
def test_page_stands_alone(report: Report, inside: str, outside: str) -> None:
    text = inside if report is internal_report else outside
    assert set(re.findall(r"https?://[^\"'<> ]+", text)) == {"http://www.w3.org/2000/svg"}
    page = Page(text)
    assert not any("src" in attrs for _, attrs in page.tags)
    assert not page.all("script")
    assert not page.all("link")
    assert not re.search(r"@import|url\((?!#)", text)
    assert not re.search(r"\b(19|20)\d\d-\d\d-\d\d\b", text)
    assert len(text.encode()) < 500_000


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("ground", ["#ffffff", "wash"])
def test_text_has_contrast(inside: str, ground: str) -> None:
    colours = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", inside))
    pairs = [(colours[name], colours.get(ground, ground)) for name in ("ink", "soft", "accent", "pass", "fail", "warn")]
    pairs += [(colours["pass"], colours["pass-wash"]), (colours["fail"], colours["fail-wash"])]
    pairs += [(colour, "#ffffff") for colour in (palette.INK, palette.SOFT, palette.UNIQUES)]
    pairs += [(palette.INK, colour) for colour in palette.HEAT]
    for pair in pairs:
        dark, light = sorted(map(_luminance, pair))
        assert (light + 0.05) / (dark + 0.05) >= 4.5, pair


def test_failing_requirement_is_told() -> None:
    log = small_log(verdicts=(Verdict("every class has at least 5 people", "k", False, 5, 4),))
    assert "1 of 1 requirements fail" in Page(internal_report(log)).text
    assert "✗ fails" in Page(internal_report(log)).text
    assert "Not all requirements hold" in Page(public_report(log)).text


@pytest.mark.slow
@BOTH
@pytest.mark.parametrize("tier", ["open", "safeguarded", "controlled"])
def test_small_and_empty_files(report: Report, tier: str) -> None:
    empty = step(1, "drop", "drop all", snapshot({}, people=0, keys=()), records_removed=12)
    for steps in (small_log().steps, (small_log().steps[0],), (small_log().steps[0], empty)):
        log = small_log(steps=steps, tier=tier, verdicts=(Verdict("every class ...", "k", True, 4, None),))
        assert tier in Page(report(log)).text


def test_people_are_told_from_records() -> None:
    log = small_log(unit="person_id")
    assert "people in classes smaller than k" in Page(internal_report(log)).text
    assert "count people, not records" in Page(public_report(log)).text
    assert "person_id" not in public_report(log)


def test_snapshot_counts_larger_classes_in_bands() -> None:
    ages = ["30"] * 9 + ["40"] * 13 + ["50"] * 19 + ["60"] * 20 + ["70"] * 1000
    after = Snapshot.of(from_records({"age": ages}))
    assert after.larger == {13: 2, 20: 1, 50: 0, 100: 0, 200: 0, 500: 0, 1000: 1}


@given(
    st.dictionaries(st.integers(1, LARGEST_K), st.integers(0, 30)),
    st.dictionaries(st.sampled_from(BANDS), st.integers(0, 30)),
)
def test_public_sizes_hide_small_counts_and_lose_no_class(sizes: dict[int, int], larger: dict[int, int]) -> None:
    shot = snapshot(sizes, larger)
    rows = joined_sizes(shot)
    assert all(number >= HIDDEN_BELOW for _, number in rows)
    assert sum(number for _, number in rows) == (shot.classes if rows else 0)
    assert bool(rows) == (shot.classes >= HIDDEN_BELOW)
    assert not any(label.isdigit() and int(label) < HIDDEN_BELOW for label, _ in rows)
    assert len({label for label, _ in rows}) == len(rows)


def test_lost_records_without_a_named_reason_are_shown() -> None:
    base: StepLog = replace(small_log().steps[1], records_removed=5)
    assert charts.lost_rows(base)[-1] == ("for no named reason", 3)
    assert charts.lost_rows(replace(base, removed_for={}))[-1] == (base.title, 5)
    assert charts.records_lost(small_log().steps[:1]) is None


@BOTH
def test_real_browser_shows_and_prints_it(report: Report, inside: str, outside: str, tmp_path: Path) -> None:
    browser.browser()  # before any work: skips here, or fails where CI wants a browser
    page = tmp_path / "report.html"
    page.write_text(inside if report is internal_report else outside, encoding="utf-8")
    wide = browser.screenshot(page, tmp_path / "wide.png", 1200)
    phone = browser.screenshot(page, tmp_path / "phone.png", 400)
    for picture in (wide, phone):
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size > 20_000, "an empty page makes a small picture"
    paper = print_pdf(page, tmp_path / "report.pdf").read_bytes()
    assert paper.startswith(b"%PDF")
    assert 2 <= len(re.findall(rb"/Type\s*/Page\b", paper)) <= 16
    shown = browser.dom(page)
    assert shown.count("<svg") == page.read_text(encoding="utf-8").count("<svg")


def test_missing_browser_skips_here_and_fails_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="no browser"):
        browser.browser()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no browser"):
        browser.browser()
