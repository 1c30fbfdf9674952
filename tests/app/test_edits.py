"""Edits of a plan's tree: what is not meant stays, and what is written is read back as it was meant."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from incrowd.app import edits
from incrowd.app.document import _dumped, _parsed
from incrowd.errors import InputError
from incrowd.plan.load import _plain
from incrowd.plan.trees import yaml_tree

ROOT = Path(__file__).parents[2]
TEXT = """\
# The head.
title: One

data:
  source: people.csv
  kind: survey # how it was collected
  unit: id # it repeats
  # below the unit

# Who gets it.
tier: open
variables:
  age: {role: key, reason: Visible.}
  007:
    role: key
    decide: Nothing told.

# What is done.
steps:
  - step: drop
    variables: [name]
    # why so
  # between two
  - step: suppress_records

# At the end.
"""


def comments(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip().startswith("#")]


def content(text: str) -> Any:
    """As a plan is read: every value the text that is written."""
    return _plain(yaml_tree(text), (), {}, [])


def test_what_is_written_below_a_field_stays_when_the_field_goes() -> None:
    tree = _parsed(TEXT)
    edits.take_out(tree["data"], "unit")
    edits.take_out(tree["data"], "absent")
    edits.take_out(tree["steps"], 1)
    edits.take_out(tree["variables"]["age"], "reason")
    text = _dumped(tree)
    assert comments(text) == comments(TEXT)
    assert "it repeats" not in text
    assert "kind: survey # how it was collected\n  # below the unit\n\n# Who gets it.\ntier" in text
    read = content(text)
    assert read["data"] == {"source": "people.csv", "kind": "survey"}
    assert [one["step"] for one in read["steps"]] == ["drop"]
    assert read["variables"]["age"] == {"role": "key"}


def test_a_new_field_comes_before_the_comment_of_the_next_block() -> None:
    tree = _parsed(TEXT)
    edits.put(tree["data"], "weights", "w")
    edits.put(tree["variables"]["age"], "label", "Age", after=("role",))
    edits.put(edits.part(tree, "variables", 7), "reason", "Yes")
    edits.put(tree, "scenarios", [{"name": "a"}], after=("steps",))
    text = _dumped(tree)
    assert comments(text) == comments(TEXT)
    assert "unit: id # it repeats\n  weights: w\n  # below the unit\n\n# Who gets it.\ntier" in text
    assert "decide: Nothing told.\n    reason: Yes\n\n# What is done.\nsteps" in text
    assert content(text)["variables"]["age"] == {"role": "key", "label": "Age", "reason": "Visible."}


def test_a_text_in_the_place_of_a_folded_one_is_written_anew() -> None:
    tree = _parsed("a:\n  reason: >-\n    one\n    two\n  b: |\n    three\nc: 1\n")
    edits.put(tree["a"], "reason", "a: b # c")
    edits.put(tree["a"], "b", "007")
    assert content(_dumped(tree)) == {"a": {"reason": "a: b # c", "b": "007"}, "c": "1"}


def test_a_comment_stays_when_the_first_of_several_goes() -> None:
    tree = _parsed("a:\n  - x: 1\n    # of the first\n\n  # of the second\n  - y: 2\nb: {}\n")
    edits.take_out(tree["a"], 0)
    assert comments(_dumped(tree)) == ["# of the first", "# of the second"]
    tree = _parsed("a:\n  x: 1\n  # below\n  y: 2\n")
    edits.take_out(tree["a"], "x")
    assert comments(_dumped(tree)) == ["# below"]
    assert content(_dumped(tree)) == {"a": {"y": "2"}}


def test_one_more_of_a_list_comes_before_the_comment_of_the_next_block() -> None:
    tree = _parsed(TEXT)
    edits.append(tree["steps"], {"step": "swap"})
    text = _dumped(tree)
    assert "  - step: suppress_records\n  - step: swap\n\n# At the end.\n" in text
    tree = _parsed("a: 1\nb: 2\n")
    edits.put(tree, "c", [1], after=("a",))
    edits.space_below(tree, "c")
    edits.space_below(tree, "b")
    assert _dumped(tree) == "a: 1\nc:\n  - 1\n\nb: 2\n"


FLOW = """\
requirements:
  - {model: k, k: 3}

# who
scenarios:
  - name: one
    keys: [a]
    # saw
  - {name: two, keys: [b]}

