"""The page of postcodes with files of one's own: a column counts people only when somebody says so."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from people import write_case
from postcodes_page import rows, squares, tiles, visiting, words, write_homes
from workbench import MARK, Visitor, workbench


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_homes(tmp_path_factory.mktemp("postcodes"))


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    with workbench(folder) as there:
        yield there


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    with visiting(address) as one:
        yield one


@pytest.mark.parametrize(
    ("header", "lines"),
    [
        ("postcode,age", ["NE3 1ED,40", "NE3 1EE,30", "NE3 2AB,60"]),
        ("account,postcode,balance", ["20304050,NE3 1ED,700", "20304051,NE3 1EE,800"]),
        ("postcode,people", ["NE3 1ED,4", "NE3 1EE,5"]),  # only a name, and nobody has said it
        ("postcode,total", ["NE3 1ED,4000", "NE3 1EE,5000"]),
    ],
)
def test_a_column_counts_people_only_when_somebody_says_so(
    header: str, lines: list[str], visitor: Visitor, folder: Path
) -> None:
    (folder / "few.csv").write_text("\n".join([header, *lines]) + "\n")
    visitor.get("/postcodes?threshold=1000&component=area")
    page = visitor.post("/postcodes/file", file=str(folder / "few.csv"))
    assert tiles(page)["records in them together"] == str(len(lines))
    assert "No component will do" in words(page)
    number = next(name for name in reversed(header.split(",")) if name != "postcode")
    page = visitor.post("/postcodes/columns", column="postcode", counts=number)
    assert f"column '{number}'" in words(page)
    assert ("its name does not say that it counts any" in words(page)) == (number != "people")
    page = visitor.post("/postcodes/columns", column="postcode")  # unticked: rows again
    assert tiles(page)["records in them together"] == str(len(lines))


def test_a_file_by_postcode_with_slips_and_a_border(visitor: Visitor, folder: Path) -> None:
    visitor.get("/postcodes?threshold=5&component=sector")
    visitor.post("/postcodes/file", file="homes.csv")
    page = visitor.post("/postcodes/columns", column="postcode", counts="people")
    found = tiles(page)
    assert (found["groups (sector)"], found["below 5"], found["people in them together"]) == ("4", "2", "5")
    assert [line[0] for line in rows(page, "Small groups")[1:]] == ["TD1 1", "NE35 2"]
    told = words(page)
    assert "2 records are left out" in told
    assert "1 of them would be postcodes with O for 0" in told
    assert "lie in areas that reach into a nation" in told
    assert "CANARY" not in page
    page = visitor.post("/postcodes/columns", column="postcode", counts="people", repair="yes")
    assert "1 record was repaired" in words(page)
    page = visitor.get("/postcodes?text=NE3+1")
    assert "The sector NE3 1 has 70 people." in words(page)


@pytest.mark.parametrize("way", ["one", "parent", "neighbours"])
def test_merging_in_three_ways(way: str, visitor: Visitor, folder: Path) -> None:
    visitor.post("/postcodes/file", file="homes.csv")
    visitor.post("/postcodes/columns", column="postcode", counts="people")
    (folder / "pairs.csv").write_text("a,b\nNE,TD\n")
    visitor.post("/postcodes/beside", what="pairs", file="pairs.csv")
    page = visitor.get(f"/postcodes/merging?threshold=5&component=sector&way={way}")
    assert int(tiles(page)["in the smallest group"]) >= 5
    groups = list(csv.DictReader(io.StringIO(visitor.get(f"/postcodes/groups.csv?way={way}"))))
    assert sum(int(group["people"]) for group in groups) == 135


def test_the_map_when_shapes_are_given(visitor: Visitor, folder: Path) -> None:
    assert 'aria-label="Map"' not in visitor.get("/postcodes?threshold=100000&population=people")
    squares(folder / "shapes.geojson", {"DG": 0, "TD": 1, "CA": 2, "NE": 3, "ZZ": 4})
    page = visitor.post("/postcodes/beside", what="shapes", file="shapes.geojson")
    assert 'aria-label="Map"' in page
    assert "Map of 4 areas by people; 2 have fewer than 100,000." in visitor.get("/postcodes/map")
    visitor.upload("/postcodes/shapes", squares(folder / "others.geojson", {"ZZ": 0}))
    visitor.get("/postcodes")
    assert visitor.get("/postcodes/map").count("D187") == 1
    page = visitor.post("/postcodes/beside", what="shapes", file="homes.csv")
    assert "D188" in page


def test_faults_are_told_by_their_code_and_hold_nothing(visitor: Visitor, folder: Path) -> None:
    assert "D000" in visitor.post("/postcodes/file", file="nowhere.csv")
    page = visitor.get("/postcodes?threshold=x&tolerance=99&component=nothing&way=nothing&population=nobody")
    assert "The threshold is a whole number" in words(page)
    assert "from 0 to 50" in words(page)
    (folder / "plain.csv").write_text("CANARY,b\nCANARY,2\n")
    page = visitor.post("/postcodes/file", file="plain.csv")
    assert "D265" in words(page)
    assert "CANARY" not in page  # line 1 may be somebody's record
    page = visitor.post("/postcodes/header")
    assert "No column says that it holds postcodes" in words(page)
    assert "D403" in visitor.get("/postcodes/merging")
    page = visitor.post("/postcodes/columns", column="CANARY")
    assert "D172" in words(page)
    assert "D402" in words(visitor.post("/postcodes/columns", column="nothing"))
    visitor.post("/postcodes/census")
    assert "D401" in words(visitor.post("/postcodes/columns", column="postcode"))
    # a part that comes later tells what came in its way once: the script puts the notice of its page there
    assert visitor.get("/postcodes/merging?threshold=999999999").count("D177") == 1


def test_an_upload_is_the_sessions_own(visitor: Visitor, address: str, folder: Path) -> None:
    visitor.upload("/postcodes/upload", folder / "homes.csv")
    assert "your file homes.csv" in words(visitor.get("/postcodes"))
    other = Visitor(address)
    assert "homes.csv" not in other.get("/postcodes")
    other.mark = "wrong"
    headers = {"Content-Type": "application/octet-stream", "X-Mark": "wrong"}
    other.client.post("/postcodes/upload", params={"name": "x.csv"}, content=b"postcode\nNE3 1ED\n", headers=headers)
    assert "D405" in other.get("/postcodes")


def test_from_another_machine_no_file_of_this_one_is_opened(folder: Path) -> None:
    token = "a token of more than twenty letters"
    with workbench(folder, host="0.0.0.0", token=token) as there, Visitor(there).client as client:
        page = client.get("/postcodes", params={"token": token}).text
        assert "A file on this machine" not in page
        mark = MARK.search(page)
        assert mark is not None
        page = client.post("/postcodes/file", data={"mark": mark[1], "file": str(folder / "homes.csv")}).text
        assert "D404" in page


def test_the_data_of_the_plan_that_is_open_can_be_counted(visitor: Visitor, tmp_path: Path) -> None:
    visitor.post("/data/open", file=str(write_case(tmp_path)))
    visitor.await_job("data")
    assert "The data of the plan that is open" in words(visitor.get("/postcodes"))
    page = visitor.post("/postcodes/plan")
    assert "your file people.csv" in words(page)
    assert "No column says that it holds postcodes" in words(page)
