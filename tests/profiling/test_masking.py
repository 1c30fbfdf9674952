"""The masked preview: nobody's own value is in it, on any file, and what a crowd shares is."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import incrowd as ic
from incrowd.profiling.masking import CROWD, LONGEST, RECORDS, form_of_value, preview

#: Values that repeat, values that look like masks, texts of any signs.
VALUES = st.one_of(
    st.sampled_from(["York", "Leeds", "9", "x", "-", "", "007", "Ünal", "東京", "a,b", 'say "x"']),
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00\r\n"), max_size=40),
)


def write(folder: Path, records: list[tuple[str, ...]], names: tuple[str, ...] = ("area", "note", "person")) -> Path:
    path = folder / "people.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([names, *records])
    return path


@given(
    records=st.lists(st.tuples(VALUES, VALUES, st.sampled_from("abcdefghijklmno")), min_size=1, max_size=60),
    by_person=st.booleans(),
)
@example(records=[("York", "rare", "a")] * 12, by_person=True)
@example(records=[("York", "rare", name) for name in "abcdefghij"], by_person=True)
def test_a_value_is_shown_as_it_is_only_where_a_crowd_shares_it(
    tmp_path_factory, records: list[tuple[str, str, str]], by_person: bool
) -> None:
    rows = ic.open_source(write(tmp_path_factory.mktemp("preview"), records))
    found = preview(rows, "person" if by_person else None)
    assert found.columns == ("area", "note", "person")
    assert len(found.records) == min(RECORDS, len(records))
    for place in range(3):
        pairs = {(one[place], one[2]) for one in records} if by_person else None
        crowd = Counter(value for value, _ in pairs) if pairs is not None else Counter(one[place] for one in records)
        for record, cells in zip(records, found.records, strict=False):
            value, cell = record[place], cells[place]
            if not value.strip():
                assert (cell.form, cell.value) == ("", None)
                continue
            assert cell.value == (value if crowd[value] >= CROWD else None)
            assert cell.shown(identifier=True) == cell.form == form_of_value(value)
            assert cell.masked(identifier=True)
            assert cell.shown(identifier=False) == (value if crowd[value] >= CROWD else cell.form)


@given(st.text(min_size=1, max_size=300), st.text(min_size=1, max_size=300))
def test_a_form_holds_no_letter_or_digit_of_its_value(one: str, other: str) -> None:
    for text in (one, other):
        form = form_of_value(text)
        assert len(form) <= LONGEST + 1
        assert re.fullmatch(r"[xX9·… .,\-/:@_+()'&%£$€#]*", form)
    # whoever sees the form of a text knows of each sign only what kind it is
    swapped = "".join("q" if sign == "x" else "7" if sign == "9" else sign for sign in form_of_value(one))
    assert form_of_value(swapped) == form_of_value(form_of_value(one))


def test_signs_alone_are_not_shown_as_they_are() -> None:
    assert form_of_value("---") == form_of_value("£") == form_of_value("🙂🙂") == "·"
    assert form_of_value("a" * 500) == "x" * LONGEST + "…"
    assert form_of_value("1984-03-07") == "9999-99-99"


def test_records_of_nobody_are_one_holder(tmp_path: Path) -> None:
    records = [("York", "n", "")] * 9 + [("York", "n", "a")] + [("Leeds", "n", name) for name in "abcdefghij"]
    path = tmp_path / "people.csv"
    path.write_text("area,note,person\n" + "".join(",".join(one) + "\n" for one in records))
    found = preview(ic.open_source(path), "person")
    assert {cells[0].value for cells in found.records} == {None, "Leeds"}


def test_a_wide_file_is_cut_and_an_empty_one_has_no_records(tmp_path: Path) -> None:
    names = [f"column{i}" for i in range(100)]
    path = tmp_path / "wide.csv"
    path.write_text(",".join(names) + "\n" + ",".join("1" for _ in names) + "\n")
    found = preview(ic.open_source(path))
    assert (len(found.columns), found.left_out) == (60, 40)
    path.write_text(",".join(names) + "\n")
    assert preview(ic.open_source(path)).records == ()


def test_typed_values_are_shown_as_they_would_stand_in_a_text(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    ages = [30] * 12 + [97]
    pq.write_table(pa.table({"age": ages, "paid": [1.5] * 13}), tmp_path / "people.parquet")
    found = preview(ic.open_source(tmp_path / "people.parquet"))
    assert [one[0].shown(False) for one in found.records] == ["30"] * 12 + ["99"]
    assert {one[1].shown(False) for one in found.records} == {"1.5"}
