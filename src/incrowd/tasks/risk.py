"""How exposed are the people in a file, any file? The measures of risk/ for a file, or for the scenarios of a plan."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Unpack

import numpy as np

from incrowd.audit.rarest import Rarest
from incrowd.audit.rarest import rarest as find_rarest
from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.population import join_population
from incrowd.keys.table import KeyTable, Recode
from incrowd.keys.unit_name import PEOPLE, UnitName
from incrowd.pipeline.check import check
from incrowd.pipeline.prepare import open_plan_source, prepare
from incrowd.plan import Plan, is_plan
from incrowd.risk.background import Background, plan_background, plan_scenarios
from incrowd.risk.choose import Availability, availability, telling
from incrowd.risk.geography import Surviving, surviving_uniques
from incrowd.risk.measure import MEASURES, Classes, Measured, measure_scenario, spread_weights
from incrowd.risk.tables import Tables, by_geography
from incrowd.risk.value import EVERYTHING, Floats, Risk, Scenario
from incrowd.rows import Reading, Rows, Source, open_source
from incrowd.rows.engine import connect
from incrowd.rows.figures import (
    add_household_risk,
    household_summary,
    join_figures,
    number_lines,
    weigh,
    write_records,
)
from incrowd.rows.frame import LINE, OURS
from incrowd.rows.result import Line, Result, plain_fields
from incrowd.rows.tabulate import tabulate, tabulate_population

#: One of all people who live: no sample is smaller.
LEAST_FRACTION = 1e-10


@dataclass(frozen=True, repr=False)
class Assessment(Result):
    """What was found in one file: each scenario, geography where a scenario names it, and who could know what."""

    source: str
    measured: tuple[Measured, ...]
    geography: Mapping[str, tuple[Surviving, ...]]
    levels: Mapping[str, Mapping[str, Tables]]
    availability: tuple[Availability, ...] = ()
    book: Codebook = field(default_factory=Codebook)  # what columns and values stand for
    called: UnitName = PEOPLE  # what those in the file are called
    rarest: Mapping[str, Rarest] = field(default_factory=dict)  # scenario -> combinations that hardly anybody has

    def _told(self) -> str:
        names = ", ".join(f"{one.scenario.name} ({', '.join(one.scenario.keys)})" for one in self.measured)
        return f"{self.source}: {self.measured[0].records:,} records, scenarios: {names}"

    def _lines(self) -> Iterable[Line]:
        return [plain_fields(risk) for one in self.measured for risk in (*one.risks, *one.worth)]

    def _charts(self) -> Iterable[str]:
        from incrowd.report.charts.heat import uniques_heat
        from incrowd.report.charts.look import to_svg

        return [to_svg(uniques_heat(one.tables)) for one in self.measured if one.tables is not None]


def risk(
    source: Source | Plan,
    keys: Sequence[str] = (),
    *,
    background: Background | None = None,
    measures: Collection[str] = MEASURES,
    records: str | Path | None = None,
    knows_who_is_in: bool = True,
    folder: str | Path | None = None,
    rarest: bool = False,
    **reading: Unpack[Reading],
) -> Assessment:
    """How exposed are the people in a file or table, to somebody who knows these keys? Nothing is released.

    With a plan (its file, or a `Plan` whose files are in `folder`) each of its scenarios is measured on the data as it
    came; the plan says itself what is known. `background` is what is known beside the records: weights, the sampling
    fraction, a population, the `unit` whose records they are. `records` is a file for the figures of every record:
    keep it inside. With `rarest`, the rarest combinations of two and three keys are named by their values: keep that
    inside, too. `delimiter`, `encoding`, `sheet` and `drop_index` say how it is read.

    >>> ic.risk("people.csv", ["age", "gender"]).to_pandas()[["name", "value"]].head(3)
    """
    out = None if records is None else Path(records)
    told = background or Background()
    if told.fraction is not None and not LEAST_FRACTION <= told.fraction <= 1:
        raise InputError("D105", f"the sampling fraction must be at least {LEAST_FRACTION:g} and at most 1.")
    if isinstance(source, Plan) or (isinstance(source, str | Path) and is_plan(source)):
        if (
            keys
            or reading
            or not knows_who_is_in
            or any(getattr(told, one.name) is not one.default for one in fields(told))
        ):
            raise InputError("D106", "a plan says itself what is known.", "Put it under scenarios and data.")
        return _risk_of_plan(source, None if folder is None else Path(folder), measures, out, rarest)
    if not keys:
        raise InputError("D016", "no keys are named.", "Say which columns an intruder may know: --keys age,sex")
    scenario = Scenario(EVERYTHING, tuple(keys), knows_who_is_in=knows_who_is_in)
    return _measure(open_source(source, **reading), [scenario], told, measures, out, rarest)


def _risk_of_plan(
    source: Plan | str | Path, folder: Path | None, measures: Collection[str], records: Path | None, rarest: bool
) -> Assessment:
    """The data of a plan as it came, in each of its scenarios; all keys when it names none."""
    checked = check(source, folder)
    plan, folder = checked.plan, checked.folder
    data = plan.data
    with tempfile.TemporaryDirectory(prefix="incrowd-") as spill, ExitStack() as stack:
        engine = connect(data.engine, spill=Path(spill), master=data.master, limit=data.limit)
        stack.callback(engine.close)
        came = open_plan_source(plan, folder, engine)
        stack.callback(came.close)
        prepared = prepare(plan, folder, came)
        rows = prepared.rows
        found = _measure(rows, plan_scenarios(plan), plan_background(plan, folder), measures, records, rarest)
        return replace(found, availability=_availability(plan, rows), book=prepared.book, called=data.called)


def _measure(
    rows: Rows, scenarios: Sequence[Scenario], background: Background, measures: Collection[str], records: Path | None,
    rarest: bool,
) -> Assessment:  # fmt: skip
    if unknown := [name for name in measures if name not in MEASURES]:
        raise InputError("D102", f"{unknown[0]!r} is no measure.", f"There are: {', '.join(MEASURES)}.")
    if records is not None and (len(scenarios) > 1 or background.unit is not None):
        message = "figures of records are for one scenario, where a record is a person."
        raise InputError("D103", message, "Name the keys: --keys.")
    measured, survivors, levels, rare = [], {}, {}, {}
    for scenario in scenarios:
        if len(set(scenario.keys)) < len(scenario.keys):
            raise InputError("D061", "a key is named twice.", "Name each once.")
        table, weights = _count(rows, scenario, background)
        found, classes = measure_scenario(
            table,
            scenario,
            fraction=background.fraction,
            imputed=background.imputed,
            weights=weights,
            measures=measures,
        )
        if background.household is not None or records is not None:
            found = _records(rows, found, classes, background.household, records)
        measured.append(found)
        if rarest:
            rare[scenario.name] = find_rarest(table, table)
        for key, hierarchy in (background.levels or {}).items():
            if key in scenario.keys and "tables" in measures:
                recodes = _recodes(table, key, hierarchy)
                survivors[scenario.name] = surviving_uniques(table, key, list(recodes.items()))
                levels[scenario.name] = by_geography(table, {key: None, **recodes}, key, scenario.name)
    return Assessment(rows.place, tuple(measured), survivors, levels, book=rows.book, rarest=rare)


def _count(rows: Rows, scenario: Scenario, background: Background) -> tuple[KeyTable, Floats | None]:
    if background.weights is not None and background.unit is not None:
        message = "weights are of records, and here people have several."
        raise InputError("D109", message, "Measure a file with one record for each person, or leave the weights out.")
    if background.weights is not None:
        table, weights = weigh(rows, scenario.keys, background.weights)
    else:
        table, weights = tabulate(rows, scenario.keys, unit=background.unit), None
    if not table.classes:
        raise InputError("D014", f"{rows.place} has a header line but no records.")
    if background.population is None:
        return table, weights
    outside = open_source(background.population, **(background.population_reading or {}))
    joined = join_population(table, tabulate_population(outside, scenario.keys, background.population_count))
    return joined, None if weights is None else spread_weights(joined, weights)


def _recodes(table: KeyTable, key: str, hierarchy: Hierarchy) -> dict[str, Recode]:
    bound = hierarchy.bind(table.domains[table.names.index(key)])
    return {f"level {level}": recode for level, recode in enumerate(bound.recodes) if level}


def _records(rows: Rows, found: Measured, classes: Classes, household: str | None, records: Path | None) -> Measured:
    """Give records the figures of their classes; put households together; write them where asked."""
    figures, names, risks = dict(classes.figures), [*classes.figures], []
    which = next((name for name in ("individual", "journalist", "prosecutor") if name in figures), None)
    if household is not None and which is not None:
        with np.errstate(divide="ignore"):
            figures["log"] = np.log1p(-figures[which])
    # Under our own names: the file may have a column called 'line' or 'individual'.
    ours = {f"{OURS}{name}": values for name, values in figures.items()}
    joined = join_figures(number_lines(rows), classes.table, ours)
    if "log" in figures and household is not None:
        joined = add_household_risk(joined, household, f"{OURS}log", f"{OURS}household_risk")
        names.append("household_risk")
        total, most = household_summary(joined, f"{OURS}household_risk")
        how, why = f"1 - prod(1 - r), r = {which}", "follows from the risks of the members"
        scenario = found.scenario.name
        risks = [
            Risk("household_mean", total / max(found.records, 1), None, None, how, scenario, why),
            Risk("household_max", most, None, None, how, scenario, why),
        ]
    if records is not None:
        homes = [household] if household is not None and household not in found.scenario.keys else []
        kept = [*found.scenario.keys, *homes]
        made = {f"{OURS}{name}": name if name not in kept else f"{name} (risk)" for name in ("line", *names)}
        write_records(joined, made, kept, LINE, records)
    return replace(found, risks=(*found.risks, *risks))


def _availability(plan: Plan, rows: Rows) -> tuple[Availability, ...]:
    """Who could know what: the variables whose exposure the plan judges, the most telling first."""
    found = []
    for name, variable in plan.variables.items():
        if variable.exposure is not None:
            answers = variable.exposure.model_dump(exclude={"reason"})
            told = telling(tabulate(rows, [name]), [name]).separation
            found.append(availability(name, answers, told, variable.exposure.reason))
    return tuple(sorted(found, key=lambda a: (-a.priority, a.variable)))
