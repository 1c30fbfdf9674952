"""Numbers sort as numbers wherever a person reads values."""

from hypothesis import given
from hypothesis import strategies as st

from incrowd.keys.natural import in_order, natural


def test_what_a_person_expects():
    assert in_order(["10", "2", "1"]) == ["1", "2", "10"]
    assert in_order(["100+", "10-14", "5-9", "<5"]) == ["<5", "5-9", "10-14", "100+"]
    assert in_order([None, "x", "-9", "1", "*"]) == ["-9", "1", "x", "*", None]
    assert in_order(["1,000-1,999", "500-999", "2,000+"]) == ["500-999", "1,000-1,999", "2,000+"]
    assert in_order(["M10", "M2", "m1"]) == ["m1", "M2", "M10"]
    assert in_order(["2020-10-01", "2020-2-01"]) == ["2020-2-01", "2020-10-01"]
    assert in_order(["2.5 to under 5", "0 to under 2.5", "10+"]) == ["0 to under 2.5", "2.5 to under 5", "10+"]


def test_odd_values_have_a_place():
    odd = ["9" * 5000, "1", "-", "<", "<x", ">65", "65+", "٣", "", None, "(missing)", "½", "-0", "e", "1e5", " 7"]
    assert sorted(odd, key=natural) == in_order(odd[::-1])
    assert in_order(odd)[-1] is None


@given(st.lists(st.one_of(st.none(), st.text(max_size=6), st.integers().map(str))))
def test_any_values_have_one_order(values):
    ordered = in_order(values)
    assert in_order(reversed(values)) == ordered or len(set(values)) < len(values)
    assert sorted(map(str, values)) == sorted(map(str, ordered))


@given(st.lists(st.integers(), unique=True))
def test_whole_numbers_are_in_their_order(numbers):
    assert in_order(map(str, numbers)) == [str(number) for number in sorted(numbers)]
