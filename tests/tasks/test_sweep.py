"""The sweep: the study's row of dropped records, the same as runs one by one, nothing released; and what plans say."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from commands import incrowd_cli
from people import SECRET
from utility_cases import people, shuffled

import incrowd as ic
from incrowd.errors import InputError, PlanError
from incrowd.plan import inspect_plan
from incrowd.report.charts.frontier import frontier, frontier_page
from incrowd.report.internal import internal_report
from incrowd.report.public import public_report
from incrowd.tasks.sweep import sweep
from incrowd.utility.by_class import parse_values
from incrowd.utility.outcome import Outcome
from incrowd.utility.points import SweepPoint, conclude
from incrowd.utility.settings import Setting, k_setting, parse_setting, with_value

#: METHODS, section 5: classes of size 1..10 after the study's last recoding, and its row of dropped records.
CLASSES = [2561, 1182, 662, 460, 402, 327, 292, 284, 291, 277]
DROPPED = [2561, 4925, 6911, 8751, 10761, 12723, 14767, 17039, 19658, 22428]

PLAN: dict[str, Any] = {
    "title": "People", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
    "variables": {
        **{name: {"role": "key", "reason": "-"} for name in ("job", "sex", "area", "age")},
        **{name: {"role": "sensitive", "reason": "-"} for name in ("pay", "ill")},
    },
    "steps": [
        {"step": "recode", "variable": "age", "bands": ["16", "30", "45", "60"]},
        {"step": "recode", "variable": "area", "mapping": {"area0": "north", "area1": "north"}},
        {"step": "suppress_records", "for": ["k"]},
        {"step": "suppress_records", "for": ["one_sided"]},
    ],
    "requirements": [{"model": "k", "k": "5"}, {"model": "one_sided", "sensitive": "ill", "value": "no"}],
    "use_cases": [
        {"name": "illness", "test": "top_overlap", "by": "area", "share": {"ill": ["yes"]}, "at_least": "2"},
        {"name": "pay", "test": "t_test", "of": "pay", "between": {"sex": ["m", "f"]}, "by": "job"},
        {"name": "middle", "test": "median", "of": "pay", "within": "0.05"},
        {"name": "bits", "test": "entropy_ratio", "at_least": "0.5"},
    ],
}  # fmt: skip


def write(folder: Path, **changes: Any) -> Path:
    """people.csv and a plan beside it."""
    columns = people(1500)
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump({**PLAN, **changes}, sort_keys=False))
    os.environ["INCROWD_SECRET"] = SECRET
    return path


def settings_of(path: Path, k: str) -> list[Setting]:
    return [k_setting(ic.load_plan(path), k)]


def test_a_file_with_the_studys_classes_gives_its_row_of_dropped_records(tmp_path: Path) -> None:
    lines, number = ["key,other"], 0
    for size, classes in enumerate([*CLASSES, 3000], start=1):
        for _ in range(classes):
            lines += [f"c{number},x"] * size
            number += 1
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    plan = {
        "title": "t", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
        "variables": {"key": {"role": "key", "reason": "-"}, "other": {"role": "other", "reason": "-"}},
        "steps": [{"step": "suppress_records"}], "requirements": [{"model": "k", "k": "9"}],
    }  # fmt: skip
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(plan))
    os.environ["INCROWD_SECRET"] = SECRET
    found = sweep(path, settings_of(path, "2:11")).sweep
    assert [point.label for point in found.points] == [str(k) for k in range(2, 12)]
    assert [point.dropped["k"] for point in found.points] == DROPPED
    assert [point.smallest for point in found.points] == list(range(2, 12))
    assert found.chosen == "9"
    assert found.recommended is None
    assert "no use cases" in found.advice


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("swept")


@pytest.fixture(scope="module")
def runs(home: Path) -> dict[int, ic.Run]:
    """The plan run for real at three k, with the sweep in its evidence."""
    found = {}
    for k in (2, 5, 9):
        requirements = [{"model": "k", "k": str(k)}, PLAN["requirements"][1]]
        alternatives = [
            {"name": "both", "requirements": [{"model": "distinct_l", "sensitive": "ill", "l": "2"}],
             "instead_of": ["one_sided"]},
            {"name": "near", "requirements": [{"model": "t", "sensitive": "pay", "t": "0.2", "distance": "ordered"}]},
        ]  # fmt: skip
        path = write(home, requirements=requirements, sweep={"k": "2,5,9"}, alternatives=alternatives)
        found[k] = ic.run(path, out=home / f"out{k}")
    return found


def told(outcomes: tuple[Outcome, ...]) -> list[Any]:
    return [(o.use_case, o.passed, o.found, [(f.name, f.same) for f in o.figures]) for o in outcomes]


@pytest.mark.slow
def test_the_sweep_by_class_is_what_runs_one_by_one_give(home: Path, runs: dict[int, ic.Run]) -> None:
    for run in runs.values():
        utility = run.log.utility
        assert utility is not None
        assert utility.sweep is not None
        for point in utility.sweep.points:
            real = runs[int(point.label)].log
            assert real.utility is not None
            assert point.released == real.end.records
            assert point.smallest == real.end.smallest
            assert point.loss == pytest.approx(real.utility.loss.arithmetic)
            assert point.risk_mean == pytest.approx(real.end.classes / real.end.records)
            assert sum(point.dropped.values()) == real.start.records - real.end.records
            assert told(point.outcomes) == told(real.utility.outcomes)
            for one, other in zip(point.outcomes, real.utility.outcomes, strict=True):
                values = [f.released.value for f in one.figures], [f.released.value for f in other.figures]
                assert values[0] == pytest.approx(values[1], rel=1e-9)


@pytest.mark.slow
def test_the_way_of_other_parameters_gives_the_same_points(home: Path, runs: dict[int, ic.Run]) -> None:
    path = write(home)
    quick = sweep(path, settings_of(path, "2,5,9"), out=home / "s").sweep
    slow = sweep(
        path, [parse_setting("requirements.0.k=2,5,9"), parse_setting("steps.0.reason=x")], out=home / "s"
    ).sweep
    for one, other in zip(quick.points, slow.points, strict=True):
        assert (one.released, one.dropped, one.smallest) == (other.released, other.dropped, other.smallest)
        assert told(one.outcomes) == told(other.outcomes)
        assert one.loss == pytest.approx(other.loss)


def test_a_sweep_releases_nothing(tmp_path: Path) -> None:
    path = write(tmp_path)
    sweep(path, settings_of(path, "2:4"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["people.csv", "plan.yaml", "runs"]
    assert [p.name for p in (tmp_path / "runs").iterdir()] == [".lock"]


def test_any_parameter_of_a_plan_can_be_swept(tmp_path: Path) -> None:
    path = write(tmp_path, requirements=[{"model": "t", "sensitive": "ill", "t": "0.4"}],
                 steps=[*PLAN["steps"][:2], {"step": "suppress_records"}])  # fmt: skip
    found = sweep(path, [parse_setting("requirements.0.t=0.1:0.4:0.1")]).sweep
    assert [point.label for point in found.points] == ["0.1", "0.2", "0.3", "0.4"]
    released = [point.released for point in found.points]
    assert released == sorted(released)
    assert found.chosen == "0.4"
    bands = sweep(path, [parse_setting("steps.0.bands.3=50,60,70")]).sweep
    assert len({point.risk_mean for point in bands.points}) > 1
    assert bands.recommended is None  # nobody knows which is stricter
    with pytest.raises(InputError, match="D154"):
        k_setting(ic.load_plan(path), "2:5")


def test_a_search_is_swept_and_compared_at_the_levels_it_found(tmp_path: Path) -> None:
    steps = [{"step": "search", "hierarchies": {"age": "auto", "area": "auto"}, "suppression": "0.05"}]
    case = {"name": "ages", "test": "proportion", "by": "age", "share": {"ill": ["yes"]}}
    path = write(tmp_path, steps=steps, requirements=[{"model": "k", "k": "3"}], use_cases=[case])
    found = sweep(path, settings_of(path, "3,20")).sweep
    for point in found.points:
        assert not point.why
        figures = point.outcomes[0].figures
        assert figures
        # The original has the release's groups, whatever the search made of them.
        assert all(figure.original.value is not None for figure in figures)
        assert sum(figure.original.records for figure in figures) == 1500
        assert all(figure.released.records <= figure.original.records for figure in figures)
        assert point.loss is not None


def test_a_candidate_is_one_more_point(tmp_path: Path) -> None:
    path = write(tmp_path)
    other = tmp_path / "coarse.yaml"
    other.write_text(yaml.safe_dump({**PLAN, "steps": [{"step": "drop", "variables": ["age"]}, *PLAN["steps"][1:]]}))
    found = sweep(path, settings_of(path, "3,5"), candidates=[other]).sweep
    assert [point.label for point in found.candidates] == ["coarse"]
    chart = frontier(found).to_dict(validate=False)
    rows = chart["data"]["values"] if "data" in chart and "values" in chart["data"] else json.loads(json.dumps(chart))
    assert "coarse" in json.dumps(rows)
    page = frontier_page(found)
    assert "<script src" not in page  # it carries its script along
    assert "coarse" in page


@pytest.mark.slow
def test_prices_are_what_dropping_alone_would_cost(runs: dict[int, ic.Run]) -> None:
    log = runs[5].log
    assert log.utility is not None
    plan, both, near = log.utility.prices
    assert plan.chosen
    assert plan.dropped == log.start.records - log.end.records
    assert both.dropped >= plan.dropped
    assert near.dropped > plan.dropped
    assert "every class has at least 2 different values of ill" in both.requirements
    assert not any("everybody" in words for words in both.requirements)  # one_sided is not made there


def test_the_reports_show_the_tables_and_the_public_one_no_figure_of_before(runs: dict[int, ic.Run]) -> None:
    log = runs[5].log
    assert log.utility is not None
    inside, outside = internal_report(log), public_report(log)
    for text in (
        "Which k keeps the conclusions",
        "rank released",
        "Welch&#39;s p original",
        "Whom it removed",
        "priced",
    ):
        assert text in inside, text
    for outcome in log.utility.outcomes:
        assert outcome.use_case in outside
        for figure in outcome.figures:
            if figure.original.value is not None and 0 < abs(figure.original.value) < 100:
                assert f"{figure.original.value:.3f}" not in outside
    assert json.loads((runs[5].audit / "log.json").read_text())["utility"]["outcomes"][0]["use_case"] == "illness"


def test_a_bad_release_is_told_in_the_run(tmp_path: Path) -> None:
    """The same plan on a file whose illness has nothing to do with area: the ranking does not survive suppression."""
    path = write(tmp_path, requirements=[{"model": "k", "k": "60"}], steps=PLAN["steps"][:3])
    columns = shuffled(people(1500), "ill")
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(ic.NotReleasable):
        ic.run(path)  # nobody is left
    refused = next((tmp_path / "runs").glob("*-refused"))
    assert "nothing was compared" in (refused / "audit" / "report.html").read_text()


def points(*broken: tuple[str, ...]) -> list[SweepPoint]:
    made = []
    for k, names in enumerate(broken, start=2):
        outcomes = tuple(Outcome(n, "t_test", "", n not in names, "", "") for n in ("one", "two"))
        made.append(SweepPoint(str(k), {"k": str(k)}, 100, 100 - k, {"k": k}, 0.1, k, 1 / k, 0.1, outcomes))
    return made


def test_the_recommendation_is_the_strictest_value_at_which_nothing_breaks() -> None:
    found = conclude("k", points((), (), (), ("two",), ("one", "two")), "3")
    assert found.recommended == "4"
    assert "Next, at 5: breaks 'two'" in found.advice
    unstable = conclude("k", points((), ("one",), (), ("two",)), None)
    assert unstable.recommended == "4"
    assert "not stable" in unstable.advice
    assert conclude("k", points(("one",), ("one",)), None).recommended is None
    assert "may do as well" in conclude("k", points((), ()), None).advice
    assert conclude("requirements.0.t", points(("one",), (), ()), None).recommended == "3"  # less is stricter
    assert conclude("steps.0.bands.1", points((), ()), None).recommended is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [("2:5", "2 3 4 5"), ("0.1,0.2", "0.1 0.2"), ("0:1:0.5", "0 0.5 1"), ("2:3,9,9", "2 3 9"), ("ordered", "ordered")],
)
def test_values_are_ranges_and_lists(text: str, expected: str) -> None:
    assert parse_values(text) == expected.split()


@pytest.mark.parametrize(
    ("text", "code"),
    [("requirements.0.k", "D156"), ("requirements.0.kk=2", "D157"), ("requirements.7.k=2", "D157"),
     ("nothing.k=2", "D157"), ("requirements.0.k=many", "D158"), ("requirements.0.k=5:2", "D159"),
     ("requirements.0.k=", "D159")],
)  # fmt: skip
def test_a_setting_that_cannot_be_meant_says_so(tmp_path: Path, text: str, code: str) -> None:
    plan = ic.load_plan(write(tmp_path))
    with pytest.raises(InputError) as caught:
        setting = parse_setting(text)
        with_value(plan, setting.paths[0], setting.values[0])
    assert caught.value.code == code


def faults(folder: Path, **changes: Any) -> list[str]:
    return [fault.code for fault in inspect_plan(write(folder, **changes).read_text(), folder).faults]


def test_a_plan_whose_use_cases_make_no_sense_has_faults(tmp_path: Path) -> None:
    case = PLAN["use_cases"][2]
    assert faults(tmp_path) == []
    assert faults(tmp_path, use_cases=[{**case, "of": "payy"}]) == ["P045"]
    dropped = [{"step": "drop", "variables": ["pay"]}, *PLAN["steps"]]
    assert faults(tmp_path, use_cases=[case], steps=dropped) == ["P045"]
    assert faults(tmp_path, use_cases=[case, case]) == ["P046"]
    mine = {"name": "mine", "test": "python", "function": "mine:f", "columns": ["pay"]}
    assert faults(tmp_path, use_cases=[mine]) == ["P047"]
    assert faults(tmp_path, use_cases=[{**mine, "function": "../mine:f"}]) == ["P004"]
    odd = {"name": "a", "requirements": [{"model": "distinct_l", "sensitive": "job", "l": "2"}]}
    assert faults(tmp_path, alternatives=[odd]) == ["P048"]
    assert faults(tmp_path, use_cases=[{**case, "test": "mode"}]) == ["P006"]
    assert faults(tmp_path, use_cases=[{**PLAN["use_cases"][0], "at_least": "9"}]) == ["P004"]
    search = [{"step": "search", "hierarchies": {"age": "auto"}}]
    assert faults(tmp_path, sweep={"k": "2:4"}, steps=search) == ["P049"]
    with pytest.raises(PlanError):
        ic.load_plan(tmp_path / "plan.yaml")


def test_the_records_that_use_cases_compare_with_follow_the_recodings(tmp_path: Path) -> None:
    """A recode after suppression, of a column that is no key, is done to the original too."""
    roles = {**PLAN["variables"], "pay": {"role": "other", "reason": "-"}}
    late = {"step": "recode", "variable": "pay", "bands": ["0", "30000"], "labels": ["low", "high"]}
    case = {"name": "high", "test": "proportion", "share": {"pay": ["high"]}, "within": "0.5"}
    path = write(tmp_path, variables=roles, steps=[*PLAN["steps"], late], use_cases=[case])
    log = ic.run(path).log
    assert log.utility is not None
    figure = log.utility.outcomes[0].figures[0]
    expected = sum(float(str(p)) >= 30000 for p in people(1500)["pay"]) / 1500
    assert figure.original.value == pytest.approx(expected)
    assert figure.original.records == 1500
    assert figure.released.value is not None


def test_the_command_cuts_no_number_and_prints_json_for_scripts(tmp_path: Path) -> None:
    path, chart = write(tmp_path), tmp_path / "chart.html"
    command = ("sweep", path, "--k", "2,5,9")
    shown = incrowd_cli(*command, "--chart", chart, COLUMNS="80")
    said = incrowd_cli(*command, "--json", COLUMNS="80")
    assert (shown.returncode, said.returncode) == (0, 0)
    found = json.loads(said.stdout)["sweep"]
    assert said.stderr == ""
    for point in found["points"]:
        line = next(line for line in shown.stdout.splitlines() if line.startswith(f"│ {point['label']}"))
        for number in (*point["dropped"].values(), point["released"]):
            assert f"{number:,}" in line
    assert "Nothing was released." in shown.stdout
    assert "…" not in shown.stdout
    assert chart.exists()


def test_what_a_candidate_drops_is_counted_from_its_first_step(tmp_path: Path) -> None:
    """Its steps are all shared with itself, and what a sample drops is no model's."""
    path = write(tmp_path)
    other = {**PLAN, "steps": [*PLAN["steps"][:2], {"step": "sample", "fraction": "0.5"}, {"step": "suppress_records"}]}
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(other, sort_keys=False))
    found = sweep(path, k="5,9", candidates=[tmp_path / "plan.yaml", tmp_path / "other.yaml"]).sweep
    own = next(point for point in found.points if point.label == "5")
    assert dict(found.candidates[0].dropped) == dict(own.dropped)
    for point in (*found.points, *found.candidates):
        assert sum(point.dropped.values()) == point.records - point.released > 0
    assert "sample" in found.models


def test_every_variant_counts_what_the_steps_before_the_change_dropped(tmp_path: Path) -> None:
    steps = [*PLAN["steps"][:2], {"step": "sample", "fraction": "0.5"}, {"step": "suppress_records"}]
    path = write(tmp_path, steps=steps)
    for point in sweep(path, k="3,5").sweep.points:
        assert point.dropped["sample"] == 750
        assert sum(point.dropped.values()) == point.records - point.released
