"""pram, microaggregate, noise and shuffle as steps of a plan: what stays, what changes, and what is said of it."""

import csv
import json
import random
import sys
from collections import Counter, defaultdict

import pytest
from examples import examples, quick_only
from hypothesis import given, settings
from hypothesis import strategies as st
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.pipeline.check import load_plan
from incrowd.protect import Context, State, protect
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate
from incrowd.secret import Secret

DROP = {"step": "drop", "variables": ["name"]}
ANY = [{"model": "k", "k": "1"}]
SEX = {"step": "pram", "variable": "sex", "rate": "0.4"}


def run(folder, steps, lines=None, **changes):
    return ic.run(write_case(folder, plan_with(steps=[DROP, *steps], requirements=ANY, **changes), lines))


def apply(folder, step, lines):
    """The step alone: its rows, and what it says that changed. The KeyTable must be that of the rows."""
    path = write_case(folder, plan_with(steps=[DROP, step], requirements=ANY), lines)
    rows = open_source(folder / "people.csv").drop(["name"])
    context = Context(folder, Secret(bytes.fromhex(SECRET)), ("test",), ())
    before = State(rows, tabulate(rows, ["age", "sex"], ["ill"]))
    after, change = protect(load_plan(path).steps[1], 2, before, context)
    again = tabulate(after.rows, ["age", "sex"], ["ill"])
    assert (after.table.records == again.records).all()
    assert [d.values for d in after.table.domains] == [d.values for d in again.domains]
    assert after.rows.columns == rows.columns
    out = after.rows.collect(after.rows.table).to_pylist()
    return [{name: value or "" for name, value in row.items()} for row in out], change


