"""One scenario, measured: tables, record risk, population, special uniques, and what protection is worth."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from incrowd.keys.table import KeyTable
from incrowd.risk.choose import Telling, all_telling
from incrowd.risk.dis import dis, dis_simulated
from incrowd.risk.loglinear import loglinear
from incrowd.risk.population import dankar, pitman, snb, zayatz
from incrowd.risk.record import file_risk, global_risk, individual_risk, population_risk
from incrowd.risk.suda import Suda, suda
from incrowd.risk.tables import Tables, uniques_tables
from incrowd.risk.value import Floats, Risk, Scenario, not_estimated, sizes_of
from incrowd.risk.worth import disagreement, worth

#: What can be asked for.
MEASURES = ("tables", "record", "population", "suda")
#: Above so many keys SUDA stops at minimal uniques of four.
MOST_SUDA_KEYS = 8


@dataclass(frozen=True)
class Special:
    """SUDA in short: records with a score, the number of minimal uniques of each size, each key's part in percent."""

    records: int
    largest_score: float
    minimal: Mapping[int, int]
    contributions: Mapping[str, float]


@dataclass(frozen=True)
class Measured:
    """What was found for one scenario in one state of the file."""

    scenario: Scenario
    records: int
    people: int
    fraction: float | None
    tables: Tables | None = None
    telling: tuple[Telling, ...] = ()
    risks: tuple[Risk, ...] = ()
    worth: tuple[Risk, ...] = ()
    special: Special | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Classes:
    """The figures of each class that records are given: names to one number for each class."""

    table: KeyTable
    figures: Mapping[str, Floats] = field(default_factory=dict)


def measure_scenario(
    table: KeyTable,
    scenario: Scenario,
    *,
    fraction: float | None = None,
    imputed: float = 0.0,
    weights: Floats | None = None,
    measures: Collection[str] = MEASURES,
) -> tuple[Measured, Classes]:
    """How exposed is a file to an intruder with this knowledge? `table` has the scenario's keys and no others.

    `fraction` is the share of the population that is in the file (from the plan, weights or a population), `weights`
    the sum of sampling weights in each class. What needs something that is not known is left out, with the reason.

    >>> from incrowd.keys.table import from_records
    >>> people = from_records({"age": ["30", "30", "40"]})
    >>> measure_scenario(people, Scenario("all", ("age",)), measures=["record"])[0].risks[0].value
    1.0
    """
    risks: list[Risk] = []
    notes: list[str] = []
    figures: dict[str, Floats] = {"class_size": table.sizes.astype(float)}
    name = scenario.name
    if fraction is None and weights is not None:
        fraction = min(float(table.records.sum()) / float(weights.sum()), 1.0)
    if fraction is None and table.population is not None:
        fraction = min(table.people / max(int(table.population.sum()), 1), 1.0)
    if table.population is not None and (misfits := int(np.count_nonzero(table.population < table.sizes))):
        notes.append(
            f"{misfits:,} classes have fewer people in the population than in the file: the two do not fit, "
            "and figures that rest on the population are too low or too high."
        )
    tables = uniques_tables(table, name) if "tables" in measures else None
    if "record" in measures:
        risks += file_risk(table, name)
        figures["prosecutor"] = 1.0 / np.maximum(table.sizes, 1)
        if table.population is not None:
            risks += population_risk(table, name)
            figures["journalist"] = 1.0 / np.maximum(np.maximum(table.population, table.sizes), 1)
        if weights is not None:
            figures["individual"] = individual_risk(table.records.astype(float), weights)
            risks += global_risk(table, figures["individual"], name)
    match = dis(table, fraction, name) if fraction else not_estimated("dis", "dis", name, "no sampling fraction")
    if "population" in measures:
        found, said = _population(table, fraction, name)
        risks += found
        notes += said
    special, scores = None, None
    if "suda" in measures and table.pairs is None:
        largest = None if len(table.names) <= MOST_SUDA_KEYS else 4
        if largest is not None:
            notes.append(f"SUDA looks for minimal uniques of up to {largest} keys only: there are {len(table.names)}.")
        scores = suda(table, name, fraction or 1.0, largest)
        special = _special(scores)
        figures["suda"] = scores.scores
        if fraction is None:
            notes.append("DIS-SUDA is left out: no sampling fraction is known.")
        else:
            figures["dis_suda"] = scores.dis
    elif "suda" in measures:
        notes.append("SUDA looks at records, and here people have several: it is left out.")
    most = 1.0 / table.smallest if table.classes else 0.0
    return Measured(
        scenario, int(table.records.sum()), table.people, fraction, tables,
        all_telling(table, 1) if "tables" in measures else (), tuple(risks),
        worth(scenario, match, most, fraction, imputed), special, tuple(notes),
    ), Classes(table, figures)  # fmt: skip


def _population(table: KeyTable, fraction: float | None, name: str) -> tuple[list[Risk], list[str]]:
    if fraction is None:
        return [], ["How many are unique in the population is not estimated: no sampling fraction is known."]
    if fraction >= 1.0:
        return [], ["The file is its population: what is unique in it is unique."]
    sizes, numbers = sizes_of(table)
    estimates = {each.__name__: each(sizes, numbers, fraction, name) for each in (pitman, zayatz, snb)}
    models = [loglinear(table, fraction, name, interactions) for interactions in (False, True)]
    risks = [*estimates.values(), dankar(estimates, fraction, name), *(risk for pair in models for risk in pair),
             dis(table, fraction, name), dis_simulated(table, fraction, name)]  # fmt: skip
    said = [disagreement(list(estimates.values())), disagreement([pair[0] for pair in models])]
    return risks, [text for text in said if text is not None]


def _special(scores: Suda) -> Special:
    return Special(scores.special, float(scores.scores.max(initial=0.0)), scores.minimal, scores.contributions)


def spread_weights(joined: KeyTable, weights: Floats) -> Floats:
    """Weights of the file's classes for a table that has the population's classes as well.

    Both are in lexicographic order: the file's classes are the joined ones with records, in order.
    """
    spread = np.zeros(len(joined.records))
    spread[joined.records > 0] = weights
    return spread
