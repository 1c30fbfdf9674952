"""Files of SPSS, Stata and SAS: no two stored values become one text; labels and missing codes are told."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.errors import IncrowdError, InputError
from incrowd.rows import Rows, open_source
from incrowd.rows.amounts import clock, number, single, writer
from incrowd.tasks.verify import verify

pyreadstat = pytest.importorskip("pyreadstat", reason="the extra 'stat' is not installed")


def column(rows: Rows, name: str) -> list[str | None]:
    return rows.collect(rows.table.select(name))[name].to_pylist()


def spss(path: Path) -> Path:
    people = pd.DataFrame(
        {
            "sex": [1.0, 2.0, -9.0, np.nan, -77.5],
            "amount": [0.1, 1 / 3, 2.0**60, 1.0, -0.5],
            "name": ["Zoë", "x" * 400, "", "Łódź", "O'Neill"],
            "born": [dt.date(1990, 1, 2), None, dt.date(1582, 12, 1), dt.date(2024, 2, 29), dt.date(1960, 1, 1)],
            "seen": [dt.datetime(2020, 1, 2, 3, 4, 5, 123000), None, *[dt.datetime(2020, 1, 3)] * 3],
            "woke": [dt.time(3, 4, 5), None, dt.time(0, 0), dt.time(23, 59, 59), dt.time(1, 1)],
        }
    )
    pyreadstat.write_sav(
        people,
        path,
        column_labels={"sex": "Sex of the person", "name": "Übliche Anrede"},
        variable_value_labels={"sex": {1: "männlich", 2: "weiblich", -9: "refused", -8: "not asked"}},
        missing_ranges={"sex": [-9, {"lo": -99, "hi": -50}]},
        variable_measure={"sex": "nominal", "amount": "scale", "name": "ordinal"},
        compress=path.suffix == ".zsav",
    )
    return path


@pytest.mark.parametrize("ending", ["sav", "zsav"])
def test_a_file_of_spss_with_all_that_it_says(tmp_path, ending):
    rows = open_source(spss(tmp_path / f"people.{ending}"))
    assert column(rows, "sex") == ["1", "2", "-9", None, "-77.5"]
    assert column(rows, "amount") == ["0.1", "0.3333333333333333", "1152921504606846976", "1", "-0.5"]
    assert column(rows, "name") == ["Zoë", "x" * 400, None, "Łódź", "O'Neill"]
    assert column(rows, "born") == ["1990-01-02", None, "1582-12-01", "2024-02-29", "1960-01-01"]
    assert column(rows, "seen")[:3] == ["2020-01-02T03:04:05.123", None, "2020-01-03T00:00:00"]
    assert column(rows, "woke") == ["03:04:05", None, "00:00:00", "23:59:59", "01:01:00"]
    book = rows.book
    assert book.titles == {"sex": "Sex of the person", "name": "Übliche Anrede"}
    assert book.codes["sex"] == {"1": "männlich", "2": "weiblich", "-9": "refused", "-8": "not asked"}
    assert book.missing == {"sex": ("-77.5", "-9")}
    assert book.scales == {"sex": "nominal", "amount": "numeric", "name": "ordinal"}


def test_a_file_of_stata_with_its_missing_codes(tmp_path):
    people = pd.DataFrame({"job": [1, 2, "a", "z", None], "t": ["a", "", "b ", "ß", "c"]})
    labels = {"job": {1: "cook", 2: "nurse", "a": "refused"}}
    pyreadstat.write_dta(
        people, tmp_path / "p.dta", variable_value_labels=labels, missing_user_values={"job": ["a", "z"]},
        column_labels={"job": "Occupation"},
    )  # fmt: skip
    rows = open_source(tmp_path / "p.dta")
    assert column(rows, "job") == ["1", "2", ".a", ".z", None]
    assert column(rows, "t") == ["a", None, "b ", "ß", "c"]
    assert rows.book.codes == {"job": {"1": "cook", "2": "nurse", ".a": "refused"}}
    assert rows.book.missing == {"job": (".a", ".z")}
    assert rows.book.titles == {"job": "Occupation"}
    assert rows.value_counts("job") == {"1": 1, "2": 1, ".a": 1, ".z": 1, None: 1}


def test_numbers_of_four_bytes_are_written_as_they_were_typed(tmp_path):
    pd.DataFrame({"h": np.array([0.1, 1.75, 170.0], np.float32)}).to_stata(tmp_path / "f.dta", write_index=False)
    assert column(open_source(tmp_path / "f.dta"), "h") == ["0.1", "1.75", "170"]


def test_months_and_quarters_of_stata_are_not_numbers(tmp_path):
    frame = pd.DataFrame({"m": [720.0, 721.0], "q": [240.0, 243.0], "d": [21915.0, -1.0], "n": [3.0, 4.0]})
    formats = {"m": "%tm", "q": "%tq", "d": "%td", "n": "%9.0g"}
    pyreadstat.write_dta(frame, tmp_path / "p.dta", variable_format=formats)
    rows = open_source(tmp_path / "p.dta")
    assert column(rows, "m") == ["2020-01", "2020-02"]
    assert column(rows, "q") == ["2020q1", "2020q4"]
    assert column(rows, "d") == ["2020-01-01", "1959-12-31"]
    assert column(rows, "n") == ["3", "4"]


def test_missing_codes_of_sas_stay_apart(tmp_path):
    path = tmp_path / "m.xpt"
    pyreadstat.write_xport(pd.DataFrame({"a": [1.0, np.nan, np.nan]}), path)
    content = path.read_bytes()
    at = content.index(b"\x2e" + bytes(7))  # a missing value, as SAS writes it
    path.write_bytes(content[:at] + b"A" + content[at + 1 :])
    rows = open_source(path)
    assert column(rows, "a") == ["1", ".A", None]
    assert rows.book.missing == {"a": (".A",)}


def test_missing_codes_of_a_portable_file_stay_values(tmp_path):
    path = tmp_path / "u.por"
    pyreadstat.write_por(pd.DataFrame({"AA": [1.0, 3.0, 2.0]}), path)
    text = path.read_bytes().replace(b"\r\n", b"").replace(b"\n", b"")
    at = text.index(b"F1/3/2/Z")
    text = (text[:at] + b"83/" + text[at:]).rstrip(b"Z")  # 3 is missing for the user
    text += b"Z" * (80 - len(text) % 80)
    path.write_bytes(b"\r\n".join(text[i : i + 80] for i in range(0, len(text), 80)) + b"\r\n")
    rows = open_source(path)
    assert column(rows, "AA") == ["1", "3", "2"]
    assert rows.book.missing == {"AA": ("3",)}


def test_a_program_s_default_is_no_scale_where_every_value_has_a_name(tmp_path):
    frame = pd.DataFrame({"region": [1.0, 2.0, 2.0], "age": [30.0, 40.0, 99.0]})
    pyreadstat.write_sav(
        frame, tmp_path / "d.sav", variable_measure={"region": "scale", "age": "scale"},
        variable_value_labels={"region": {1: "north", 2: "south"}, "age": {99: "99 or older"}},
    )  # fmt: skip
    assert open_source(tmp_path / "d.sav").book.scales == {"age": "numeric"}


@pytest.mark.parametrize("ending", ["sav", "zsav", "dta", "por", "xpt"])
@pytest.mark.parametrize("share", [0.98, 0.5, 0.02])
def test_a_file_that_is_cut_off_is_refused_without_its_content(tmp_path, ending, share):
    secret = "Ophelia Winterbottom"
    frame = pd.DataFrame({"A": np.arange(3000.0), "T": [f"{secret} {i}" for i in range(3000)]})
    path = tmp_path / f"p.{ending}"
    write = {"sav": pyreadstat.write_sav, "zsav": pyreadstat.write_sav, "dta": pyreadstat.write_dta,
             "por": pyreadstat.write_por, "xpt": pyreadstat.write_xport}[ending]  # fmt: skip
    write(frame, path, **({"compress": True} if ending == "zsav" else {}))
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share) // 80 * 80 + 7])
    with pytest.raises(InputError) as caught:
        verify(path, ["A"])
    assert caught.value.code in ("D331", "D334")
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


@pytest.mark.parametrize("ending", ["sav", "dta", "por", "xpt", "sas7bdat"])
@pytest.mark.parametrize("content", [b"", b"Jane,34\n", bytes(5000), b"\xff" * 400])
def test_what_is_no_such_file_is_refused(tmp_path, ending, content):
    path = tmp_path / f"p.{ending}"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_source(path)
    assert caught.value.code in ("D331", "D002")
    assert "Jane" not in str(caught.value)


def test_an_encoding_that_the_file_does_not_have(tmp_path):
    path = tmp_path / "old.dta"
    pd.DataFrame({"t": ["Zürich", "b"], "n": [1.0, 2.0]}).to_stata(path, version=114, write_index=False)
    assert column(open_source(path, encoding="latin-1"), "t") == ["Zürich", "b"]
    with pytest.raises(InputError) as caught:
        open_source(path, encoding="utf-8")
    assert caught.value.code == "D332"
    assert "--encoding" in str(caught.value)


def test_large_files_come_piece_by_piece(tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.rows.statistical._PIECE", 10)
    frame = pd.DataFrame({"a": np.arange(2500.0), "b": [f"t{i % 7}" for i in range(2500)]})
    for write, ending in (
        (pyreadstat.write_sav, "sav"),
        (pyreadstat.write_dta, "dta"),
        (pyreadstat.write_xport, "xpt"),
    ):
        write(frame.iloc[:2000] if ending == "dta" else frame, tmp_path / f"p.{ending}")
        rows = open_source(tmp_path / f"p.{ending}")
        wanted = 2000 if ending == "dta" else 2500  # a whole number of pieces, and one that is not
        assert column(rows, "a") == [str(i) for i in range(wanted)]


def test_no_records_and_one_record(tmp_path):
    frame = pd.DataFrame({"a": [1.0], "b": ["x"]})
    pyreadstat.write_sav(frame.iloc[:0], tmp_path / "none.sav")
    with pytest.raises(InputError) as caught:
        verify(tmp_path / "none.sav", ["a"])
    assert caught.value.code == "D014"
    pyreadstat.write_sav(frame, tmp_path / "one.sav")
    assert verify(tmp_path / "one.sav", ["a", "b"]).uniques == 1


def test_without_pyreadstat_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyreadstat._readstat_parser", None)
    with pytest.raises(IncrowdError) as caught:
        open_source(spss(tmp_path / "p.sav"))
    assert caught.value.code == "X020"
    assert "incrowd[stat]" in str(caught.value)


doubles = st.floats(allow_nan=False, allow_infinity=False)


@settings(max_examples=examples(200))
@given(doubles)
def test_a_number_s_text_is_the_number(value):
    text = number(value)
    assert float(text) == value
    assert str(np.signbit(float(text))) == str(np.signbit(value))


@settings(max_examples=examples(200))
@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_a_short_number_s_text_is_the_number(value):
    assert np.float32(single(value)) == np.float32(value)


@settings(max_examples=examples(200), suppress_health_check=[HealthCheck.too_slow])
@given(
    st.sampled_from([("spss", f) for f in ("DATE11", "DATETIME20", "TIME8", "F8.2", "MOYR6")]
                    + [("stata", f) for f in ("%td", "%tc", "%tcHH:MM:SS", "%tm", "%tw", "%tq", "%th", "%9.0g")]
                    + [("sas", f) for f in ("DATE9", "DATETIME20.", "TIME8.", "BEST12")]),
    st.lists(st.one_of(st.integers(-(10**13), 10**13).map(float), st.floats(-1e12, 1e12, allow_subnormal=False)),
             min_size=2, max_size=30, unique=True),
)  # fmt: skip
def test_no_two_stored_numbers_get_one_text(form, values):
    write = writer(*form, "double")
    assert len({write(value) for value in values}) == len(values)


def test_times_that_last():
    assert clock(Decimal("97445.5")) == "27:04:05.5"
    assert clock(Decimal("-61")) == "-00:01:01"
    assert writer("spss", "TIME8", "double")(-61.25) == "-00:01:01.25"
    assert writer("spss", "DATE11", "double")(1e30) == "1e+30"  # outside the calendar
