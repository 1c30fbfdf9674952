"""What was measured is shown: every figure of either side of a run is in the internal report, and reads well there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from board import Sections
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET

import incrowd as ic
from incrowd.audit.log import RunLog
from incrowd.keys.saying import figures, fixed, percent, percents, sentence
from incrowd.pipeline import FileRun
from incrowd.report import words
from incrowd.report.internal import points
from incrowd.report.values import risk_rows, table_rows
from incrowd.risk.before_after import RiskLog
from incrowd.risk.measure import Measured
from incrowd.risk.value import Risk, Scenario

NAMES = ("age", "sex", "religion", "region")


def people(rows: int, seed: int = 0) -> str:
    rng = np.random.default_rng(seed)
    lines = ["name,age,sex,religion,region,ill,income"]
    for i in range(rows):
        faith = int(rng.integers(0, 4))
        ill = "yn"[int(rng.random() < 0.2 + 0.15 * faith)]
        cells = (rng.integers(16, 80), "fm"[int(rng.integers(0, 2))], f"r{faith}", f"R{rng.integers(0, 3)}", ill)
        lines.append(f"n{i},{','.join(map(str, cells))},{rng.integers(10, 50) * 1000}")
    return "\n".join(lines) + "\n"


def plan(**changes: Any) -> dict[str, Any]:
    key = {"role": "key", "reason": "seen by neighbours"}
    return {
        "title": "People", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
        "variables": {
            "name": {"role": "identifier", "reason": "it names a person"}, **dict.fromkeys(NAMES, key),
            "ill": {"role": "sensitive", "reason": "private"}, "income": {"role": "sensitive", "reason": "private"},
        },
        "scenarios": [
            {"name": "nosy", "keys": list(NAMES)},
            {"name": "stranger", "keys": ["age", "sex"], "knows_who_is_in": "false", "error": {"age": "0.1"}},
        ],
        "requirements": [{"model": "k", "k": "3"}],
        "use_cases": [
            {"name": "illness", "test": "top_overlap", "by": "region", "share": {"ill": ["y"]}, "top": 2},
            {"name": "pay", "test": "t_test", "of": "income", "between": {"sex": ["m", "f"]}, "by": "region"},
            {"name": "bits", "test": "entropy_ratio", "at_least": "0.3"},
        ],
        "release": {"format": "csv", "name": "people"},
        **changes,
    }  # fmt: skip


DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "30", "50"]}
STAR = {"step": "recode", "variable": "religion", "mapping": {f"r{i}": "*" for i in range(4)}}
RARE = {"step": "suppress_records"}
SAMPLE = {"step": "sample", "fraction": "0.3"}
LEVELS = {"age": {"widths": ["10", "70"]}}
LOCAL = {"step": "search", "local": "true", "hierarchies": LEVELS, "suppression": "0.2"}
TRY = [{"attacks": ["linkage", "singling_out", "homogeneity", "row_order", "gap", "composition"]}]
FRACTION = {"source": "people.csv", "kind": "survey", "protection": {"sampling_fraction": "0.05", "reason": "drawn"}}
#: Runs of different kinds: the release is a sample; nothing is emptied; a key is; nothing is unique; few people.
RUNS: dict[str, tuple[int, dict[str, Any]]] = {
    "sampled": (900, plan(steps=[DROP, SAMPLE], attack=TRY, requirements=[{"model": "k", "k": "1"}])),
    "emptied": (600, plan(steps=[DROP, BANDS, STAR, RARE], attack=TRY, data=FRACTION, sweep={"k": "2:4"})),
    "local": (300, plan(steps=[DROP, LOCAL])),
    "few": (60, plan(steps=[DROP, BANDS, {"step": "suppress_cells", "k": "3"}], data=FRACTION)),
}  # fmt: skip


@pytest.fixture(scope="module", params=list(RUNS))
def done(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> FileRun:
    rows, content = RUNS[request.param]
    folder = tmp_path_factory.mktemp(request.param)
    (folder / "people.csv").write_text(people(rows))
    (folder / "plan.yaml").write_text(yaml.safe_dump(content, sort_keys=False))
    os.environ["INCROWD_SECRET"] = SECRET
    return ic.run(folder / "plan.yaml")


def measured(log: RunLog) -> Iterator[str]:
    """Every figure of the measured parts of a log, as the report should tell it."""
    for risk in log.risks:
        for side in (risk.before, risk.after):
            if side is not None:
                yield from (words.risk(one) for one in (*side.risks, *side.worth))
                if side.special is not None:
                    yield f"{side.special.records:,} records"
                    yield from (f"{n:,} of {size} key" for size, n in side.special.minimal.items())
    for attack in log.attacks:
        if attack.success is not None:
            yield from percents(attack.success.value, attack.success.low, attack.success.high)
            yield "none" if attack.baseline is None else percent(attack.baseline)
            yield "none" if attack.control is None else percent(attack.control.value)
            yield "none" if attack.residual is None else fixed(attack.residual)
    yield from (words.figure(at_start) for at_start in log.at_start if at_start is not None)
    for group in log.groups:
        for seen in (group.before, group.after):
            yield from () if seen is None else (f"{n:,}" for n in (seen.people, seen.uniques, seen.smallest))
    if (utility := log.utility) is None:
        return
    for outcome in utility.outcomes:
        yield outcome.found
        yield outcome.verdict
        for figure in outcome.figures:
            for estimate in (figure.original, figure.released):
                yield from (words.small(n) for n in (estimate.value, estimate.low, estimate.high) if n is not None)
            yield from (words.small(n) for n in (figure.effect, figure.overlap, *figure.more.values()))
    loss = utility.loss
    yield loss.why if loss.arithmetic is None else words.small(loss.arithmetic)
    yield from (words.small(n) for n in (*loss.keys.values(), *loss.bits.values(), loss.average_class))
    if utility.general is not None:
        found = utility.general.propensity
        if found is not None:
            yield from (words.small(n) for n in (found.pmse, found.ratio, found.specks))
        for one in utility.general.distances:
            yield from (words.small(n) for n in (one.total_variation, one.ks, one.wasserstein))
    for point in utility.sweep.points if utility.sweep is not None else ():
        yield from (f"{n:,}" for n in (*point.dropped.values(), point.released))
        yield words.small(point.loss)
        yield "\u2013" if point.risk_mean is None else percent(point.risk_mean)


@pytest.mark.slow
def test_every_figure_that_was_measured_is_in_the_internal_report(done: FileRun) -> None:
    text = " ".join(Texts((done.audit / "report.html").read_text()).parts)
    text = re.sub(r"\s+", " ", text)
    missing = [figure for figure in measured(done.log) if " ".join(figure.split()) not in text]
    assert not missing


def test_what_only_the_release_was_measured_for_has_its_row(done: FileRun) -> None:
    for risk in done.log.risks:
        rows = {(name, method): (before, after) for name, method, before, after, _ in risk_rows(risk)}
        for side, at in ((risk.before, 0), (risk.after, 1)):
            for one in (*side.risks, *side.worth) if side is not None else ():
                assert rows[one.name.replace("_", " "), one.method][at] == words.risk(one)


figure = st.sampled_from(["uniques", "pitman", "zayatz", "dis"]).map(
    lambda name: Risk(name, 0.25, None, None, "counted", "all", f"why {name}")
)


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(figure, unique_by=lambda r: r.name), st.none() | st.lists(figure, unique_by=lambda r: r.name))
def test_rows_are_those_of_both_sides_each_once(before: list[Risk], after: list[Risk] | None) -> None:
    sides = [None if one is None else Measured(Scenario("all", ("age",)), 9, 9, None, risks=tuple(one))
             for one in (before, after)]  # fmt: skip
    assert sides[0] is not None
    rows = risk_rows(RiskLog(sides[0], sides[1]))
    assert sorted(row[0] for row in rows) == sorted({one.name for one in (*before, *(after or []))})
    for name, _, at_start, leaves, _ in rows:
        assert (at_start == "0.25") == (name in {one.name for one in before})
        absent = "not released" if after is None else "not measured"
        assert leaves == ("0.25" if name in {one.name for one in after or []} else absent)
    order = [row[0] for row in rows if row[2] == "0.25"]
    assert order == [one.name for one in before]


@pytest.mark.slow
def test_tables_with_most_uniques_as_the_file_leaves_are_shown_too(done: FileRun) -> None:
    for risk in done.log.risks:
        shown = {label for label, _, _ in table_rows(risk)}
        for side in (risk.before, risk.after):
            for size in range(1, 5) if side is not None and side.tables is not None else ():
                lines = [line for line in side.tables.lines if len(line.keys) == size]
                assert not lines or " + ".join(lines[0].keys) in shown


def test_the_point_of_risk_is_filled_only_where_the_population_is_spoken_of(done: FileRun) -> None:
    """With a fraction known it is not said that one is needed."""
    said = " ".join(points(done.log)["risk"].missing)
    known = all(risk.after is None or risk.after.fraction is not None for risk in done.log.risks)
    assert ("needs a sampling fraction" in said) == (not known)
    bare = tuple(
        replace(risk, after=risk.after and replace(risk.after, fraction=None, risks=risk.after.risks[:4]))
        for risk in done.log.risks
    )
    assert "needs a sampling fraction" in " ".join(points(replace(done.log, risks=bare))["risk"].missing)


class Texts(HTMLParser):
    """The texts of a page, and what its pictures are said to show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._skip = 0
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._skip += tag in ("style", "script", "svg", "code")
        self.parts += [str(value) for name, value in attrs if name == "aria-label"]

    def handle_endtag(self, tag: str) -> None:
        self._skip -= tag in ("style", "script", "svg", "code")

    def handle_data(self, data: str) -> None:
        if not self._skip:
            self.parts.append(data)


