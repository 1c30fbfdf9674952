"""Every attack on odd releases: it gives figures that can be, or says why there are none; and the same ones again."""

import math
from typing import Any

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from situations import Record, situation, table

from incrowd.attack import ATTACKS
from incrowd.attack.situation import Auxiliary, Situation

HERE = [
    "homogeneity", "skewness", "inference", "gap", "minimality", "composition", "differencing", "row_order",
    "dictionary",
]  # fmt: skip
RECORDS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["ann", "bob", None]),
            "age": st.sampled_from(["1", "2", "33", None]),
            "place": st.sampled_from(["a", "b", None]),
            "ill": st.sampled_from(["y", "n", None]),
            "pay": st.sampled_from(["10", "20", "n/a", None]),
            "how": st.sampled_from(["drop", "blank", "coarse", "keep", "keep"]),
        }
    ),
    max_size=14,
)
OTHER = st.lists(
    st.fixed_dictionaries({"age": st.sampled_from(["0-9", "30+", None]), "ill": st.sampled_from(["y", "z", None])}),
    max_size=5,
)


def _change(record: Record) -> Record:
    if record["how"] == "blank":
        return record | {"age": None, "place": None}
    return record | {"age": "1-40", "place": "*"} if record["how"] == "coarse" else record


def _made(records: list[Record], **scenario: Any) -> Situation:
    return situation(
        records, ["age", "place"], ["ill", "pay"], keep=lambda r: r["how"] != "drop", change=_change,
        identifiers=["name"], columns=["age", "place", "ill", "pay", "name"], **scenario,
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("word", HERE)
@settings(max_examples=examples(12), deadline=None)
@given(records=RECORDS, other=OTHER, error=st.sampled_from([0.0, 0.5, 1.0]), who=st.booleans())
def test_an_attack_gives_figures_or_says_why_not(
    word: str, records: list[Record], other: list[Record], error: float, who: bool
) -> None:
    if not records:
        records = [{"name": None, "age": None, "place": None, "ill": None, "pay": None, "how": "drop"}]
    made = _made(records, error={"age": error}, knows_who_is_in=who)
    counts = table([{"age": "1", "n": "3"}, {"age": None, "n": None}], ["age", "n"])
    auxiliary = Auxiliary(others={"other": table(other, ["age", "ill"])}, tables={"counts": counts})
    found = ATTACKS[word](made, auxiliary)
    assert found == ATTACKS[word](made, auxiliary)
    assert found
    for attacked in found:
        assert attacked.attack == word
        assert attacked.knows
        assert attacked.acts
        assert attacked.sentence.endswith(".")
        if attacked.success is None:
            assert attacked.why
            continue
        assert attacked.baseline is not None
        assert 0 <= attacked.baseline <= 1
        for rate in (attacked.success, attacked.control, attacked.claimed):
            assert rate is None or 0 <= rate.hits <= rate.tries
        assert attacked.residual is None or math.isfinite(attacked.residual)
        assert attacked.control is not None or attacked.why
        assert len(attacked.worst) <= 50
        assert all(1 <= line <= len(records) for line in attacked.worst)


@pytest.mark.parametrize("word", HERE)
def test_no_text_tells_anybodys_value(word: str) -> None:
    records: list[Record] = [
        {
            "name": f"qq{i}",
            "age": f"qqage{i % 4}",
            "place": f"qq{i % 2}",
            "ill": f"qqill{i % 3}",
            "pay": "5",
            "how": "keep",
        }
        for i in range(40)
    ]
    made = _made(records)
    auxiliary = Auxiliary(others={"other": made.released}, tables={})
    for attacked in ATTACKS[word](made, auxiliary):
        assert "qq" not in " ".join([attacked.sentence, attacked.why, attacked.knows, attacked.acts])


def test_people_in_the_file_are_judged_whoever_else_is_looked_up() -> None:
    records: list[Record] = [
        {"name": None, "age": "1", "place": "ab"[i % 2], "ill": "y", "pay": None, "how": "drop" if i < 10 else "keep"}
        for i in range(40)
    ]
    for who, number in ((True, 30), (False, 40)):
        for word in ("homogeneity", "skewness"):
            one = ATTACKS[word](_made(records, knows_who_is_in=who), Auxiliary())[0]
            assert one.success is not None
            assert one.success.tries == 30
            if one.claimed is not None:
                assert one.claimed.tries == number
                assert ("Of everybody looked up, 40, 40 of 40 claims are right" in one.sentence) is not who


@pytest.mark.parametrize("word", ["homogeneity", "skewness", "inference"])
def test_a_small_sample_hides_nothing_that_it_gives_away(word: str) -> None:
    """Twenty classes of five in the file, of one value each, and nineteen times as many people outside."""
    people: list[Record] = [
        {
            "age": str(i % 20),
            "place": "ab"[i % 2],
            "ill": "yn"[i // 2 % 2] if i < 100 else "yn"[i % 3 // 2],
            "in": str(i),
        }
        for i in range(2000)
    ]
    figures = []
    for who in (True, False):
        made = situation(people, ["age", "place"], ["ill"], keep=lambda r: int(str(r["in"])) < 100, knows_who_is_in=who)
        (one,) = ATTACKS[word](made, Auxiliary())
        assert one.success is not None
        assert one.success.tries == 100
        figures.append((one.success, one.excess))
    assert figures[0] == figures[1]
