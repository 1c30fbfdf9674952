"""Columns that are renamed and derived: the same for everybody who opens the plan's data, and no way around a role."""

import csv
from collections import Counter
from pathlib import Path

import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case

import incrowd as ic
from incrowd.keys.codebook import Codebook
from incrowd.keys.expressions import Evaluator, parse
from incrowd.rows import Rows
from incrowd.rows.derive import Derived, derive
from incrowd.rows.engine import connect

RENAME = {"step": "rename", "variables": {"note": "remark"}}
BAND = {"step": "derive", "into": "band", "expression": "'40+' if age >= 40 else 'under 40'"}
DROP = {"step": "drop", "variables": ["name"]}
LAST = {"step": "suppress_records"}


def roles(*changes, **more):
    """The variables of the plan: without some, with others."""
    found = {name: one for name, one in plan_with()["variables"].items() if name not in changes}
    return {**found, **{name: {"role": role, "reason": "told"} for name, role in more.items()}}


def case(folder: Path, steps, variables, **more) -> Path:
    return write_case(folder, plan_with(steps=steps, variables=variables, **more))


def faults(plan: Path) -> list[str]:
    return [fault.code for fault in ic.check(plan).faults]


def released(run: ic.Run) -> list[dict[str, str]]:
    with (Path(run.release) / "people.csv").open() as stream:
        return list(csv.DictReader(stream))


@pytest.mark.slow
def test_a_run_speaks_the_new_name_everywhere(tmp_path):
    steps = [RENAME, BAND, {"step": "drop", "variables": ["name", "age"]}, LAST]
    plan = case(
        tmp_path,
        steps,
        roles("note", remark="other", band="key"),
        attack=[{"attacks": ["linkage"]}],
        scenarios=[{"name": "neighbour", "keys": ["band", "sex"]}],
        use_cases=[{"name": "bands", "test": "proportion", "share": {"band": ["40+"]}}],
    )
    assert faults(plan) == []
    run = ic.run(plan)
    lines = released(run)
    with (tmp_path / "people.csv").open() as stream:
        expected = Counter(
            ("40+" if int(r["age"]) >= 40 else "under 40", r["sex"], r["ill"], r["note"])
            for r in csv.DictReader(stream)
        )
    assert list(lines[0]) == ["sex", "ill", "remark", "band"]
    assert Counter((r["band"], r["sex"], r["ill"], r["remark"]) for r in lines) == expected
    assert [step.title for step in run.log.steps[1:3]] == [
        "rename note to remark",
        f"derive band = {BAND['expression']}",
    ]
    assert run.log.attacks[0].success is not None
    assert run.log.utility.outcomes[0].passed
    for file in Path(run.release).rglob("*"):
        if file.suffix in (".html", ".json", ".csv"):
            assert "else 'under 40'" not in file.read_text(), "steps are no news for the public"
            assert "rename" not in file.read_text()
    assert ic.reproduce(run.release).same
    assert ic.risk(plan).measured[0].scenario.keys == ("band", "sex")


def test_the_old_name_is_gone(tmp_path):
    assert faults(case(tmp_path, [RENAME, DROP, LAST], roles("note", remark="other"))) == []
    found = faults(case(tmp_path, [RENAME, DROP, LAST], roles(remark="other")))
    assert "P101" in found, "note is renamed, and still has a role"


@pytest.mark.parametrize(
    ("names", "variables", "code"),
    [
        ({"note": "sex"}, roles("note"), "P101"),  # there is one of this name
        ({"note": "SEX"}, roles("note", SEX="other"), "P101"),  # engines take them for one
        ({"note": "x", "ill": "X"}, roles("note", "ill", x="other", X="sensitive"), "P101"),
        ({"note": "incrowd_line"}, roles("note", incrowd_line="other"), "P014"),
        ({"nothing": "remark"}, roles(remark="other"), "P010"),
        ({"note": "remark"}, roles("note"), "P012"),
    ],
)
def test_two_columns_never_get_one_name(tmp_path, names, variables, code):
    plan = case(tmp_path, [{"step": "rename", "variables": names}, DROP, LAST], variables)
    assert code in faults(plan)
    with pytest.raises(ic.PlanError):
        ic.run(plan)