#: What no sentence holds: two marks together, a space before one, a nothing of a program, and minus nothing.
SLIPS = re.compile(
    r"(?<!\.)\.\.(?!\.)|,;|;,|;;|,,|\.;|\.,|[a-z] [,;.](?:\s|$)|\bNone\b(?! [a-z])|\bnan\b|\binf\b"
    r"|(?<![\w.])-0(?:\.0+)?(?![\d.])|\{\{|\}\}|\[\]|\(\)"
)


def test_no_text_of_a_report_has_a_slip(done: FileRun) -> None:
    pages = [*done.audit.glob("*.html"), *done.release.glob("*.html")]
    assert len(pages) == 3
    for page in pages:
        for part in Texts(page.read_text()).parts:
            found = SLIPS.search(part)
            assert found is None, (page.name, part[max(found.start() - 60, 0) : found.end() + 30])


def test_the_sections_of_a_report_read_as_sentences(done: FileRun) -> None:
    """Put together from several parts of a template, too."""
    for name, text in Sections((done.audit / "report.html").read_text()).texts.items():
        joined = re.sub(r"\s+([.,;:])", r"\1", text)
        for slip in ("..", ",;", ",,", "nan ", "-0.000 "):
            assert slip not in joined.replace("...", ""), (name, joined[max(joined.find(slip) - 60, 0) :][:120])


