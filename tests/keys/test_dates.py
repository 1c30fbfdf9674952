"""Parts of dates and times: what Python's own calendar says, and nothing that was not written."""

import datetime as dt

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import incrowd as ic
from incrowd.keys.labels import date_part
from incrowd.plan.steps.recode import Recode


@settings(max_examples=examples(100))
@given(
    st.datetimes(min_value=dt.datetime(1000, 1, 1)), st.sampled_from([" ", "T"]), st.sampled_from(["", "Z", "+01:00"])
)
def test_every_part_is_what_the_calendar_says(moment, between, zone):
    text = moment.strftime(f"%Y-%m-%d{between}%H:%M:%S") + zone
    for part, pattern in (
        ("weekday", "%A"),
        ("month_of_year", "%B"),
        ("hour", "%H"),
        ("week", "%G-W%V"),
        ("month", "%Y-%m"),
    ):
        expected = moment.strftime(pattern)
        assert date_part([text, None], part, "x") == [expected, None]
        if part != "hour":
            assert date_part([text[:10]], part, "x") == [expected]


def test_a_year_of_weeks_is_that_of_the_week():
    assert date_part(["2024-12-30", "2021-01-03"], "week", "x") == ["2025-W01", "2020-W53"]


def test_an_hour_that_nobody_wrote_is_not_midnight():
    with pytest.raises(ic.InputError, match="D021: 1 of the 2"):
        date_part(["2024-05-31", "2024-05-31 00:00"], "hour", "seen")
    assert date_part(["31/05/2024 17:45"], "hour", "seen", "%d/%m/%Y %H:%M") == ["17"]
    assert date_part(["17:45"], "hour", "seen", "%H:%M") == ["17"]


@pytest.mark.parametrize(
    ("part", "pattern"),
    [("hour", "%d/%m/%Y"), ("weekday", "%m/%Y"), ("week", "%Y"), ("hour", "%I:%M"), ("month_of_year", "%Y")],
)
def test_a_format_must_tell_the_part(part, pattern):
    with pytest.raises(ValueError, match="date_format"):
        Recode(step="recode", variable="x", date_part=part, date_format=pattern)


@pytest.mark.parametrize(
    "text", ["2024-02-30", "2024-05-31 25:00", "2024-05-31x17:45", "17:45", "", "2024-05-31 17:45 x"]
)
def test_what_is_no_date_is_refused_and_not_shown(text):
    with pytest.raises(ic.InputError, match="D021") as refusal:
        date_part([text], "weekday", "seen")
    assert not text or text not in str(refusal.value)
