"""The decision paper: two pages, the same sentences in every form, loss as plain as verdicts."""

from __future__ import annotations

import builtins
import io
import json
import runpy
from dataclasses import replace
from pathlib import Path
from string import Formatter
from typing import Any
from unicodedata import normalize

import browser
import pytest
from board import ATTEST, WHOLE, run
from logs import small_log, step, study_log
from people import SECRET

import incrowd as ic
from incrowd.audit.about import About, Attested, NextReview, SignedOff
from incrowd.audit.log import RunLog
from incrowd.audit.rarest import Combination, Rarest
from incrowd.errors import IncrowdError, InputError
from incrowd.keys.codebook import Codebook
from incrowd.pipeline import FileRun
from incrowd.plan.attest import ASKED
from incrowd.plan.steps.base import STEPS
from incrowd.plan.verdict import Verdict
from incrowd.report.board.loss import lost
from incrowd.report.board.paper import Paper, Part
from incrowd.report.decision import decision_page, paper_of
from incrowd.report.pdf import print_pdf
from incrowd.report.word import word_document
from incrowd.tasks.report import report
from incrowd.utility.loss import Loss, Subgroup
from incrowd.utility.of_run import UtilityLog
from incrowd.utility.outcome import Outcome


def full_log() -> RunLog:
    """More than fits: 12 requirements, 15 steps, long words everywhere."""
    long = "A sentence of somebody who has much to say about the file and those in it. " * 6
    log = study_log()
    steps = (*log.steps, *(replace(log.steps[-2], number=n, title=f"recode number_{n}", reason=long)
                           for n in range(10, 16)))  # fmt: skip
    verdicts = tuple(
        Verdict(f"in no class does everybody have a_long_name_{n} = yes", "one_sided", n != 11, 1, 0.5)
        for n in range(12)
    )
    about = About(
        attested={name: Attested(f"Head of the office for {name}", "2026-01-31", long) for name in ASKED[:-1]},
        sign_offs=tuple(SignedOff(f"Officer {n}", "2026-02-01", "release with conditions", long) for n in (1, 2)),
        review=NextReview("Officer", "2027-01-31", (long, long)), conditions=(long,) * 6,
        use_cases=tuple((f"case {n}", "t_test") for n in range(9)),
    )  # fmt: skip
    outcomes = tuple(Outcome(f"Question {n}: {long}", "t_test", "rule", n % 2 == 0, "found", "d") for n in range(9))
    groups = tuple(Subgroup("area", f"place {n}", 100, 90 - n, 0.9 - n / 100, 0.8, 0.95) for n in range(5))
    loss = Loss(100_000, 78_776, 0.2, 0.2, {}, 1, 10.0, {})
    few = tuple(Combination((("area", f"a{n}"), ("age", "85+"), ("gender", "x")), 1, 0) for n in range(10))
    return replace(log, steps=steps, verdicts=verdicts, about=about, rarest=Rarest(few, 400, 0, 3, 3),
                   utility=UtilityLog(loss, groups, outcomes))  # fmt: skip


def sentences(paper: Paper) -> list[str]:
    """Every text of a paper."""
    parts: list[Part] = [paper.decision, paper.worth, paper.risk, paper.done, paper.remains, paper.answers]
    told = [paper.title, paper.about, paper.limits, paper.signing]
    told += [text for one in paper.figures for text in (one.label, one.value, one.note)]
    told += [text for part in parts for text in (part.title, part.lead, part.more, *(p.text for p in part.points))]
    told += [text for line in paper.lines for text in (line.role, line.decision, line.date)]
    return [text for text in told if text]