# the end
release: {name: few}
# below
last: [1]
"""


@given(
    st.lists(st.tuples(st.sampled_from(["add", "flow", "remove", "field", "unfield"]), st.integers(0, 5)), max_size=12)
)
def test_no_comment_is_lost_or_moved_before_another_whatever_is_done_to_a_list(edited: list[tuple[str, int]]) -> None:
    text, wanted = FLOW, content(FLOW)["scenarios"]
    for what, number in edited:
        tree = _parsed(text)
        at = number % len(wanted) if wanted else 0
        if what in ("add", "flow"):
            new = tree["requirements"][0].copy() if what == "flow" else {"name": "new", "keys": ["x"]}
            wanted = [*wanted, content(FLOW)["requirements"][0] if what == "flow" else dict(new)]
            if "scenarios" in tree:
                edits.append(tree["scenarios"], new)
            else:
                edits.put(tree, "scenarios", [new], after=("requirements",))
        elif wanted and what == "field":
            edits.put(tree["scenarios"][at], "knows", "x", after=("name",))
            wanted = [*wanted[:at], wanted[at] | {"knows": "x"}, *wanted[at + 1 :]]
        elif wanted and what == "unfield":
            edits.take_out(tree["scenarios"][at], "keys")
            wanted = [*wanted[:at], {k: v for k, v in wanted[at].items() if k != "keys"}, *wanted[at + 1 :]]
        elif wanted and what == "remove":
            edits.take_out(*((tree, "scenarios") if len(wanted) == 1 else (tree["scenarios"], at)))
            wanted = [*wanted[:at], *wanted[at + 1 :]]
        text = _dumped(tree)
        read = content(text)
        assert (read.get("scenarios") or []) == wanted
        assert (read["requirements"], read["release"], read["last"]) == (
            [{"model": "k", "k": "3"}],
            {"name": "few"},
            ["1"],
        )
        assert [line for line in comments(text) if line != "# saw"] == ["# who", "# the end", "# below"]


PLANS = [path for place in ("src/incrowd/demo", "examples") for path in sorted((ROOT / place).rglob("*.yaml"))]


@pytest.mark.parametrize("path", PLANS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_the_plans_that_come_with_incrowd_keep_what_they_say(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    once = _dumped(_parsed(text))
    assert content(once) == content(text)
    assert _dumped(_parsed(once)) == once
    assert comments(once) == comments(text)


def test_the_last_of_a_list_can_go_with_the_list() -> None:
    tree = _parsed("a: 1\nlist:\n  - x: 1\n\n# below\nb: 2\n")
    edits.take_out(tree, "list")
    assert _dumped(tree) == "a: 1\n\n# below\nb: 2\n"


def test_names_are_found_as_they_are_written() -> None:
    tree = _parsed(TEXT)
    assert edits.as_written(TEXT) == content(TEXT)
    names = edits.as_written(TEXT)["variables"]
    assert list(names) == ["age", "007"]
    assert edits.named(tree["variables"], names, "007") == 7
    assert edits.named(tree["variables"], names, "7") is None
    for text in ("", "- a list\n", "a: [", "a: &x [*x]", "7"):
        assert edits.as_written(text) == {}


def test_what_is_no_block_is_told() -> None:
    with pytest.raises(InputError, match="'data' of the plan") as told:
        edits.part(_parsed("data: 3\n"), "data")
    assert told.value.code == "D419"
    with pytest.raises(InputError):
        edits.part(_parsed("data: {}\n"), "data", "population")
    with pytest.raises(InputError):
        edits.part(_parsed("data: []\n"), "data")
    assert edits.part(_parsed("data: []\n"), "data", kind=list) == []


#: What YAML's readers take for something else than a text, and any other text that a keyboard types.
TEXTS = st.one_of(
    st.sampled_from(
        ["Yes", "no", "on", "007", "1e3", "0x1F", "1_000", "null", "~", "Null", "2024-01-01", "12:30", "a: b # c",
         "- x", "? y", "*a", "&a", "!t", "|", ">", "%d", "@x", "`x`", "'", '"', "a\\nb", "{a: 1}", "[a]", "#", " #",
         ":", "a:", "=", "<<", ".inf", "True", "0o7", "+1", "..", "---", "...", "é", "Why?",
         "0?", "a?b", ":0", ":", "🙂", "x" * 500, "word " * 60]
    ),
    st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=200),
)  # fmt: skip


@given(TEXTS, st.sampled_from(["age", "007"]), st.sampled_from(["label", "reason", "role"]))
def test_any_text_is_read_back_as_it_was_written(text: str, variable: str, field: str) -> None:
    tree = _parsed(TEXT)
    block = tree["variables"][7 if variable == "007" else variable]
    edits.put(block, field, text, after=("role",))
    written = _dumped(tree)
    wanted = content(TEXT)
    wanted["variables"][variable][field] = text
    assert content(written) == wanted
    assert comments(written) == comments(TEXT)
    assert yaml.compose(io.StringIO(written)) is not None


@given(st.lists(TEXTS, min_size=1, max_size=4, unique=True))
def test_any_names_are_read_back_in_a_list_and_as_keys(names: list[str]) -> None:
    tree = _parsed(TEXT)
    edits.put(tree, "scenarios", [{"keys": names, "error": dict.fromkeys(names, 0.1)}])
    inside = tree["variables"]["age"]  # on one line, and so is what comes into it
    edits.put(inside, "exposure", {"reason": names[0], "more": dict.fromkeys(names, names)})
    read = content(_dumped(tree))
    assert read["scenarios"][0] == {"keys": names, "error": dict.fromkeys(names, "0.1")}
    assert read["variables"]["age"]["exposure"] == {"reason": names[0], "more": dict.fromkeys(names, names)}


@given(TEXTS)
def test_what_others_put_into_a_line_is_read_back_too(text: str) -> None:
    """The pages set texts in the tree as they are; ruamel.yaml writes some on one line that PyYAML cannot read."""
    tree = _parsed(TEXT)
    tree["variables"]["age"]["label"] = text
    tree["steps"][0]["variables"].append(text)
    read = content(_dumped(tree))
    assert read["variables"]["age"]["label"] == text
    assert read["steps"][0]["variables"] == ["name", text]