def released(done):
    with (done.release / "people.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def line(i, age="30", sex="f", ill="y", note="0"):
    return f"n{i},{age},{sex},{ill},{note}\n"


def people(number, seed=1):
    draw = random.Random(seed)
    return "".join(
        line(i, draw.choice(["", *range(20, 60)]), draw.choice("ffm"), draw.choice(["y", "n", ""]), f"00{i}")
        for i in range(number)
    )


def at_start(folder):
    with (folder / "people.csv").open(newline="") as file:
        return {row["note"]: row for row in csv.DictReader(file)}


STEPS = {
    "pram": (SEX, {"sex"}),
    "invariant": ({**SEX, "invariant": "true", "strata": ["ill"]}, {"sex"}),
    "matrix": ({"step": "pram", "variable": "ill", "matrix": {"y": {"y": "0.5", "n": "0.5"}, "n": {"n": "1"}}},
               {"ill"}),
    "mdav": ({"step": "microaggregate", "variables": ["age"], "k": "3"}, {"age"}),
    "univariate": ({"step": "microaggregate", "variables": ["age"], "k": "4", "method": "univariate",
                    "strata": ["sex"]}, {"age"}),
    "noise": ({"step": "noise", "variables": ["age"], "share": "0.5"}, {"age"}),
    "shuffle": ({"step": "shuffle", "variables": ["ill", "age"], "strata": ["sex"]}, {"ill", "age"}),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
def test_only_the_named_variables_change_and_the_change_is_counted(tmp_path, name):
    step, named = STEPS[name]
    out, change = apply(tmp_path, step, people(80))
    before = at_start(tmp_path)
    assert len(out) == 80
    changed = 0
    for row in out:
        old = before[row["note"]]
        for column in ("age", "sex", "ill", "note"):
            if column not in named:
                assert row[column] == old[column]
            if not old[column]:
                assert not row[column]
            changed += row[column] != old[column]
    assert changed == change.cells_changed
    assert changed > 0


@pytest.mark.parametrize("name", quick_only(["noise"], STEPS))
def test_the_order_of_the_rows_does_not_matter_and_the_secret_does(tmp_path, name, monkeypatch):
    lines = (people(40) + 6 * line("x", note="7")).splitlines(keepends=True)  # six copies of one record, but for names
    lines = [f"z{each[each.index(',') :]}" for each in lines]
    bags = []
    for seed in range(3):
        random.Random(seed).shuffle(lines)
        if seed == 2:
            monkeypatch.setitem(globals(), "SECRET", SECRET[::-1])
        bags.append(Counter(map(str, apply(tmp_path, STEPS[name][0], "".join(lines))[0])))
    assert bags[0] == bags[1]
    if name not in ("mdav", "univariate"):  # the mean of a group is no matter of chance, but for ties
        assert bags[0] != bags[2]


def test_copies_of_one_record_are_not_all_changed_alike(tmp_path):
    lines = "".join(line("same") for _ in range(200)) + line("same", sex="m")
    out, _ = apply(tmp_path, SEX, lines)
    number = Counter(row["sex"] for row in out)["m"]
    assert 50 < number < 110  # 200 times 0.4, give or take


def test_pram_changes_as_often_as_it_says_and_invariant_keeps_the_counts_in_expectation(tmp_path):
    lines = "".join(line(i, ill="yn"[i % 5 == 0], sex="fmx"[(i % 10 > 5) + (i % 10 > 8)]) for i in range(3000))
    _, plain = apply(tmp_path, {**SEX, "rate": "0.2"}, lines)
    assert plain.cells_changed == pytest.approx(600, abs=75)
    out, change = apply(tmp_path, {**SEX, "rate": "0.2", "invariant": "true"}, lines)
    counts = Counter(row["sex"] for row in out)
    assert counts["f"] == pytest.approx(1800, abs=90)
    assert counts["m"] == pytest.approx(900, abs=90)
    assert counts["x"] == pytest.approx(300, abs=60)
    matrix = change.found["matrix"]
    shares = [0.6, 0.3, 0.1]
    assert [sum(p * row[j] for p, row in zip(shares, matrix, strict=True)) for j in range(3)] == pytest.approx(
        shares, abs=1e-5
    )


def test_a_matrix_of_0_and_1_is_followed_exactly(tmp_path):
    matrix = {"f": {"m": "1"}, "m": {"x": "1"}, "x": {"x": "1"}}
    before = Counter(row.split(",")[2] for row in people(50).splitlines())
    out, _ = apply(tmp_path, {"step": "pram", "variable": "sex", "matrix": matrix}, people(50))
    assert Counter(row["sex"] for row in out) == {"m": before["f"], "x": before["m"]}


person = st.tuples(
    st.sampled_from(["", "20", "30.5", "41", "7"]), st.sampled_from("fm"), st.sampled_from(["y", "n", ""])
)


@pytest.mark.slow
@settings(max_examples=examples(7), deadline=None)
@given(st.lists(person, min_size=4, max_size=25), st.sampled_from([[], ["sex"]]))
def test_shuffling_keeps_the_multiset_of_every_stratum(tmp_path_factory, rows, strata):
    folder = tmp_path_factory.mktemp("shuffle")
    lines = "".join(line(i, *row, i) for i, row in enumerate(rows))
    out, _ = apply(folder, {"step": "shuffle", "variables": ["ill", "age"], "strata": strata}, lines)

    def bags(given):
        found = defaultdict(Counter)
        for age, sex, ill in given:
            found[sex if strata else None][age, ill] += 1
        return found

    assert bags(rows) == bags((row["age"], row["sex"], row["ill"]) for row in out)
    for row in out:
        age, sex, ill = rows[int(row["note"])]
        assert (bool(row["age"]), row["sex"], bool(row["ill"])) == (bool(age), sex, bool(ill))


@pytest.mark.slow
@settings(max_examples=examples(7), deadline=None)
@given(st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 3)), min_size=3, max_size=30), st.integers(2, 3))
def test_microaggregation_gives_groups_of_k_and_keeps_the_totals(tmp_path_factory, rows, k):
    folder = tmp_path_factory.mktemp("groups")
    lines = "".join(f"{i},{a},f,{b},{i}\n" for i, (a, b) in enumerate(rows))
    out, _ = apply(folder, {"step": "microaggregate", "variables": ["age", "ill"], "k": k, "decimals": "6"}, lines)
    assert min(Counter((row["age"], row["ill"]) for row in out).values()) >= k
    for j, name in enumerate(("age", "ill")):
        assert sum(float(row[name]) for row in out) == pytest.approx(sum(r[j] for r in rows), abs=len(rows) * 5e-7)


