"""The promise: what is released, counted again by plain Python, holds; or nothing is released."""

import csv
import hashlib
import json
import os
import random
import signal
import stat
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from examples import examples, quick_only
from hypothesis import given, settings
from hypothesis import strategies as st
from people import PLAN, plan_with, write_case

import incrowd as ic
from incrowd.secret import Secret


def released(folder: Path) -> list[dict[str, str]]:
    with next((folder / "release").glob("*.csv")).open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if "variable" not in row]


def data_file(folder: Path) -> Path:
    return folder / "release" / "people.csv"


def smallest_class(rows, keys):
    return min(Counter(tuple(row[key] for key in keys) for row in rows).values())


def test_the_whole_way(tmp_path):
    done = ic.run(write_case(tmp_path))
    with data_file(tmp_path).open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert smallest_class(rows, ["age", "sex"]) >= 3
    assert list(rows[0]) == ["age", "sex", "ill", "note"]
    assert {row["age"] for row in rows} == {"0-39", "40+"}
    assert {row["note"] for row in rows} == {f"00{i}" for i in range(7)}
    assert {p.name for p in done.release.iterdir()} == {
        "people.csv", "people.csv-metadata.json", "datapackage.json", "dictionary.csv", "report.html", "manifest.json",
        "manifest.json.sig",
    }  # fmt: skip
    assert {p.name for p in done.audit.iterdir()} == {
        "plan.yaml", "log.json", "report.html", "decision.html", "decision.json", "manifest.json", "manifest.json.sig",
        "secret",
    }  # fmt: skip
    assert stat.S_IMODE((done.audit / "secret").stat().st_mode) == 0o600
    assert stat.S_IMODE(done.audit.stat().st_mode) == 0o700
    assert (tmp_path / "release").resolve() == done.release.resolve()
    assert not list((tmp_path / "runs").glob(".work-*"))
    manifest = json.loads((done.release / "manifest.json").read_text())
    text = json.dumps(manifest)
    assert hashlib.sha256(data_file(tmp_path).read_bytes()).hexdigest() in text
    assert str(tmp_path) not in text


words = st.sampled_from(["a", "b", "c", "", "x,y", 'q"r', "né"])
line = st.tuples(st.integers(0, 90), st.sampled_from("fm"), st.sampled_from("yn"), words)


@settings(max_examples=examples(40))
@given(
    st.lists(line, min_size=1, max_size=40),
    st.integers(2, 5),
    st.sampled_from([None, "distinct_l", "one_sided"]),
    st.booleans(),
)
def test_any_run_holds_or_raises(tmp_path_factory, lines, k, model, suppress):
    folder = tmp_path_factory.mktemp("any")
    requirements = [{"model": "k", "k": k}]
    if model == "distinct_l":
        requirements.append({"model": model, "sensitive": "ill", "l": 2})
    if model == "one_sided":
        requirements.append({"model": model, "sensitive": "ill", "value": "y"})
    steps = PLAN["steps"] if suppress else PLAN["steps"][:-1]

    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    text = "".join(f"n{i},{age},{sex},{ill},{quoted(note)}\n" for i, (age, sex, ill, note) in enumerate(lines))
    plan = write_case(folder, plan_with(requirements=requirements, steps=steps), text)
    if model == "one_sided" and not any(ill == "y" for _, _, ill, _ in lines):
        with pytest.raises(ic.InputError, match="D046"):  # a value nobody has is a slip of the pen
            ic.run(plan)
        return
    try:
        ic.run(plan)
    except ic.NotReleasable:
        assert not (folder / "release").exists()
        assert not any(path.name == "release" for path in (folder / "runs").rglob("*"))
        return
    with data_file(folder).open(newline="") as file:
        rows = list(csv.DictReader(file))
    classes = defaultdict(list)
    for row in rows:
        classes[row["age"], row["sex"]].append(row["ill"])
    assert min(map(len, classes.values())) >= k
    if model == "distinct_l":
        assert min(len(set(ills)) for ills in classes.values()) >= 2
    if model == "one_sided":
        assert not any(set(ills) == {"y"} for ills in classes.values())
    # What no step touches comes out as it went in: every released row is a source row, at most as often.
    source = Counter((("40+" if age >= 40 else "0-39"), sex, ill, note) for age, sex, ill, note in lines)
    assert not Counter((r["age"], r["sex"], r["ill"], r["note"]) for r in rows) - source
    if not suppress:
        assert len(rows) == len(lines)


