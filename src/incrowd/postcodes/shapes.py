"""Shapes of places on a map: a user's GeoJSON, made flat and small, and which of its names are codes of places.

Boundaries of postcodes are not part of incrowd. Shapes come in degrees or in metres, with rings turned either way; the
map here is drawn on a plane, so that neither matters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from incrowd.errors import InputError
from incrowd.plan import json_tree
from incrowd.postcodes.count import Places

#: Corners nearer to each other than this are one: a ten-thousandth of the map's width.
FINE = 1e-4
#: No shape goes nearer to a pole.
NORTH = 85.0
_KINDS = ("Polygon", "MultiPolygon")


@dataclass(frozen=True, eq=False)
class Shapes:
    """Shapes on a plane, each with the names that its file gives it."""

    source: str
    names: tuple[Mapping[str, str], ...]
    geometries: tuple[Mapping[str, Any], ...]

    @property
    def properties(self) -> tuple[str, ...]:
        """The names that can hold a code."""
        return tuple(sorted({name for one in self.names for name in one}))

    def fit(self, places: Places) -> tuple[str, str]:
        """Which component are they, and which property holds its code? The pair that names most of the shapes."""
        hits = {
            (component, name): sum(one.get(name) in codes for one in self.names)
            for component in reversed(places.components)
            for codes in [set(places.at(component).codes)]
            for name in self.properties
        }
        best = max(hits, key=lambda pair: hits[pair], default=None)
        if best is None or not hits[best]:
            raise InputError(
                "D187",
                f"no shape of {self.source} has the code of a place that is counted.",
                "One property must hold it.",
            )
        return best

    def by_code(self, name: str) -> list[tuple[str, Mapping[str, Any]]]:
        """Each shape with its code."""
        pairs = zip(self.names, self.geometries, strict=True)
        return [(names[name], geometry) for names, geometry in pairs if name in names]


def read_shapes(path: Path) -> Shapes:
    """Read a GeoJSON file: a list of features, each with a polygon and with properties, one of which holds a code."""
    try:
        content = json_tree(path.read_text(encoding="utf-8-sig"))
        found = [one for one in content["features"] if (one.get("geometry") or {}).get("type") in _KINDS]
        names = tuple(
            {str(name): str(value).strip().upper() for name, value in (one.get("properties") or {}).items()}
            for one in found
        )
        rings = [_rings(one["geometry"]) for one in found]
        points = [point for shape in rings for ring in shape for point in ring]
        if not points:
            raise ValueError
        flat = any(abs(x) > 180 or abs(y) > 90 for x, y in points)  # metres, as on maps of the Ordnance Survey
        step = (max(x for x, _ in points) - min(x for x, _ in points)) * FINE or FINE
        geometries = tuple(
            {"type": "MultiPolygon", "coordinates": [[_fewer(ring, flat, step) for ring in shape]]} for shape in rings
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        raise InputError("D188", f"{path.name} cannot be read as GeoJSON.", "It needs a list of features.") from None
    return Shapes(path.name, names, geometries)


def _rings(geometry: Mapping[str, Any]) -> list[list[tuple[float, float]]]:
    """All rings of a shape, those of its holes too."""
    parts = geometry["coordinates"] if geometry["type"] == "MultiPolygon" else [geometry["coordinates"]]
    rings = [[(float(point[0]), float(point[1])) for point in ring] for part in parts for ring in part]
    if not all(math.isfinite(x) and math.isfinite(y) for ring in rings for x, y in ring):
        raise ValueError
    return rings


def _fewer(ring: list[tuple[float, float]], flat: bool, step: float) -> list[list[float]]:
    """A ring on the plane, without corners that nobody could see."""
    kept: list[list[float]] = []
    for x, y in ring:
        at = [x, y if flat else math.degrees(math.asinh(math.tan(math.radians(max(-NORTH, min(NORTH, y))))))]
        if not kept or abs(at[0] - kept[-1][0]) >= step or abs(at[1] - kept[-1][1]) >= step:
            kept.append(at)
    digits = max(0, 1 - math.floor(math.log10(step)))
    closed = [*kept, kept[0]] if kept[-1] != kept[0] else kept
    return [[round(x, digits), round(y, digits)] for x, y in closed]
