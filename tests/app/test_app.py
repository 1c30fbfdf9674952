"""The workbench: its page answers as the functions behind it do, and looks right in a browser."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from servers import absent
from shared import SHARED, needs_shared

from incrowd.tasks.app import PAGE, SETTINGS, command

SECTORS = SHARED / "data" / "postcodes" / "census2011_ew_by_sector.csv"


@pytest.fixture(autouse=True)
def streamlit() -> None:
    if importlib.util.find_spec("streamlit") is None:
        absent("streamlit")


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    path = tmp_path / "homes.csv"
    people = {"NE3 1ED": 40, "NE3 1EE": 30, "NE3 2AB": 60, "NE35 2FG": 3, "TD1 1AA": 2, "NE3 OAA": 7, "CANARY": 9}
    path.write_text("postcode,people\n" + "".join(f"{code},{number}\n" for code, number in people.items()))
    return path


def page() -> Any:
    from streamlit.testing.v1 import AppTest

    return AppTest.from_file(str(PAGE), default_timeout=60).run()


def metrics(app: Any) -> dict[str, str]:
    return {metric.label: metric.value for metric in app.metric}


def population(app: Any) -> Any:
    return next(box for box in app.selectbox if box.label == "Population")


def told(app: Any) -> str:
    return " ".join(each.value for each in (*app.info, *app.warning))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("header", "rows"),
    [
        ("postcode,age", ["NE3 1ED,40", "NE3 1EE,30", "NE3 2AB,60"]),
        ("account,postcode,balance", ["20304050,NE3 1ED,700", "20304051,NE3 1EE,800"]),
        ("postcode,people", ["NE3 1ED,4", "NE3 1ED,4", "NE3 1EE,5"]),  # persons, with the size of their household
        ("postcode,people_in_household", ["NE3 1ED,4", "NE3 1EE,5"]),
        ("postcode,total", ["NE3 1ED,4000", "NE3 1EE,5000"]),
        ("postcode,people,residents", ["NE3 1ED,4,5", "NE3 1EE,5,7"]),  # which of the two?
        ("postcode,records", ["NE3 1ED,4000", "NE3 1EE,5000"]),
    ],
)
def test_no_number_is_taken_for_people_by_guess(header: str, rows: list[str], tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    app = page()
    app.text_input(key="path").set_value(str(path)).run()
    app.number_input(key="threshold").set_value(1).run()
    assert not app.exception
    assert population(app).value is None
    assert "Each row of the file is taken for one person." in told(app)
    assert metrics(app)["in them together"] == "0"
    app.number_input(key="threshold").set_value(len(rows)).run()
    assert metrics(app)["in them together"] in ("0", str(len(rows)))  # rows, and nothing else
    # Whoever chooses a column is told what is summed.
    number = next(name for name in reversed(header.split(",")) if name != "postcode")
    population(app).select(number).run()
    assert not app.exception
    assert f"column '{number}'" in told(app)


def test_a_column_that_says_that_it_counts_people_is_taken_and_said(homes: Path) -> None:
    app = page()
    app.text_input(key="path").set_value(str(homes)).run()
    app.number_input(key="threshold").set_value(5).run()
    assert population(app).value == "people"
    assert "The people of a row are the number in its column 'people'." in told(app)


def test_a_number_that_nobody_chose_is_not_even_read(tmp_path: Path) -> None:
    """A column that looks like counts in its first thousand rows, and is none further down."""
    path = tmp_path / "people.csv"
    path.write_text("postcode,score\n" + "NE3 1ED,1\n" * 1000 + "NE3 1ED,n/a\n")
    app = page()
    app.text_input(key="path").set_value(str(path)).run()
    assert not app.error


def test_the_page_asks_for_a_file_first() -> None:
    app = page()
    assert not app.exception
    assert "Choose a file" in app.info[0].value


def test_the_page_answers(homes: Path) -> None:
    app = page()
    app.text_input(key="path").set_value(str(homes)).run()
    app.number_input(key="threshold").set_value(5).run()
    assert not app.exception
    shown = metrics(app)
    assert (shown["groups (sector)"], shown["below 5"], shown["in them together"]) == ("4", "2", "5")
    assert (shown["groups after"], shown["smallest group"]) == ("3", "5")
    assert app.dataframe[0].value["code"].tolist() == ["TD1 1", "NE35 2"]
    told = " ".join(warning.value for warning in app.warning)
    assert "2 records are left out" in told
    assert "1 of them would be postcodes" in told
    assert "CANARY" not in str(app)
    app.selectbox(key="component").select("area").run()
    population(app).select(None).run()
    assert metrics(app)["groups (area)"] == "2"
    app.checkbox(key="repair").check().run()
    assert any("1 records were repaired" in info.value for info in app.info)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["one", "parent", "neighbours"])
def test_the_page_merges(way: str, homes: Path, tmp_path: Path) -> None:
    app = page()
    app.text_input(key="path").set_value(str(homes)).run()
    app.number_input(key="threshold").set_value(5).run()
    app.radio(key="way").set_value(way).run()
    if way == "neighbours":
        pairs = tmp_path / "pairs.csv"
        pairs.write_text("a,b\nNE,TD\n")
        app.text_input(key="adjacency").set_value(str(pairs)).run()
    assert not app.exception
    assert int(metrics(app)["smallest group"]) >= 5


def test_faults_are_told_by_their_code(homes: Path, tmp_path: Path) -> None:
    app = page()
    app.text_input(key="path").set_value(str(tmp_path / "nowhere.csv")).run()
    assert app.error[0].value.startswith("D000")
    app.text_input(key="path").set_value(str(homes)).run()
    app.number_input(key="threshold").set_value(10**6).run()
    assert app.error[0].value.startswith("D177")
    app.number_input(key="threshold").set_value(5).run()
    app.text_input(key="boundaries").set_value(str(homes)).run()
    assert app.error[0].value.startswith("D188")


def squares(path: Path, codes: dict[str, int]) -> Path:
    """Boundaries to test with: a square for each area."""
    shapes = []
    for code, at in codes.items():
        ring = [[at, 50], [at, 51], [at + 1, 51], [at + 1, 50], [at, 50]]
        shapes.append({"type": "Feature", "properties": {"id": at, "area": code},
                       "geometry": {"type": "Polygon", "coordinates": [ring]}})  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": shapes}))
    return path


def test_a_map_is_drawn_on_the_users_boundaries(homes: Path, tmp_path: Path) -> None:
    app = page()
    app.text_input(key="path").set_value(str(homes)).run()
    app.number_input(key="threshold").set_value(5).run()
    app.text_input(key="boundaries").set_value(str(squares(tmp_path / "b.json", {"NE": 0, "TD": 1, "ZZ": 3}))).run()
    assert not app.exception
    assert app.selectbox(key="property").value == "area"
    app.text_input(key="boundaries").set_value(str(squares(tmp_path / "c.json", {"ZZ": 3}))).run()
    assert app.error[0].value.startswith("D187")


def test_it_listens_to_this_machine_only_and_tells_nobody() -> None:
    assert SETTINGS["server.address"] == "127.0.0.1"
    assert "--browser.gatherUsageStats=false" in command(8501)
    assert "--client.showErrorDetails=none" in command(8501)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The workbench on a free port of loopback, as `incrowd app` starts it."""
    from chrome import wait

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    source = str(PAGE.parents[2])
    environment = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": source}
    server = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
    address = f"http://127.0.0.1:{port}"

    def up() -> bool:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health") as answer:
                return bool(answer.status == 200)
        except OSError:
            return False

    try:
        wait(up, "the workbench does not answer")
        yield address
    finally:
        server.terminate()
        server.wait(20)


