"""Plans for people with several records, from the file to the release: what the written file shows, by person."""

import csv
import random
from collections import defaultdict

import pytest
from people import plan_with, write_case

import incrowd as ic
from incrowd.pipeline.check import load_plan

DROP = {"step": "drop", "variables": ["name"]}
NAME = {"step": "pseudonymise", "variables": ["name"], "into": "person"}
UNIT = {"source": "people.csv", "kind": "survey", "unit": "name"}
K = [{"model": "k", "k": "3"}]
PERTURBING = [
    {"step": "pram", "variable": "sex", "rate": "0.3", "invariant": "true"},
    {"step": "noise", "variables": ["note"], "share": "0.2"},
    {"step": "microaggregate", "variables": ["note"], "k": "3"},
    {"step": "shuffle", "variables": ["note"], "strata": ["sex"]},
    {"step": "rank_swap", "variable": "note", "within": "0.2"},
    {"step": "round", "variable": "note", "base": "7", "how": "random"},
    {"step": "suppress_cells", "k": "3"},
]


def visits(number=150, people=40, seed=3):
    """Everybody has an age, a sex and a note (an amount); what they have is each visit's own."""
    draw = random.Random(seed)
    own = [(20 + draw.randrange(9), draw.choice("ffm"), draw.randrange(1000)) for _ in range(people)]
    lines = []
    for i in range(number):
        who = i if i < people else draw.randrange(people)
        age, sex, note = own[who]
        lines.append(f"n{who},{age},{sex},{draw.choice('yn')},{note}\n")
    return "".join(lines)


def released(done):
    with (done.release / "people.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def classes(rows):
    found = defaultdict(set)
    for row in rows:
        found[row["age"], row["sex"]].add(row["person"])
    return found


@pytest.mark.parametrize("step", PERTURBING, ids=lambda step: step["step"])
def test_check_lets_people_have_several_records(tmp_path, step):
    load_plan(write_case(tmp_path, plan_with(steps=[DROP, step], data=UNIT, requirements=K), visits()))


def test_a_step_that_takes_records_for_people_is_still_a_fault(tmp_path):
    local = {"step": "search", "hierarchies": {"age": {"widths": ["5"]}}, "local": "true"}
    with pytest.raises(ic.PlanError, match="P025"):
        load_plan(write_case(tmp_path, plan_with(steps=[DROP, local], data=UNIT), visits()))


def test_noise_apart_needs_people(tmp_path):
    step = {"step": "noise", "variables": ["note"], "sd": "1", "apart": "true"}
    with pytest.raises(ic.PlanError, match="P107"):
        load_plan(write_case(tmp_path, plan_with(steps=[DROP, step]), visits()))


def test_the_written_file_has_k_people_in_every_class_and_blanks_cannot_be_put_together(tmp_path):
    """A pseudonym shows which records are one person's: then a key is blanked in all of them."""
    plan = plan_with(steps=[NAME, {"step": "suppress_cells", "k": "3"}], data=UNIT, requirements=K)
    done = ic.run(write_case(tmp_path, plan, visits()))
    rows = released(done)
    assert len(rows) == 150
    assert min(map(len, classes(rows).values())) >= 3
    shown = defaultdict(set)
    for row in rows:
        for key in ("age", "sex"):
            shown[row["person"], key].add(row[key] != "")
    assert all(len(both) == 1 for both in shown.values())
    assert sum(row["age"] == "" for row in rows) > 0


@pytest.mark.slow
def test_a_key_that_varies_is_blanked_in_all_records_only_where_they_are_linked(tmp_path):
    lines = "".join(f"n{who},{age},f,y,0\n" for who in range(6) for age in (30, 40)) + "n0,99,f,y,0\n"
    blanks = []
    for first, data in ((NAME, UNIT), (DROP, {**UNIT, "household": "note"}), (DROP, UNIT)):
        plan = plan_with(steps=[first, {"step": "suppress_cells", "k": "3"}], data=data, requirements=K)
        rows = released(ic.run(write_case(tmp_path, plan, lines)))
        blanks.append(sum(row["age"] == "" for row in rows))
    # Three people blank a record, or all that they have: one has three records, two have two. A household that is
    # released links records, too.
    assert min(blanks[:2]) >= 7
    assert blanks[2] == 3


@pytest.mark.slow
def test_all_of_it_together_with_attacks_and_use_cases(tmp_path):
    steps = [NAME, *PERTURBING]
    attacks = [{"attacks": ["linkage", "homogeneity", "singling_out"]}]
    cases = [{"name": "share", "test": "proportion", "share": {"ill": ["y"]}, "within": "0.5"}]
    plan = plan_with(steps=steps, data=UNIT, requirements=K, attack=attacks, use_cases=cases)
    done = ic.run(write_case(tmp_path, plan, visits(300, 60)))
    rows = released(done)
    assert min(map(len, classes(rows).values())) >= 3
    notes = defaultdict(set)
    for row in rows:
        notes[row["person"]].add(row["note"])
    assert all(len(values) == 1 for values in notes.values())
    assert len(notes) == 60


@pytest.mark.parametrize("shown", ["as it is", "by a pseudonym"])
def test_households_that_the_release_shows_are_not_outvoted(tmp_path, shown):
    """A tenure that is changed in one record of a household and not in the others would tell what it was."""
    lines = "".join(f"n{i},{i // 5},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{'orp'[i // 5 % 3]}\n" for i in range(300))
    roles = {"name": "identifier", "age": "other" if shown == "as it is" else "identifier", "sex": "key",
             "ill": "sensitive", "note": "other"}  # fmt: skip
    hide = [] if shown == "as it is" else [{"step": "pseudonymise", "variables": ["age"], "into": "home"}]
    plan = plan_with(
        data={**UNIT, "household": "age"}, requirements=K, steps=[DROP, {**PERTURBING[0], "variable": "note"}, *hide],
        variables={name: {"role": role, "reason": "told"} for name, role in roles.items()},
    )  # fmt: skip
    found = defaultdict(set)
    done = ic.run(write_case(tmp_path, plan, lines))
    for row in released(done):
        found[row["age" if shown == "as it is" else "home"]].add(row["note"])
    assert len(found) == 60
    assert all(len(values) == 1 for values in found.values())
