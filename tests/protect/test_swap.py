"""Swapping: what stays, what moves, how many, and that nobody moves twice."""

import csv
import json
import re
from collections import Counter, defaultdict
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET
from shared import SHARED, needs_shared
from steps import apply_step

import incrowd as ic
from incrowd.keys.swapping import choose_swaps

COLUMNS = ("id", "region", "district", "age", "sex", "home")


def table(rows):
    return dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))


person = st.tuples(st.sampled_from(["N", "S", "E"]), st.sampled_from("12"), st.sampled_from(["20", "30", "40"]),
                   st.sampled_from("fm"), st.integers(0, 9))  # fmt: skip
people = st.lists(person, min_size=2, max_size=40)


def with_homes(rows):
    """Everybody of a home lives where its first member does."""
    first = {}
    for i, (region, district, age, sex, home) in enumerate(rows):
        where = first.setdefault(home, (region, region + district))
        yield (str(i), *where, age, sex, f"h{home}")


@pytest.mark.slow
@settings(max_examples=examples(15))
@given(people, st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.booleans(), st.booleans(), st.sampled_from([2, 3]))
def test_what_a_swap_must_not_change(rows, rate, homes, targeted, fewer_than):
    columns = table(list(with_homes(rows)))
    step = {"step": "swap", "geography": ["region", "district"], "similar": ["sex"],
            "rate": rate or (not targeted) * 0.3, "households": homes}  # fmt: skip
    if targeted:
        step["targets"] = {"keys": ["district", "age", "sex"], "fewer_than": fewer_than}
    out, change, _ = apply_step(step, columns, ["region", "district", "age", "sex"], household="home")
    before = {columns["id"][i]: {n: columns[n][i] for n in COLUMNS} for i in range(len(rows))}
    after = {row["id"]: row for row in out}
    assert after.keys() == before.keys()
    for number, row in after.items():  # every other column
        assert [row[n] for n in ("age", "sex", "home")] == [before[number][n] for n in ("age", "sex", "home")]
    for names in (["region"], ["district"], ["region", "district", "sex"]):
        count = [Counter(tuple(row[n] for n in names) for row in each.values()) for each in (before, after)]
        assert count[0] == count[1]
    if homes:  # still under one roof
        places = defaultdict(set)
        for row in out:
            places[row["home"]].add(row["district"])
        assert all(len(each) == 1 for each in places.values())
    moved = [n for n in after if after[n]["district"] != before[n]["district"]]
    cells = sum(after[n][g] != before[n][g] for n in after for g in ("region", "district"))
    assert change.cells_changed == cells
    swapped, total, hit, targets, drawn, asked, donors = numbers_of(change)
    assert swapped == hit + drawn + donors
    movers = {row["home"] for row in before.values()} if homes else set(before)
    assert total == len(movers)
    assert len({before[n]["home"] for n in moved} if homes else moved) == swapped
    sizes = Counter((r["district"], r["age"], r["sex"]) for r in before.values())
    risky = {n for n, r in before.items() if targeted and sizes[r["district"], r["age"], r["sex"]] < fewer_than}
    wanted = {before[n]["home"] for n in risky} if homes else risky
    assert targets == len(wanted)
    if not homes:
        assert hit == len(wanted & set(moved))
    short = targets - hit + asked - drawn
    assert any("found no partner" in note for note in change.notes) == (short > 0)


def numbers_of(change):
    return [int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", change.notes[0])]


def test_the_number_asked_for_is_reached_exactly():
    columns = table([(str(i), "NS"[i % 2], "NS"[i % 2] + "1", "20", "fm"[i % 3 == 0], "h") for i in range(400)])
    step = {"step": "swap", "geography": ["region"], "similar": ["sex"], "rate": 0.1}
    out, change, _ = apply_step(step, columns, ["region", "sex"])
    _, total, hit, targets, drawn, asked, donors = numbers_of(change)
    assert (total, hit, targets, drawn, asked, donors) == (400, 0, 0, 40, 40, 40)
    was = dict(zip(columns["id"], columns["region"], strict=True))
    assert sum(was[row["id"]] != row["region"] for row in out) == 80


def test_the_same_secret_moves_the_same_people_and_another_moves_others():
    columns = table([(str(i), "NSE"[i % 3], "NSE"[i % 3] + "1", "20", "f", "h") for i in range(90)])
    step = {"step": "swap", "geography": ["region"], "rate": 0.2}

    def run(secret, order=1):
        shuffled = {name: values[::order] for name, values in columns.items()}
        return sorted((row["id"], row["region"]) for row in apply_step(step, shuffled, ["region"], secret=secret)[0])

    assert run(SECRET) == run(SECRET, -1)
    assert run(SECRET) != run(SECRET[::-1])


def test_the_nearest_donor_is_taken():
    """A donor in the same region is there for each target, so nobody leaves the region."""
    rows = [(str(i), "NS"[i % 2], f"{'NS'[i % 2]}{i % 4}", "99" if i < 8 else "20", "f", "h") for i in range(80)]
    step = {"step": "swap", "geography": ["region", "district"],
            "targets": {"keys": ["age", "district"], "fewer_than": 3}}  # fmt: skip
    out, change, _ = apply_step(step, table(rows), ["age", "district", "region"])
    was = {row[0]: row for row in rows}
    assert all(row["region"] == was[row["id"]][1] for row in out)
    assert sum(row["district"] != was[row["id"]][2] for row in out) == 16
    assert change.notes[1] == "exchanges by place: within the same region 8"


def test_targets_are_counted_in_the_population():
    rows = [(str(i), "NS"[i % 2], "x", "90" if i == 0 else "20", "f", "h") for i in range(20)]
    many = {"age": ["90", "90", *["20"] * 30], "region": [*"NN", *["N", "S"] * 15]}
    step = {"step": "swap", "geography": ["region"], "targets": {"keys": ["age"], "among": "population"}}
    columns = table(rows)
    _, change, state = apply_step(step, columns, ["age", "region"], population=many)
    assert numbers_of(change)[3] == 0  # alone in the file, not in the population
    assert int(state.table.population.sum()) == 32
    few = {"age": ["90", *["20"] * 30], "region": ["N", *["N", "S"] * 15]}
    _, change, _ = apply_step(step, columns, ["age", "region"], population=few)
    assert numbers_of(change)[2:4] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["n", "size", "lines", "records", "c1", ".dot", "a.b", "[0]"])