@needs_shared
@pytest.mark.slow
def test_the_lookup_page_in_a_browser(served: str, homes: Path, tmp_path: Path) -> None:
    """Examples B and A of the study, by hand in Chromium. SCREENSHOTS=folder keeps the pictures to look at."""
    from chrome import Chrome

    pictures = Path(os.environ.get("SCREENSHOTS", tmp_path))
    with Chrome() as tab:
        tab.open(served)
        tab.await_text("Choose a file")
        tab.type("File on this machine", str(SECTORS))
        tab.await_text("groups after")
        tab.choose("Population", "occupied_households")
        tab.type("Threshold", "1200")
        tab.await_text("1,357", "16.5%", "769,029", "6,890")
        assert tab.picture(pictures / "postcodes-sectors.png").stat().st_size > 20_000
        tab.click("label", "into neighbours")
        tab.await_text("large enough had to be merged")
        tab.choose("Component", "area")
        tab.choose("Population", "total")
        tab.type("Threshold", "100000")
        shown = tab.await_text("finest that will do", "4.7%", "138,322")
        assert "threshold 100,000" in shown  # the line in the chart
        tab.picture(pictures / "postcodes-areas.png")
        tab.click("summary p", "Map of areas")
        boundaries = squares(tmp_path / "b.json", {"DG": 0, "TD": 1, "CA": 2, "NE": 3})
        tab.type("File of boundaries (GeoJSON, one shape for each area)", str(boundaries))
        tab.await_text("A dark edge")
        tab.run("document.querySelector('section.main, [data-testid=stMain]').scrollTo(0, 1e6)")
        tab.picture(pictures / "postcodes-map.png")
        tab.upload(homes)
        tab.await_text("D177")  # fewer than 100,000 people in it
        tab.type("Threshold", "5")
        tab.await_text("2 records are left out", "groups (area)")
        # Nothing is fetched from anywhere else.
        loaded = tab.run("performance.getEntriesByType('resource').map(e => e.name)")
        assert [name for name in loaded if not name.startswith((served, "blob:", "data:"))] == []
