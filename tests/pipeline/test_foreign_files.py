"""A release that another tool made: its truth is found from the original, or it is said that nobody can tell."""

import random
from pathlib import Path
from typing import Any

import pytest
import yaml
from foreign_cases import KEYS, by_hand, crowd, write

import incrowd as ic
from incrowd.attack.foreign.truth import BY_FIT
from incrowd.attack.value import Attacked
from incrowd.errors import InputError
from incrowd.pipeline.foreign import TracedForeign, trace_foreign
from incrowd.pipeline.foreign_plan import ForeignRelease

ASKED = ForeignRelease(keys=KEYS, sensitive=("ill",))
WITHOUT_TRUTH = ("singling_out", "homogeneity", "skewness")


def opened(folder: Path, told: ForeignRelease = ASKED, **files: Path) -> TracedForeign:
    """A release of this folder compared with its original."""
    release, original = files.get("release", folder / "release.csv"), files.get("original", folder / "people.csv")
    with trace_foreign(release, original, None, told) as found:
        return found


def attacked(folder: Path, told: ForeignRelease = ASKED, **options: Any) -> dict[str, Attacked]:
    """What comes out, by the attack."""
    found = ic.attack(folder / "release.csv", original=folder / "people.csv", foreign=told, **options)
    return {one.attack: one for one in found.attacks}


def test_a_release_made_by_hand_is_traced_whatever_order_its_records_have(tmp_path: Path) -> None:
    people = crowd()
    made, lines = by_hand(people, (*KEYS, "income", "ill"), keep=lambda line: line % 3 > 0)
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    truth = opened(tmp_path).foreign.truth
    assert truth is not None
    assert truth.how == BY_FIT
    assert truth.exact.all()
    assert truth.lines.tolist() == lines
    assert truth.outside.sum() == 200


def test_linkage_is_one_over_the_class_where_labels_only_became_coarser(tmp_path: Path) -> None:
    """An oracle by hand: the expected share of hits is the number of classes by the number of records."""
    people = crowd()
    made, _ = by_hand(people)
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    success = attacked(tmp_path, attacks=["linkage"])["linkage"].success
    assert success is not None
    classes = len({tuple(one[key] for key in KEYS) for one in made})
    assert success.low <= classes / len(made) <= success.high


def test_other_people_altogether_are_never_safe(tmp_path: Path) -> None:
    write(tmp_path / "people.csv", crowd(seed=3))
    write(tmp_path / "release.csv", by_hand(crowd(seed=4), (*KEYS, "income", "ill"))[0])
    found = attacked(tmp_path)
    for name in ("linkage", "nearest", "gap", "row_order"):
        assert found[name].success is None
        assert found[name].why
    for name in WITHOUT_TRUTH:
        assert found[name].success is not None
        assert "taken for true" in found[name].why


def test_other_people_with_other_labels_are_never_safe(tmp_path: Path) -> None:
    def elsewhere(person: dict[str, str]) -> dict[str, str]:
        return {**person, "area": f"{person['area']}-abroad", "job": person["job"].upper() + "S", "sex": "x"}

    write(tmp_path / "people.csv", crowd(seed=3))
    write(tmp_path / "release.csv", by_hand(crowd(seed=4), change=elsewhere)[0])
    found = attacked(tmp_path)
    assert all(found[name].success is None for name in ("linkage", "nearest"))


def test_a_release_with_more_records_than_the_original_is_not_traced(tmp_path: Path) -> None:
    people = crowd(200)
    write(tmp_path / "people.csv", people)
    made = by_hand(people)[0]
    write(tmp_path / "release.csv", [*made, *made[:5]])
    found = attacked(tmp_path, attacks=["linkage"])["linkage"]
    assert found.success is None
    assert "5 records more" in found.why


def test_an_id_that_both_files_have_tells_whose_record_it_is_whatever_was_changed(tmp_path: Path) -> None:
    people, chance = crowd(), random.Random(2)
    jobs = [person["job"] for person in people]
    made, lines = by_hand(people, ("name", *KEYS, "ill"), change=lambda p: {**p, "job": chance.choice(jobs)})
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    found = opened(tmp_path)
    assert found.foreign.truth is not None
    assert found.foreign.truth.lines.tolist() == lines
    assert found.foreign.changed == ("job",)
    assert any("'name'" in note and "has the record" in note for note in found.foreign.notes)


def test_new_record_numbers_are_no_id(tmp_path: Path) -> None:
    people = [{"id": str(i), **person} for i, person in enumerate(crowd())]
    made, _ = by_hand(people, (*KEYS, "income", "ill"))
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", [{"id": str(i), **one} for i, one in enumerate(made)])
    found = opened(tmp_path)
    assert found.foreign.truth is not None
    assert found.foreign.truth.how == BY_FIT
    assert any("'id' is in both files and says nothing" in note for note in found.foreign.notes)
    with pytest.raises(InputError, match="D478"):
        opened(tmp_path, ForeignRelease(keys=KEYS, id="id"))


