"""How the reports look: headings, links, contrast, and their pages as PDF in a real browser."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import browser
import pytest
from board import ATTEST, WHOLE, nothing_missing, run
from logs import study_log
from people import SECRET

import incrowd as ic
from incrowd.audit.about import About, Attested, NextReview
from incrowd.audit.log import RunLog
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED as ATTESTED
from incrowd.plan.verdict import Verdict
from incrowd.report.internal import internal_report
from incrowd.report.pdf import print_pdf
from incrowd.report.public import public_report


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[FileRun, str]:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)


@pytest.fixture(scope="module")
def full(whole: tuple[FileRun, str]) -> RunLog:
    return nothing_missing(whole[0].log)


@pytest.mark.slow
def test_headings_ids_links_and_alt_texts(whole: tuple[FileRun, str]) -> None:
    for text in (whole[1], (whole[0].release / "report.html").read_text()):
        page = browser.Page(text)
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch("h[1-6]", tag)]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(after - before <= 1 for before, after in pairwise(levels))
        ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
        assert len(ids) == len(set(ids))
        assert {str(attrs["href"]) for attrs in page.all("a")} <= {f"#{name}" for name in ids}
        assert all(attrs["role"] == "img" and attrs["aria-label"] for attrs in page.all("svg"))
        assert len(page.all("caption")) == len(page.all("table"))
        assert all(attrs.get("scope") in ("row", "col") for attrs in page.all("th"))
        assert page.all("a")[0]["class"] == "skip"


@pytest.mark.slow
def test_every_colour_on_every_ground_it_stands_on_has_contrast(whole: tuple[FileRun, str]) -> None:
    style = whole[1].split("<style>")[1].split("</style>")[0]
    names = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", style))

    def value(text: str) -> str | None:
        found = re.search(r"var\(--([a-z-]+)\)|(#[0-9a-f]{6}|#fff)\b", text)
        return None if found is None else names.get(found[1], "#ffffff" if found[2] == "#fff" else str(found[2]))

    tried = 0
    for selector, body in re.findall(r"([^{}]+)\{([^{}]*)\}", style):
        rules = dict(part.strip().split(":", 1) for part in body.split(";") if ":" in part)
        colour = value(rules.get("color", "").strip()) or names["ink"]
        ground = value(rules.get("background", "").strip())
        pairs = [(colour, ground)] if ground else [(colour, "#ffffff"), (colour, names["wash"])]
        if "color" not in rules and ground is None:
            continue
        if colour == "#ffffff" and ground is None:
            continue
        for pair in pairs:
            dark, light = sorted(map(luminance, pair))
            assert (light + 0.05) / (dark + 0.05) >= 4.5, (selector.strip(), pair)
            tried += 1
    assert tried > 20


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.slow
def test_the_decision_fits_on_the_first_page_of_the_pdf(whole: tuple[FileRun, str], tmp_path: Path) -> None:
    from pypdf import PdfReader

    browser.browser()
    # The most that a decision has to carry: everything missing, and six requirements with long words.
    many = tuple(Verdict(f"in no class does everybody have a_long_name_{n} = yes", "one_sided", True, 1, 0.5)
                 for n in range(6))  # fmt: skip
    worst = replace(study_log(), verdicts=many, about=About(review=ROLE_REVIEW, conditions=("one", "two")))
    for name, text in (("run", whole[1]), ("worst", internal_report(worst))):
        (tmp_path / f"{name}.html").write_text(text)
        paper = print_pdf(tmp_path / f"{name}.html", tmp_path / f"{name}.pdf")
        pages = [" ".join(normalize("NFKC", page.extract_text()).split()) for page in PdfReader(paper).pages]
        assert 4 <= len(pages) <= 30
        for words in ("Recommended tier", "Why not more open", "Sign-offs", "Conditions", "Next review"):
            assert words in pages[0], (name, words)
        assert "The data situation" not in pages[0]
        assert "The data situation" in pages[1]
    first = paper.read_bytes()
    assert print_pdf(tmp_path / "worst.html", tmp_path / "again.pdf").read_bytes() == first


ROLE_REVIEW = NextReview("Statistical disclosure officer", "2027-01-31", ("a new register", "a claim", "a new file"))


def test_report_command_prints_both_and_says_what_it_lacks(
    whole: tuple[FileRun, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from incrowd.errors import IncrowdError, InputError
    from incrowd.tasks.report import report

    found = report(whole[0].folder).pages
    assert found == report(whole[0].release).pages == {
        "decision": whole[0].audit / "decision.html",
        "internal": whole[0].audit / "report.html", "public": whole[0].release / "report.html",
    }  # fmt: skip
    with pytest.raises(InputError, match="has no report"):
        report(tmp_path)
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(IncrowdError) as none:
        report(whole[0].folder, pdf=True)
    assert none.value.code == "X030"
    monkeypatch.setattr("shutil.which", lambda name: "/bin/false")
    with pytest.raises(IncrowdError) as broken:
        print_pdf(found["public"], tmp_path / "report.pdf")
    assert broken.value.code == "X031"
    assert not (tmp_path / "report.pdf").exists()


def test_a_long_name_of_the_place_for_temporary_files_keeps_nobody_from_printing(
    whole: tuple[FileRun, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser.browser()
    place = tmp_path / ("long" * 30)
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    monkeypatch.setenv("TMPDIR", str(place))
    assert print_pdf(whole[0].release / "report.html", tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")
    assert not list(place.iterdir())


@pytest.mark.slow
def test_attested_words_are_shown_and_not_run(full: RunLog) -> None:
    bad = "<script>x</script>"
    about = replace(full.about, attested=dict.fromkeys(ATTESTED, Attested(bad, "2026-01-01", bad)), conditions=(bad,))
    for text in (internal_report(replace(full, about=about)), public_report(replace(full, about=about))):
        assert "<script" not in text
        assert "&lt;script&gt;" in text


@pytest.mark.slow
def test_reports_of_a_large_demo_stay_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from incrowd.demo import write_demo, write_example

    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    write_demo(tmp_path / "people.csv", rows=100_000, seed=1)
    done = ic.run(write_example(tmp_path))
    for folder in (done.audit, done.release):
        assert (folder / "report.html").stat().st_size < 5_000_000
