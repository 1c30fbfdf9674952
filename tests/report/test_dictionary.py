"""What goes with a release besides its report: the data dictionary and the manifest."""

from __future__ import annotations

import csv
import hashlib
import json
from io import StringIO
from pathlib import Path

from incrowd.audit.manifest import data_entries, hash_entries, hash_file, hash_release, release_manifest
from incrowd.report.dictionary import DictionaryRow, dictionary_csv


def test_dictionary_lists_few_values_and_counts_many() -> None:
    rows = [
        DictionaryRow("sex", 'Sex, "as told"', "category", 2, ("f", "m"), missing_allowed=True, codes={"f": "female"}),
        DictionaryRow("income", None, "number", 51, tuple(map(str, range(51)))),
    ]
    read = list(csv.DictReader(StringIO(dictionary_csv(rows))))
    assert read[0] == {
        "variable": "sex", "label": 'Sex, "as told"', "type": "category", "distinct_values": "2", "values": "f | m",
        "missing_allowed": "yes", "codes": "f = female",
        "missing_means": "no value was collected, or it is not released",
    }  # fmt: skip
    assert read[1]["values"] == ""
    assert read[1]["distinct_values"] == "51"


def test_manifest_names_bytes_and_nothing_else(tmp_path: Path) -> None:
    big, small = tmp_path / "data.csv", tmp_path / "a.html"
    big.write_bytes(b"a" * 3_000_000)
    small.write_bytes(b"")
    text = release_manifest((*data_entries(big), *data_entries(small)))
    assert str(tmp_path) not in text
    first, second = json.loads(text)["files"]
    assert first == {"name": "a.html", "bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
    assert second == {"name": "data.csv", "bytes": 3_000_000, "sha256": hash_file(big)}
    assert hash_file(big) == hashlib.sha256(b"a" * 3_000_000).hexdigest()


def test_data_that_was_hashed_once_is_named_as_the_file_itself(tmp_path: Path) -> None:
    file, parts = tmp_path / "data.parquet", tmp_path / "data"
    file.write_bytes(b"a")
    parts.mkdir()
    for number in range(3):
        (parts / f"part-{number}.parquet").write_bytes(b"b" * number)
        assert hash_entries(data_entries(parts)) == hash_release(parts)
    assert hash_entries(data_entries(file)) == hash_release(file)
