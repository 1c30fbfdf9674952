"""What may be done to a variable that is no key goes by what its values are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from incrowd.keys.codebook import Codebook
from incrowd.proposals.information import Given, kept_of
from incrowd.proposals.values import Treatment, treatments_of

PEOPLE = 600
VALUES = {
    "children": [str(min(n % 7, n % 5)) for n in range(PEOPLE)],
    "seen on": [f"{n % 28 + 1:02d}/{n % 12 + 1:02d}/{2010 + n % 9}" for n in range(PEOPLE)],
    "postcode": [f"{area}{n % 4 + 1} {n % 9}AA" for n, area in enumerate(["NE", "LS", "M"] * (PEOPLE // 3))],
    "diagnosis": [f"{'ABK'[n % 3]}{n % 7}{n % 10}" for n in range(PEOPLE)],
    "grade": [("poor", "good", "very good", "very poor")[n % 4] for n in range(PEOPLE)],
    "illness": [("no", "flu", "asthma")[n % 3] for n in range(PEOPLE)],
}


def coarser(name: str, book: Codebook | None = None, named: tuple[str, ...] = ()) -> list[Treatment]:
    given = Given.of(name, pa.array(VALUES[name]))
    found = treatments_of(given, perturb=False, drop=True, book=book or Codebook(), named=named)
    assert found[0].steps == ()
    assert found[-1].drops
    return list(found[1:-1])


@pytest.mark.parametrize(
    ("name", "way"),
    [
        ("children", "bands"),
        ("seen on", "date_part"),
        ("postcode", "postcode"),
        ("diagnosis", "prefix"),
        ("grade", "mapping"),
    ],
)
def test_values_that_tell_what_is_coarser_are_recoded_like_keys(name: str, way: str) -> None:
    found = coarser(name)
    assert found
    assert all(way in treatment.steps[0] for treatment in found)
    kept = [treatment.kept for treatment in found]
    assert kept == sorted(kept, reverse=True)
    assert 0 < kept[-1] < kept[0] < 1


def test_names_without_an_order_are_not_merged_by_chance_of_number() -> None:
    assert coarser("illness") == []


def test_a_value_that_is_named_keeps_its_name() -> None:
    for treatment in coarser("children", named=("3",)):
        assert {3, 4} <= set(treatment.steps[0]["bands"])


def test_declared_codes_are_no_numbers() -> None:
    book = Codebook(
        codes={"children": {str(n): name for n, name in enumerate(["red", "blue", "black", "green", "pink"])}}
    )
    assert coarser("children", book) == []


@pytest.mark.parametrize("code", ["-9", "Unknown"])
def test_amounts_with_codes_for_no_value_are_put_into_bands_beside_them(code: str) -> None:
    """Steps that reckon with amounts refuse such codes (D378)."""
    pay = [code if n % 10 == 0 else str(15_000 + 37 * n) for n in range(PEOPLE)]
    book = Codebook(missing={"pay": (code,)})
    given = Given.of("pay", pa.array(pay), book.missing["pay"])
    found = treatments_of(given, perturb=True, drop=True, book=book)
    assert {step["step"] for way in found for step in way.steps} == {"recode", "shuffle", "drop"}
    assert all("bands" in step for way in found for step in way.steps if step["step"] == "recode")
    assert given.numbers is not None
    assert np.nanmin(given.numbers) > 15_000


def test_values_that_are_not_what_they_are_declared_to_be_end_no_search() -> None:
    given = Given.of("visits", pa.array(["0", "1", "2", "5 or 6"] * 50))
    found = treatments_of(given, perturb=False, drop=True, book=Codebook(scales={"visits": "numeric"}))
    assert [way.name for way in found] == ["as it is", "left out"]


def test_a_code_for_no_value_that_is_blanked_is_lost() -> None:
    pay = pa.array(["-9" if n % 2 else str(n) for n in range(PEOPLE)])
    given = Given.of("pay", pay, ["-9"])
    lines = np.arange(PEOPLE)
    assert kept_of(given, lines, pay) == 1
    blanked = pa.array([None if text == "-9" or n % 4 == 0 else text for n, text in enumerate(pay.to_pylist())])
    assert kept_of(given, lines, blanked) < 0.9
