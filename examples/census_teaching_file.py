"""The census teaching file, step by step: prints the tables of docs/examples/census-teaching-file.md.

    python examples/census_teaching_file.py ../shared/data/census2011/teaching_file_10k.csv

"Before the recodings" is a generated population of a million people: each takes the answers of a record of the extract,
some of them from another record of the same region and age, and every recoded category is split again into the finer
ones the census had. Nobody in it exists. "After" is the same population recoded, and beside it the real extract.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import numpy as np

from incrowd.keys.packing import count_rows
from incrowd.keys.population import join_population
from incrowd.keys.table import Domain, KeyTable, Recode
from incrowd.risk.dis import dis
from incrowd.risk.geography import surviving_uniques
from incrowd.risk.population import pitman, zayatz
from incrowd.risk.tables import Tables, uniques_tables
from incrowd.risk.value import sizes_of

#: The eight keys the paper found most identifying.
KEYS = ("Region", "Sex", "Age", "Ethnic Group", "Industry", "Economic Activity", "Religion", "Country of Birth")
#: Into how many each recoded category is split: age bands into years, the others up to the paper's 16, 17, 13 and 10.
SPLIT = {"Age": 10, "Ethnic Group": 3, "Industry": 2, "Economic Activity": 2, "Religion": 2}
PEOPLE, FRACTION, SEED = 1_000_000, 0.01, 2011


def read(path: Path) -> dict[str, list[str]]:
    """The extract; its first column has no name, which incrowd refuses, so it gets one here."""
    with path.open(newline="") as file:
        rows = list(csv.reader(file))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0]) if name in KEYS}


def generate(extract: dict[str, list[str]]) -> tuple[dict[str, np.ndarray], dict[str, list[str]]]:
    """A population with fine categories: codes for each key, and the texts they stand for."""
    rng = np.random.default_rng(SEED)
    labels = {key: sorted(set(values)) for key, values in extract.items()}
    codes = {key: np.array([labels[key].index(v) for v in extract[key]]) for key in KEYS}
    order = np.lexsort((rng.random(len(codes["Age"])), codes["Age"], codes["Region"]))
    picked = rng.integers(0, len(order), PEOPLE)  # a place in the order: neighbours have the same region and age
    population = {}
    for key in KEYS:
        other = np.clip(picked + rng.integers(-8, 9, PEOPLE), 0, len(order) - 1)
        moved = (rng.random(PEOPLE) < 0.2) & (key not in ("Region", "Age"))
        population[key] = codes[key][order[np.where(moved, other, picked)]]
    texts = {key: list(values) for key, values in labels.items()}
    for key, parts in SPLIT.items():
        part = np.minimum((parts * rng.random(PEOPLE) ** 1.6).astype(int), parts - 1)
        population[key] = population[key] * parts + part
        texts[key] = [f"{value}.{i}" for value in labels[key] for i in range(parts)]
    return population, texts


def tabulated(columns: dict[str, np.ndarray], texts: dict[str, list[str]]) -> KeyTable:
    """The KeyTable of columns of codes."""
    found, counts = count_rows([columns[key] for key in KEYS], [len(texts[key]) for key in KEYS])
    domains = tuple(Domain(key, tuple(texts[key])) for key in KEYS)
    return KeyTable(domains, np.array(found, np.int32), counts)


def line(name: str, table: KeyTable, tables: Tables) -> str:
    """A line of the first table: classes and uniques of all keys, and the uniques of smaller tables."""
    largest = [each.counted for each in tables.lines if len(each.keys) == tables.ways]
    pairs = [each.counted for each in tables.lines if len(each.keys) == 2]
    both = sum(each.matched for each in largest) if tables.has_population else None
    told = [sum(each.uniques for each in part) for part in (pairs, largest)]
    special = sum(each.population_uniques for each in largest) if tables.has_population else None
    numbers = [table.classes, table.uniques, *told]
    cells = [f"{number:,}" for number in numbers]
    cells += ["not known" if value is None else f"{value:,}" for value in (special, both)]
    return f"| {name} | " + " | ".join(cells) + " |"


def main(path: Path) -> str:
    """The three tables of the page, as Markdown."""
    extract = read(path)
    population, texts = generate(extract)
    inside = np.random.default_rng(SEED + 1).random(PEOPLE) < FRACTION
    everybody = tabulated(population, texts)
    sample = tabulated({key: codes[inside] for key, codes in population.items()}, texts)
    before = join_population(sample, everybody)
    recodes = {key: Recode.from_values(key, [None if v is None else v.split(".")[0] for v in domain.values])
               for key, domain in zip(before.names, before.domains, strict=True) if key in SPLIT}  # fmt: skip
    after = before.recode(recodes)
    labels = {key: sorted(set(values)) for key, values in extract.items()}
    real = tabulated({key: np.array([labels[key].index(v) for v in extract[key]]) for key in KEYS}, labels)
    headings = ["file", "classes", "uniques", "uniques in 2-way tables", "uniques in 4-way tables"]
    headings += ["population uniques in 4-way tables", "unique in both"]
    out = [f"| {' | '.join(headings)} |", "| --- " + "| --: " * 6 + "|"]
    found = {}
    for name, table in (("generated, before", before), ("generated, after", after), ("the extract", real)):
        found[name] = uniques_tables(table, name)
        out.append(line(name, table, found[name]))
    out += ["", "| key | share of 4-way uniques, before | after | the extract |", "| --- | --: | --: | --: |"]
    shares = [{c.key: c.share for c in tables.contributions} for tables in found.values()]
    for key in sorted(KEYS, key=lambda k: -shares[0][k]):
        out.append(f"| {key} | " + " | ".join(f"{share[key]:.0%}" for share in shares) + " |")
    out += ["", "| figure | generated, before | generated, after | the extract |", "| --- | --: | --: | --: |"]
    states = (before, after, real)
    matches = [dis(table, FRACTION, "x").value for table in states]
    out.append("| unique match is right (DIS) | " + " | ".join(f"{value:.1%}" for value in matches) + " |")
    for estimate in (pitman, zayatz):
        values = [estimate(*sizes_of(table), FRACTION, "x").value for table in states]
        told = ["does not converge" if value is None else f"{value:.2%}" for value in values]
        out.append(f"| population uniques, {estimate.__name__} | " + " | ".join(told) + " |")
    truth = [f"{np.count_nonzero(t.population == 1) / t.population.sum():.2%}" for t in (before, after)]
    out.append("| population uniques, counted | " + " | ".join(truth) + " | not known |")
    alone = [surviving_uniques(table, "Region", [])[-1].surviving for table in states]
    out.append("| uniques that stay unique without Region | " + " | ".join(f"{n:,}" for n in alone) + " |")
    return "\n".join(out)


if __name__ == "__main__":
    print(main(Path(sys.argv[1])))
