"""What was not tried has no figure: every attack, starved in every way that it can be, says so and why."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from people import plan_with, write_case
from situations import Record, crowd, situation, table
from typer.testing import CliRunner

import incrowd as ic
from incrowd.attack import ATTACKS
from incrowd.attack.composition import compose
from incrowd.attack.on_run import judge
from incrowd.attack.situation import Auxiliary, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.cli import load
from incrowd.errors import NotReleasable, PlanError
from incrowd.pipeline.check import load_plan
from incrowd.plan.attack import Attack

PEOPLE = crowd(
    600, age=[str(a) for a in range(20, 30)], place=list("abc"), ill=["y", "n"], note=["1", "2"],
    name=lambda r, c, i: f"n{i}",
)  # fmt: skip
COLUMNS = ("age", "place", "ill", "note")
BY_KEYS = {
    "linkage", "nearest", "probabilistic", "singling_out", "homogeneity", "skewness", "inference", "gap", "minimality",
    "composition",
}  # fmt: skip
ON_VALUES = {attack.word for attack in ATTACKS.values() if attack.on_values}
OTHER = Auxiliary(others={"other": table([{"age": "20", "note": "1"}, {"age": "25", "note": "2"}], ["age", "note"])})


def _made(people: list[Record] = PEOPLE, **changes: Any) -> Situation:
    return situation(people, ["age", "place"], ["ill"], identifiers=["name"], columns=COLUMNS, **changes)


def _blank(*names: str) -> Callable[[Record], Record]:
    return lambda record: record | dict.fromkeys(names)


def _strange(record: Record) -> Record:
    return record | {"age": "?", "place": "?"}


#: How an attack can be starved: the situation, what the intruder has beside it, and which attacks then try nothing.
STARVED: dict[str, tuple[Situation, Auxiliary, set[str]]] = {
    "everybody was suppressed": (_made(keep=lambda r: False), OTHER, set(ATTACKS)),
    "no key of the scenario is released": (
        replace(_made(), scenario=replace(_made().scenario, keys=())), OTHER, BY_KEYS),
    "all keys are missing": (_made(change=_blank("age", "place"), known=_blank("age", "place")), OTHER, BY_KEYS),
    "all keys are missing in the release": (
        _made(change=_blank("age", "place")), Auxiliary(), BY_KEYS - {"composition"},
    ),
    "no label means anything": (
        _made(change=_strange, known=lambda r: r | {"place": "x", "age": "y"}), Auxiliary(),
        {"linkage", "nearest", "probabilistic", "singling_out"}),
    "no value is left": (_made(change=_blank("ill"), known=_blank("ill")), Auxiliary(), ON_VALUES),
    "no sensitive variable": (situation(PEOPLE, ["age", "place"], columns=["age", "place"]), Auxiliary(), ON_VALUES),
    "nothing beside": (_made(), Auxiliary(), {"composition", "differencing", "reconstruction"}),
    "another file without a record": (
        _made(), Auxiliary(others={"o": table([], ["age", "note"])}), {"composition", "differencing"}),
    "another file without a shared column": (
        _made(), Auxiliary(others={"o": table([{"colour": "red"}], ["colour"])}), {"composition", "differencing"}),
    "another file with the keys alone": (
        _made(), Auxiliary(others={"o": table([{"age": "20"}], ["age"])}), {"composition"}),
    "another file without a value in common": (
        _made(), Auxiliary(others={"o": table([{"note": "x"}, {"note": "y"}], ["note"])}), {"composition"}),
    "another file about others": (
        _made(), Auxiliary(others={"o": table([{"age": "95", "note": "1"}], ["age", "note"])}), {"composition"}),
    "a table without a cell of anybody": (
        _made(keep=lambda r: r["name"] != "n1"),
        Auxiliary(tables={"t": table([{"place": "zz", "n": "4"}], ["place", "n"])}),
        {"differencing", "reconstruction"}),
    "a table without a count": (
        _made(keep=lambda r: r["name"] != "n1"),
        Auxiliary(tables={"t": table([{"place": "a", "n": "*"}], ["place", "n"])}), {"differencing"}),
    "a register of nobody": (
        _made(), Auxiliary(register=table([], ["age", "place"]), register_lines=np.zeros(0, np.int64)),
        {"linkage", "nearest", "probabilistic"}),
    "a register of others": (
        _made(), Auxiliary(register=table([{"age": "20", "place": "a"}] * 3, ["age", "place"]),
                        register_lines=np.full(3, -1)), {"linkage", "nearest", "probabilistic"}),
    "a register of nobody, by whom people are told apart": (
        _made(knows_who_is_in=False), Auxiliary(register=table([], ["age", "place"])),
        {"linkage", "nearest", "probabilistic"}),
    "no pseudonym": (_made(), Auxiliary(), {"dictionary"}),
    "nobody has a name": (
        situation([r | {"name": None, "p": f"{i:032x}"} for i, r in enumerate(PEOPLE)], ["age", "place"], ["ill"],
                  identifiers=["name"], columns=["age", "place", "ill", "p"]), Auxiliary(), {"dictionary"}),
    "nothing is missing": (_made(), Auxiliary(), {"gap", "minimality"}),
    "a gap without a neighbour": (
        situation([*({"a": "1", "b": "1", "ill": "yn"[i % 2]} for i in range(9)), {"a": "2", "b": "2", "ill": "y"}],
                  ["a", "b"], ["ill"], keep=lambda r: r["a"] == "1"), Auxiliary(), {"gap", "minimality"}),
    "nobody has a class": (
        _made(keep=lambda r: int(str(r["age"])) < 22, known=lambda r: r | {"age": "2" + str(r["age"])}), Auxiliary(),
        {"homogeneity", "skewness"}),
    "two records": (_made(keep=lambda r: r["name"] in ("n1", "n2")), Auxiliary(), {"row_order"}),
}  # fmt: skip


@pytest.mark.parametrize("starved", STARVED)
def test_an_attack_that_has_nothing_to_try_has_no_figure_and_says_why(starved: str) -> None:
    made, auxiliary, words = STARVED[starved]
    for word in words:
        for one in ATTACKS[word](made, auxiliary):
            assert one.success is None, (word, one)
            assert one.excess is None
            assert one.why
            for limits in (Attack(attacks=[word], limit=1.0), Attack(residual=1.0)):
                verdicts = judge(one, limits)
                assert not any(verdict.passed for verdict in verdicts)  # not even a limit that allows everything
                assert verdicts or (limits.attacks is None and one.does_not_apply)


@pytest.mark.parametrize("word", ATTACKS)
def test_the_same_attacks_give_a_figure_when_they_are_fed(word: str) -> None:
    crowd_left_out: list[Record] = [
        {"age": "20", "place": "a", "ill": "y", "note": "1", "name": f"m{i}"} for i in range(9)
    ]
    people = [record | {"p": str(10_000 + i)} for i, record in enumerate([*PEOPLE, *crowd_left_out])]
    made = situation(
        people, ["age", "place"], ["ill"], identifiers=["name"], columns=[*COLUMNS, "p"],
        keep=lambda r: (r["age"], r["place"]) != ("20", "a"),
    )  # fmt: skip
    if word == "membership":  # it is fed with people whom chance left out, and an intruder who does not know them
        half = np.arange(len(people)) % 2 == 0
        made = replace(
            situation(
                people, ["age", "place"], ["ill"], keep=lambda r: int(str(r["p"])) % 2 == 1, knows_who_is_in=False
            ),
            by_chance=half,
        )
    counted = Counter(record["place"] for record in people)
    by_place = table([{"place": place, "n": str(n)} for place, n in counted.items()], ["place", "n"])
    found = ATTACKS[word](
        made, Auxiliary(others={"other": table(people[:300], ["age", "note"])}, tables={"t": by_place})
    )
    assert all(one.success is not None and one.success.tries > 0 for one in found), found


def test_the_type_refuses_a_figure_without_a_try() -> None:
    one = Attacked("linkage", "s", "", "", Rate(1, 9), 0.1, Rate(0, 9), "")
    for wrong in (
        {"success": Rate(0, 0)}, {"control": Rate(0, 0)}, {"success": None}, {"does_not_apply": "somebody"},
    ):  # fmt: skip
        with pytest.raises(ValueError, match="linkage"):
            replace(one, **wrong)
    assert replace(one, success=None, why="no key").excess is None


def test_two_tiers_without_a_column_in_common_have_nothing_to_put_together() -> None:
    first = situation(PEOPLE, ["age"], ["ill"], columns=["age", "ill"])
    second = situation(PEOPLE, ["place"], ["note"], columns=["place", "note"])
    (found,) = compose(first, second)
    assert found.success is None
    assert found.does_not_apply


LIMIT = {"limit": 1.0}
ROLE = {"role": "Data officer", "date": "2026-01-31"}


def _case(folder: Path, attack: dict[str, Any], **more: Any) -> Path:
    (folder / "colours.csv").write_text("colour\nred\n")
    steps = [{"step": "drop", "variables": ["name"]}, {"step": "suppress_records"}]
    ask = {"requirements": [{"model": "k", "k": "1"}], "attack": [{**LIMIT, **attack}]}
    return write_case(folder, plan_with(steps=steps, **ask, **more))


def test_a_limit_on_a_composition_with_nothing_to_compose_is_refused(tmp_path: Path) -> None:
    for others in (["colours.csv"], []):
        path = _case(tmp_path, {"attacks": ["linkage", "composition"], "others": others})
        with pytest.raises(NotReleasable, match=r"R023.*composition"):
            ic.run(path)
    assert not (tmp_path / "release").exists()
    for refused in (tmp_path / "runs").glob("*-refused"):
        page = (refused / "audit" / "report.html").read_text()
        assert "limits are kept" not in page
        assert "1 of 2 limits" in page


def test_over_the_default_attacks_a_limit_binds_all_that_apply(tmp_path: Path) -> None:
    with pytest.raises(NotReleasable, match=r"R023.*composition.*differencing"):
        ic.run(_case(tmp_path, {}))
    nothing = {
        "no_other_release": {**ROLE, "text": "Nobody has published these people before."},
        "no_tables": {**ROLE, "text": "No table either."},
    }
    run = ic.run(_case(tmp_path, {}, attest=nothing))
    found = {one.attack: one for one in run.log.attacks}
    assert found["composition"].does_not_apply == "Data officer, 2026-01-31: Nobody has published these people before."
    assert "No table either." in found["differencing"].does_not_apply
    assert found["dictionary"].does_not_apply == "the release itself"
    assert all(one.success is not None or one.does_not_apply for one in run.log.attacks)


def test_a_plan_cannot_deny_the_files_that_it_names(tmp_path: Path) -> None:
    attest = {"no_other_release": {**ROLE, "text": "None."}, "no_tables": {**ROLE, "date": "2999-01-01", "text": "tbd"}}
    path = _case(tmp_path, {"others": ["colours.csv"], "tables": ["colours.csv"]}, attest=attest)
    with pytest.raises(PlanError) as error:
        load_plan(path)
    found = [(fault.code, fault.place) for fault in error.value.faults]
    assert ("P080", "attack.0.others") in found
    assert ("P080", "attack.0.tables") in found
    assert ("P064", "attest.no_tables.date") in found
    assert ("P066", "attest.no_tables.text") in found


@pytest.mark.slow
def test_a_review_with_a_file_that_has_nothing_to_compare_is_no_good_news(tmp_path: Path) -> None:
    run = ic.run(_case(tmp_path, {"attacks": ["linkage"]}))
    (tmp_path / "codes.csv").write_text("age,sex\nA,1\nB,2\n")
    (tmp_path / "empty.csv").write_text("age,sex\n")
    for name, why in (("colours.csv", "shares no column"), ("codes.csv", "no value of age, sex"), ("empty.csv", "no")):
        found = ic.review(run.folder, external=[tmp_path / name])
        assert len(found.not_tried) >= 1
        assert name in found.not_tried[0]
        assert why in found.not_tried[0]
        figures = [risk for risk in found.risks if risk.name.startswith("external")]
        assert figures
        assert all(risk.now is None for risk in figures)
        assert not any(one.now.success is not None for one in found.attacks if one.now.attack == "composition")
    done = CliRunner().invoke(
        load(), ["review", str(run.folder), "--attack", "linkage", "--external", str(tmp_path / "colours.csv")]
    )
    assert done.exit_code == 1
    assert "could be tried became worse" in " ".join(done.stdout.split())
    (place,) = run.folder.glob("review-*")
    assert "Not tried" in (place / "review.html").read_text()
    assert json.loads((place / "review.json").read_text())["not_tried"]
