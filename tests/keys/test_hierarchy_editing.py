"""Hierarchies changed by hand: whatever is done, they stay sound, and only what was asked changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from incrowd.errors import InputError
from incrowd.keys.hierarchies import validate
from incrowd.keys.hierarchies.editing import add_level, drop_level, put_together, rename
from incrowd.keys.hierarchy import Hierarchy


@st.composite
def hierarchies(draw: st.DrawFn) -> Hierarchy:
    """Nested by making: the groups of a level are unions of those below."""
    leaves = draw(st.integers(2, 9))
    columns = [[f"v{i}" for i in range(leaves)]]
    groups = list(range(leaves))
    for level in range(1, draw(st.integers(2, 4))):
        merged = {group: draw(st.integers(0, 3)) for group in sorted(set(groups))}
        groups = [merged[group] for group in groups]
        columns.append([f"l{level}-{group}" for group in groups])
    columns.append(["*"] * leaves)
    return Hierarchy("x", tuple(zip(*columns, strict=True)))


@given(hierarchies(), st.data())
def test_whatever_is_done_it_stays_sound(tree: Hierarchy, data: st.DataObject) -> None:
    for _ in range(5):
        if tree.height < 2:
            tree = add_level(tree, 0)
        level = data.draw(st.integers(1, tree.height - 1))
        labels = sorted(tree.groups(level))
        way = data.draw(st.sampled_from(["together", "rename", "add", "drop"]))
        before = tree
        if way == "together":
            chosen = data.draw(st.lists(st.sampled_from(labels), min_size=1, unique=True))
            name = data.draw(st.sampled_from(["new", *labels]))
            tree = put_together(tree, level, chosen, name)
            together = {leaf for label in {*chosen, name} & {*labels} for leaf in before.groups(level)[label]}
            assert set(tree.groups(level)[name]) == together
            for label in set(labels) - {*chosen, name}:
                assert tree.groups(level)[label] == before.groups(level)[label]
            assert all(tree.groups(below) == before.groups(below) for below in range(level))
        elif way == "rename":
            tree = rename(tree, level, labels[0], "another name")
            assert tree.groups(level)["another name"] == before.groups(level)[labels[0]]
        elif way == "add":
            tree = add_level(tree, level)
            assert (tree.height, tree.groups(level), tree.groups(level + 1)) == (
                before.height + 1, before.groups(level), before.groups(level),
            )  # fmt: skip
        else:
            tree = drop_level(tree, level)
            assert tree.height == before.height - 1
        assert not validate(tree)
        assert tree.leaves == before.leaves
        if way == "rename":
            tree = rename(tree, level, "another name", labels[0])


TREE = Hierarchy("age", (("31", "30s", "*"), ("38", "30s", "*"), ("45", "40s", "*")))


@pytest.mark.parametrize(
    ("code", "edit"),
    [
        ("D452", lambda: put_together(TREE, 0, ["31"], "x")),
        ("D452", lambda: put_together(TREE, 2, ["*"], "x")),
        ("D452", lambda: rename(TREE, 9, "30s", "x")),
        ("D452", lambda: drop_level(TREE, 2)),
        ("D452", lambda: add_level(TREE, 2)),
        ("D453", lambda: put_together(TREE, 1, ["30s"], "")),
        ("D453", lambda: put_together(TREE, 1, ["30s"], " x")),
        ("D453", lambda: rename(TREE, 1, "30s", "a\nb")),
        ("D454", lambda: put_together(TREE, 1, [], "x")),
        ("D454", lambda: put_together(TREE, 1, ["50s"], "x")),
        ("D451", lambda: rename(TREE, 1, "30s", "40s")),
    ],
)
def test_what_cannot_be_done_is_said(code: str, edit: object) -> None:
    with pytest.raises(InputError) as error:
        edit()  # type: ignore[operator]
    assert error.value.code == code
