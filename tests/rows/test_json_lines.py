"""JSON lines: flat objects, numbers as they are written, two values never one, and errors that quote nothing."""

import gzip
import json
from pathlib import Path

import pytest
from examples import examples
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.rows import open_source


def lines(path: Path, *content: str) -> Path:
    text = "\n".join(content).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def records(path: Path) -> list[dict[str, str | None]]:
    rows = open_source(path)
    return rows.collect(rows.table).to_pylist()


def refused(path: Path, code: str, *said: str, secret: str = "Ophelia") -> None:
    with pytest.raises(InputError) as caught:
        open_source(path)
    assert caught.value.code == code, caught.value
    assert all(text in str(caught.value) for text in said), caught.value
    assert secret not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


CONTENT = (
    '\ufeff{"age": 34, "paid": 1.50, "name": "Zoë", "here": true}',
    "",
    '{"name": "", "age": 9007199254740993, "here": null}',
    '{"paid": 1.5, "new": "7", "here": false, "age": 1e3}',
)
WANTED = [
    {"age": "34", "paid": "1.50", "name": "Zoë", "here": "true", "new": None},
    {"age": "9007199254740993", "paid": None, "name": "", "here": None, "new": None},
    {"age": "1e3", "paid": "1.5", "name": None, "here": "false", "new": "7"},
]


@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "json", "jsonl.gz", "ndjson.gz"])
def test_values_are_what_is_written(tmp_path, ending):
    assert records(lines(tmp_path / f"p.{ending}", *CONTENT)) == WANTED


def test_a_list_of_objects_is_read_too(tmp_path):
    path = lines(tmp_path / "p.json", "[", ",\n".join(line for line in CONTENT if line).removeprefix("\ufeff"), "]")
    assert records(path) == WANTED


def test_pieces_have_the_columns_of_all(tmp_path, monkeypatch):
    monkeypatch.setattr("incrowd.rows.json_lines._PIECE", 2)
    assert records(lines(tmp_path / "p.jsonl", *CONTENT)) == WANTED


def test_what_is_refused_is_told_by_its_place(tmp_path):
    def one(*content: str) -> Path:
        return lines(tmp_path / "p.jsonl", *content)

    good = '{"a": "Ophelia", "b": 1}'
    refused(one(good, '{"a": "x", "b": {"c": "Ophelia"}}'), "D339", "line 2 of p.jsonl", "an object in field 2")
    refused(one('{"a": ["Ophelia"]}'), "D339", "line 1", "a list in field 1")
    refused(one(good, '{"a": "Ophelia", "a": 2}'), "D339", "line 2", "a key twice")
    refused(one(good, '{"a": "Ophelia'), "D339", "line 2", "not one whole JSON object")
    refused(one(good, '"Ophelia"'), "D339", "line 2", "a plain value")
    refused(one(good, "[1, 2]"), "D339", "line 2", "a list")
    refused(one('{"a": NaN, "b": "Ophelia"}'), "D339", "NaN")
    refused(one(good, '{"a": "\\ud800 Ophelia"}'), "D008", "line 2")
    refused(one('{"a": "Ophelia\\u0000"}'), "D008", "line 1")
    refused(one('{"a": 1, "A": 2}'), "D011")
    refused(one('{"": "Ophelia", "a": 1}'), "D010")
    refused(one('{"a": ' + "[" * 100_000 + "]" * 100_000 + "}"), "D339")
    refused(one("", " "), "D002")
    refused(lines(tmp_path / "e.jsonl"), "D002")
    refused(lines(tmp_path / "o.jsonl", "{}"), "D002")
    (tmp_path / "l.jsonl").write_bytes(b'{"a": "Ophelia \xfc"}\n')
    refused(tmp_path / "l.jsonl", "D005", "line 1")
    packed = gzip.compress(b'{"a": "Ophelia"}\n' * 1000)
    (tmp_path / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    refused(tmp_path / "cut.jsonl.gz", "D003")


@pytest.mark.parametrize("pair", [('"1"', "1"), ("true", '"true"'), ("1.0", '"1.0"')])
def test_a_text_and_a_number_that_look_alike_are_not_one_value(tmp_path, pair):
    path = lines(tmp_path / "p.jsonl", *(f'{{"a": {value}, "b": "x"}}' for value in pair))
    refused(path, "D338", "column 1 of p.jsonl")


plain = st.one_of(st.none(), st.booleans(), st.integers(), st.text(st.characters(exclude_categories=["Cs"])))


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(st.dictionaries(st.sampled_from("abc"), plain), min_size=1, max_size=8))
def test_as_python_reads_it(tmp_path, people):
    """Whatever is read is what Python's own reader reads; else it is refused with a code."""
    path = lines(tmp_path / "h.jsonl", *(json.dumps(one) for one in people))
    try:
        found = records(path)
    except InputError:
        return
    names = list(dict.fromkeys(name for one in people for name in one))

    def text(value: object) -> str | None:
        return value if value is None or isinstance(value, str) else json.dumps(value)

    assert found == [{name: text(one.get(name)) for name in names} for one in people]
    for name in names:  # and no two values have become one
        given = {json.dumps(one[name]) for one in people if one.get(name) is not None}
        assert len(given) == len({one[name] for one in found if one[name] is not None})
