"""Steps where people have several records treat the person: no average, no link between records gives a value back."""

import statistics
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import yaml
from examples import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from steps import apply_step

import incrowd as ic
from incrowd.errors import InputError, NotReleasable

KEYS = ["age", "sex", "area"]

#: A person, whether the age is missing in this record, where they were, and a figure that varies.
record = st.tuples(st.integers(0, 8), st.booleans(), st.sampled_from("NSE"), st.integers(0, 40))
files = st.lists(record, min_size=1, max_size=40)


def columns(records):
    """Age, sex and income are a person's own; area and bill are each record's."""
    return {
        "who": [f"p{who}" for who, *_ in records],
        "age": [None if gone and at % 3 else str(20 + who % 5) for at, (who, gone, *_) in enumerate(records)],
        "sex": ["fm"[who % 2] for who, *_ in records],
        "area": [area for *_, area, _ in records],
        "income": [f"{1000 + 37 * who * who}" for who, *_ in records],
        "bill": [str(bill) for *_, bill in records],
        "line": [str(at) for at, _ in enumerate(records)],
    }


def by_person(out, name):
    """The values that are there, for each person."""
    found = defaultdict(set)
    for row in out:
        found[row["who"]] |= {row[name]} - {None, ""}
    return found


def fewest(out, names):
    """People in the smallest class."""
    classes = defaultdict(set)
    for row in out:
        classes[tuple(row[name] for name in names)].add(row["who"])
    return min(map(len, classes.values()))


CONSTANT = {
    "noise": {"step": "noise", "variables": ["age", "income"], "sd": 40},
    "apart": {"step": "noise", "variables": ["age", "income"], "sd": 40, "apart": True},
    "pram": {"step": "pram", "variable": "age", "rate": 0.6, "strata": ["sex"]},
    "shuffle": {"step": "shuffle", "variables": ["age", "income"]},
    "rank_swap": {"step": "rank_swap", "variable": "income", "within": 1},
    "round": {"step": "round", "variable": "income", "base": 100, "how": "random"},
    "mdav": {"step": "microaggregate", "variables": ["income"], "k": 2},
    "univariate": {"step": "microaggregate", "variables": ["age", "income"], "k": 2, "method": "univariate"},
}


@settings(max_examples=examples(25), deadline=None)
@given(files, st.sampled_from(sorted(CONSTANT)))
def test_what_is_the_same_in_all_records_of_a_person_stays_the_same(records, name):
    given = columns(records)
    step = CONSTANT[name]
    names = step.get("variables") or [step["variable"]]
    try:
        out, change, _ = apply_step(step, given, KEYS, unit="who")
    except InputError as fault:
        assert fault.code in ("D116", "D133")  # too few people to rank or to group
        return
    assert len(out) == len(records)
    changed = 0
    for row in out:
        at = int(row["line"])
        for column, values in given.items():
            assert (row[column] is None) == (values[at] is None)
            assert column in names or row[column] == values[at]
            changed += row[column] != values[at]
    for column in names:
        assert all(len(values) <= 1 for values in by_person(out, column).values())
    assert changed == change.cells_changed


@settings(max_examples=examples(25), deadline=None)
@given(files, st.integers(2, 4), st.sampled_from(["mdav", "univariate"]))
def test_a_group_has_k_people_and_nobody_is_in_two(records, k, method):
    """Also where the figure varies within a person, and one person has most of the records."""
    given = columns([*records, *[records[0]] * 30])
    step = {"step": "microaggregate", "variables": ["bill"], "k": k, "method": method, "decimals": 9}
    if len(set(given["who"])) < k:
        with pytest.raises(InputError, match="D133"):
            apply_step(step, given, KEYS, unit="who")
        return
    out, *_ = apply_step(step, given, KEYS, unit="who")
    assert all(len(values) == 1 for values in by_person(out, "bill").values())
    assert fewest(out, ["bill"]) >= k
    # Each person counts once, however many records there are.
    means = {who: statistics.fmean(float(b) for w, b in zip(given["who"], given["bill"], strict=True) if w == who)
             for who in given["who"]}  # fmt: skip
    after = {row["who"]: float(row["bill"]) for row in out}
    assert sum(after.values()) == pytest.approx(sum(means.values()), abs=1e-6)