@pytest.mark.parametrize(("kind", "words"), [("pseudonym", "not there"), ("twice", "more than once")])
def test_an_id_that_tells_nothing_is_refused_when_it_is_asked_for(tmp_path: Path, kind: str, words: str) -> None:
    people = crowd()
    made, _ = by_hand(people, ("name", *KEYS, "ill"))
    make = {"pseudonym": lambda name: f"p{name}", "twice": lambda name: "n1"}[kind]
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", [{**one, "name": make(one["name"])} for one in made])
    with pytest.raises(InputError, match=words):
        opened(tmp_path, ForeignRelease(keys=KEYS, id="name"))
    assert opened(tmp_path).foreign.truth is not None


def test_the_order_counts_only_when_it_is_said_and_when_the_values_agree(tmp_path: Path) -> None:
    people = crowd()
    write(tmp_path / "people.csv", people)
    in_order = ForeignRelease(keys=KEYS, same_order=True)
    made, lines = by_hand(people, shuffled=False)
    write(tmp_path / "release.csv", made)
    truth = opened(tmp_path, in_order).foreign.truth
    assert truth is not None
    assert truth.lines.tolist() == lines
    assert truth.exact.all()
    plain = opened(tmp_path).foreign.truth
    assert plain is not None
    assert not plain.exact.all()
    write(tmp_path / "release.csv", by_hand(people)[0])
    with pytest.raises(InputError, match=r"D476.*not in the same order"):
        opened(tmp_path, in_order)
    write(tmp_path / "release.csv", made[:-1])
    with pytest.raises(InputError, match="D476"):
        opened(tmp_path, in_order)


def test_labels_that_nothing_explains_are_not_taken_for_safe(tmp_path: Path) -> None:
    people = crowd()
    regions = {"NE": "cold", "SW": "wet", "LS": "cold"}
    made, _ = by_hand(people, change=lambda one: {**one, "area": regions[one["area"]]})
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", made)
    assert opened(tmp_path).foreign.unread == ("area",)
    found = attacked(tmp_path, attacks=["linkage", "homogeneity"])
    assert found["linkage"].success is None
    assert "area cannot be read" in found["linkage"].why
    (tmp_path / "h").mkdir()
    lines = [f"{area};{regions[area[:2]]};*" for area in ("NE1", "NE2", "SW1", "SW2", "LS1")]
    (tmp_path / "h" / "area.csv").write_text("\n".join(lines) + "\n")
    told = ForeignRelease(keys=KEYS, sensitive=("ill",), hierarchies=tmp_path / "h")
    assert opened(tmp_path, told).foreign.unread == ()
    assert attacked(tmp_path, told, attacks=["linkage"])["linkage"].success is not None


def test_a_plan_tells_roles_codes_and_recodes(tmp_path: Path) -> None:
    people = crowd()
    write(tmp_path / "people.csv", people)
    words = {"m": "male", "f": "female"}
    made, lines = by_hand(
        people, (*KEYS, "income"),
        change=lambda one: {**one, "sex": words[one["sex"]], "area": {"NE": "cold"}.get(one["area"], "warm")},
    )  # fmt: skip
    write(tmp_path / "release.csv", made)
    roles = {"name": "identifier", **dict.fromkeys(KEYS, "key"), "income": "other", "ill": "sensitive"}
    variables: dict[str, Any] = {name: {"role": role, "reason": "r"} for name, role in roles.items()}
    variables["sex"]["codes"] = words
    area = {"step": "recode", "variable": "area", "mapping": {"NE1": "cold", "NE2": "cold"}, "others": "warm"}
    plan = {
        "title": "P", "data": {"source": "gone.csv", "kind": "survey"}, "tier": "open", "variables": variables,
        "steps": [area], "requirements": [{"model": "k", "k": 2}],
        "scenarios": [{"name": "colleague", "keys": ["sex", "job"], "knows_who_is_in": True}],
    }  # fmt: skip
    (tmp_path / "plan.yaml").write_text(yaml.safe_dump(plan))
    told = ForeignRelease(plan=tmp_path / "plan.yaml")
    found = opened(tmp_path, told)
    assert found.foreign.unread == ()
    assert found.foreign.truth is not None
    assert found.foreign.truth.lines.tolist() == lines
    assert attacked(tmp_path, told, attacks=["linkage"])["linkage"].scenario == "colleague"


