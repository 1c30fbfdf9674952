"""The page of postcodes with files that change, that a plan describes, or that may have no header."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml
from people import PLAN
from postcodes_page import squares, tiles, visiting, words
from workbench import Visitor, workbench

from incrowd.app.places import Desk
from incrowd.app.places_files import Given, of_plan
from incrowd.app.sessions import Sessions

HEADER = "home,age\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with workbench(tmp_path_factory.mktemp("postcodes")) as there:
        yield there


@pytest.fixture
def visitor(address: str) -> Iterator[Visitor]:
    with visiting(address) as one:
        yield one


def visits(folder: Path, **data: Any) -> Path:
    """30 patients with 400 visits each, all from one sector, and a plan for them."""
    lines = [f"p{i},NE3 1ED,{20 + i}" for i in range(30) for _ in range(400)]
    (folder / "visits.csv").write_text("\n".join(["patient,postcode,age", *lines]) + "\n")
    roles = {"patient": "identifier", "postcode": "key", "age": "key"}
    plan = {
        **PLAN,
        "data": {"source": "visits.csv", "kind": "survey", "unit": "patient", **data},
        "variables": {name: {"role": role, "reason": "so"} for name, role in roles.items()},
        "steps": [{"step": "drop", "variables": ["patient"]}],
    }
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    return path


def test_the_people_of_a_plan_are_counted_and_not_their_visits(visitor: Visitor, tmp_path: Path) -> None:
    path = visits(tmp_path)
    visitor.post("/data/open", file=str(path))
    visitor.get("/postcodes?threshold=1000&component=sector")
    page = visitor.post("/postcodes/plan")
    assert "People are told apart by the column 'patient', and each is counted once." in words(page)
    assert "The smallest sector has 30." in words(page)
    assert "No component will do for people at 1,000" in words(page)
    # whoever says that each row is another person gets rows, and is told so
    page = visitor.post("/postcodes/columns", column="postcode")
    assert "Each row of the file is taken for one person." in words(page)
    assert "The smallest sector has 12,000." in words(page)
    assert "The smallest sector has 30." in words(visitor.post("/postcodes/columns", column="postcode", unit="patient"))
    assert "D406" in visitor.post("/postcodes/columns", column="postcode", unit="postcode")


def test_a_plan_that_tells_people_apart_by_now_is_counted_again(visitor: Visitor, tmp_path: Path) -> None:
    path = visits(tmp_path)
    plan = yaml.safe_load(path.read_text())
    del plan["data"]["unit"]
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    visitor.post("/data/open", file=str(path))
    assert "taken for one person" in words(visitor.post("/postcodes/plan"))
    visits(tmp_path)
    told = words(visitor.get("/postcodes?threshold=1000&component=sector"))
    assert "The plan has changed: its data were counted again." in told
    assert "The smallest sector has 30." in told


def test_the_unit_of_a_plan_that_renames_it(tmp_path: Path) -> None:
    path = visits(tmp_path, unit="person")
    plan = yaml.safe_load(path.read_text())
    plan["steps"] = [{"step": "rename", "variables": {"patient": "person"}}, {"step": "drop", "variables": ["person"]}]
    plan["variables"]["person"] = plan["variables"].pop("patient")
    path.write_text(yaml.safe_dump(plan, sort_keys=False))
    sessions = Sessions()
    try:
        _, session = sessions.new()
        session.open_plan(path, own=False)
        desk = Desk()
        desk.take(of_plan(session.need_project()))
        assert desk.places is not None
        assert desk.places.sizes["people"].tolist() == [30]
    finally:
        sessions.close()


def test_a_plan_says_how_its_file_is_read(visitor: Visitor, tmp_path: Path) -> None:
    path = visits(tmp_path, source="visits.xlsx", sheet="New")
    with pd.ExcelWriter(tmp_path / "visits.xlsx") as book:
        for name, sector in (("Old", "1"), ("New", "2")):
            lines = {"patient": ["a", "b"], "postcode": [f"NE3 {sector}ED"] * 2, "age": [40, 50]}
            pd.DataFrame(lines).to_excel(book, sheet_name=name, index=False)
    visitor.post("/data/open", file=str(path))
    visitor.post("/postcodes/plan")
    told = words(visitor.get("/postcodes?text=NE3+2&threshold=1000"))
    assert "D330" not in told
    assert "sector NE3 2 below 2" in told


def test_no_file_of_this_machine_through_a_plan_and_no_database(tmp_path: Path) -> None:
    assert Given(tmp_path / "a.csv", "a").is_in(tmp_path)
    assert not Given(tmp_path / ".." / "a.csv", "a").is_in(tmp_path)
    assert not Given("postgresql://somewhere/people?table=x", "x").is_in(tmp_path)


def test_a_file_that_has_changed_is_counted_again(visitor: Visitor, tmp_path: Path) -> None:
    path = tmp_path / "homes.csv"
    path.write_text(HEADER + "NE3 1ED,40\n" * 50)
    visitor.get("/postcodes?threshold=20&component=sector&way=one")
    assert tiles(visitor.post("/postcodes/file", file=str(path)))["below 20"] == "0"
    assert "counted again" not in visitor.get("/postcodes")
    for number, part in enumerate(("", "/curves", "/merging", "/groups.csv", "/lookup.csv", "/map")):
        people = 5 + number
        path.write_text(HEADER + "NE3 1ED,40\n" * people + "NE3 2AB,40\n" * 30)
        first = visitor.get(f"/postcodes{part}")
        if part == "/map":
            assert "counted again" not in first  # without shapes nobody is on the map
        told = words(first + visitor.get("/postcodes"))
        assert told.count("The file has changed: it was counted again.") == 1, part
        found = tiles(visitor.get("/postcodes"))
        assert (found["below 20"], found["records in them together"]) == ("1", str(people))


def test_a_file_that_is_gone_or_spoilt_leaves_no_figures(visitor: Visitor, tmp_path: Path) -> None:
    path = tmp_path / "homes.csv"
    path.write_text(HEADER + "NE3 1ED,40\n" * 50)
    visitor.post("/postcodes/file", file=str(path))
    path.unlink()
    for part in ("/postcodes/merging", "/postcodes/curves", "/postcodes"):
        page = visitor.get(part)
        assert "D000" in page
        assert "50" not in tiles(page).values()
    path.write_text("postcode,age\n" + "NE3 1ED,40\n" * 60)
    page = visitor.get("/postcodes")
    assert "D012" in page  # the column that was chosen is gone: another one can be
    assert "60" in tiles(visitor.post("/postcodes/columns", column="postcode")).values()
    path.write_text("NE3 1ED,40\n" * 60)
    page = visitor.get("/postcodes")
    assert "D244" in page
    assert "Line 1 names the columns" in page


def test_shapes_and_pairs_that_have_changed_are_read_again(visitor: Visitor, tmp_path: Path) -> None:
    shapes = squares(tmp_path / "shapes.geojson", {"NE": 0, "TD": 1})
    visitor.post("/postcodes/beside", what="shapes", file=str(shapes))
    assert "Map of 2 areas" in visitor.get("/postcodes/map?threshold=1000&population=people")
    squares(shapes, {"NE": 0, "TD": 1, "CA": 2})
    page = visitor.get("/postcodes/map")
    assert "The shapes have changed: they were read again." in page
    assert "Map of 3 areas" in page
    shapes.write_text("{}")
    page = visitor.get("/postcodes/map")
    assert "D188" in page
    assert "Map of" not in page
    (tmp_path / "pairs.csv").write_text("a,b\nNE,TD\n")
    visitor.post("/postcodes/beside", what="pairs", file=str(tmp_path / "pairs.csv"))
    asked = "/postcodes/merging?component=area&threshold=100000&population=people&way=neighbours"
    assert "have changed" not in visitor.get(asked)
    (tmp_path / "pairs.csv").write_text("a,b\nNE,TD\nEC,WC\n")
    assert "The pairs of neighbours have changed: they were read again." in visitor.get(asked)


@pytest.mark.parametrize("code", ["D244", "D265"])
def test_a_record_is_not_taken_for_names(code: str, visitor: Visitor, tmp_path: Path) -> None:
    person = "Winifred,NE3 1ED,87\n" if code == "D244" else "Winifred,Jarrow\n"
    path = tmp_path / "people.csv"
    path.write_text(person + "Albert,NE3 2AB,50\n" if code == "D244" else person + "Albert,York\n")
    visitor.upload("/postcodes/upload", path)
    page = visitor.get("/postcodes")
    assert code in page
    assert "Winifred" not in page
    assert "census of England and Wales" in page
    page = visitor.post("/postcodes/header")
    assert "your file people.csv" in words(page)
    assert "D401" in visitor.post("/postcodes/header")


def test_an_upload_goes_when_another_file_is_shown(tmp_path: Path) -> None:
    for name in ("one", "two", "none"):
        (tmp_path / f"{name}.csv").write_text(HEADER + "NE3 1ED,40\n" * 5)
    (tmp_path / "none.csv").write_text("Winifred,Jarrow\nAlbert,York\n")
    (tmp_path / "code.py").write_text("print()\n")
    (tmp_path / "broken.geojson").write_text("{}")
    squares(tmp_path / "shapes.geojson", {"NE": 0})
    with pytest.MonkeyPatch.context() as patch:
        there = tmp_path / "there"
        there.mkdir()
        patch.setattr("tempfile.tempdir", str(there))
        with workbench(tmp_path) as address, visiting(address) as visitor:

            def kept() -> set[str]:
                return {one.name for one in there.rglob("postcodes/*/*")}

            visitor.upload("/postcodes/upload", tmp_path / "one.csv")
            assert kept() == {"one.csv"}
            visitor.post("/postcodes/columns", column="home")
            assert kept() == {"one.csv"}
            visitor.upload("/postcodes/upload", tmp_path / "code.py")
            assert "D334" in visitor.get("/postcodes")
            visitor.upload("/postcodes/upload", tmp_path / "none.csv")
            assert kept() == {"one.csv", "none.csv"}  # it may be shown yet
            visitor.upload("/postcodes/upload", tmp_path / "two.csv")
            assert kept() == {"two.csv"}
            visitor.upload("/postcodes/shapes", tmp_path / "shapes.geojson")
            visitor.upload("/postcodes/shapes", tmp_path / "broken.geojson")
            assert kept() == {"two.csv", "shapes.geojson"}
            visitor.post("/postcodes/beside", what="shapes")
            visitor.post("/postcodes/census")
            assert kept() == set()
            visitor.upload("/postcodes/upload", tmp_path / "one.csv")
            visitor.post("/data/open", file=str(visits(tmp_path)))
            visitor.get("/postcodes")
            assert kept() == set()
