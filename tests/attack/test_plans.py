"""Attacks on what plans really release: whatever a step does to the keys, nobody's own record is out of sight."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from people import plan_with, write_case

from incrowd.attack import ATTACKS
from incrowd.attack.composition import compose
from incrowd.attack.matching.meeting import meet
from incrowd.attack.situation import Auxiliary
from incrowd.pipeline.trace import trace_plan

DROP = {"step": "drop", "variables": ["name"]}
BANDS = {"step": "recode", "variable": "age", "bands": ["0", "30", "40", "50"]}
LAST = {"step": "suppress_records"}
WIDTHS = {"age": {"widths": ["5", "20", "100"]}}
BOTH = WIDTHS | {"sex": "auto"}
PLANS: dict[str, list[dict[str, Any]]] = {
    "suppressed": [DROP, BANDS, LAST],
    "blanked": [DROP, BANDS, {"step": "suppress_cells", "k": "9"}],
    "recoded class by class": [DROP, {"step": "search", "local": True, "seconds": "1", "hierarchies": WIDTHS}, LAST],
    "named class by class": [DROP, {"step": "search", "local": True, "seconds": "1", "hierarchies": BOTH}, LAST],
    "searched": [DROP, {"step": "search", "suppression": "0.3", "hierarchies": WIDTHS}],
    "top coded": [DROP, {"step": "top_code", "variable": "age", "at": "40"}, LAST],
    "merged": [DROP, BANDS, {"step": "merge_small", "variable": "age", "fewer_than": "40", "into": "rest"}, LAST],
    "merged late": [DROP, BANDS, {"step": "sample", "fraction": "0.8"},
                    {"step": "merge_small", "variable": "age", "fewer_than": "40", "into": "rest"}, LAST],
    "rounded": [DROP, {"step": "round", "variable": "age", "base": "10"}, LAST],
}  # fmt: skip


def _lines(number: int = 160) -> str:
    return "".join(
        f"n{i},{20 + i * 7 % 33},{'fm'[i * i % 5 > 1]},{'yn'[i % 4 > 0]},{i % 7}\n" for i in range(number)
    )  # fmt: skip


@pytest.mark.parametrize("name", list(PLANS))
def test_a_released_record_can_be_its_own_persons(tmp_path: Path, name: str) -> None:
    path = write_case(tmp_path, plan_with(steps=PLANS[name]), _lines())
    with trace_plan(path) as traced:
        made = traced.situation()
        found = {word: attack(made, Auxiliary()) for word, attack in ATTACKS.items()}
    met = meet(made)
    assert np.array_equal(met.people, np.arange(160))
    assert met.meets[met.combination[made.lines], met.class_of].all()
    assert (met.coarse > 0) == ("blanked" in name or "class by class" in name)
    assert all(attacked.success is not None or attacked.why for all_ in found.values() for attacked in all_)
    homogeneous = found["homogeneity"][0]
    assert homogeneous.success is not None
    assert homogeneous.success.tries == len(made.lines)


def test_two_releases_of_one_source_are_put_together(tmp_path: Path) -> None:
    """Two plans with other bands of age: each hides everybody in a crowd, and together they do not."""
    shifted = BANDS | {"bands": ["0", "27", "37", "47"]}
    for name, bands in (("one", BANDS), ("two", shifted)):
        (tmp_path / name).mkdir()
        write_case(tmp_path / name, plan_with(steps=[DROP, bands, LAST]), _lines(400))
    with trace_plan(tmp_path / "one" / "plan.yaml") as one, trace_plan(tmp_path / "two" / "plan.yaml") as two:
        first, second = one.situation(), two.situation()
        composed = compose(first, second)
        auxiliary = Auxiliary(others={"two": second.released})
        apart, overlaid = ATTACKS["composition"](first, auxiliary), ATTACKS["differencing"](first, auxiliary)[0]
    both = int((first.inside & second.inside).sum())
    assert [attacked.success.tries for attacked in composed if attacked.success] == [both, both]
    for attacked in (*composed, *apart):
        assert attacked.success is not None
        assert attacked.baseline is not None
        assert attacked.success.value >= attacked.baseline
    assert overlaid.success is not None
    assert overlaid.success.tries == len(first.lines)
    assert "Not understood" not in overlaid.why
