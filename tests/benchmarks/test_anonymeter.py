"""The comparison with anonymeter: what it is handed, when ours counts as at least as high, and a small one for real."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.anonymeter_cases import IDENTIFIERS, KEPT, situations
from benchmarks.bench_anonymeter import Compared, Figure, Unavailable, environment

from benchmarks import __main__ as benches
from benchmarks import bench_anonymeter as bench
from incrowd.attack.value import Rate

AS_IT_CAME = "as it came"


def figure(hits: int, tries: int, control: int | None = None) -> Figure:
    return Figure.of(Rate(hits, tries), None if control is None else Rate(control, tries))


@pytest.mark.parametrize(
    ("theirs", "ours", "claims", "verdict"),
    [
        (figure(50, 100, 5), figure(50, 100), None, "yes"),
        (figure(52, 100, 5), figure(50, 100), None, "within the interval"),
        (figure(90, 100, 5), figure(50, 100), figure(95, 100), "of its claims"),
        (figure(90, 100, 5), figure(50, 100), figure(60, 100), "no"),
        (figure(90, 100, 88), figure(50, 100), None, "reason"),
        (figure(90, 100, 5), figure(50, 100), None, "no"),
    ],
)
def test_lower_is_only_excused_by_what_was_measured(
    theirs: Figure, ours: Figure, claims: Figure | None, verdict: str
) -> None:
    one = Compared("v", "a", theirs, ours, "nearest", claims)
    assert one.verdict == verdict
    assert bool(one.reason) == (verdict in ("of its claims", "reason"))
    assert verdict in bench.line(one)


def test_nobody_of_the_control_is_in_a_variant_and_targets_are_people_in_it(tmp_path: Path) -> None:
    ((name, made),) = situations(tmp_path, 300, AS_IT_CAME)
    assert name == AS_IT_CAME
    assert made.by_chance is not None
    assert made.released.num_rows == round(300 * KEPT)
    assert not (made.by_chance & made.inside).any()
    assert not set(IDENTIFIERS) & set(made.released.column_names)
    targets = bench.targets_of(made, 50)
    assert len(np.unique(targets)) == 50
    assert made.inside[targets].all()
    assert {"income", "age"} <= set(bench.numbers_of(made))
    assert "area" not in bench.numbers_of(made)


def test_it_runs_only_when_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "bench_anonymeter" not in benches.chosen([])
    assert "bench_linkage" in benches.chosen([])
    assert benches.chosen(["anonymeter"]) == ["bench_anonymeter"]
    with pytest.raises(SystemExit, match="there is no benchmark bench_nothing"):
        benches.chosen(["nothing"])


def test_where_no_environment_can_be_made_it_says_why_and_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="took longer than 0 seconds"):
        environment(tmp_path, seconds=0.01)
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match="Not a directory"):
        environment(tmp_path / "file" / "cache")


def test_the_other_side_knows_nothing_of_us() -> None:
    """It runs where incrowd is not installed: it starts on a Python with nothing but itself."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import runpy; runpy.run_path({str(bench.ORACLE)!r})"], capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.slow
def test_ours_is_at_least_as_high_on_a_small_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that gives everybody away, attacked by both: what is handed over is read as it is meant."""
    try:
        python = environment(bench.cache(), seconds=40)
    except Unavailable as error:
        pytest.skip(str(error))
    monkeypatch.setattr(bench, "ATTEMPTS", 2_000)
    found = {one.attack: one for one in bench.compared(python, tmp_path, 600, 60, AS_IT_CAME)}
    assert set(found) == {
        "univariate", "multivariate", *bench.SPLITS, *(f"inference of {secret}" for secret in bench.SECRETS),
    }  # fmt: skip
    assert {attack: one.verdict for attack, one in found.items() if one.verdict != "yes"} == {}
    assert found["linkability of all"].theirs.low > 0.8
    assert found["inference of income"].theirs.control[0] < 0.3
