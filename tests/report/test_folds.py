"""What is seldom read is folded on the screen, and opened on paper; every point starts with one sentence."""

from __future__ import annotations

import re
from pathlib import Path
from unicodedata import normalize

import browser
import pytest
from board import Sections
from logs import small_log, study_log

from incrowd.report.internal import internal_report
from incrowd.report.pdf import FOLDED, print_pdf
from incrowd.report.sections import internal


@pytest.fixture(scope="module")
def inside() -> str:
    return internal_report(study_log())


def test_every_point_but_the_first_starts_with_one_sentence(inside: str) -> None:
    for log, text in ((study_log(), inside), (small_log(), internal_report(small_log()))):
        found = Sections(text)
        for section in internal()[1:]:
            lead = section.lead(log)
            assert re.fullmatch(r"[A-Z0-9].*\.", lead), (section.name, lead)
            assert lead in found.texts[section.name][:600], section.name


@pytest.mark.slow
def test_folds_are_closed_on_the_screen_and_open_on_paper(inside: str, tmp_path: Path) -> None:
    from pypdf import PdfReader

    folds = re.findall(r'<details class="fold"([^>]*)><summary><h3>(.*?)</h3>', inside)
    assert len(folds) >= 5
    assert not any("open" in attributes for attributes, _ in folds)
    assert "<details" not in inside.replace(FOLDED, "")
    browser.browser()
    (tmp_path / "report.html").write_text(inside)
    pages = PdfReader(print_pdf(tmp_path / "report.html", tmp_path / "report.pdf")).pages
    texts = [" ".join(normalize("NFKC", page.extract_text()).split()) for page in pages]
    whole = " ".join(texts)
    for _, title in folds:
        assert title.replace("&#39;", "'") in whole
    assert "8 · recode occupation by mapping 2,561 4,925" in whole  # of a folded table
    titles = {section.title for section in internal()} | {title for _, title in folds}
    for text in texts:
        assert not any(text.endswith(title) for title in titles), text[-80:]


def test_the_style_opens_them_for_a_browser_that_prints_by_itself(inside: str) -> None:
    assert re.search(r"@media print.*\.fold::details-content \{ content-visibility: visible", inside, re.S)