def test_a_register_gives_claims_and_no_verdict(tmp_path: Path) -> None:
    people = crowd()
    write(tmp_path / "people.csv", [{key: one[key] for key in ("name", *KEYS)} for one in people])
    write(tmp_path / "release.csv", by_hand(people)[0])
    found = ic.attack(tmp_path / "release.csv", register=tmp_path / "people.csv", foreign=ASKED)
    by_name = {one.attack: one for one in found.attacks}
    assert by_name["linkage"].success is None
    assert "have just one released record that fits them" in by_name["linkage"].why
    assert "a register is no original" in by_name["linkage"].why
    assert by_name["homogeneity"].success is not None
    write(tmp_path / "release.csv", by_hand(people, ("name", *KEYS, "ill"))[0])
    told = ForeignRelease(keys=KEYS, sensitive=("ill",), id="name")
    judged = ic.attack(tmp_path / "release.csv", register=tmp_path / "people.csv", foreign=told, attacks=["linkage"])
    assert judged.attacks[0].success is not None


@pytest.mark.parametrize("kind", ["parquet", "latin-1", "semicolons"])
def test_files_as_other_tools_write_them(tmp_path: Path, kind: str) -> None:
    people = [{**one, "area": one["area"].replace("SW", "Südwest ")} for one in crowd()]
    made, lines = by_hand(people, (*KEYS, "income"), change=lambda one: {**one, "area": one["area"][:2]})
    write(tmp_path / "people.csv", people)
    release = tmp_path / "release.csv"
    if kind == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        release = tmp_path / "release.parquet"
        table = pa.Table.from_pylist(made)
        pq.write_table(table.set_column(4, "income", table["income"].cast(pa.float64())), release)
    elif kind == "latin-1":
        write(release, [{**one, "area": one["area"].replace("Sü", "Südwest 1")} for one in made], encoding="latin-1")
    else:
        write(release, made, delimiter=";")
    truth = opened(tmp_path, ForeignRelease(keys=("age", "sex", "job")), release=release).foreign.truth
    assert truth is not None
    assert truth.lines.tolist() == lines


def test_what_is_not_there_is_named(tmp_path: Path) -> None:
    people = crowd(50)
    write(tmp_path / "people.csv", people)
    made = by_hand(people)[0]
    write(tmp_path / "release.csv", [{f"x_{name}": value for name, value in one.items()} for one in made])
    with pytest.raises(InputError, match=r"D475.*none of the keys"):
        opened(tmp_path)
    write(tmp_path / "release.csv", made)
    with pytest.raises(InputError, match=r"D475.*'agee'.*Did you mean 'age'"):
        opened(tmp_path, ForeignRelease(keys=("agee",)))
    with pytest.raises(InputError, match="D477"):
        opened(tmp_path, ForeignRelease())
    with pytest.raises(InputError, match="D477"):
        ic.attack(tmp_path / "release.csv", foreign=ASKED)
    with pytest.raises(InputError, match=r"D477.*says itself"):
        ic.attack(tmp_path / "plan.yaml", foreign=ASKED)
    (tmp_path / "release.csv").write_text("age,sex\n")
    with pytest.raises(InputError, match=r"D475|D014"):
        opened(tmp_path)


def test_records_without_any_key_hide_nobody(tmp_path: Path) -> None:
    """ARX writes a suppressed record as stars: among everybody's candidates it would make the others look safe."""
    people = crowd()
    made, _ = by_hand(people)
    small = {key: sum(tuple(one[k] for k in KEYS) == key for one in made) for key in
             {tuple(one[k] for k in KEYS) for one in made}}  # fmt: skip
    gone = [small[tuple(one[k] for k in KEYS)] < 3 for one in made]
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", [one for one, out in zip(made, gone, strict=True) if not out])
    dropped = attacked(tmp_path, attacks=["linkage"])["linkage"]
    stars = dict.fromkeys(KEYS, "*")
    write(tmp_path / "release.csv", [one | stars if out else one for one, out in zip(made, gone, strict=True)])
    starred = attacked(tmp_path, attacks=["linkage"])["linkage"]
    assert dropped.success is not None
    assert starred.success is not None
    assert starred.success.tries == dropped.success.tries
    assert starred.success.low <= dropped.success.high
    assert dropped.success.low <= starred.success.high
    assert any(f"{sum(gone):,} records have no key at all" in note for note in opened(tmp_path).foreign.notes)


def test_a_column_that_was_starred_altogether_says_nothing_and_hides_nothing(tmp_path: Path) -> None:
    people = crowd()
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", by_hand(people, change=lambda one: {**one, "job": "*"})[0])
    found = opened(tmp_path)
    assert found.foreign.truth is not None
    assert found.foreign.truth.share == 1
    success = attacked(tmp_path, attacks=["linkage"])["linkage"].success
    assert success is not None
    classes = len({(one["age"], one["sex"], one["area"]) for one in by_hand(people)[0]})
    assert success.low <= classes / len(people) <= success.high
