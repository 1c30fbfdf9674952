"""A release that another tool made, looked at again: counted, measured and attacked, with no audit to compare with."""

import json
from datetime import date
from pathlib import Path

import pytest
from commands import incrowd_cli
from foreign_cases import KEYS, by_hand, crowd, write

import incrowd as ic
from incrowd.errors import InputError
from incrowd.report.review import review_page

DAY = date(2026, 5, 1)
ASKED = ic.ForeignRelease(keys=KEYS, sensitive=("ill",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    people = crowd()
    write(tmp_path / "people.csv", people)
    write(tmp_path / "release.csv", by_hand(people)[0])
    return tmp_path


def test_classes_and_requirements_are_counted_without_an_original(folder: Path) -> None:
    made = by_hand(crowd())[0]
    sizes: dict[tuple[str, ...], int] = {}
    for one in made:
        combination = tuple(one[key] for key in KEYS)
        sizes[combination] = sizes.get(combination, 0) + 1
    smallest, alone = min(sizes.values()), sum(size == 1 for size in sizes.values())
    asked = [ic.K(smallest), ic.K(smallest + 1), ic.KMap(2)]
    found = ic.review(folder / "release.csv", foreign=ASKED, requirements=asked, today=DAY)
    assert [(one.holds, one.has) for one in found.requirements] == [(True, smallest), (False, smallest), (None, None)]
    assert any(f"the smallest has {smallest:,}, and {alone:,} stand alone" in note for note in found.notes)
    assert "no audit" in found.notes[0]
    assert found.attacks == ()
    assert "linkage" in found.left_out
    assert found.untraced
    assert found.risks


def test_with_an_original_intruders_try_it(folder: Path) -> None:
    found = ic.review(folder / "release.csv", foreign=ASKED, original=folder / "people.csv", today=DAY)
    by_name = {one.now.attack: one.now for one in found.attacks}
    assert by_name["linkage"].success is not None
    assert not found.untraced
    assert any("found by what fits" in note for note in found.notes)
    assert any("linkage" in text for text in found.only_now)
    page = review_page(found)
    assert "there is no audit" in page
    assert "Worse than the audit says" not in page


def test_what_cannot_be_judged_is_named(folder: Path) -> None:
    write(folder / "people.csv", crowd(seed=9))
    found = ic.review(folder / "release.csv", foreign=ASKED, original=folder / "people.csv", today=DAY)
    assert any(
        text.startswith("all keys known: linkage: Whose record is whose is not known") for text in found.not_tried
    )


def test_a_register_is_counted_and_gives_claims(folder: Path) -> None:
    register = write(folder / "register.csv", by_hand(crowd(), ("name", *KEYS))[0])
    found = ic.review(folder / "release.csv", foreign=ASKED, external=[register], attacks=["linkage"], today=DAY)
    assert found.external == ("register.csv",)
    assert any(one.name == "external_one_to_one" for one in found.risks)
    assert found.attacks[0].now.success is None
    assert "just one released record" in found.attacks[0].now.why


def test_a_plan_gives_the_requirements_and_a_run_says_them_itself(folder: Path) -> None:
    lines = ["title: P", "data: {source: people.csv, kind: survey}", "tier: open", "variables:"]
    roles = {"name": "identifier", **dict.fromkeys(KEYS, "key"), "income": "other", "ill": "sensitive"}
    lines += [f"  {name}: {{role: {role}, reason: r}}" for name, role in roles.items()]
    lines += ["requirements: [{model: k, k: 2}]"]
    (folder / "plan.yaml").write_text("\n".join(lines) + "\n")
    found = ic.review(folder / "release.csv", foreign=ic.ForeignRelease(plan=folder / "plan.yaml"), today=DAY)
    assert len(found.requirements) == 1
    with pytest.raises(InputError, match="D477"):
        ic.review(folder / "plan.yaml", foreign=ASKED)


def test_the_command_writes_a_review_beside_the_file(folder: Path) -> None:
    done = incrowd_cli(
        "review", "release.csv", "--keys", ",".join(KEYS), "--model", "k:2", "--original", "people.csv",
        "--attack", "linkage", "--json", folder=folder,
    )  # fmt: skip
    assert done.returncode == 1, done.stderr  # people stand alone
    content = json.loads(done.stdout)
    assert content["released"] == "no audit"
    assert content["requirements"][0]["holds"] is False
    assert [path.name for path in folder.glob("review-*/review.html")] == ["review.html"]
