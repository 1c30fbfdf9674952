"""Tables beside a release: the rule of cell keys, ONS's own figures, and the tables that are refused."""

import csv
import io
import json
import random
import stat
from collections import Counter

import numpy as np
import pytest
from commands import incrowd_cli
from people import SECRET, plan_with, write_case
from shared import SHARED, needs_shared

import incrowd as ic
from incrowd.keys.cellkey import KEYS, LARGEST, perturb, rule_10_5
from incrowd.tasks.table import read_ptable, table

CELLKEY = SHARED / "data" / "cellkey"
GONE = [{"step": "drop", "variables": ["name", "note"]}, {"step": "suppress_records"}]


def case(folder, number=3000, **changes):
    """A plan that releases age, sex and ill, and drops the note, by which tables may be made."""
    draw = random.Random(3)
    rows = [(draw.choice(["20", "30", ""]), draw.choice("fm"), draw.choice("yn"), draw.choice("abcde"))
            for _ in range(number)]  # fmt: skip
    rows += [("20", "f", "y", "rare")] * 3
    lines = "".join(f"n{i},{','.join(row)}\n" for i, row in enumerate(rows))
    return write_case(folder, plan_with(steps=GONE, requirements=[{"model": "k", "k": "2"}], **changes), lines), rows


@needs_shared
def test_every_cell_of_the_worked_result_of_ons():
    with (CELLKEY / "worked_result.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    about = json.loads((CELLKEY / "worked_result.json").read_text())
    numbers = {name: np.array([int(row[name]) for row in rows]) for name in ("pre_sdc_count", "ckey", "pcv", "pvalue")}
    for rule in (rule_10_5(), read_ptable(CELLKEY / "ptable_10_5_rule.csv")):
        found = perturb(numbers["pre_sdc_count"], numbers["ckey"], rule, 10)
        assert (found.pcv == numbers["pcv"]).all()
        assert (found.added == numbers["pvalue"]).all()
        assert found.published.tolist() == [int(float(row["count"])) if row["count"] else -1 for row in rows]
        assert found.suppressed == about["suppressed"]
        assert found.published[found.published >= 0].sum() == about["sum_post"]


@needs_shared
def test_the_10_5_rule_is_the_table_that_ons_publishes():
    assert (rule_10_5().values == read_ptable(CELLKEY / "ptable_10_5_rule.csv").values).all()
    assert not rule_10_5().uses_keys


def test_large_counts_share_the_last_lines_of_the_table():
    counts = np.array([750, 751, 1000, 1001, 56_075_912])
    found = perturb(counts, np.zeros(5, np.int64), rule_10_5(), 10)
    assert found.pcv.tolist() == [750, 501, 750, 501, (56_075_912 - 1) % 250 + 501]
    assert (found.published % 5 == 0).all()


def noisy(path):
    """A perturbation table of our own that depends on the cell key."""
    lines = ["pcv,ckey,pvalue"]
    lines += [f"{pcv},{key},{max(key % 5 - 2, -pcv)}" for pcv in range(1, LARGEST + 1) for key in range(KEYS)]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_package_of_ons_publishes_the_same(tmp_path, monkeypatch):
    package = pytest.importorskip("cell_key_perturbation.create_perturbed_table")
    pd = pytest.importorskip("pandas")
    from incrowd.rows import open_source
    from incrowd.rows.records import DRAW, draw
    from incrowd.secret import Secret, draw_numbers

    plan, _ = case(tmp_path)
    ptable = noisy(tmp_path / "ptable.csv")
    ours = table(plan, ["sex", "note"], ptable=ptable)
    key = Secret(bytes.fromhex(SECRET)).subkey("table", "record key", read_ptable(ptable).digest)
    rows = draw(open_source(tmp_path / "people.csv"), draw_numbers(key))
    data = rows.collect(rows.table).to_pandas()
    data["rkey"] = (data[DRAW] % KEYS).astype(int)
    theirs = package.create_perturbed_table(data, pd.read_csv(ptable), ["sex"], ["note"], "rkey")
    wanted = {
        (row["sex"], row["note"]): None if pd.isna(row["count"]) else int(row["count"]) for _, row in theirs.iterrows()
    }
    found = dict(zip(ours.published.cells, ours.published.counts, strict=True))
    assert found == {cell: count for cell, count in wanted.items() if cell[1] != "rare"}
    assert len(set(ours.inside.added.tolist())) > 2


def test_the_same_people_get_the_same_noise_in_every_table(tmp_path):
    plan, rows = case(tmp_path, 400)
    ptable = noisy(tmp_path / "ptable.csv")
    first = table(plan, ["note"], ptable=ptable)
    (tmp_path / "b").mkdir()
    other, _ = case(tmp_path / "b", 400, title="Another title")
    lines = (tmp_path / "b" / "people.csv").read_text().splitlines(keepends=True)
    (tmp_path / "b" / "people.csv").write_text("".join([lines[0], *reversed(lines[1:])]))
    second = table(other, ["note"], ptable=ptable)
    assert first.published == second.published
    assert (first.inside.cell_keys == second.inside.cell_keys).all()
    counts = Counter(row[3] for row in rows)
    assert first.inside.counts.tolist() == [counts[cell[0]] for cell in first.published.cells]


def test_a_value_that_too_few_have_is_not_even_listed(tmp_path):
    plan, _ = case(tmp_path)
    found = table(plan, ["note", "sex"])
    assert "rare" not in found.published.csv()
    assert found.omitted == 1
    assert ("a", "f") in found.published.cells
    assert table(plan, ["note"], threshold=0).omitted == 0


def test_what_the_release_shows_is_refused(tmp_path):
    plan, _ = case(tmp_path)
    ic.run(plan)
    for source in (plan, tmp_path / "release", (tmp_path / "release").resolve().parent):
        for by in (["age"], ["sex", "ill", "age"]):
            with pytest.raises(ic.NotReleasable) as refusal:
                table(source, by)
            assert refusal.value.code == "R019"
        assert table(source, ["sex", "note"]).published.counts


def test_a_variable_that_follows_from_released_ones_is_refused(tmp_path):
    lines = "".join(f"n{i},{20 + i % 2},{'fm'[i % 2]},y,{'xy'[i % 2]}\n" for i in range(200))
    plan = write_case(tmp_path, plan_with(steps=GONE, requirements=[{"model": "k", "k": "2"}]), lines)
    with pytest.raises(ic.NotReleasable, match="follow") as refusal:
        table(plan, ["sex", "note"])
    assert refusal.value.code == "R019"


def test_a_population_must_be_much_larger_than_the_release(tmp_path):
    data = {"source": "people.csv", "kind": "survey", "population": {"source": "all.csv"}}
    plan, rows = case(tmp_path, 300, data=data)
    header, *lines = (tmp_path / "people.csv").read_text().splitlines(keepends=True)
    (tmp_path / "all.csv").write_text("".join([header, *lines, *lines[:200]]))
    with pytest.raises(ic.NotReleasable) as refusal:
        table(plan, ["sex"], population=True)
    assert refusal.value.code == "R020"
    (tmp_path / "all.csv").write_text("".join([header, *(3 * lines)]))
    found = table(plan, ["sex"], population=True)
    assert sum(found.inside.counts) == 3 * len(rows)


@pytest.mark.parametrize(
    ("by", "options", "code"),
    [
        ([], {}, "D139"), (["note", "note"], {}, "D139"), (["name"], {}, "D139"), (["notes"], {}, "D139"),
        (["note"], {"population": True}, "D141"),
    ],
)  # fmt: skip
def test_a_table_that_cannot_be_made_says_why(tmp_path, by, options, code):
    plan, _ = case(tmp_path, 50)
    with pytest.raises(ic.InputError) as fault:
        table(plan, by, **options)
    assert fault.value.code == code


def test_other_faults(tmp_path, monkeypatch):
    with pytest.raises(ic.InputError, match="neither a plan nor a release"):
        table(tmp_path, ["note"])
    plan, _ = case(tmp_path, 50)
    monkeypatch.setattr("incrowd.tasks.table.MOST_CELLS", 3)
    with pytest.raises(ic.InputError, match="more than 3") as fault:
        table(plan, ["note", "sex"], threshold=0)
    assert fault.value.code == "D138"
    unit, _ = case(tmp_path, 50, data={"source": "people.csv", "kind": "survey", "unit": "name"})
    with pytest.raises(ic.InputError) as fault:
        table(unit, ["note"])
    assert fault.value.code == "D142"
    with pytest.raises(ic.NotReleasable) as refusal:
        table(case(tmp_path, 50)[0], ["note"], secret=ic.Secret(b"short"))
    assert refusal.value.code == "R021"


@pytest.mark.parametrize(
    "text", ["", "a,b\n1,2\n", "pcv,ckey,pvalue\n1,0,x\n", "pcv,ckey,pvalue\n1,0,-2\n", "pcv,ckey,pvalue\n1,0,0\n"]
)
def test_a_perturbation_table_is_checked(tmp_path, text):
    path = tmp_path / "ptable.csv"
    path.write_text(text)
    with pytest.raises(ic.InputError) as fault:
        read_ptable(path)
    assert fault.value.code == "D137"


def test_the_command(tmp_path):
    plan, _ = case(tmp_path)
    out, audit = tmp_path / "table.csv", tmp_path / "inside.csv"
    done = incrowd_cli("table", plan, "--by", "sex,note", "-o", out, "--audit", audit, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    lines = list(csv.DictReader(io.StringIO(out.read_text())))
    assert set(lines[0]) == {"sex", "note", "count"}
    assert all(int(line["count"]) % 5 == 0 for line in lines if line["count"])
    assert stat.S_IMODE(audit.stat().st_mode) == 0o600
    assert "true_count" in audit.read_text()
    done = incrowd_cli("table", plan, "--by", "sex,note", "--json", folder=tmp_path)
    found = json.loads(done.stdout)
    assert [str(cell["count"] or "") for cell in found["cells"]] == [line["count"] for line in lines]
    assert "true" not in done.stdout
    done = incrowd_cli("table", plan, "--by", "sex,age", folder=tmp_path)
    assert done.returncode == 3
    assert "R019" in done.stderr