def word_texts(made: bytes) -> str:
    import docx

    document = docx.Document(io.BytesIO(made))
    found = [line.text for line in document.paragraphs]
    found += [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    return " ".join(" ".join(found).split())


LOGS = pytest.mark.parametrize("make", [small_log, study_log, full_log])


@LOGS
def test_html_and_word_tell_the_same_sentences_and_word_is_the_same_each_time(make: Any) -> None:
    paper = paper_of(make())
    page, word = browser.Page(decision_page(paper)).text, word_texts(word_document(paper))
    assert len(sentences(paper)) > 25
    for text in sentences(paper):
        assert text in page, text
        assert text in word, text
    assert Paper.read(paper.json()) == paper
    assert word_document(paper) == word_document(paper)


@pytest.mark.slow
@LOGS
def test_it_has_two_pages_at_most_and_no_heading_alone(make: Any, tmp_path: Path) -> None:
    from pypdf import PdfReader

    browser.browser()
    (tmp_path / "paper.html").write_text(decision_page(paper_of(make())))
    pages = PdfReader(print_pdf(tmp_path / "paper.html", tmp_path / "paper.pdf")).pages
    texts = [normalize("NFKC", page.extract_text()).strip() for page in pages]
    assert len(texts) <= 2
    assert "Signatures" in texts[-1]
    for text in texts:
        assert text.splitlines()[-1] not in {"What was done", "What remains", "Who answers for it", "Signatures"}


def test_what_does_not_fit_is_counted_and_what_fails_is_never_among_it() -> None:
    paper = paper_of(full_log())
    texts = [point.text for point in paper.decision.points]
    assert texts[0].startswith("Fails: ")
    assert "And 7 more, in the report: all of them hold." in texts
    assert paper.done.more == "and 6 more steps, in the report"
    assert any("5 more use cases are in the report; 5 of them" in point.text for point in paper.worth.points)
    assert paper.figures[2].stands == "bad"
    # what took most records is told, however many steps there are
    assert any("21,224 records went" in point.text for point in paper.done.points)


@pytest.mark.parametrize(
    ("gone", "stands"), [(0, "good"), (50, "good"), (51, "fair"), (200, "fair"), (201, "bad"), (590, "bad")]
)
def test_loss_has_a_colour_of_its_own_whatever_holds(gone: int, stands: str) -> None:
    log = small_log()
    start, end = (replace(step, after=replace(step.after, records=n)) for step, n in
                  zip(log.steps, (1000, 1000 - gone), strict=True))  # fmt: skip
    figures = {one.label: one for one in paper_of(replace(log, steps=(start, end))).figures}
    assert figures["Requirements"].stands == "good"
    assert figures["Records lost"].stands == stands
    assert {"good": "small", "fair": "noticeable", "bad": "large"}[stands] in figures["Records lost"].note


def test_a_group_that_is_almost_gone_is_no_small_loss() -> None:
    loss = Loss(12, 10, None, None, {}, 1, None, {})
    hit = UtilityLog(loss, (Subgroup("sex", "2", 40, 39, 0.975, 0.9, 1), Subgroup("age", "9", 29, 29, 1.0, 0.9, 1)))
    book = Codebook(codes={"sex": {"2": "women"}})
    log = small_log(utility=hit, book=book, book_after=book)
    start, end = (replace(step, after=replace(step.after, records=n)) for step, n in
                  zip(log.steps, (10_000, 9_990), strict=True))  # fmt: skip
    paper = paper_of(replace(log, steps=(start, end)))
    assert next(one for one in paper.figures if one.label == "Records lost").stands == "fair"
    told = paper.worth.points[-1]
    assert "Hit hardest: sex: women (97.5%)." in told.text
    assert "age" not in told.text  # too few to be named
    assert told.stands == "fair"


def test_a_sample_is_told_apart_and_what_it_left_out_is_not_lost() -> None:
    log = small_log()
    before, after = (replace(log.steps[0].after, records=n) for n in (1000, 250))
    drawn = step(1, "sample", "sample 25%", after, records_removed=750)
    dropped = step(2, "suppress_records", "suppress", replace(after, records=245), records_removed=5)
    start = replace(log.steps[0], after=before)
    groups = (Subgroup("sex", "f", 400, 304, 0.76, 0.7, 0.8), Subgroup("sex", "m", 600, 500, 0.833, 0.8, 0.9))
    loss = UtilityLog(Loss(1000, 245, None, None, {}, 1, None, {}), groups)
    found = lost(replace(log, steps=(start, drawn, dropped), utility=loss))
    assert (found.records, found.of, found.sampled, found.level) == (5, 250, 750, "small")
    assert [(group.value, round(gone, 3)) for group, gone in found.hardest] == [("m", 0.2)]
    figures = {one.label: one for one in paper_of(replace(log, steps=(start, drawn, dropped))).figures}
    assert figures["Records lost"].value == "2.0%"
    assert "250 of 1,000 records were drawn as a sample" in figures["Records lost"].note


def test_rare_combinations_are_named_by_their_categories() -> None:
    few = Rarest((Combination((("age", "85+"), ("marital", "3")), 1, 0),), 1, 0, 0, 2)
    book = Codebook(codes={"marital": {"3": "widowed"}})
    log = small_log(rarest=few, book=book, book_after=book)
    assert any("age: 85+, marital: widowed (1 person before, 0 after)" in p.text for p in paper_of(log).risk.points)


def test_lines_to_sign_are_filled_from_the_plan_and_some_are_free() -> None:
    signed = SignedOff("Board", "2026-02-01", "release")
    lines = paper_of(small_log(about=About(sign_offs=(signed,)))).lines
    assert (lines[0].role, lines[0].decision, lines[0].date) == ("Board", "release", "2026-02-01")
    assert [line.role for line in lines[1:]] == ["", ""]
    many = paper_of(small_log(about=About(sign_offs=(signed,) * 9))).lines
    assert len(many) == 5


def test_markup_and_signs_that_act_are_shown_and_not_run() -> None:
    bad = "<script>x</script>\x0b\x00\u202e\n\n"
    log = small_log(
        title=bad, about=About(conditions=(bad,), attested={"consultation": Attested(bad, "2026-01-01", bad)})
    )
    paper = paper_of(log)
    page, word = decision_page(paper), word_texts(word_document(paper))
    assert "<script" not in page
    assert "&lt;script&gt;x" in page
    assert "<script>x</script>" in word
    assert "\x00" not in page + word


def test_the_words_of_a_step_name_fields_that_it_has() -> None:
    told = [kind for kind in STEPS.all if kind.plainly]
    assert len(told) >= 17
    for kind in told:
        fields = {name for _, name, _, _ in Formatter().parse(kind.plainly) if name}
        assert fields <= set(kind.model_fields), kind


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> FileRun:
    return run(tmp_path_factory.mktemp("whole"), **WHOLE, attest=ATTEST)[0]


@pytest.mark.slow
def test_a_run_leaves_the_paper_and_word_is_made_of_what_was_sealed(
    whole: FileRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = Paper.read((whole.audit / "decision.json").read_text())
    assert (whole.release / "manifest.json").is_file()
    assert ic.audit_verify(whole.folder).ok
    assert oct((whole.audit / "decision.html").stat().st_mode)[-3:] == "600"
    sha256 = next(file["sha256"] for file in json.loads((whole.audit / "manifest.json").read_text())["release"]
                  if file["name"] == "manifest.json")  # fmt: skip
    assert sha256 in paper.about
    done = report(whole.folder, word=True)
    assert done.word == whole.audit / "decision.docx"
    assert all(text in word_texts(done.word.read_bytes()) for text in sentences(paper))
    assert not list(whole.release.glob("decision*"))
    assert ic.audit_verify(whole.folder).ok  # it is vouched for
    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", lambda name, *a, **k: _none(name) or real(name, *a, **k))
    with pytest.raises(IncrowdError) as absent:
        report(whole.folder, word=True)
    assert absent.value.code == "D392"
    assert "incrowd[word]" in str(absent.value.hint)


def _none(name: str) -> None:
    if name == "docx":
        raise ImportError(name)


def test_a_run_of_an_earlier_version_says_that_it_has_no_paper(tmp_path: Path) -> None:
    from incrowd.tasks.report import _word

    (tmp_path / "audit").mkdir()
    with pytest.raises(InputError) as absent:
        _word(tmp_path)
    assert absent.value.code == "D390"
    for text in ("", "{}", "[]", '{"figures": 3}'):
        (tmp_path / "audit" / "decision.json").write_text(text)
        with pytest.raises(InputError) as broken:
            _word(tmp_path)
        assert broken.value.code == "D391"


@pytest.mark.slow
def test_the_demo_has_two_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pypdf import PdfReader

    browser.browser()
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    done = ic.demo(tmp_path / "demo", rows=20_000)
    found = report(done.folder, pdf=True)
    assert len(PdfReader(found.printed["decision"]).pages) <= 2
    paper = Paper.read((done.audit / "decision.json").read_text())
    loss = next(one for one in paper.figures if one.label == "Records lost")
    assert loss.stands == "bad"  # a small demo loses most of its records


@pytest.mark.slow
@pytest.mark.parametrize("name", ["energy", "further-education"])
def test_the_examples_after_the_ons_paper_have_two_pages(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pypdf import PdfReader

    browser.browser()
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    examples = Path(__file__).parents[2] / "examples" / "ons"
    runpy.run_path(str(examples / "generate.py"))["write"](tmp_path, 8_000)
    done = ic.run(tmp_path / f"{name}.yaml")
    paper = print_pdf(done.audit / "decision.html", tmp_path / "paper.pdf")
    assert len(PdfReader(paper).pages) <= 2


def emptied_log(bits: float) -> RunLog:
    """One of the two keys has one value in the release; as it came, it told so many bits."""
    log = small_log(
        one_value=("sex",), book=Codebook(titles={"sex": "Sex at birth", "age": "Age at the last birthday"}),
        utility=UtilityLog(Loss(1000, 1000, 0.2, 0.2, {}, 1, 10.0, {"sex": bits, "age": 0.1}), (), ()),
    )  # fmt: skip
    end = replace(log.steps[-1], after=replace(log.steps[-1].after, keys=("age", "sex")))
    return replace(log, steps=(*log.steps[:-1], end))


def test_a_key_that_was_emptied_is_a_loss_that_the_first_figures_tell() -> None:
    log = emptied_log(1.0)
    paper = paper_of(log)
    figure = next(one for one in paper.figures if one.label == "Records lost")
    assert "1 of 2 keys emptied to one value" in figure.note
    assert "1 of 2 keys is emptied to one value, and tells nothing: Sex at birth." in paper.worth.points[-1].text
    assert lost(log).level != "small"
    # one that had a single value already has lost nothing
    same = emptied_log(0.0)
    assert lost(same).emptied == ()
    assert not any("emptied to one" in text for text in sentences(paper_of(same)) if text != paper.limits)


def test_steps_and_groups_name_columns_by_their_titles() -> None:
    titles = Codebook(titles={"sex": "Sex of the head of the household", "age": "Age"})
    told = (*small_log().steps[:1], step(1, "drop", "drop sex, age", small_log().steps[-1].after))
    about = About(steps=({"variables": "sex, age"},))
    variables = {"sex": ("key", "seen"), "age": ("key", "seen")}
    paper = paper_of(small_log(steps=told, book=titles, about=about, variables=variables))
    assert "Sex of the head of the household, Age: left out altogether" in paper.done.points[0].text


def test_in_word_the_lines_to_sign_stay_together() -> None:
    import docx

    document = docx.Document(io.BytesIO(word_document(paper_of(small_log()))))
    *above, last = document.tables[-1].rows
    assert all(cell.paragraphs[0].paragraph_format.keep_with_next for row in above for cell in row.cells)
    assert not last.cells[0].paragraphs[0].paragraph_format.keep_with_next
    assert document.paragraphs[-1].paragraph_format.keep_with_next  # the words above the table
