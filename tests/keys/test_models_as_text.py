"""Every spelling of a model that is documented can be read, and every slip in one is told with a code."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from examples import examples, quick_only
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.cli.search import MODEL_HELP
from incrowd.errors import IncrowdError, InputError
from incrowd.keys.requirements import DeltaPresence, forms, model_names, parse_model
from incrowd.keys.table import KeyTable, from_records
from incrowd.plan.verdict import Verdict
from incrowd.report.words import limit
from incrowd.tasks.verify import parse_where, verify

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: What stands for the words in capitals.
MEANT = {
    "K": "3", "L": "2", "A": "ill", "T": "0.2", "BETA": "1", "ALPHA": "0.5", "C": "2", "DELTA": "1", "DMIN": "0",
    "DMAX": "0.5", "VALUE": "y", "KEYS": "age,sex", "KEY,KEY": "age,sex", "KEY": "age",
    "CONDITION": "area=Wales|London",
}  # fmt: skip
NAMES = "|".join(sorted(model_names(), key=len, reverse=True))
#: A name and its fields; a field may be in double quotes, and then hold blanks and colons.
SPELLING = re.compile(rf"(?<![\w.:/-])(?:{NAMES})(?::(?:\"[^\"]*\"|[^\s`;:\"])+)+")


def _spellings(text: str) -> list[str]:
    """The models in the code of a text, with and without their optional parts."""
    found = []
    for code in re.findall(r"`([^`\n]+)`", text) + re.findall(r"^    .*$|^incrowd .*$", text, re.MULTILINE):
        for one in SPELLING.findall(code):
            whole = one.rstrip(".,)'")
            found += [re.sub(r"\[[^\]]*\]", "", whole), re.sub(r"\|[^\]]*(?=\])", "", whole)]
    return [one.replace("[", "").replace("]", "") for one in found]


def _meant(spelling: str) -> str:
    head, where, condition = spelling.partition(":where=")
    fields = [MEANT.get(field.removeprefix("on="), field.removeprefix("on=")) for field in head.split(":")]
    fields = [f"on={new}" if old.startswith("on=") else new for new, old in zip(fields, head.split(":"), strict=True)]
    return ":".join(fields) + where + MEANT.get(condition, condition)


#: What `--model help` shows; weak_k needs its own keys.
HELP = "\n".join(f"`{form.spelling(name)}`" for name, form in forms().items()).replace(
    "`weak_k:K`", "`weak_k:K:on=KEY`"
)
DOCUMENTED = sorted({one for page in PAGES for one in _spellings(page.read_text())})


def test_there_are_spellings_of_every_model_in_the_docs() -> None:
    named = {one.partition(":")[0] for one in DOCUMENTED}
    assert named >= {name for name in model_names() if len(name) > 3}


@pytest.mark.parametrize("spelling", [*DOCUMENTED, *_spellings(f"`{MODEL_HELP}`"), *_spellings(HELP)])
def test_a_documented_spelling_can_be_read(spelling: str) -> None:
    requirement = parse_model(_meant(spelling))
    if requirement.where is not None:
        assert parse_where(requirement.where)


def test_every_condition_in_the_docs_can_be_read() -> None:
    spans = [one for page in PAGES for one in re.findall(r"`[^`\n]*:?where=([^`\n]+)`", page.read_text())]
    conditions = [MEANT.get(one.strip('[]"'), one.strip('[]"')) for one in spans]
    assert len(conditions) >= 3
    for condition in conditions:
        assert parse_where(condition.rstrip("]"))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("people") / "people.csv"
    lines = (f"{20 + i % 30},{'fm'[i % 2]},{'yn'[i % 5 == 0]}\n" for i in range(60))
    path.write_text("age,sex,ill\n" + "".join(lines))
    return path


SLIPS = ("nosuch", "", "-1", "0", "nan", "inf", "1e999", "9" * 30, "5_0", "x" * 300, "é", "\x00", "a\nb", '"', "=", "|")
ENDS = (
    ":on=nosuch", ":on=", ":on=ill", ":on=age,age", ":where=nosuch=1", ":where=", ":where=sex", ":where==f",
    ":where=sex=", ":where=sex=f,", ":where=age < 16", ":where=sex=zzz", ":where=incrowd_x=1", ":where=Sex=f",
)  # fmt: skip


def _good(name: str) -> list[str]:
    fields = re.sub(r"[\[\]]", "", forms()[name].fields).split(":")
    return [MEANT.get(field, field.partition("|")[0]) for field in fields]


@pytest.mark.parametrize("name", quick_only(["k", "distinct_l"], model_names()))
def test_a_slip_in_any_field_of_any_model_has_a_code(people: Path, name: str) -> None:
    good = _good(name)
    texts = [":".join([name, *good]) + end for end in ENDS]
    texts += [":".join([name, *good[:i], slip, *good[i + 1 :]]) for i in range(len(good)) for slip in SLIPS]
    for text in texts:
        try:
            verify(people, ["age", "sex"], [parse_model(text)])
        except IncrowdError as error:
            assert error.code != "X001", text


def test_a_column_that_a_condition_names_must_be_there(people: Path) -> None:
    for text in ("weak_k:2:where=nosuch=1", "k:2:where=sex=f,nosuch=1"):
        with pytest.raises(InputError, match=r"D012: 'nosuch' is not a column"):
            verify(people, ["age", "sex"], [parse_model(text)])
        with pytest.raises(InputError, match=r"D012: 'nosuch' is not a column"):
            ic.search(people, ["age", "sex"], [parse_model(text)], auto=True)


def _shares(shares: list[float]) -> KeyTable:
    """A class of a thousand people of the population for each share."""
    sizes = [round(share * 1000) for share in shares]
    values = [str(i) for i, size in enumerate(sizes) for _ in range(size)] or ["none"]
    table = from_records({"a": values})
    return replace(table, population=np.full(len(table.records), 1000, np.int64))


@settings(max_examples=examples(60))
@given(
    st.lists(st.integers(1, 1000), min_size=1, max_size=5, unique=True),
    st.sampled_from([(0.0, 0.5), (0.0, 1.0), (0.2, 0.5), (0.1, 0.9), (0.3, 0.3)]),
)
def test_delta_presence_tells_the_share_that_is_nearest_to_breaking_a_bound(
    thousandths: list[int], bounds: tuple[float, float]
) -> None:
    shares, (dmin, dmax) = [n / 1000 for n in thousandths], bounds
    requirement = DeltaPresence(dmin, dmax)
    beyond = [(share - dmax, share, f"at most {dmax:g}") for share in shares]
    if dmin > 0:
        beyond += [(dmin - share, share, f"at least {dmin:g}") for share in shares]
    worst = max(each[0] for each in beyond)
    nearest = {(share, words) for far, share, words in beyond if far > worst - 1e-12}
    achieved = requirement.achieved(_shares(shares))
    assert achieved is not None
    assert any(abs(achieved - share) < 1e-12 for share, _ in nearest)
    if len(nearest) == 1:
        assert requirement.nearest(achieved) == next(iter(nearest))[1]


def test_the_gate_and_the_table_tell_the_same_share_and_side() -> None:
    lower = Verdict("between", "delta_presence", True, 0.1, 0.12, lower=True)
    upper = Verdict("between", "delta_presence", True, 0.9, 0.8)
    assert (limit(lower), limit(upper)) == ("at least 0.1", "at most 0.9")