@settings(max_examples=examples(25), deadline=None)
@given(files, st.integers(2, 4))
def test_cells_are_blanked_until_every_class_has_k_people(records, k):
    given = columns([*records, *[records[0]] * 30])
    if len(set(given["who"])) < k:
        with pytest.raises(NotReleasable, match="R014"):
            apply_step({"step": "suppress_cells", "k": k}, given, KEYS, unit="who")
        return
    out, change, state = apply_step({"step": "suppress_cells", "k": k}, given, KEYS, unit="who")
    assert len(out) == len(given["who"])
    assert fewest(out, KEYS) >= k
    shown, blanked, cells = set(), set(), Counter()
    for row in out:
        at = int(row["line"])
        for name in given:
            old = given[name][at]
            assert row[name] == old or (name in KEYS and row[name] is None)
            if name in KEYS and old is not None:
                (shown if row[name] is not None else blanked).add((row["who"], name, old))
                cells[name] += row[name] is None
    assert not shown & blanked  # no other record of the person has the value that was blanked
    assert cells.total() == change.cells_changed
    assert {name: state.blanks[name].blanked for name in KEYS} == {name: cells[name] for name in KEYS}


def test_a_value_blanked_in_one_record_is_not_shown_in_another_of_the_same_person():
    """In S, p0 stands out by age and must lose it; in N the age is nothing special, and would give it back."""
    people = [*[(f"p{i}", "30", "f", "N") for i in range(6)], ("p0", "30", "f", "S"), ("a", "40", "f", "S"),
              ("b", "41", "f", "S")]  # fmt: skip
    given = dict(zip(["who", *KEYS], map(list, zip(*people, strict=True)), strict=True))
    weights = {"area": 50, "sex": 50}
    out, *_ = apply_step({"step": "suppress_cells", "k": 3, "weights": weights}, given, KEYS, unit="who")
    assert fewest(out, KEYS) >= 3
    assert by_person(out, "age")["p0"] == set()
    assert by_person(out, "area")["p0"] == {"N", "S"}


def test_who_is_blanked_is_chance_by_the_secret_and_the_order_of_records_does_not_matter():
    people = [(f"p{i:03}", "30" if i else "99", "f", "N") for i in range(60)]
    given = dict(zip(["who", *KEYS], map(list, zip(*people, strict=True)), strict=True))
    back = {name: values[::-1] for name, values in given.items()}

    def blanked(file, secret):
        out, *_ = apply_step({"step": "suppress_cells", "k": 5}, file, KEYS, unit="who", secret=secret)
        return {row["who"] for row in out if row["age"] is None}

    secrets = [f"{i:02x}" * 31 + "0f" for i in range(3)]
    chosen = [blanked(given, secret) for secret in secrets]
    assert [blanked(back, secret) for secret in secrets] == chosen
    assert all("p000" in names and len(names) == 5 for names in chosen)
    assert len({frozenset(names) for names in chosen}) == 3  # not the first by name


def test_averaging_the_records_of_a_person_does_not_remove_the_noise():
    many, sd = 60, 10.0
    given = {"who": [f"p{i % 40}" for i in range(40 * many)], "sex": ["f"] * 40 * many,
             "same": ["100.00"] * 40 * many, "bill": [f"{100 + i // 40}.00" for i in range(40 * many)]}  # fmt: skip
    for apart in (False, True):
        step = {"step": "noise", "variables": ["same", "bill"], "sd": sd, "apart": apart}
        out, *_ = apply_step(step, given, ["sex"], unit="who")
        for name, truth in (("same", 100.0), ("bill", 100 + (many - 1) / 2)):
            noise = [
                statistics.fmean(float(row[name]) for row in out if row["who"] == f"p{i}") - truth for i in range(40)
            ]
            assert statistics.stdev(noise) > 0.6 * sd  # of 60 records drawn one by one it would be 0.13 of it
        first = [float(row["bill"]) for row in out if row["who"] == "p0"]
        steps = {round(b - a, 2) for a, b in zip(sorted(first), sorted(first)[1:], strict=False)}
        assert (steps == {1.0}) != apart  # differences are exact, unless each value has noise of its own


def test_the_size_of_noise_is_measured_on_people_not_on_records():
    """One person with a thousand equal records does not make the spread, and so the noise, small."""
    some = {"who": [f"p{i}" for i in range(20)], "sex": ["f"] * 20, "income": [str(1000 * i) for i in range(20)]}
    more = {"who": [*some["who"], *["p7"] * 1000], "sex": ["f"] * 1020, "income": [*some["income"], *["7000"] * 1000]}
    step = {"step": "noise", "variables": ["income"], "share": 0.5}
    first, second = (
        {row["who"]: row["income"] for row in apply_step(step, file, ["sex"], unit="who")[0]} for file in (some, more)
    )
    assert first == second


