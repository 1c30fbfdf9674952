"""Shapes of places: degrees or metres, rings turned either way, and the property that holds the codes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from incrowd.errors import InputError
from incrowd.postcodes import read_census
from incrowd.postcodes.shapes import read_shapes
from incrowd.report.charts.look import to_svg
from incrowd.report.charts.postcodes import area_map

SQUARE = [[0.0, 50.0], [0.0, 51.0], [1.0, 51.0], [1.0, 50.0], [0.0, 50.0]]


def write(path: Path, codes: dict[str, list[list[float]]], kind: str = "Polygon") -> Path:
    features: list[dict[str, Any]] = [
        {"type": "Feature", "properties": {"id": at, "code": f" {code.lower()} "},
         "geometry": {"type": kind, "coordinates": [ring] if kind == "Polygon" else [[ring]]}}
        for at, (code, ring) in enumerate(codes.items())
    ]  # fmt: skip
    path.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return path


@pytest.mark.parametrize("kind", ["Polygon", "MultiPolygon"])
@pytest.mark.parametrize("turned", [1, -1])
@pytest.mark.parametrize("metres", [1, 100_000])
@pytest.mark.parametrize(("codes", "component"), [(("NE", "EC"), "area"), (("NE3", "EC1"), "district")])
def test_a_map_whatever_the_shapes_are(
    kind: str, turned: int, metres: int, codes: tuple[str, ...], component: str, tmp_path: Path
) -> None:
    rings = {
        code: [[(x + at) * metres, y * metres] for x, y in SQUARE][::turned] for at, code in enumerate((*codes, "ZZ9"))
    }
    shapes = read_shapes(write(tmp_path / "shapes.json", rings, kind))
    assert shapes.fit(read_census()) == (component, "code")
    groups = read_census().at(component)
    people = dict(zip(groups.codes, groups.sizes["people"].tolist(), strict=True))
    drawn = area_map(shapes.by_code("code"), people, component, 100_000, "people")
    svg = to_svg(drawn)
    assert f"Map of 2 {component}s by people" in svg
    # Four corners each: a ring that is turned the wrong way would fill the rest of the world instead.
    drawn_paths = re.findall(r'<path [^>]*d="([^"]*)" fill="rgb', svg)
    assert [path.count(",") for path in drawn_paths] == [4, 4]


def test_corners_that_nobody_sees_are_left_out(tmp_path: Path) -> None:
    ring = [[i / 1e6, 50.0] for i in range(5000)] + [[1.0, 51.0], [0.0, 51.0], [0.0, 50.0]]
    (geometry,) = read_shapes(write(tmp_path / "shapes.json", {"NE": ring})).geometries
    (shape,) = geometry["coordinates"]
    assert len(shape[0]) < 100
    assert shape[0][0] == shape[0][-1]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "{}", '{"features": 3}', '{"features": []}', '{"features": [3]}', "[" * 100_000,
        '{"features": [{"geometry": {"type": "Polygon", "coordinates": [["a"]]}}]}',
        '{"features": [{"geometry": {"type": "Polygon", "coordinates": [[[NaN, 1]]]}}]}',
        '{"features": [{"geometry": {"type": "Polygon", "coordinates": [[]]}}]}',
        '{"features": [{"geometry": {"type": "Point", "coordinates": [1, 2]}}]}',
    ],
)  # fmt: skip
def test_what_is_no_geojson_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_shapes(path)
    assert raised.value.code == "D188"


def test_shapes_of_other_places_are_refused(tmp_path: Path) -> None:
    shapes = read_shapes(write(tmp_path / "shapes.json", {"ZZ": SQUARE}))
    with pytest.raises(InputError) as raised:
        shapes.fit(read_census())
    assert raised.value.code == "D187"
