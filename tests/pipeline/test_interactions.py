"""What steps, requirements and engines do to each other: cases in which a file looked safe and was not."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from people import SECRET, plan_with, write_case

import incrowd as ic
from incrowd.keys.merging import merge_into_one
from incrowd.pipeline.check import load_plan
from incrowd.release import recount
from incrowd.rows import open_source
from incrowd.rows.tabulate import tabulate
from incrowd.utility.points import SweepPoint, conclude


@pytest.fixture(autouse=True)
def secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INCROWD_SECRET", SECRET)


def write(folder: Path, columns: dict[str, list[str | None]], roles: dict[str, str], steps: list[dict[str, object]],
          requirements: list[dict[str, object]], **more: object) -> Path:  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({n: pa.array(v, pa.string()) for n, v in columns.items()}), folder / "people.parquet")
    data = {"source": "people.parquet", "kind": "survey", **more.pop("data", {})}  # type: ignore[dict-item]
    plan = {
        "title": "Together", "tier": "open", "data": data,
        "variables": {name: {"role": role, "reason": "as it is"} for name, role in roles.items()},
        "steps": steps, "requirements": requirements, "release": {"name": "people", "format": "parquet"}, **more,
    }  # fmt: skip
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan, sort_keys=False))
    return folder / "plan.yaml"


K1 = [{"model": "k", "k": "1"}]


def test_equal_records_are_drawn_one_by_one(tmp_path: Path) -> None:
    columns = {"a": ["1", "2", "3", "4"] * 250}
    plan = write(tmp_path, columns, {"a": "key"}, [{"step": "sample", "fraction": "0.5"}], K1)
    released = pq.read_table(ic.run(plan).release / "people.parquet")["a"].cast("string").to_pylist()
    found = Counter(released)
    assert len(released) == 500
    # A draw of 500 out of 1,000: each of the four has 125, give or take ten; all or none would be 0 or 250.
    assert all(90 < found[value] < 160 for value in "1234")


def test_rank_swap_counts_what_changed(tmp_path: Path) -> None:
    columns = {"a": [str(i // 2) for i in range(200)], "b": ["x"] * 200}
    step = {"step": "rank_swap", "variable": "a", "within": "0.05"}
    done = ic.run(write(tmp_path, columns, {"a": "other", "b": "key"}, [step], K1))
    assert 0 < done.log.steps[1].cells_changed <= 200
    assert Counter(pq.read_table(done.release / "people.parquet")["a"].cast("string").to_pylist()) == Counter(
        columns["a"]
    )


JOBS = {"area": [str(i % 7) for i in range(70)], "job": ["clerk"] * 69 + ["ONLYONE"]}


def test_rare_values_are_not_forgotten_where_classes_stay_in_the_engine(tmp_path: Path) -> None:
    roles, step = {"area": "key", "job": "other"}, {"step": "suppress_records", "of": ["job"], "fewer_than": "10"}
    done = ic.run(write(tmp_path / "near", JOBS, roles, [step], K1))
    assert "ONLYONE" not in pq.read_table(done.release / "people.parquet")["job"].to_pylist()
    with pytest.raises(ic.InputError, match="D080"):
        ic.run(write(tmp_path / "far", JOBS, roles, [step], K1, data={"limit": "3"}))


@pytest.mark.parametrize("limit", [{}, {"limit": "3"}])
@pytest.mark.parametrize(
    ("asked", "code"),
    [
        ({"model": "weak_k", "k": "9", "where": {"area": ["4 "]}}, "D068"),
        ({"model": "one_sided", "sensitive": "job", "value": "Clerk"}, "D046"),
    ],
)
def test_a_slip_in_a_requirement_is_found_near_and_far(
    tmp_path: Path, limit: dict[str, str], asked: dict[str, object], code: str
) -> None:
    with pytest.raises(ic.InputError, match=code):
        ic.run(write(tmp_path, JOBS, {"area": "key", "job": "sensitive"}, [], [asked], data=limit))


def test_a_condition_is_not_recoded_away_after_it_was_counted(tmp_path: Path) -> None:
    steps = [{"step": "suppress_records", "for": ["k"]},
             {"step": "recode", "variable": "job", "mapping": {"ONLYONE": "clerk"}}]  # fmt: skip
    asked = [{"model": "k", "k": "2"}, {"model": "weak_k", "k": "5", "where": {"job": ["ONLYONE"]}}]
    with pytest.raises(ic.PlanError, match="P017"):
        load_plan(write(tmp_path, JOBS, {"area": "key", "job": "other"}, steps, asked))


def test_several_records_of_one_person_are_rounded_alike(tmp_path: Path) -> None:
    columns = {"who": [str(i // 5) for i in range(200)], "a": [str(i // 5 % 3 + 1) for i in range(200)],
               "b": ["x"] * 200, "c": [str(i // 5) for i in range(200)]}  # fmt: skip
    steps = [{"step": "round", "variable": "a", "base": "5", "how": "random"}, {"step": "drop", "variables": ["who"]}]
    roles = {"who": "identifier", "a": "other", "b": "key", "c": "other"}
    done = ic.run(write(tmp_path, columns, roles, steps, K1, data={"unit": "who"}))
    found = pq.read_table(done.release / "people.parquet").to_pylist()
    assert set(Counter((row["c"], row["a"]) for row in found).values()) == {5}
    assert {row["a"] for row in found} == {0, 5}


def test_a_percentile_is_the_decimal_that_was_written(tmp_path: Path) -> None:
    columns = {"a": [str(i) for i in range(1, 1001)], "b": ["x"] * 1000}
    step = {"step": "top_code", "variable": "a", "percentile": "99.9", "label": "top"}
    done = ic.run(write(tmp_path, columns, {"a": "other", "b": "key"}, [step], K1))
    assert pq.read_table(done.release / "people.parquet")["a"].to_pylist().count("top") == 2


def test_a_sweep_recommends_no_k_that_does_not_hold(tmp_path: Path) -> None:
    columns = {"a": ["x"] * 20 + ["y", "z"], "s": ["n"] * 11 + ["y"] * 9 + ["n", "n"]}
    asked = [{"model": "k", "k": "5"}, {"model": "one_sided", "sensitive": "s", "value": "y"}]
    use = [{"name": "share", "test": "proportion", "share": {"s": ["y"]}, "within": "0.5"}]
    plan = write(tmp_path, columns, {"a": "key", "s": "sensitive"},
                 [{"step": "suppress_records", "for": ["one_sided"]}], asked, use_cases=use)  # fmt: skip
    swept = ic.sweep(plan, k="2:4").sweep
    assert [point.why for point in swept.points] == ["k does not hold"] * 3
    assert swept.recommended is None


def test_two_parameters_have_no_strictest_value() -> None:
    settings = [(k, other) for k in ("2", "9") for other in ("2", "3")]
    points = [SweepPoint(", ".join(s), {"k": s[0], "l": s[1]}, 10, 10, {}, 0.0, 5, 0.2, 0.2) for s in settings]
    assert conclude("requirements.0.k, requirements.1.l", points, None).recommended is None


def test_the_original_has_the_categories_of_the_release(tmp_path: Path) -> None:
    columns = {"age": [str(20 + i % 60) for i in range(240)], "sex": ["f", "m"] * 120}
    steps = [{"step": "top_code", "variable": "age", "at": "60", "label": "60"},
             {"step": "search", "hierarchies": {"age": {"widths": ["20", "100"]}}}]  # fmt: skip
    use = [{"name": "women", "test": "proportion", "by": "age", "share": {"sex": ["f"]}, "within": "0.001"}]
    done = ic.run(write(tmp_path, columns, {"age": "key", "sex": "key"}, steps, [{"model": "k", "k": "20"}],
                        use_cases=use))  # fmt: skip
    assert done.log.utility is not None
    assert done.log.utility.outcomes[0].passed
    assert not any(group.lost for group in done.log.utility.subgroups)


def test_only_a_small_group_is_a_reason_to_merge() -> None:
    assert merge_into_one({"N": 100, "S": 100, "W": 0}, 10, "other", "x") == {"N": "N", "S": "S", "W": "W"}
    assert merge_into_one({"N": 100, "S": 12, "T": 3, "W": 0}, 10, "other", "x")["W"] == "other"


def test_folders_above_a_file_are_no_columns_and_names_are_no_patterns(tmp_path: Path) -> None:
    folder = tmp_path / "region=north"
    folder.mkdir()
    pq.write_table(pa.table({"region": ["n1", "n2", "n3"], "a": ["1"] * 3}), folder / "people.parquet")
    assert ic.verify(folder / "people.parquet", ["region", "a"], [ic.K(3)]).k == 1
    for name, content in (("p[12].csv", "a\nx\nx\n"), ("p1.csv", "a\ny\n"), ("q*.csv", "a\nx\n"), ("q1.csv", "a\ny\n")):
        (tmp_path / name).write_text(content)
    assert open_source(tmp_path / "p[12].csv").value_counts("a") == {"x": 2}
    assert open_source(tmp_path / "q*.csv").value_counts("a") == {"x": 1}


def test_many_narrow_keys_are_not_lost(tmp_path: Path) -> None:
    names = [f"f{i}" for i in range(70)]
    lines = [["Y" if i in ticked else "" for i in range(70)] for ticked in ({0}, {1}, {0, 1})]
    (tmp_path / "ticks.csv").write_text("\n".join(",".join(line) for line in [names, *lines]) + "\n")
    assert tabulate(open_source(tmp_path / "ticks.csv"), names).uniques == 3


def test_a_fault_in_the_middle_of_a_stream_quotes_nobody(tmp_path: Path) -> None:
    lines = [f"a{i % 50000},b" for i in range(60_000)]
    (tmp_path / "bad.csv").write_text("\n".join(["x,y", *lines, "SECRETPERSON,33,extra"]) + "\n")
    with pytest.raises(ic.IncrowdError, match="D00") as caught:
        tabulate(open_source(tmp_path / "bad.csv"), ["x", "y"])
    error: BaseException | None = caught.value
    while error is not None:
        assert "SECRETPERSON" not in str(error)
        error = error.__cause__ or error.__context__


def test_every_part_of_a_release_is_looked_at(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": ["1"]}), tmp_path / "part-00000.parquet")
    pq.write_table(pa.table({"a": ["1"], "name": ["Ann"]}), tmp_path / "part-00001.parquet")
    with pytest.raises(ic.NotReleasable, match="R002"):
        recount.read_back(tmp_path, "parts")


def test_half_a_person_is_no_count(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("a\nx\nx\n")
    (tmp_path / "crowd.csv").write_text("a,n\nx,1.5\n")
    with pytest.raises(ic.InputError, match="D027"):
        ic.verify(tmp_path / "people.csv", ["a"], [ic.K(1)], population=tmp_path / "crowd.csv", population_count="n")


def test_the_scenarios_of_a_run_use_the_weights_that_incrowd_risk_uses(tmp_path: Path) -> None:
    """Each record stands for ten people, so nobody is as exposed as the file alone makes them look."""
    lines = "".join(f"n{i},{20 + i % 40},{'fm'[i % 2]},{'yn'[i % 3 == 0]},{8 + i % 5}\n" for i in range(60))
    plan = plan_with(
        scenarios=[{"name": "neighbour", "keys": ["age", "sex"], "knows_who_is_in": "false"}],
        steps=[{"step": "drop", "variables": ["name"]}],
        requirements=[{"model": "k", "k": "1"}],
    )
    plan["data"]["weights"] = "note"
    path = write_case(tmp_path, plan, lines)
    before = ic.run(path).log.risks[0].before
    alone = ic.risk(path).measured[0]
    assert {(r.name, r.value) for r in alone.risks} == {(r.name, r.value) for r in before.risks}
    assert any(r.name.startswith("individual") for r in before.risks)