@pytest.mark.slow
def test_the_same_plan_data_and_secret_give_the_same_bytes(tmp_path):
    plan = write_case(tmp_path)
    first, second = ic.run(plan), ic.run(plan)
    for path in first.release.iterdir():
        assert path.read_bytes() == (second.release / path.name).read_bytes(), path.name
    other = ic.run(plan, secret=Secret(bytes(range(32))))
    assert (other.release / "people.csv").read_bytes() != (first.release / "people.csv").read_bytes()
    assert sorted((other.release / "people.csv").read_text()) == sorted((first.release / "people.csv").read_text())


@pytest.mark.slow
def test_the_order_of_the_rows_does_not_depend_on_the_order_of_the_source(tmp_path):
    lines = [f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{i}\n" for i in range(60)]
    first = ic.run(write_case(tmp_path, lines="".join(lines)))
    before = (first.release / "people.csv").read_bytes()
    numbers = [int(line.rsplit(b",", 1)[1]) for line in before.splitlines()[1:]]
    assert numbers != sorted(numbers)
    random.Random(4).shuffle(lines)
    second = ic.run(write_case(tmp_path, lines="".join(lines)))
    assert (second.release / "people.csv").read_bytes() == before


@pytest.mark.slow
def test_two_tiers_share_no_order(tmp_path):
    open_file = ic.run(write_case(tmp_path)).release / "people.csv"
    safeguarded = ic.run(write_case(tmp_path, plan_with(tier="safeguarded"))).release / "people.csv"
    assert sorted(open_file.read_text().splitlines()) == sorted(safeguarded.read_text().splitlines())
    assert open_file.read_text() != safeguarded.read_text()


def test_a_refusal_leaves_the_earlier_release_alone(tmp_path):
    done = ic.run(write_case(tmp_path))
    plan = write_case(tmp_path, plan_with(steps=PLAN["steps"][:2], requirements=[{"model": "k", "k": "50"}]))
    with pytest.raises(ic.NotReleasable) as caught:
        ic.run(plan)
    assert caught.value.exit_code == 3
    assert (tmp_path / "release").resolve() == done.release.resolve()
    refused = list((tmp_path / "runs").glob("*-refused"))
    assert [p.name for p in refused[0].iterdir()] == ["audit"]


def test_weak_secrets_are_refused_by_the_gate(tmp_path, monkeypatch):
    plan = write_case(tmp_path)
    for weak in (b"short", bytes(32), b"ab" * 16):
        with pytest.raises(ic.NotReleasable, match="R005"):
            ic.run(plan, secret=Secret(weak))
    assert not (tmp_path / "release").exists()
    monkeypatch.setenv("INCROWD_SECRET", "not hex")
    with pytest.raises(ic.SecretError):
        ic.run(plan)


def test_the_secret_file_is_made_private_and_used_again(tmp_path, monkeypatch):
    plan = write_case(tmp_path)
    monkeypatch.delenv("INCROWD_SECRET")
    first = ic.run(plan)
    path = tmp_path / "incrowd.secret"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (ic.run(plan).release / "people.csv").read_bytes() == (first.release / "people.csv").read_bytes()
    assert path.read_text().strip() == (first.audit / "secret").read_text().strip()
    path.chmod(0o644)
    with pytest.raises(ic.SecretError, match="S002"):
        ic.run(plan)


def test_pseudonyms(tmp_path):
    steps = [
        {"step": "pseudonymise", "variables": ["name", "note"], "into": "person"},
        {"step": "recode", "variable": "age", "bands": ["0", "40"]},
        {"step": "suppress_records"},
    ]
    lines = "".join(f"{'ab'[i % 2]}{i // 4},{20 + i % 40},f,y,{i % 4}\n" for i in range(40)) + ",30,f,n,\n,31,f,n,\n"
    done = ic.run(write_case(tmp_path, plan_with(steps=steps), lines))
    with (done.release / "people.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["person", "age", "sex", "ill", "note"]
    found = {row["person"] for row in rows}
    assert len(found - {""}) == 40
    assert all(len(person) == 64 for person in found - {""})
    assert sum(row["person"] == "" for row in rows) == 2  # nobody's pseudonym is nobody's
    secret = (done.audit / "secret").read_text().strip()
    for path in done.folder.rglob("*"):
        if path.is_file() and path.name != "secret":
            assert secret.encode() not in path.read_bytes()


def test_parquet_release_has_no_metadata_and_no_index(tmp_path):
    done = ic.run(write_case(tmp_path, plan_with(release={"format": "parquet", "name": "people"})))
    file = done.release / "people.parquet"
    assert pq.read_metadata(file).metadata is None
    assert pq.read_schema(file).names == ["age", "sex", "ill", "note"]
    assert str(tmp_path).encode() not in file.read_bytes()
    assert min(Counter(zip(*(pq.read_table(file)[c].to_pylist() for c in ("age", "sex")), strict=True)).values()) >= 3


def unit_case(folder, lines, k=2, drop=True):
    plan = {
        "title": "Visits", "data": {"source": "people.csv", "kind": "administrative", "unit": "name"}, "tier": "open",
        "variables": PLAN["variables"],
        "steps": [
            {"step": "drop", "variables": ["name"]}
            if drop
            else {"step": "pseudonymise", "variables": ["name"], "into": "person"},
            {"step": "suppress_records"},
        ],
        "requirements": [{"model": "k", "k": str(k)}], "release": {"name": "people"},
    }  # fmt: skip
    text = "".join(f"{n},{age},{sex},{ill},{i}\n" for i, (n, age, sex, ill) in enumerate(lines))
    return write_case(folder, plan, text)


@settings(max_examples=examples(30))
@given(
    st.lists(st.tuples(st.sampled_from("pqrstu"), st.sampled_from("12"), st.sampled_from("fm"), st.sampled_from("yn")),
             min_size=1, max_size=25),
    st.integers(2, 3), st.booleans(),
)  # fmt: skip
def test_k_counts_people_and_people_go_as_a_whole(tmp_path_factory, lines, k, drop):
    folder = tmp_path_factory.mktemp("unit")
    plan = unit_case(folder, lines, k, drop)
    who = {str(i): name for i, (name, *_) in enumerate(lines)}
    try:
        done = ic.run(plan)
    except ic.NotReleasable:
        return
    with (done.release / "people.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    people = defaultdict(set)
    for row in rows:
        people[row["age"], row["sex"]].add(who[row["note"]])
    assert min(map(len, people.values())) >= k
    kept = Counter(who[row["note"]] for row in rows)
    everything = Counter(name for name, *_ in lines)
    assert all(kept[name] == everything[name] for name in kept)


def test_a_row_count_would_not_do_for_people(tmp_path):
    lines = [("p", "1", "f", "y")] * 5
    with pytest.raises(ic.NotReleasable):
        ic.run(unit_case(tmp_path, lines, k=2))


def _state(folder: Path):
    pointer = folder / "release"
    return (pointer / "people.csv").read_bytes() if pointer.exists() else None


@pytest.mark.parametrize("seed", quick_only([0], range(6)))
def test_killed_at_any_moment_leaves_the_old_state_or_the_new_one(tmp_path, seed):
    first = plan_with(requirements=[{"model": "k", "k": "2"}])
    ic.run(write_case(tmp_path, first))
    old = _state(tmp_path)
    plan = write_case(tmp_path, plan_with(tier="controlled"))
    code = f"import incrowd as ic; print('go', flush=True); ic.run({str(plan)!r})"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, env={**os.environ})
    process.stdout.readline()
    time.sleep(random.Random(seed).uniform(0.3, 3.5))
    process.send_signal(signal.SIGKILL)
    process.wait()
    now = _state(tmp_path)
    new = ic.run(plan)
    assert now in (old, (new.release / "people.csv").read_bytes())
    assert not list((tmp_path / "runs").glob(".work-*")), "the next start clears what was spilled"
    for folder in (tmp_path / "runs").iterdir():
        if (folder / "release").exists():
            assert (folder / "release" / "manifest.json").exists(), "a run is whole or not there"


def test_something_else_called_release_is_not_overwritten(tmp_path):
    plan = write_case(tmp_path)
    (tmp_path / "release").mkdir()
    (tmp_path / "release" / "precious").write_text("x")
    with pytest.raises(ic.IncrowdError, match="X003"):
        ic.run(plan)
    assert (tmp_path / "release" / "precious").exists()


def test_recodings_by_every_way(tmp_path):
    (tmp_path / "look.csv").write_text("from,to\nf,woman\nm,man\n")
    (tmp_path / "note.csv").write_text("".join(f"00{i};{'low' if i < 3 else 'high'};*\n" for i in range(7)))
    steps = [
        {"step": "drop", "variables": ["name"]},
        {"step": "recode", "variable": "age", "prefix": 1},
        {"step": "recode", "variable": "sex", "lookup": "look.csv"},
        {"step": "recode", "variable": "ill", "mapping": {"y": "yes"}, "others": "no"},
        {"step": "recode", "variable": "note", "hierarchy": "note.csv", "level": 1},
    ]
    done = ic.run(write_case(tmp_path, plan_with(steps=steps, requirements=[{"model": "k", "k": "1"}])))
    with (done.release / "people.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["age"] for row in rows} == set("2345")
    assert {row["sex"] for row in rows} == {"man", "woman"}
    assert {row["ill"] for row in rows} == {"yes", "no"}
    assert {row["note"] for row in rows} == {"low", "high"}


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"variable": "sex", "bands": ["1"]}, "D021"),
        ({"variable": "sex", "date_part": "year"}, "D021"),
        ({"variable": "sex", "mapping": {"f": "x"}, "others": "fault"}, "D023"),
        ({"variable": "age", "bands": ["50"], "labels": ["old"]}, "D022"),
    ],
)
def test_values_that_do_not_fit_are_counted_not_shown(tmp_path, step, code):
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "recode", **step}]
    with pytest.raises(ic.InputError) as caught:
        ic.run(write_case(tmp_path, plan_with(steps=steps)))
    assert caught.value.code == code
    assert not (tmp_path / "release").exists()


