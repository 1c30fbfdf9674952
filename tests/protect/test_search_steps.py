"""Search, local recoding and cell suppression as steps of a plan, and on a bare file: recount what was written."""

import csv
import json
from collections import Counter, defaultdict

import pytest
from commands import incrowd_cli
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import PLAN, plan_with, write_case
from shared import SHARED, needs_shared

import incrowd as ic

HIERARCHIES = {"age": {"widths": ["10", "50"]}, "sex": "auto"}


def lines_of(rows):
    return "".join(f"n{i},{age},{sex},{ill},{i}\n" for i, (age, sex, ill) in enumerate(rows))


def released(done):
    with (done.release / "people.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def sizes(rows, keys=("age", "sex")):
    return Counter(tuple(row[key] for key in keys) for row in rows)


person = st.tuples(st.integers(0, 99), st.sampled_from(["f", "m", ""]), st.sampled_from("yn"))


@settings(max_examples=examples(25))
@given(
    st.lists(person, min_size=3, max_size=30),
    st.sampled_from([{}, {"local": True}, {"suppression": "0.3"}]),
    st.sampled_from([None, "distinct_l", "t"]),
)
def test_a_search_step_holds_or_raises(tmp_path_factory, rows, options, model):
    folder = tmp_path_factory.mktemp("search")
    requirements = [{"model": "k", "k": "3"}]
    if model == "distinct_l":
        requirements.append({"model": model, "sensitive": "ill", "l": "2"})
    if model == "t":
        requirements.append({"model": model, "sensitive": "ill", "t": "0.4"})
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "search", "hierarchies": HIERARCHIES, **options}]
    plan = write_case(folder, plan_with(steps=steps, requirements=requirements), lines_of(rows))
    try:
        done = ic.run(plan)
    except ic.NotReleasable:
        assert not (folder / "release").exists()
        return
    except ic.InputError as error:  # a file of one sex has nothing to build a hierarchy from, all sexes missing
        assert error.code in ("D015", "D051", "D056")
        return
    out = released(done)
    assert min(sizes(out).values()) >= 3
    if model == "distinct_l":
        ills = defaultdict(set)
        for row in out:
            ills[row["age"], row["sex"]].add(row["ill"])
        assert min(map(len, ills.values())) >= 2
    if not options.get("suppression"):
        assert len(out) == len(rows)
    for row in out:
        age, sex, ill = rows[int(row["note"])]
        assert row["ill"] == ill
        assert row["sex"] in (sex, "*")
        assert row["age"] in (str(age), "*") or int(row["age"].split("-")[0]) <= age <= int(row["age"].split("-")[1])


@pytest.mark.slow
def test_levels_are_written_to_the_audit_and_can_be_pinned(tmp_path):
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "search", "hierarchies": HIERARCHIES}]
    first = ic.run(write_case(tmp_path, plan_with(steps=steps)))
    levels = json.loads((first.audit / "log.json").read_text())["steps"][2]["found"]["levels"]
    assert set(levels) == {"age", "sex"}
    steps[1]["levels"] = {name: str(level) for name, level in levels.items()}
    second = ic.run(write_case(tmp_path, plan_with(steps=steps)))
    assert (first.release / "people.csv").read_bytes() == (second.release / "people.csv").read_bytes()
    steps[1]["levels"] = {"age": "0", "sex": "0"}
    with pytest.raises(ic.NotReleasable, match="R010"):
        ic.run(write_case(tmp_path, plan_with(steps=steps)))


@pytest.mark.slow
@settings(max_examples=examples(25))
@given(st.lists(person, min_size=3, max_size=30), st.integers(2, 3))
def test_suppressed_cells_drop_nobody_and_every_class_has_k(tmp_path_factory, rows, k):
    folder = tmp_path_factory.mktemp("cells")
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_cells", "k": str(k)}]
    plan = plan_with(steps=steps, requirements=[{"model": "k", "k": str(k)}])
    try:
        out = released(ic.run(write_case(folder, plan, lines_of(rows))))
    except ic.InputError as error:
        assert error.code == "D015"  # every sex is missing
        return
    assert len(out) == len(rows)
    assert min(sizes(out).values()) >= k
    for row in out:
        age, sex, ill = rows[int(row["note"])]
        assert row["age"] in (str(age), "")
        assert row["sex"] in (sex, "")
        assert row["ill"] == ill