def test_missing_values_are_grouped_apart_and_stay(tmp_path):
    lines = "".join(line(i, age=i if i < 6 else "", ill=i % 4) for i in range(12))
    out, _ = apply(tmp_path, {"step": "microaggregate", "variables": ["age", "ill"], "k": "3"}, lines)
    assert sum(not row["age"] for row in out) == 6
    assert min(Counter((row["age"], row["ill"]) for row in out).values()) >= 3


def test_correlated_noise_grows_the_covariance_in_proportion(tmp_path):
    draw = random.Random(2)
    pairs = [(x := draw.gauss(100, 10), 2 * x + draw.gauss(0, 10)) for _ in range(3000)]
    lines = "".join(line(i, f"{x:.2f}", ill=f"{y:.1f}") for i, (x, y) in enumerate(pairs))
    step = {"step": "noise", "variables": ["age", "ill"], "share": "0.5", "correlated": "true"}
    out = [(float(r["age"]), float(r["ill"])) for r in apply(tmp_path, step, lines)[0]]

    def covariance(given):
        n = len(given)
        means = [sum(column) / n for column in zip(*given, strict=True)]
        return [
            sum((p[i] - means[i]) * (p[j] - means[j]) for p in given) / (n - 1) for i, j in ((0, 0), (0, 1), (1, 1))
        ]

    for before, after in zip(covariance(pairs), covariance(out), strict=True):
        assert after / before == pytest.approx(1.25, abs=0.1)
    assert {len(str(x).partition(".")[2]) for _, x in out} == {1}


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"step": "noise", "variables": ["sex"], "share": "0.1"}, "D130"),
        ({"step": "microaggregate", "variables": ["age", "sex"], "k": "3"}, "D130"),
        ({"step": "microaggregate", "variables": ["age"], "k": "3", "strata": ["note"]}, "D133"),
        ({"step": "pram", "variable": "sex", "matrix": {"f": {"f": "1"}}}, "D134"),
        ({"step": "noise", "variables": ["age"], "share": "0.1"}, "D131"),
        ({"step": "noise", "variables": ["ill"], "share": "0.1"}, "D136"),
    ],
)
def test_data_that_do_not_fit_are_refused_without_a_value(tmp_path, step, code):
    lines = people(30).replace("yn"[0], "5").replace(",n,", ",5,")
    if code == "D131":
        lines += line(99, age="4e1")
    with pytest.raises(ic.InputError) as fault:
        apply(tmp_path, step, lines)
    assert fault.value.code == code
    if code == "D130":
        assert "30 records" in fault.value.message
        assert "'sex'" in fault.value.message


def test_too_many_values_for_pram_and_too_many_numbers_for_memory(tmp_path, monkeypatch):
    lines = "".join(line(i, note=f"v{i}") for i in range(600))
    with pytest.raises(ic.InputError, match="600 different") as fault:
        apply(tmp_path, {**SEX, "variable": "note"}, lines)
    assert fault.value.code == "D135"
    monkeypatch.setattr(sys.modules["incrowd.protect.microaggregate"], "MOST_NUMBERS", 100)
    with pytest.raises(ic.InputError, match="memory") as fault:
        apply(tmp_path, STEPS["mdav"][0], people(101))
    assert fault.value.code == "D132"


@pytest.mark.parametrize(
    ("step", "words"),
    [
        ({"step": "pram", "variable": "sex"}, "either a rate or a matrix"),
        ({**SEX, "rate": "1.5"}, "must be 1 or less"),
        ({"step": "pram", "variable": "sex", "matrix": {"f": {"f": "0.9"}}}, "do not add up to 1"),
        ({"step": "pram", "variable": "sex", "matrix": {"f": {"m": "1"}}}, "no row of its own"),
        ({**SEX, "strata": ["sex"]}, "a stratum of itself"),
        ({"step": "noise", "variables": ["age"]}, "either a share or an sd"),
        ({"step": "noise", "variables": ["age"], "sd": "1", "correlated": "true"}, "goes with share"),
        ({"step": "microaggregate", "variables": ["age"], "k": "1"}, "must be 2 or more"),
        ({"step": "shuffle", "variables": ["agee"]}, "Did you mean 'age'"),
        ({"step": "shuffle", "variables": ["age"], "strata": ["agee"]}, "Did you mean 'age'"),
    ],
)
def test_a_step_that_cannot_be_meant_is_a_fault(tmp_path, step, words):
    plan = write_case(tmp_path, plan_with(steps=[DROP, step]))
    with pytest.raises(ic.PlanError) as fault:
        load_plan(plan)
    assert words in str(fault.value)