shares = st.floats(0, 1, allow_nan=False)


@settings(max_examples=examples(300), deadline=None)
@given(st.tuples(shares, shares, shares).map(sorted))
def test_a_share_and_its_interval_have_the_same_digits_and_are_in_order(three: list[float]) -> None:
    low, value, high = three
    texts = percents(value, low, high)
    numbers = [float(re.sub(r"^(under|more than) ", "", text).rstrip("%")) for text in texts]
    plain = [text for text in texts if re.fullmatch(r"\d+\.\d+%", text)]
    assert len({len(text.partition(".")[2]) for text in plain}) <= 1
    assert not any(text.startswith("-") for text in texts)
    for share, text, number in zip((value, low, high), texts, numbers, strict=True):
        assert (text == "0%") == (share == 0)
        assert (text == "100%") == (share == 1)
        assert abs(number - 100 * share) <= 0.06


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=1, max_size=3))
def test_no_figure_is_minus_nothing_and_something_is_never_nothing(numbers: list[float]) -> None:
    for number, text in zip(numbers, figures(*numbers), strict=True):
        assert (text == "0") == (number == 0)
        assert not re.fullmatch(r"-0(\.0+)?", text)
    for number in numbers:
        assert not re.fullmatch(r"-0(\.0+)?", fixed(number))
        assert not re.fullmatch(r"-0(\.0+)?", words.small(number))


def test_a_sentence_ends_once() -> None:
    assert [sentence(text) for text in ("a", "a.", "a;", "a,", "A?")] == ["A.", "A.", "A.", "A.", "A?"]


def test_a_report_of_a_refused_run_reads_well_too(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text(people(60))
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan(steps=[DROP]), sort_keys=False))
    with pytest.raises(ic.NotReleasable):
        ic.run(tmp_path / "plan.yaml")
    page = next((tmp_path / "runs").glob("*/audit/report.html")).read_text()
    assert [part for part in Texts(page).parts if SLIPS.search(part)] == []