def test_columns_may_have_any_name(tmp_path):
    odd = ["_class", "_text", "k0", "n", "s", "u", "count_all", "select", 'quo"te', "a b", "née", "Yes"]
    plan = plan_with(
        variables={
            **PLAN["variables"],
            **{n: {"role": "key" if i < 5 else "other", "reason": "x"} for i, n in enumerate(odd)},
        },
        steps=[
            *PLAN["steps"][:2],
            {"step": "recode", "variable": "_class", "mapping": {"1": "one"}},
            {"step": "search", "hierarchies": {"age": "auto", "_class": "auto", "n": "auto"}, "local": "true"},
        ],
    )
    path = write_case(tmp_path, plan)
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "age", "sex", "ill", "note", *odd])
        writer.writerows(
            [f"n{i}", 20 + i % 40, "fm"[i % 2], "yn"[i % 3 == 0], i, *[i % 2] * len(odd)] for i in range(60)
        )
    with (ic.run(path).release / "people.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["age", "sex", "ill", "note", *odd]
    assert len(rows) == 60
    assert min(Counter(tuple(r[k] for k in ["age", "sex", *odd[:5]]) for r in rows).values()) >= 3


def test_the_names_of_other_files_are_not_free_for_the_data(tmp_path):
    with pytest.raises(ic.PlanError, match="dictionary"):
        ic.run(write_case(tmp_path, plan_with(release={"name": "dictionary"})))
    (tmp_path / "people.csv").write_text("incrowd_class\n1\n")
    with pytest.raises(ic.InputError, match="D065"):
        ic.open_source(tmp_path / "people.csv")