def test_an_area_may_have_any_name(name):
    columns = {name: ["a", "b"] * 20, "age": [str(i % 5) for i in range(40)]}
    out, change, _ = apply_step({"step": "swap", "geography": [name], "rate": 0.5}, columns, [name, "age"])
    assert change.cells_changed > 0
    assert Counter(row[name] for row in out) == Counter(columns[name])


def test_whoever_lives_nowhere_stays():
    columns = table([(str(i), None if i < 4 else "NS"[i % 2], "x", "20", "f", "h") for i in range(20)])
    out, change, _ = apply_step({"step": "swap", "geography": ["region"], "rate": 1.0}, columns, ["region"])
    assert all(row["region"] is None for row in out if int(row["id"]) < 4)
    assert numbers_of(change)[1] == 16


def test_members_of_one_household_in_two_areas_are_refused():
    columns = table([("1", "N", "N1", "20", "f", "h"), ("2", "S", "S1", "20", "f", "h")])
    with pytest.raises(ic.InputError) as fault:
        apply_step({"step": "swap", "geography": ["region"], "rate": 0.5}, columns, ["region"], household="home")
    assert fault.value.code == "D111"


cell = st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1), st.booleans(), st.integers(1, 2))


@settings(max_examples=examples(150))
@given(st.lists(cell, min_size=1, max_size=6, unique_by=lambda c: c[:4]), st.integers(0, 3), st.integers(0, 2**32))
def test_as_many_are_swapped_as_can_be(cells, random, seed):
    """Against all ways to pair so few of them."""
    paths = np.array([[c[0] for c in cells], [c[1] for c in cells]], np.int32)
    alike, target, number = (np.array([c[i] for c in cells]) for i in (2, 3, 4))
    generator = np.random.default_rng(seed)
    found = choose_swaps(paths, alike.astype(np.int64), target, number.astype(np.int64), random,
                         lambda n: generator.integers(0, 2**63, n).astype(np.uint64))  # fmt: skip
    moving = Counter(found.cells.tolist())
    assert all(moving[i] <= cells[i][4] for i in moving)
    assert Counter((cells[i][2], *cells[i][:2]) for i in found.cells) == Counter(
        (cells[i][2], *cells[j][:2]) for i, j in zip(found.cells, found.to, strict=True)
    )
    assert all(cells[i][:2] != cells[j][:2] for i, j in zip(found.cells, found.to, strict=True))
    if not random:
        most = sum(_most(tuple((c[:2], c[3], c[4]) for c in cells if c[2] == like)) for like in (0, 1))
        assert found.targets_swapped == most


def _most(cells):
    """The most targets that can be in exchanges, each with at least one target, between different areas."""
    return _best(tuple(sorted((area, target) for area, target, number in cells for _ in range(number))))


@cache
def _best(movers):
    best = 0
    for i, j in combinations(range(len(movers)), 2):
        (a, x), (b, y) = movers[i], movers[j]
        if a != b and (x or y):
            rest = movers[:i] + movers[i + 1 : j] + movers[j + 1 :]
            best = max(best, x + y + _best(rest))
    return best


@needs_shared
def test_what_the_peer_keeps_is_kept_here_too():
    """On the input of sdcMicro's recordSwap: whole households, their sizes by area, and as many of them as it swaps."""
    folder = SHARED / "data" / "sdcmicro" / "oracle"
    with (folder / "12_recordswap_input.csv").open() as file:
        given_rows = list(csv.DictReader(file))
    peer = json.loads((folder / "12_recordswap.json").read_text())["k1_sr0.05"]
    places = ["nuts1", "nuts2", "nuts3"]
    columns = {name: [row[name] for row in given_rows] for name in (*places, "hid", "hsize", "national")}
    columns["id"] = [str(i) for i in range(len(given_rows))]
    # Every exchange has one drawn and one donor: half of the peer's rate is drawn.
    step = {"step": "swap", "geography": places, "similar": ["hsize"], "rate": peer["swaprate"] / 2}
    out, change, _ = apply_step(step, columns, ["nuts1", "nuts2", "nuts3", "national"], household="hid")
    was = {row["hid"]: row for row in given_rows}
    moved = {row["hid"]: row for row in out if row["nuts3"] != was[row["hid"]]["nuts3"]}
    assert len(moved) == peer["n_hh_swapped"] == 250
    assert numbers_of(change)[:2] == [250, peer["n_hh"]]
    sizes = [Counter((row["nuts3"], row["hsize"]) for row in rows) for rows in (given_rows, out)]
    assert sizes[0] == sizes[1]
    assert peer["hsize_by_nuts3_preserved"]