def test_a_value_of_a_person_is_changed_once_and_others_of_the_same_person_for_themselves():
    given = {"who": [f"p{i % 300}" for i in range(1500)], "sex": ["f"] * 1500,
             "job": ["abc"[i // 300 % 3] for i in range(1500)]}  # fmt: skip
    out, *_ = apply_step({"step": "pram", "variable": "job", "rate": 0.5}, given, ["sex"], unit="who")
    became = defaultdict(Counter)
    for row in out:
        became[row["who"]][row["job"]] += 1
    # a, b and c in 2, 2 and 1 records: each as often as before, or joined with another; and not all people alike.
    assert all(sorted(found.values()) in ([1, 2, 2], [1, 4], [2, 3], [5]) for found in became.values())
    assert len({frozenset(found.items()) for found in became.values()}) > 10


@pytest.mark.parametrize(
    ("step", "code"),
    [
        ({"step": "shuffle", "variables": ["bill"]}, "D375"),
        ({"step": "rank_swap", "variable": "bill", "within": 0.5}, "D375"),
        ({"step": "pram", "variable": "sex", "rate": 0.5, "strata": ["area"]}, "D111"),
        ({"step": "shuffle", "variables": ["sex"], "strata": ["area"]}, "D111"),
        ({"step": "microaggregate", "variables": ["bill"], "k": 2, "strata": ["area"]}, "D111"),
        ({"step": "swap", "geography": ["area"], "rate": 0.5}, "D111"),
        ({"step": "microaggregate", "variables": ["bill", "age"], "k": 2}, "D377"),
        ({"step": "sample", "fraction": 0.5, "households": True}, "D376"),
        ({"step": "swap", "geography": ["sex"], "rate": 0.5}, "D376"),
    ],
)
def test_what_would_tear_a_person_apart_is_refused_with_a_count_and_no_value(step, code):
    given = columns([(i % 7, i % 2, "NSE"[i % 3], i) for i in range(42)]) | {"home": [str(i % 5) for i in range(42)]}
    with pytest.raises(InputError) as fault:
        apply_step(step, given, KEYS, unit="who", household="home" if code == "D376" else None)
    assert fault.value.code == code
    assert any(word.strip("(").isdigit() for word in fault.value.message.split())
    assert fault.value.hint
    assert "p1" not in str(fault.value)


def test_an_empty_unit_is_nobody():
    with pytest.raises(InputError, match="D013: 2 records"):
        apply_step({"step": "noise", "variables": ["x"], "sd": 1},
                   {"who": ["a", "", None], "x": ["1", "2", "3"], "sex": ["f"] * 3}, ["sex"], unit="who")  # fmt: skip


@settings(max_examples=examples(15), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3)), min_size=2, max_size=40))
def test_people_move_whole(records):
    given = {"who": [f"p{who}" for who, _ in records], "area": ["NSEW"[who % 4] for who, _ in records],
             "bill": [str(bill) for _, bill in records]}  # fmt: skip
    assume(len(set(given["who"])) > 1)
    step = {"step": "swap", "geography": ["area"], "rate": 1, "targets": {"keys": ["area"], "fewer_than": 2}}
    out, *_ = apply_step(step, given, ["area"], unit="who")
    assert all(len(values) == 1 for values in by_person(out, "area").values())
    before = Counter(zip(given["area"], given["who"], strict=True))
    assert Counter(area for area, _ in before) == Counter(area for area, _ in {(r["area"], r["who"]) for r in out})


