"""The lookup page: choose file, population, component and threshold; see who is in a crowd, and what merging gives."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import altair as alt
import streamlit as st

from incrowd.app.source import choose_file, engine, opened
from incrowd.errors import IncrowdError, InputError
from incrowd.keys.postcodes import REASONS
from incrowd.plan import json_tree
from incrowd.postcodes import Merged, Places, analyse_places, count_places, merge_places, read_adjacency
from incrowd.postcodes.analyse import Analysis
from incrowd.postcodes.count import people_column
from incrowd.report.charts.postcodes import NAMES, area_map, population_curves
from incrowd.report.words import share
from incrowd.rows import Rows
from incrowd.rows.postcodes import count_columns

ONE_ROW = "one row is one person"
WAYS = {"one": "into one group", "parent": "into the parent", "neighbours": "into neighbours"}


def lookup_page() -> None:
    """The whole page. Faults of ours are shown as they are; they hold no value of the data."""
    st.title("Which postcode component keeps everyone in a crowd?")
    try:
        _page()
    except IncrowdError as error:
        st.error(str(error))


def _page() -> None:
    with st.sidebar:
        st.header("Data")
        path = choose_file()
    if path is None:
        st.info("Choose a file with postcodes (or area, district or sector codes) and columns of counts.")
        return
    places, population = _counted(path)
    with st.sidebar:
        st.header("Question")
        components = [name for name in places.components if name != "unit"]
        component = str(st.selectbox("Component", components, format_func=_name, key="component"))
        threshold = int(st.number_input("Threshold", min_value=1, value=1000, step=100, key="threshold"))
        percent = st.slider("Groups that may be below it (%)", 0.0, 50.0, 5.0, 0.5, key="tolerance")
    found = analyse_places(places, threshold, tolerance=percent / 100)
    _answer(found, component, population)
    curve, table = st.columns([3, 2], gap="large")
    with curve:
        st.subheader("Groups below each threshold")
        _chart(population_curves(found, population, 700, 360))
    with table:
        st.subheader(f"Small groups ({_name(component)})")
        _small(found, component, population)
    _merging(places, component, threshold, population)
    if "area" in places.components:
        _map(places, threshold, population)


def _counted(path: Path) -> tuple[Places, str]:
    """Ask which columns, and count; a count is kept until the file changes."""
    rows = opened(path)
    with st.sidebar:
        guess = next((i for i, name in enumerate(rows.columns) if "postcode" in name.lower()), 0)
        column = str(st.selectbox("Column of postcodes", rows.columns, index=guess, key="column"))
        chosen = _population(rows, column)
        repair = bool(st.checkbox("Take O for 0 and I for 1 where only that makes a postcode", key="repair"))
    kept = st.session_state.counted
    if (column, chosen, repair) not in kept:
        with st.spinner("Counting people by place"), engine():
            kept[column, chosen, repair] = count_places(rows, column, [chosen] if chosen else [], repair=repair)
    places: Places = kept[column, chosen, repair]
    return places, places.populations[0]


def _population(rows: Rows, column: str) -> str | None:
    """Ask which column counts the people. None, a row is a person, unless one says plainly that it counts them."""
    kept = st.session_state.counted
    with engine():
        if "numbers" not in kept:
            kept["numbers"] = count_columns(rows)
        numbers = [name for name in kept["numbers"] if name != column]
        if ("people", column) not in kept:
            kept["people", column] = people_column(rows, column, numbers)
    choices: list[str | None] = [None, *numbers]
    chosen: str | None = st.selectbox(
        "Population", choices, index=choices.index(kept["people", column]), format_func=lambda name: name or ONE_ROW,
        key=f"population {st.session_state.mark} {column}",  # of another file or column it is asked anew
    )  # fmt: skip
    return chosen


def _answer(found: Analysis, component: str, population: str) -> None:
    line = next(one for one in found.lines if (one.component, one.population) == (component, population))
    best = found.finest(population)
    cells = st.columns(5)
    cells[0].metric(f"groups ({_name(component)})", f"{line.groups:,}")
    cells[1].metric(f"below {found.threshold:,}", f"{line.below:,}")
    cells[2].metric("share below", share(line.below, line.groups))
    cells[3].metric("in them together", f"{line.people_below:,}")
    cells[4].metric("finest that will do", _name(best) if best else "none")
    told = found.places.counted(population)
    (st.info if found.places.plain(population) else st.warning)(told)
    st.caption(
        f"The curve of {_name(component)} is steep between {line.steep[0]:,} and "
        f"{line.steep[1]:,}: left of it fewer than 10% of the groups are below a threshold, right of it more than 90%. "
        f"'Finest that will do' has at most {100 * found.tolerance:g}% of its groups below {found.threshold:,}."
    )
    clipped = [small.code for small in found.small(component, population) if small.clipped]
    if clipped:
        st.warning(
            f"{len(clipped):,} of the small groups lie in areas that reach into a nation the file leaves out: they may "
            "be small because the data stop there."
        )
    for reason, number in found.places.invalid.items():
        st.warning(f"{number:,} records are left out: {REASONS[reason]}.")
    if found.places.repairable:
        st.warning(f"{found.places.repairable:,} of them would be postcodes with O for 0 or I for 1.")
    if found.places.repaired:
        st.info(f"{found.places.repaired:,} records were repaired: O for 0, I for 1.")


def _small(found: Analysis, component: str, population: str) -> None:
    small = found.small(component, population)
    if not small:
        st.success(f"No group has fewer than {found.threshold:,} {population}.")
        return
    rows = [{"code": one.code, population: one.people, "clipped": "yes" if one.clipped else ""} for one in small]
    shown = {population: st.column_config.NumberColumn(format="localized")}
    st.dataframe(rows, width="stretch", height=330, hide_index=True, column_config=shown)


def _merging(places: Places, component: str, threshold: int, population: str) -> None:
    st.subheader("What merging gives")
    left, right = st.columns([1, 2], gap="large")
    with left:
        way = st.radio("Small groups go", list(WAYS), format_func=WAYS.__getitem__, key="way")
        given = ""
        if way == "neighbours":
            given = st.text_input(
                "File of neighbours (pairs of codes); without it shared codes decide", key="adjacency"
            )
        pairs = read_adjacency(Path(given).expanduser()) if given.strip() else None
        merged = merge_places(places, component, threshold, populations=[population], way=way, pairs=pairs)
    with right:
        cells = st.columns(3)
        cells[0].metric(
            "groups after", f"{len(merged.members):,}", f"{len(merged.members) - merged.before:,}", delta_color="off"
        )
        cells[1].metric("smallest group", f"{merged.smallest:,}")
        cells[2].metric("in merged groups", f"{merged.people_touched[population]:,}")
        if merged.coarser:
            told = ", ".join(f"{number:,} {_name(name)}s" for name, number in merged.coarser.items())
            st.caption(f"A coarser component instead would leave {told}.")
        if merged.extra:
            st.caption(f"{merged.extra:,} groups that are large enough had to be merged with small ones.")
        _downloads(merged, population)


def _downloads(merged: Merged, population: str) -> None:
    groups = [
        [name, len(codes), int(merged.sizes[population][i])] for i, (name, codes) in enumerate(merged.members.items())
    ]
    one, two = st.columns(2)
    one.download_button("Download the groups", _csv(["group", "codes", population], groups), "groups.csv", "text/csv")
    two.download_button(
        "Download the lookup for a plan",
        _csv([merged.component, "group"], sorted(merged.labels.items())),
        "lookup.csv",
        "text/csv",
    )


def _map(places: Places, threshold: int, population: str) -> None:
    with st.expander("Map of areas"):
        given = st.text_input("File of boundaries (GeoJSON, one shape for each area)", key="boundaries")
        if not given.strip():
            return
        path = Path(given).expanduser()
        boundaries = _boundaries(path)
        groups = places.at("area")
        people = dict(zip(groups.codes, groups.sizes[population].tolist(), strict=True))
        names = sorted({name for shape in boundaries["features"] for name in shape.get("properties") or {}})
        hits = {name: sum(str((s.get("properties") or {}).get(name)).upper() in people for s in boundaries["features"])
                for name in names}  # fmt: skip
        best = max(names, key=lambda name: hits[name], default="")
        if not best or not hits[best]:
            raise InputError("D187", f"no shape of {path.name} has the code of an area.", "One property must hold it.")
        name = str(st.selectbox("Property with the code", names, index=names.index(best), key="property"))
        _chart(area_map(boundaries, name, people, threshold, population))
        st.caption(f"Darker: more {population}. A dark edge: fewer than {threshold:,}.")


def _boundaries(path: Path) -> dict[str, list[dict[str, dict[str, object]]]]:
    try:
        content = json_tree(path.read_text(encoding="utf-8"))
        assert isinstance(content["features"], list)
    except (OSError, ValueError, KeyError, TypeError, AssertionError):
        raise InputError("D188", f"{path.name} cannot be read as GeoJSON.", "It needs a list of features.") from None
    return content  # type: ignore[no-any-return]


def _chart(chart: alt.Chart) -> None:
    # Streamlit needs the padding side by side; a single number breaks its page.
    sides = dict.fromkeys(("left", "right", "top", "bottom"), 4)
    st.altair_chart(chart.properties(padding=sides), width="stretch", theme=None)


def _csv(header: Sequence[str], lines: Sequence[Sequence[object]]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(lines)
    return out.getvalue()


def _name(component: str) -> str:
    return NAMES.get(component, component)
