"""Releases of our own plans, taken as if another tool had made them: the figures are those of the audit."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from foreign_cases import KEYS, crowd, write
from people import SECRET

from incrowd.attack.foreign.truth import Truth
from incrowd.attack.foreign.trying import attack_foreign
from incrowd.attack.on_run import attack_all, attack_names, chosen_scenarios
from incrowd.attack.situation import Auxiliary
from incrowd.attack.value import Attacked
from incrowd.pipeline.foreign import trace_foreign
from incrowd.pipeline.foreign_plan import ForeignRelease
from incrowd.pipeline.trace import trace_plan

ASKED = ForeignRelease(keys=KEYS, sensitive=("ill",))
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "30", "45", "60", "75"]}
AREA = {"step": "recode", "variable": "area", "prefix": 2}
CELLS = {"step": "suppress_cells", "k": 3}
SWAP = {"step": "swap", "geography": ["area"], "rate": 0.1, "similar": ["sex"]}
NOISE = {"step": "noise", "variables": ["age"], "share": 0.1}
PRAM = {"step": "pram", "variable": "job", "rate": 0.1}
TOP = {"step": "top_code", "variable": "age", "at": 75}

#: With everybody's exact income in the release every record can be traced, whatever else was done to it.
TRACED = {
    "recoded": [BANDS, AREA, {"step": "suppress_records"}],
    "sampled": [BANDS, {"step": "sample", "fraction": 0.5}],
    "blanked": [BANDS, CELLS],
    "top coded": [TOP, AREA],
    "noisy": [NOISE],
    "swapped": [BANDS, SWAP],
    "exchanged": [BANDS, PRAM],
}
#: Without it, whoever is alike cannot be told apart; where only labels became coarser that makes no difference.
ALIKE = {
    "recoded": [BANDS, AREA, {"step": "suppress_records"}],
    "sampled": [BANDS, {"step": "sample", "fraction": 0.5}],
    "blanked": [BANDS, CELLS],
    "top coded": [TOP, AREA],
}
#: And where a key was changed, nobody can tell who is found.
CHANGED = {"noisy": [NOISE], "swapped": [BANDS, SWAP], "exchanged": [BANDS, PRAM]}
WITHOUT_TRUTH = ("singling_out", "homogeneity", "skewness")


def both(
    folder: Path, monkeypatch: pytest.MonkeyPatch, steps: list[dict[str, Any]], income: bool
) -> tuple[dict[str, Attacked], np.ndarray, dict[str, Attacked], Truth | None]:
    """The attacks on what a plan makes by its own trace, and on the same file as if another tool had made it."""
    monkeypatch.setenv("INCROWD_SECRET", SECRET)
    write(folder / "people.csv", crowd())
    roles = {"name": "identifier", **dict.fromkeys(KEYS, "key"), "income": "other", "ill": "sensitive"}
    drop = {"step": "drop", "variables": ["name", *([] if income else ["income"])]}
    plan = {
        "title": "P", "data": {"source": "people.csv", "kind": "survey"}, "tier": "open",
        "variables": {name: {"role": role, "reason": "r"} for name, role in roles.items()},
        "steps": [drop, *steps], "requirements": [{"model": "k", "k": 2}], "release": {"name": "made"},
    }  # fmt: skip
    (folder / "plan.yaml").write_text(yaml.safe_dump(plan))
    names = attack_names(["linkage", "nearest", *WITHOUT_TRUTH])
    with trace_plan(folder / "plan.yaml") as traced:
        situation = traced.situation()
        ours = attack_all(situation, Auxiliary(), chosen_scenarios(traced.plan, None), names)
        shutil.copy(traced.done.file, folder / "made.csv")
    with trace_foreign(folder / "made.csv", folder / "people.csv", None, ASKED) as foreign:
        theirs = attack_foreign(foreign.foreign, Auxiliary(), chosen_scenarios(foreign.plan, None), names)
    sides = [{one.attack: one for one in found} for found in (ours, theirs)]
    return sides[0], situation.lines, sides[1], foreign.foreign.truth


def agree(ours: Attacked, theirs: Attacked) -> bool:
    """Whether the intervals of two figures have something in common; and not one of them without a figure."""
    if ours.success is None or theirs.success is None:
        return ours.success is theirs.success
    return ours.success.low <= theirs.success.high and theirs.success.low <= ours.success.high


@pytest.mark.parametrize("case", TRACED)
def test_where_everybody_is_traced_the_figures_are_those_of_the_audit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    ours, lines, theirs, truth = both(tmp_path, monkeypatch, TRACED[case], income=True)
    assert truth is not None
    assert truth.exact.mean() > 0.95
    assert np.array_equal(truth.lines[truth.exact], lines[truth.exact])
    for name, one in ours.items():
        assert agree(one, theirs[name]), name
    for name in ("homogeneity", "skewness"):
        assert ours[name].success == theirs[name].success, name


@pytest.mark.parametrize("case", ALIKE)
def test_who_is_alike_need_not_be_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    ours, lines, theirs, truth = both(tmp_path, monkeypatch, ALIKE[case], income=False)
    assert truth is not None
    assert not truth.changed
    assert truth.exact.mean() < 0.75
    assert np.array_equal(truth.lines[truth.exact], lines[truth.exact])
    for name, one in ours.items():
        assert agree(one, theirs[name]), name


@pytest.mark.parametrize("case", CHANGED)
def test_where_a_key_was_changed_and_nobody_can_be_traced_linkage_has_no_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    ours, _, theirs, truth = both(tmp_path, monkeypatch, CHANGED[case], income=False)
    assert truth is not None
    assert truth.changed
    for name in ("linkage", "nearest"):
        assert ours[name].success is not None
        assert theirs[name].success is None
        assert "were changed" in theirs[name].why
        assert "may be as much as" in theirs[name].why
    for name in ("homogeneity", "skewness"):
        assert agree(ours[name], theirs[name]), name
