"""The index that pandas writes as a first column without a name: told, and left out on request, and nothing else."""

import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest
from shared import SHARED, needs_shared

import incrowd as ic
from incrowd.errors import InputError

FRAME = pd.DataFrame({"age": [30, 40, 50], "sex": ["f", "m", "f"]}, index=[7, 5, 9])


def written(folder, ending):
    path = folder / f"p.{ending}"
    {
        "csv": FRAME.to_csv, "csv.gz": FRAME.to_csv, "xlsx": FRAME.to_excel, "parquet": FRAME.to_parquet,
        "feather": lambda p: pa.feather.write_feather(pa.Table.from_pandas(FRAME), str(p)),
    }[ending](path)  # fmt: skip
    return path


@pytest.mark.parametrize("ending", ["csv", "csv.gz", "xlsx", "parquet", "feather"])
def test_it_is_told_and_left_out_on_request(tmp_path, ending):
    path = written(tmp_path, ending)
    with pytest.raises(InputError) as caught:
        ic.open_source(path)
    assert caught.value.code == "D333"
    assert "--drop-index" in str(caught.value)
    assert "drop_index: true" in str(caught.value)
    rows = ic.open_source(path, drop_index=True)
    assert rows.columns == ("age", "sex")
    assert rows.value_counts("age") == {"30": 1, "40": 1, "50": 1}
    assert any("left out" in note for note in ic.profile(path, drop_index=True, header=True).notes)


def test_only_a_first_column_without_a_name(tmp_path):
    for text, code in (("a,\n1,2\n", "D010"), (",a,\n1,2,3\n", "D010"), ("a, ,b\n1,2,3\n", "D010")):
        (tmp_path / "p.csv").write_text(text)
        for drop in (False, True):
            with pytest.raises(InputError) as caught:
                ic.open_source(tmp_path / "p.csv", drop_index=drop)
            assert caught.value.code == code


def test_a_file_without_one_is_read_as_it_is(tmp_path):
    (tmp_path / "p.csv").write_text("a,b\n1,2\n")
    rows = ic.open_source(tmp_path / "p.csv", drop_index=True)
    assert rows.columns == ("a", "b")
    assert not rows.notes


def test_a_column_of_our_own_name_is_not_left_out(tmp_path):
    (tmp_path / "p.csv").write_text("Incrowd_index,b\n1,2\n")
    with pytest.raises(InputError, match="D065"):
        ic.open_source(tmp_path / "p.csv", drop_index=True)


def test_in_a_folder_of_parquet_files(tmp_path):
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in "ab":
        FRAME.to_parquet(folder / f"{part}.parquet")
    with pytest.raises(InputError, match="D333"):
        ic.open_source(folder)
    assert ic.open_source(folder, drop_index=True).count() == 6


@needs_shared
def test_the_census_teaching_file():
    path = SHARED / "data" / "census2011" / "teaching_file_10k.csv"
    with pytest.raises(InputError, match="D333"):
        ic.profile(path)
    found = ic.profile(path, drop_index=True)
    assert found.columns[0].name == "Person ID"