def test_weak_k_k_map_and_hierarchical_t_in_a_plan(tmp_path):
    (tmp_path / "crowd.csv").write_text(
        "age,sex,people\n" + "".join(f"{age},{sex},4\n" for age in range(20, 60) for sex in "fm")
    )
    (tmp_path / "ill.csv").write_text("y;any;*\nn;any;*\n")
    requirements = [
        {"model": "k_map", "k": "50"},
        {"model": "weak_k", "k": "10", "where": {"ill": ["n"]}},
        {"model": "t", "sensitive": "ill", "t": "0.3", "distance": "hierarchical", "hierarchy": "ill.csv"},
    ]
    data = {**PLAN["data"], "population": {"source": "crowd.csv", "count": "people"}}
    done = ic.run(write_case(tmp_path, plan_with(requirements=requirements, data=data)))
    assert [verdict.achieved for verdict in done.log.verdicts[:2]] == [80, 10]
    too_much = [{"model": "k_map", "k": "81"}]
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(tmp_path, plan_with(requirements=too_much, data=data, steps=PLAN["steps"][:2])))


def test_the_file_of_a_search_is_counted_and_hierarchies_are_made(tmp_path):
    write_case(tmp_path)
    made = incrowd_cli(
        "hierarchy", "build", "people.csv", "--key", "age", "--widths", "5,20", "-o", "age.csv", folder=tmp_path
    )
    assert made.returncode == 0, made.stderr
    assert "20-39" in incrowd_cli("hierarchy", "show", "age.csv", folder=tmp_path).stdout
    assert incrowd_cli("hierarchy", "validate", "age.csv", "--data", "people.csv", folder=tmp_path).returncode == 0
    (tmp_path / "age.csv").write_text("20;20-29;*\n21;20-29;*\n")
    bad = incrowd_cli("hierarchy", "validate", "age.csv", "--data", "people.csv", folder=tmp_path)
    assert bad.returncode == 2
    assert "38" in bad.stderr  # how many values are outside, not which
    for options in ((), ("--local",)):
        found = incrowd_cli(
            "search", "people.csv", "--keys", "age,sex", "--auto", "--k", "4", "-o", "out.csv", "--json", *options,
            folder=tmp_path,
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
        with (tmp_path / "out.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == 60
        assert min(sizes(rows).values()) >= 4
    frontier = incrowd_cli(
        "search", "people.csv", "--keys", "age,sex", "--auto", "--frontier", "--json", folder=tmp_path
    )
    points = json.loads(frontier.stdout)["frontier"]["k"]
    losses = [point["loss_geometric"] for point in points if point["loss_geometric"] is not None]
    assert losses == sorted(losses)
    missing = incrowd_cli("search", "people.csv", "--keys", "age,sex", folder=tmp_path)
    assert missing.returncode == 2
    assert "D060" in missing.stderr
    impossible = incrowd_cli("search", "people.csv", "--keys", "age,sex", "--auto", "--k", "61", folder=tmp_path)
    assert impossible.returncode == 3
    assert "R010" in impossible.stderr
    assert sorted(p.name for p in tmp_path.glob("*out*")) == ["out.csv"]


def test_verify_every_model_from_the_command_line(tmp_path):
    write_case(tmp_path)
    (tmp_path / "pop.csv").write_text((tmp_path / "people.csv").read_text() * 1)
    models = ["distinct_l:ill:1", "entropy_l:ill:1", "recursive_l:ill:99:1", "one_sided:ill:y", "alpha_k:ill:1:1",
              "t:ill:1", "beta:ill:99", "delta_disclosure:ill:9:skip-zeros", "k_map:1", "delta_presence:0:1",
              "weak_k:1:on=sex:where=ill=n", "k:1"]  # fmt: skip
    options = [part for model in models for part in ("--model", model)]
    done = incrowd_cli(
        "verify", "people.csv", "--keys", "sex", *options, "--population", "pop.csv", "--json", folder=tmp_path
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["findings"]) == len(models)
    assert incrowd_cli("verify", "people.csv", "--keys", "age", "--model", "tt:ill:1", folder=tmp_path).returncode == 2


@needs_shared
def test_adult_as_arx_finds_it(tmp_path):
    adult = SHARED / "data" / "adult"
    keys = "sex,age,race,marital-status,education,native-country,workclass,salary-class"
    done = incrowd_cli(
        "search", adult / "adult.csv", "--keys", keys, "--hierarchies", adult, "--k", "5", "--suppression", "0.05",
        "--model", "dl:occupation:3", "-o", tmp_path / "out.csv", "--json",
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert list(found["levels"].values()) == [0, 3, 0, 0, 2, 1, 1, 0]
    assert found["suppressed"] == 1442
    assert found["loss_geometric"] == pytest.approx(0.172895, abs=1e-6)
    assert found["proven"]
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    jobs = defaultdict(list)
    for row in rows:
        jobs[tuple(row[key] for key in keys.split(","))].append(row["occupation"])
    assert min(map(len, jobs.values())) >= 5
    assert min(len(set(values)) for values in jobs.values()) >= 3
    assert len(rows) == 30162 - 1442