@pytest.mark.slow
def test_a_merged_group_has_as_many_people_as_it_should(tmp_path):
    """Three people have both rare values: together these are three people and not six."""
    lines = [f"p{i},{value},{'fm'[i % 2]}" for i in range(3) for value in ("rare", "rarer")]
    lines += [f"q{i},{'some' if i < 7 else 'many'},{'fm'[i % 2]}" for i in range(40)]
    (tmp_path / "people.csv").write_text("\n".join(["who,faith,sex", *lines]) + "\n")
    (tmp_path / "faiths.csv").write_text("rare;few;*\nrarer;few;*\nsome;few;*\nmany;many;*\n")
    for way in ({"into": "other"}, {"hierarchy": "faiths.csv"}):
        plan = {
            "title": "A test", "tier": "open", "requirements": [{"model": "k", "k": 1}],
            "data": {"source": "people.csv", "kind": "survey", "unit": "who"},
            "variables": {
                name: {"role": role, "reason": "told"}
                for name, role in {"who": "identifier", "faith": "key", "sex": "key"}.items()
            },
            "steps": [
                {"step": "merge_small", "variable": "faith", "fewer_than": 5, **way},
                {"step": "drop", "variables": ["who"]},
            ],
        }  # fmt: skip
        (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
        run = ic.run(tmp_path / "plan.yaml")
        released = [line.split(",")[0] for line in (Path(run.release) / "data.csv").read_text().splitlines()[1:]]
        assert Counter(released) == {way.get("into", "few"): 13, "many": 33}


@pytest.mark.parametrize(
    "step",
    [{"step": "noise", "variables": ["x"], "sd": 9, "decimals": 3, "apart": True},
     {"step": "round", "variable": "x", "base": 7, "how": "random"}],
    ids=["noise", "round"],
)  # fmt: skip
def test_a_number_written_in_several_ways_is_drawn_once(step):
    """Drawn for each way of writing it, the average of a person's records would come near to the number again."""
    ways = ["100", "100.0", "100.00", "0100", "100.000"]
    given = {"who": ["a"] * 5 + [f"p{i}" for i in range(60)], "x": [*ways, *(ways[i % 5] for i in range(60))]}
    out, change, _ = apply_step(step, given | {"sex": ["f"] * 65}, ["sex"], unit="who")
    assert len(by_person(out, "x")["a"]) == 1
    assert change.cells_changed == 65  # every text is another one after the step
    if step["step"] == "round":  # 2/7 of 61 people go up, whichever way their number is written
        assert Counter(next(iter(values)) for values in by_person(out, "x").values())["105"] in (17, 18)


@settings(max_examples=examples(25), deadline=None)
@given(files, st.sampled_from([("top_code", 90), ("bottom_code", 10), ("top_code", 50)]))
def test_a_percentile_is_one_of_people(records, asked):
    """Counted in records, whoever has many sets the limit, and may be the only one beyond it."""
    step, share = asked
    given = columns(records)
    out, *_ = apply_step({"step": step, "variable": "bill", "percentile": share, "label": "beyond"}, given, KEYS,
                         unit="who")  # fmt: skip
    best = max if step == "top_code" else min
    own = sorted(best(int(b) for w, b in zip(given["who"], given["bill"], strict=True) if w == who)
                 for who in set(given["who"]))  # fmt: skip
    limit = next(x for at, x in enumerate(own, 1) if at * 100 >= share * len(own))
    beyond = {line for line, bill in enumerate(given["bill"])
              if (int(bill) >= limit if step == "top_code" else int(bill) <= limit)}  # fmt: skip
    assert {int(row["line"]) for row in out if row["bill"] == "beyond"} == beyond


def test_one_person_with_many_records_is_not_the_top():
    given = {"who": [f"p{i}" for i in range(90)] + ["much"] * 10, "x": [*map(str, range(90)), *["1000"] * 10]}
    out, *_ = apply_step({"step": "top_code", "variable": "x", "percentile": 95}, given | {"sex": ["f"] * 100}, ["sex"],
                         unit="who")  # fmt: skip
    assert {row["x"] for row in out if row["who"] == "much"} == {"86"}
    assert len({row["who"] for row in out if row["x"] == "86"}) == 5


AT_HOME = {
    "noise": {"step": "noise", "variables": ["rent", "bill"], "sd": 40, "decimals": 2},
    "correlated": {"step": "noise", "variables": ["rent", "mortgage"], "share": 2, "correlated": True, "decimals": 3},
    "apart": {"step": "noise", "variables": ["rent", "bill"], "sd": 40, "apart": True, "decimals": 2},
    "pram": {"step": "pram", "variable": "rent", "rate": 0.6},
    "strata": {"step": "pram", "variable": "rent", "rate": 0.6, "strata": ["mortgage"]},
}


@settings(max_examples=examples(25), deadline=None)
@given(files, st.sampled_from(sorted(AT_HOME)), st.booleans())
def test_what_all_of_a_household_have_stays_the_same_where_the_release_shows_households(records, name, several):
    """Drawn for each of them, the value that most show would be the truth, and their average near it."""
    assume(several or AT_HOME[name].get("apart") is None)
    given = columns(records)
    homes = [who % 3 for who, *_ in records]
    given |= {
        "home": [f"h{home}" for home in homes],
        # One household has it written in several ways, or does not have it in a record.
        "rent": [["700", "700.0", "", None][at % 4] if home == 0 and name != "pram" and name != "strata" else str(home)
                 for at, home in enumerate(homes)],
        "mortgage": [str(9 * home * home) for home in homes],
    }  # fmt: skip
    if name == "correlated":
        assume(len({home for home, rent in zip(homes, given["rent"], strict=True) if rent}) > 1)
        assume(len({who for who, *_ in records}) > 2)
    out, *_ = apply_step(AT_HOME[name], given, KEYS, unit="who" if several else None, household="home", homes=("home",))
    found = defaultdict(set)
    for row in out:
        found[row["home"]] |= {row["rent"]} - {None, ""}
    assert all(len(values) <= 1 for values in found.values())


def test_people_with_two_homes_are_drawn_by_themselves():
    given = {"who": ["a", "a", "b", "c"] * 30, "home": ["h", "g", "h", "g"] * 30, "x": ["5"] * 120, "sex": ["f"] * 120}
    step = {"step": "noise", "variables": ["x"], "sd": 40, "decimals": 2}
    out, *_ = apply_step(step, given, ["sex"], unit="who", household="home", homes=("home",))
    assert [len(values) for values in by_person(out, "x").values()] == [1, 1, 1]
    assert len({row["x"] for row in out}) == 3
