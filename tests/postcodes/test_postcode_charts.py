"""Charts of places: every figure that is drawn is that of the analysis, with fixed colours and values to point at."""

from __future__ import annotations

import numpy as np

from incrowd.postcodes import Places, analyse_places, read_census
from incrowd.report.charts.look import spec_of, to_svg
from incrowd.report.charts.palette import PEOPLE
from incrowd.report.charts.postcodes import curves_by_population, populations_at


def colours(layer: dict) -> dict[str, str]:  # type: ignore[type-arg]
    scale = layer["encoding"]["color"]["scale"]
    return dict(zip(scale["domain"], scale["range"], strict=True))


def rows_of(spec: dict, layer: dict) -> list[dict]:  # type: ignore[type-arg]
    rows: list[dict] = spec["datasets"][layer["data"]["name"]]  # type: ignore[type-arg]
    return rows


def test_four_populations_side_by_side() -> None:
    found = analyse_places(read_census(), 1_200)
    spec = spec_of(populations_at(found))
    bars = spec["layer"][0]
    rows = rows_of(spec, spec)
    assert len(rows) == 16
    (households,) = (row for row in rows if (row["component"], row["what"]) == ("sector", "households"))
    assert (households["below"], households["text"], households["inside"]) == ("1,357 of 8,246", "16.5%", "769,029")
    assert colours(bars) == PEOPLE
    assert {tip["title"] for tip in bars["encoding"]["tooltip"] if "title" in tip} >= {"share", "in them together"}
    assert "sector: people 7.6%, males 14.2%, females 14.0%, households 16.5%" in spec["description"]
    assert to_svg(populations_at(found)).startswith("<svg")


def test_four_populations_at_every_threshold() -> None:
    found = analyse_places(read_census(), 1_200)
    spec = spec_of(curves_by_population(found, "sector"))
    assert colours(spec["layer"][0]) == PEOPLE
    hover = spec["layer"][-1]
    curve = next(one for one in found.curves if (one.component, one.population) == ("sector", "households"))
    for row in rows_of(spec, hover):
        assert f"({curve.below(int(row['threshold'].replace(',', ''))):,} of 8,246)" in row["p3"]
    assert [tip.get("title") for tip in hover["encoding"]["tooltip"]] == [None, *PEOPLE]
    assert "households 16.5%" in spec["description"]
    assert to_svg(curves_by_population(found, "sector")).startswith("<svg")


def test_colours_are_fixed_by_name_and_none_is_used_twice() -> None:
    names = ("Females", "cats.and[dogs]", "occupied_households", "total", "males", "dogs")
    sizes = {name: np.array([5, 50]) for name in names}
    places = Places("homes.csv", "sector", ("NE3 1", "NE3 2"), sizes, np.array([1, 1]), True)
    found = colours(spec_of(populations_at(analyse_places(places, 10)))["layer"][0])
    assert (found["Females"], found["total"], found["males"]) == (PEOPLE["females"], PEOPLE["people"], PEOPLE["males"])
    assert len(set(found.values())) == len(names)
    assert "<svg" in to_svg(curves_by_population(analyse_places(places, 10), "area"))