def test_a_derived_name_does_not_prove_that_the_first_line_is_a_header(tmp_path):
    plan = case(tmp_path, [_derive("note"), DROP, LAST], roles(made="other"))
    (tmp_path / "people.csv").write_text("Ann Smith,34,f,y,001\nBob Jones,35,m,n,002\n")
    found = ic.check(plan).faults
    assert [fault.code for fault in found] == ["P067"]
    assert "Smith" not in str(found)


def test_names_may_be_exchanged(tmp_path):
    swap = {"step": "rename", "variables": {"ill": "note", "note": "ill"}}
    run = ic.run(case(tmp_path, [swap, DROP, {"step": "recode", "variable": "age", "bands": [0, 40]}, LAST], roles()))
    assert {row["ill"] for row in released(run)} == {f"00{i}" for i in range(7)}
    assert {row["note"] for row in released(run)} == {"y", "n"}


def _derive(expression, into="made", **more):
    return {"step": "derive", "into": into, "expression": expression, **more}


@pytest.mark.parametrize(
    ("expression", "role", "fine"),
    [
        ("age", "other", False), ("age", "sensitive", False), ("age", "key", True),
        ("ill", "other", False), ("ill", "sensitive", True), ("ill", "key", True),
        ("note", "other", True), ("name", "key", False), ("name", "other", False),
        ("'a' if ill == 'y' and age > 40 else 'b'", "sensitive", False),
    ],
)  # fmt: skip
def test_a_derived_column_is_as_strict_as_what_it_is_made_from(tmp_path, expression, role, fine):
    plan = case(tmp_path, [_derive(expression), DROP, LAST], roles(made=role))
    assert ("P105" in faults(plan)) is not fine


def test_a_key_from_an_identifier_needs_a_reason_and_an_identifier_must_go(tmp_path):
    plan = case(tmp_path, [_derive("name", weaker_role="only its first letter"), DROP, LAST], roles(made="other"))
    assert "P105" in faults(plan)
    assert faults(case(tmp_path, [_derive("name", weaker_role="few"), DROP, LAST], roles(made="key"))) == []
    assert "P015" in faults(case(tmp_path, [_derive("name"), DROP, LAST], roles(made="identifier")))


def test_a_key_from_an_identifier_is_counted_by_a_requirement(tmp_path):
    """Else the name itself would go out as a key that nobody asks about."""
    steps = [_derive("name", "first", weaker_role="few"), _derive("first"), DROP, LAST]
    variables = roles(first="key", made="key")

    def found(*keys):
        asked = [{"model": "k", "k": 3, "keys": list(keys)}]
        return faults(case(tmp_path, steps, variables, requirements=asked))

    assert found("age", "sex") == ["P105", "P105"], "through another column, too"
    assert found("age", "first") == ["P105"]
    assert found("age", "first", "made") == []


def test_the_exact_age_does_not_come_back_beside_its_bands(tmp_path):
    """The copy is a key: the gate counts it, and what nobody shares is suppressed."""
    bands = {"step": "recode", "variable": "age", "bands": [0, 40]}
    plan = case(tmp_path, [_derive("age", "exact"), DROP, bands, LAST], roles(exact="key"))
    with pytest.raises(ic.NotReleasable):
        ic.run(plan)  # every exact age is in fewer than 3 records
    run = ic.run(case(tmp_path, [_derive("age // 20", "exact"), DROP, bands, LAST], roles(exact="key")))
    assert min(Counter((r["exact"], r["age"], r["sex"]) for r in released(run)).values()) >= 3


@pytest.mark.parametrize("model", ["k", "weak_k"])
def test_a_copy_that_a_requirement_leaves_out_is_not_counted(tmp_path, model):
    bands = {"step": "recode", "variable": "age", "bands": [0, 40]}

    def found(*keys):
        asked = [{"model": model, "k": 3, "keys": list(keys)}]
        return faults(
            case(tmp_path, [_derive("age", "exact"), DROP, bands, LAST], roles(exact="key"), requirements=asked)
        )

    assert found("age", "sex") == ["P106"], "the exact age would go out beside its bands, and nobody counts it"
    assert found("age", "sex", "exact") == []