@pytest.mark.parametrize(
    ("data", "step", "code"),
    [
        ({"unit": "name"}, {"step": "search", "hierarchies": {"age": {"widths": ["10"]}}, "local": "true"}, "P025"),
        ({"population": {"source": "people.csv"}}, SEX, "P041"),
        ({}, SEX, "P017"),
    ],
)
def test_chance_is_refused_where_it_cannot_hold(tmp_path, data, step, code):
    steps = [DROP, *([{"step": "suppress_records"}] if code == "P017" else []), step]
    plan = write_case(tmp_path, plan_with(steps=steps, data={"source": "people.csv", "kind": "survey", **data}))
    with pytest.raises(ic.PlanError) as fault:
        load_plan(plan)
    assert code in {each.code for each in fault.value.faults}


@pytest.mark.slow
def test_the_gate_counts_the_changed_keys(tmp_path):
    """After pram the classes are others: records that stand out only then are found and dropped."""
    steps = [DROP, {"step": "recode", "variable": "age", "bands": ["0", "40"]}, SEX, {"step": "suppress_records"}]
    done = ic.run(write_case(tmp_path, plan_with(steps=steps), people(60)))
    assert min(Counter((row["age"], row["sex"]) for row in released(done)).values()) >= 3


@pytest.mark.slow
def test_parameters_are_in_the_audit_and_in_nothing_that_leaves(tmp_path):
    secretive = {"pram": "0.377123", "noise": "0.377124", "microaggregate": "univariate", "matrix": "0.123457"}
    steps = [
        {**SEX, "rate": secretive["pram"], "invariant": "true"},
        {"step": "pram", "variable": "ill",
         "matrix": {"y": {"y": "0.876543", "n": secretive["matrix"]}, "n": {"n": "1"}}},
        {"step": "noise", "variables": ["age"], "share": secretive["noise"]},
        {"step": "microaggregate", "variables": ["age"], "k": "4", "method": secretive["microaggregate"]},
        {"step": "shuffle", "variables": ["note"]},
    ]  # fmt: skip
    done = run(tmp_path, steps, people(120))
    kept = "".join(path.read_text() for path in (done.audit / "log.json", done.audit / "plan.yaml"))
    out = "".join(path.read_text(errors="replace") for path in done.release.iterdir())
    for word in [*secretive.values(), "pram", "shuffle", "microaggregate"]:
        assert word in kept
        assert word not in out
    notes = json.loads((done.audit / "log.json").read_text())["steps"][2]
    assert notes["found"]["matrix"]


def test_a_parquet_column_of_numbers_stays_one(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    plan = plan_with(
        steps=[DROP, {"step": "noise", "variables": ["note"], "sd": "2"}],
        requirements=ANY, data={"source": "people.parquet", "kind": "survey"},
        release={"name": "people", "format": "parquet"},
    )  # fmt: skip
    path = write_case(tmp_path, plan)
    table = pa.table({
        "name": ["a", "b", "c"], "age": ["1", "2", "3"], "sex": ["f"] * 3, "ill": ["y"] * 3,
        "note": pa.array([5, None, 7], pa.int64()),
    })  # fmt: skip
    pq.write_table(table, tmp_path / "people.parquet")
    found = pq.read_table(ic.run(path).release / "people.parquet")["note"]
    assert pa.types.is_floating(found.type)
    assert found.null_count == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", STEPS)
@pytest.mark.parametrize("lines", ["", "".join(line(i, age="", sex="", ill="") for i in range(5))])
def test_nothing_to_change_changes_nothing(tmp_path, name, lines):
    try:
        out, change = apply(tmp_path, STEPS[name][0], lines)
    except ic.InputError as fault:
        assert (name, fault.code) == ("noise", "D136")  # no spread that noise could be in proportion to
        return
    assert len(out) == len(lines.splitlines())
    assert change.cells_changed == 0
