"""Those in the file are called what the plan calls them."""

import pytest

from incrowd.keys.unit_name import PEOPLE, UnitName, parse_unit_name


@pytest.mark.parametrize(
    ("text", "one", "many"),
    [
        ("dwelling", "dwelling", "dwellings"),
        ("business", "business", "businesses"),
        ("agency", "agency", "agencies"),
        ("holiday", "holiday", "holidays"),
        ("company / companies", "company", "companies"),
        ("person", "person", "people"),
    ],
)
def test_the_plural_is_regular_or_given(text, one, many):
    assert parse_unit_name(text) == UnitName(one, many)


@pytest.mark.parametrize("text", ["/", "a/", "a/b/c", "x\ny", "x" * 90, "[red]", "<b>x", "7"])
def test_what_is_no_name_is_refused(text):
    with pytest.raises(ValueError, match="singular"):
        parse_unit_name(text)


def test_texts_speak_of_them():
    firm = parse_unit_name("address/addresses")
    said = firm.say("Every class has 3 people. A person who is alone; people whom k hides; the person's record.")
    assert said == (
        "Every class has 3 addresses. An address that is alone; addresses that k hides; the address's record."
    )
    assert PEOPLE.say("a person who") == "a person who"
    assert firm.say("impersonal peoples") == "impersonal peoples"