@pytest.mark.parametrize(
    ("step", "made", "role"),
    [
        ({"step": "recode", "variable": "note", "prefix": 1}, "note", "other"),
        ({"step": "pram", "variable": "ill", "rate": 0.2}, "ill", "sensitive"),
        ({"step": "pram", "variable": "sex", "rate": 0.2}, "sex", "key"),
        ({"step": "noise", "variables": ["note"], "share": 0.2}, "number(note) * 2", "other"),
        ({"step": "shuffle", "variables": ["note"]}, "note", "other"),
        ({"step": "top_code", "variable": "note", "at": 3}, "note", "other"),
    ],
)
def test_a_copy_does_not_undo_what_a_step_hides(tmp_path, step, made, role):
    assert "P106" in faults(case(tmp_path, [_derive(made), DROP, step, LAST], roles(made=role)))
    again = _derive("made", "again")
    both = {"step": "drop", "variables": ["name", "made"]}
    found = faults(case(tmp_path, [_derive(made), again, both, step, LAST], roles(made=role, again=role)))
    assert "P106" in found, "through another column, too"
    gone = {"step": "drop", "variables": ["made", "name"]}
    assert "P106" not in faults(case(tmp_path, [_derive(made), gone, step, LAST], roles(made=role)))


PRAM = {"step": "pram", "variable": "ill", "rate": 0.2}


def test_a_copy_that_is_only_coarsened_is_truer_than_a_lie(tmp_path):
    coarser = {"step": "recode", "variable": "made", "prefix": 1}
    steps = [_derive("ill"), DROP, PRAM, coarser, LAST]
    assert "P106" in faults(case(tmp_path, steps, roles(made="sensitive")))
    steps[3] = {**PRAM, "variable": "made"}
    assert "P106" not in faults(case(tmp_path, steps, roles(made="sensitive")))


def test_a_copy_does_not_tell_what_its_sibling_hides(tmp_path):
    lie = {**PRAM, "variable": "one"}
    steps = [_derive("ill", "one"), _derive("ill", "two"), {"step": "drop", "variables": ["name", "ill"]}, lie, LAST]
    variables = roles(one="sensitive", two="sensitive")
    assert "P106" in faults(case(tmp_path, steps, variables))
    steps[2] = DROP
    assert "P106" not in faults(case(tmp_path, steps, variables)), "the original goes out itself: nothing is hidden"


@pytest.mark.parametrize(("expression", "fine"), [("text(age)", False), ("ill", False), ("name", True)])
def test_a_pseudonym_is_no_second_name_for_a_key(tmp_path, expression, fine):
    """The exact age under a code, beside its bands: nobody would count it."""
    renamed = {"step": "pseudonymise", "variables": ["made"], "into": "code"}
    data = {**plan_with()["data"], "unit": "name"}
    steps = [_derive(expression), DROP, renamed, LAST]
    assert ("P105" in faults(case(tmp_path, steps, roles(made="identifier"), data=data))) is not fine


@pytest.mark.parametrize(
    ("steps", "code"),
    [
        ([DROP, BAND, LAST], "P100"),
        ([BAND, RENAME, DROP, LAST], "P100"),
        ([_derive("later"), _derive("note", "later"), DROP, LAST], "P100"),
        ([_derive("made + 1"), DROP, LAST], "P100"),
        ([_derive("agee + 1"), DROP, LAST], "P012"),
        ([_derive("note + 'a'"), DROP, LAST], "P104"),
        ([_derive("nte(note)"), DROP, LAST], "P103"),
        ([_derive("note ="), DROP, LAST], "P102"),
        ([_derive("1 + 1"), DROP, LAST], "P102"),
        ([_derive("note", "sex"), DROP, LAST], "P101"),
        ([_derive("note", "unlisted"), DROP, LAST], "P012"),
    ],
)
def test_what_is_wrong_is_told_before_any_work(tmp_path, steps, code):
    made = roles("note", remark="other", band="key") if RENAME in steps else roles(made="other", later="other")
    assert code in faults(case(tmp_path, steps, {**roles(band="key"), **made}))


