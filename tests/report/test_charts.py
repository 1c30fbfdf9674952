"""Charts that a designer would pass: nothing cut, one scale for what is compared, one colour for one thing."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from browser import browser
from chrome import Chrome, wait
from logs import small_log, snapshot, step, study_log
from markupsafe import escape

from incrowd.attack.value import Attacked, Rate
from incrowd.audit.series import SeriesRelease
from incrowd.keys.rollup import CellCounts
from incrowd.report.charts import palette
from incrowd.report.charts import run as charts
from incrowd.report.charts.attacks import MOST, SERIES, attack_charts
from incrowd.report.charts.frontier import frontier
from incrowd.report.charts.heat import most_uniques, uniques_heat
from incrowd.report.charts.look import in_lines, spec_of, to_svg
from incrowd.report.charts.series import over_time
from incrowd.report.internal import internal_report
from incrowd.report.pdf import print_pdf
from incrowd.risk.tables import Contribution, TableLine, Tables
from incrowd.utility.points import Sweep, SweepPoint

KEY = "main_occupation_of_the_household_reference_person"
LONG = f"recode {KEY} by mapping to fewer and fewer categories of the plan"
FILES = sorted(Path(charts.__file__).parent.glob("*.py"))
#: Of each, what is drawn in a page of A4 beside its margins, in pixels.
PAPER = 688


def tables(uniques: int, *keys: str) -> Tables:
    """Tables of one and two keys: the first alone has so many uniques, with the next one more; all else has none."""

    def line(*names: str) -> TableLine:
        number = uniques + len(names) - 1 if uniques and names[0] == KEY else 0
        return TableLine(names, CellCounts(9, number, 0, 0, 0, 0, 0, 0, 0, 0))

    lines = [line(one) for one in keys] + [line(a, b) for i, a in enumerate(keys) for b in keys[i + 1 :]]
    added = tuple(Contribution(key, 0.5, 0.5) for key in keys)
    return Tables("s", 3, 2, tuple(lines), added, (), False)


def attack(number: int, scenario: str = "a neighbour", name: str = "homogeneity") -> Attacked:
    return Attacked(name, scenario, "", "", Rate(number, 40), 0.1, Rate(2, 30), "said", about=f"{KEY}_{number}")


def long_steps() -> tuple[Any, ...]:
    gone = {f"every class has at least 5 people, on {KEY} and all that is known": 123_456}
    return (
        step(0, "start", "the file as it came", snapshot({1: 12_345_678}, people=123_456_789)),
        step(1, "recode", LONG, snapshot({}, people=0)),
        step(2, "suppress", f"{LONG} again", snapshot({3: 1}, people=3), records_removed=123_456, removed_for=gone),
    )


def releases(number: int) -> list[SeriesRelease]:
    version = "2026 Q{} provisional second edition"
    return [SeriesRelease(f"r{i}", "", "open", version.format(i), 12_000_000 + i, 9, i / 90) for i in range(number)]


def every_chart() -> dict[str, Any]:
    """Each chart of the reports, with names that are long."""
    steps, lost = long_steps(), charts.records_lost(long_steps())
    point = SweepPoint("9", {"k": 9}, 10, 9, {}, 0.1, 2, 0.5, 0.2, (), "")
    made = {
        "by step": charts.classes_by_step(steps), "lost": lost, "below": charts.people_below(steps),
        "sizes": charts.class_sizes(steps[0]), "frontier": frontier(Sweep("k", (point,), "9", "9", "fine")),
        "released": charts.released_sizes([("fewer than 10", 1_234_567), ("10-19", 12), ("1,000 and more", 2_000)]),
        "heat": uniques_heat(tables(7_352, KEY, "age", "sex", "tenure")), "series": over_time(releases(2)),
        "long series": over_time(releases(12)),
    }  # fmt: skip
    return {**made, **{f"attacks {i}": chart for i, (_, chart) in enumerate(attack_charts([*map(attack, range(20))]))}}


EVERY = list(every_chart())


def texts(svg: str) -> list[str]:
    return [html.unescape(re.sub(r"<[^>]+>", " ", text)) for text in re.findall(r"<text[^>]*>(.*?)</text>", svg)]


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_nothing_is_cut_and_every_chart_speaks(name: str) -> None:
    svg = to_svg(every_chart()[name])
    assert "…" not in svg
    assert re.match(r'<svg class="chart" role="img" aria-label="[^"]{20,}"', svg)
    assert float(re.findall(r'width="([\d.]+)"', svg)[0]) <= PAPER


def test_long_names_are_whole() -> None:
    shown = texts(to_svg(charts.classes_by_step(long_steps())))
    for name in (f"1 · {LONG}", f"2 · {LONG} again"):
        assert set(in_lines(name)) <= set(shown)
    heat = "".join(texts(to_svg(uniques_heat(tables(5, KEY, "age"))))).replace(" ", "")
    assert KEY in heat  # above
    assert set(in_lines(KEY)) <= set(texts(to_svg(uniques_heat(tables(5, KEY, "age")))))  # at the side
    for name in (LONG, KEY, "x" * 90, "a_b", "", "wörter und mehr_davon"):
        assert "".join(in_lines(name)).replace(" ", "") == name.replace(" ", "")
        assert all(len(line) <= 27 for line in in_lines(name))


@pytest.mark.slow
def test_no_text_leaves_its_chart_or_lies_on_another(tmp_path: Path) -> None:
    """Where the fonts of the page are wider than those that were measured, too."""
    browser()
    pytest.importorskip("websockets")
    made = {name: to_svg(chart) for name, chart in every_chart().items()}
    wide = "svg text { font-family: 'DejaVu Sans', Verdana, sans-serif }"
    page = tmp_path / "charts.html"
    figures = "".join(f"<figure title='{name}'>{svg}</figure>" for name, svg in made.items())
    page.write_text(f"<meta charset=utf-8><style>{wide}</style>{figures}<p>all", encoding="utf-8")
    script = """[...document.querySelectorAll('figure')].flatMap(f => {
      const s = f.querySelector('svg').getBoundingClientRect();
      const boxes = [...f.querySelectorAll('text')].filter(t => t.textContent.trim()).map(t =>
        [t.textContent, t.getBoundingClientRect(), /rotate/.test(t.getAttribute('transform'))]);
      const out = boxes.filter(([_, b]) => b.left < s.left - 1 || b.right > s.right + 1 || b.top < s.top - 1
        || b.bottom > s.bottom + 1).map(([t]) => f.title + ' cuts ' + t);
      const flat = boxes.filter(([_, b, turned]) => !turned);
      const on = flat.flatMap(([t, a], i) => flat.slice(i + 1).filter(([_, b]) => a.left < b.right - 1
        && b.left < a.right - 1 && a.top < b.bottom - 4 && b.top < a.bottom - 4)
        .map(([u]) => f.title + ': ' + t + ' on ' + u));
      return [...out, ...on] })"""
    with Chrome(900, 900) as tab:
        tab.open(page.as_uri())
        wait(lambda: "all" in tab.text, "the page does not open")
        assert tab.run(script) == []


def fills(svg: str) -> list[str]:
    """The colours of the cells of a heat map."""
    found = re.findall(r'd="M[^"]*" fill="([^"]+)" stroke="#dfe4ea"', svg)
    hexed = []
    for colour in found:
        parts = re.findall(r"\d+", colour) if colour.startswith("rgb") else []
        hexed.append("#" + "".join(f"{int(part):02x}" for part in parts) if parts else colour)
    return hexed


def test_before_and_after_have_one_scale_and_zero_is_white() -> None:
    before, after = tables(7_352, KEY, "age", "sex"), tables(0, "sex", "age", KEY)
    most = most_uniques(before, after)
    assert most == 7_353
    first = [one.key for one in before.contributions]
    drawn = [uniques_heat(one, most=most, first=first) for one in (before, after)]
    scales, orders = [], []
    for chart in drawn:
        cells = next(one for one in spec_of(chart)["layer"] if one["mark"]["type"] == "rect")["encoding"]
        scales.append(cells["color"]["scale"])
        orders.append((cells["x"]["scale"]["domain"], cells["y"]["scale"]["domain"]))
    assert scales[0] == scales[1]
    assert (scales[0]["domain"], scales[0]["range"][0]) == ([0, 7_353], "#ffffff")
    assert orders[0] == orders[1]
    one, other = (fills(to_svg(chart)) for chart in drawn)
    assert other == ["#ffffff"] * 6
    assert palette.HEAT[1] in one
    assert one.count("#ffffff") == 3
    # The key beside the charts has their colours.
    assert palette.shade(7_352, most) in one
    assert [number for number, _ in palette.key_of_counts(7_353)] == [0, 1, 10, 100, 1_000, 7_353]
    assert palette.key_of_counts(0) == [(0, "#ffffff")]
    below = fills(to_svg(charts.people_below(small_log().steps)))
    assert below[0] == "#ffffff"  # nobody is in a class below 2
    assert palette.HEAT[1] in below


def test_one_colour_for_one_thing() -> None:
    counted = [palette.CLASSES, palette.UNIQUES, palette.LOST, palette.RECORDS, palette.SMALLEST]
    tried = [palette.SUCCESS, palette.OTHERS, palette.BASELINE, palette.CONTROL]
    things = [*counted, *tried, palette.HOLDS, palette.FAILS, palette.NONE]
    assert len(set(things)) == len(things)
    tested = Path(charts.__file__).parents[1] / "tested.py"
    for file in (*FILES, tested):
        if file.name != "palette.py":
            assert not re.search(r'"#[0-9a-fA-F]{3,8}"|scheme=', file.read_text(encoding="utf-8")), file.name
    sizes, steps = to_svg(charts.class_sizes(study_log().steps[-2])), to_svg(charts.classes_by_step(study_log().steps))
    for svg in (sizes, steps):
        assert palette.CLASSES in svg
        assert palette.UNIQUES in svg
        assert palette.SUCCESS not in svg
    assert palette.LOST in to_svg(charts.records_lost(long_steps()))  # type: ignore[arg-type]
    assert palette.LOST in to_svg(over_time(releases(2)))
    assert SERIES == {"success": palette.SUCCESS, "baseline": palette.BASELINE, "control": palette.CONTROL}


def test_attacks_are_drawn_by_scenario_with_one_axis() -> None:
    many = [attack(i) for i in range(20)] + [replace(attack(39), scenario="a stranger")]
    drawn = attack_charts([*many, replace(attack(0), success=None, why="no time")])
    assert [scenario for scenario, _ in drawn] == ["a neighbour", "a neighbour", "a stranger"]
    domains, named = [], []
    for _, chart in drawn:
        points = next(one for one in spec_of(chart)["layer"] if one["mark"]["type"] == "point")["encoding"]
        domains.append(points["x"]["scale"]["domain"])
        named.append(points["y"]["scale"]["domain"])
    assert domains[0] == domains[1] == domains[2] == [0, Rate(39, 40).high]
    assert [len(names) for names in named] == [10, 10, 1]
    assert max(map(len, named)) <= MOST
    assert [*named[0], *named[1]] == [one.name for one in many[:-1]]
    assert attack_charts([]) == []


@pytest.mark.slow
def test_a_page_of_paper_does_not_end_with_a_heading(tmp_path: Path) -> None:
    from pypdf import PdfReader

    browser()
    text = internal_report(replace(study_log(), attacks=tuple(attack(i) for i in range(24))))
    found = re.findall(r"<(?:h2|h3|caption|figcaption)[^>]*>(.*?)</(?:h2|h3|caption|figcaption)>", text, re.DOTALL)
    headings = {" ".join(html.unescape(re.sub(r"<[^>]+>", " ", one)).split()) for one in found}
    heads = {" ".join(re.findall(r"<th[^>]*>([^<]*)</th>", one)) for one in re.findall(r"<thead>.*?</thead>", text)}
    ends = {one.split()[-1] for one in heads if one.split()}
    assert len(headings) > 20
    for pad in (0, 90, 260):
        page = tmp_path / f"report-{pad}.html"
        page.write_text(text.replace("<nav ", f'<div style="height:{pad}px"></div><nav ', 1), encoding="utf-8")
        for sheet in PdfReader(print_pdf(page, page.with_suffix(".pdf"))).pages:
            lines = [" ".join(line.split()) for line in sheet.extract_text().splitlines() if line.strip()]
            assert lines, "an empty page"
            assert not any(heading == lines[-1] or heading.endswith(f" {lines[-1]}") for heading in headings), lines[-1]
            assert lines[-1] not in ends, lines[-3:]


@pytest.mark.slow
def test_a_phone_shows_names_that_are_long(tmp_path: Path) -> None:
    browser()
    pytest.importorskip("websockets")
    log = replace(study_log(), steps=(*study_log().steps[:-1], replace(study_log().steps[-1], title=LONG)))
    page = tmp_path / "report.html"
    page.write_text(internal_report(replace(log, attacks=(attack(1, KEY),))), encoding="utf-8")
    assert str(escape(LONG)) in page.read_text(encoding="utf-8")
    with Chrome(400, 900) as tab:
        tab.do("Emulation.setDeviceMetricsOverride", width=400, height=900, deviceScaleFactor=1, mobile=True)
        tab.open(page.as_uri())
        wait(lambda: "incrowd: nobody" in tab.text, "the page does not open")
        assert tab.run("document.documentElement.scrollWidth") <= 400