def test_a_text_where_a_number_is_needed_is_counted_and_not_shown(tmp_path):
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},y,{'secretword' if i < 7 else i % 3}\n" for i in range(60))
    plan = case(tmp_path, [_derive("note * 2"), DROP, LAST], roles(made="other"), requirements=[{"model": "k", "k": 1}])
    (tmp_path / "people.csv").write_text("name,age,sex,ill,note\n" + lines)
    for use in (ic.run, ic.risk):
        with pytest.raises(ic.InputError, match="D368: 7 records") as refusal:
            use(plan)
        assert "secretword" not in str(refusal.value)
    steps = [_derive("1 / note", unreadable="missing"), DROP, LAST]
    plan.write_text(yaml.safe_dump({**yaml.safe_load(plan.read_text()), "steps": steps}))
    made = Counter(row["made"] for row in released(ic.run(plan)))
    assert made == {"": 7 + sum(i % 3 == 0 for i in range(7, 60)), "1": made["1"], "0.5": made["0.5"]}


def test_a_code_for_a_missing_value_is_no_amount(tmp_path):
    plan = case(tmp_path, [_derive("note + 1"), DROP, LAST], roles(made="other"), requirements=[{"model": "k", "k": 1}])
    content = yaml.safe_load(plan.read_text())
    content["variables"]["note"]["missing_codes"] = ["006"]
    plan.write_text(yaml.safe_dump(content, sort_keys=False))
    assert {(row["note"], row["made"]) for row in released(ic.run(plan))} == {
        ("006", ""), *((f"00{i}", str(i + 1)) for i in range(6))
    }  # fmt: skip


def test_a_sweep_of_the_expression_opens_the_data_again(tmp_path):
    plan = case(tmp_path, [_derive("age // 20", "half"), {"step": "drop", "variables": ["name", "age"]}, LAST],
                roles(half="key"))  # fmt: skip
    found = ic.sweep(plan, ["steps.0.expression=age // 20,age // 1"])
    assert [point.released > 0 for point in found.sweep.points] == [True, False]


ENGINES = ["duckdb", pytest.param("spark", marks=pytest.mark.slow)]


@pytest.mark.parametrize("engine", ENGINES)
@settings(max_examples=examples(10), deadline=None)
@given(st.data())
def test_every_engine_gives_what_the_evaluator_gives(engine, data):
    pa = pytest.importorskip("pyarrow")
    if engine == "spark":
        pytest.importorskip("pyspark")
    cells = st.lists(
        st.tuples(*[st.sampled_from(["1", "0", "2.50", "x", "", None, "ü", "-9"])] * 2), min_size=1, max_size=6
    )
    lines = data.draw(cells)
    expressions = {"m": "a / b", "n": "'big' if m > 1 else a", "o": "missing(n)"}
    made = {name: Evaluator(parse(text), {"a": ("-9",)}) for name, text in expressions.items()}
    home = connect(engine)
    try:
        table = home.lookup(pa.table({"a": pa.array([a for a, _ in lines], pa.string()),
                                      "b": pa.array([b for _, b in lines], pa.string())}))  # fmt: skip
        rows, counts = derive(Rows(home, table, "a test", Codebook()), made)
        found = Counter(tuple(row.values()) for row in rows.collect(rows.table).to_pylist())
    finally:
        home.close()
    expected, signs = Counter(), {name: Counter() for name in made}
    for a, b in lines:
        record = {"a": a, "b": b}
        for name, evaluator in made.items():
            text = evaluator([record[column] for column in evaluator.expression.columns])
            signs[name][text[0]] += 1
            record[name] = text[1:] if text[0] == "=" else None
        expected[tuple(record.values())] += 1
    assert found == expected
    assert counts == {name: Derived(n["="], n["-"], n["0"], n["!"]) for name, n in signs.items()}
