"""A hierarchy as a tree that can be edited: groups put together, renamed, levels added and taken away."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI, Request
from fastapi.responses import Response

from incrowd.app import steps as edits
from incrowd.app.looking import kept_back
from incrowd.app.sessions import Session
from incrowd.app.site import FormFields, Site
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first, whole
from incrowd.keys.hierarchies import editing
from incrowd.keys.hierarchy import Hierarchy

#: So many branches of a node are shown; the others are counted, and found by their level's list.
MOST = 60
WHY = "Groups put together by hand."


@dataclass(frozen=True)
class Node:
    """A group of a level: its name, how many people are in it, and what is below."""

    label: str
    level: int
    people: int
    leaves: int
    below: tuple[Node, ...]
    more: int = 0


def add_tree(app: FastAPI, site: Site) -> None:
    """The addresses of the tree, a part of the page Protect."""

    @app.get("/protect/tree")
    def show(request: Request, variable: str = "", level: int = 1) -> Response:
        session = site.session(request)
        values: dict[str, Any] = {"variable": variable, "tree": None, "top": None, "groups": (), "levels": ()}
        with session.lock, site.telling(session):
            tree = tree_of(session, variable)
            level = min(max(level, 1), max(tree.height - 1, 1))
            people = edits.people_of(session.live().by([variable]))
            book = session.live().opened.book
            known = {value: number for value, number in people.items() if value is not None}
            groups = [(label, len(leaves), sum(known.get(leaf, 0) for leaf in leaves))
                      for label, leaves in tree.groups(level).items()]  # fmt: skip
            values |= {"tree": tree, "level": level, "top": _node(list(tree.rows), tree.height, known)}
            values |= {"groups": groups, "levels": edits.levels_in_words(tree, book, people)}
        return site.show(request, "protect_tree", **({"level": 1} | values))

    @app.post("/protect/tree/{way}")
    def change(way: str, request: Request, form: FormFields) -> Response:
        def do(session: Session, form: Form) -> str:
            return _change(session, way, form)

        back = f"protect/tree?variable={quote(first(form, 'variable'))}&level={quote(first(form, 'level') or '1')}"
        return site.act(request, form, back, do)


def why_no_tree(session: Session, variable: str) -> str:
    """Why no tree is made of a variable: each of its values could be somebody's name. Empty where one is."""
    if variable not in kept_back(session):
        return ""
    if session.need_project().plan.variables[variable].role == "identifier":
        return f"{variable!r} is an identifier: its values name people, and none of them is shown."
    return f"{variable!r} looks as if it names people, and nobody has said why it does not."


def tree_of(session: Session, variable: str) -> Hierarchy:
    """The tree of a variable, to be shown and edited."""
    project = session.need_project()
    if variable not in project.plan.variables:
        raise InputError("D410", "the file has no such column.", "Choose among its columns.")
    if why := why_no_tree(session, variable):
        raise InputError("D463", why, "If it names nobody, say so, with a reason, on the page Variables.")
    return edits.hierarchy_of(session.live(), project.home, project.plan, variable)


def _node(rows: list[tuple[str, ...]], level: int, people: dict[str, int]) -> Node:
    """A group and what is below it; a name that stays the same over several levels is shown once."""
    label = rows[0][level]
    while level and all(row[level - 1] == label for row in rows):
        level -= 1
    inside: dict[str, list[tuple[str, ...]]] = {}
    for row in rows if level else ():
        inside.setdefault(row[level - 1], []).append(row)
    shown = list(inside.values())[:MOST]
    below = tuple(_node(one, level - 1, people) for one in shown)
    return Node(label, level, sum(people.get(row[0], 0) for row in rows), len(rows), below, len(inside) - len(shown))


def _change(session: Session, way: str, form: Form) -> str:
    project, variable = session.need_project(), first(form, "variable")
    plan, tree = project.plan, tree_of(session, variable)
    level = whole(first(form, "level"), 0, tree.height) or 0
    chosen, name = form.get("groups", []), first(form, "name")
    if way == "together":
        changed, said = editing.put_together(tree, level, chosen, name), f"groups of {variable} put together"
    elif way == "rename":
        if len(chosen) != 1:
            raise InputError("D459", "one group can be renamed at a time.", "Tick one.")
        changed, said = editing.rename(tree, level, chosen[0], name), f"group of {variable} renamed"
    elif way == "add":
        changed, said, level = editing.add_level(tree, level), f"level added to {variable}", level + 1
    else:
        changed, said = editing.drop_level(tree, level), f"level of {variable} taken away"
        level = max(level - 1, 1)
    file = edits.save_hierarchy(project.home, changed)
    found = edits.recoding_of(plan, variable)
    used = found[1].level if found is not None and found[1].level is not None else level
    if way == "add" and found is not None and used >= level:
        used += 1
    if way == "drop" and found is not None and used > level:
        used -= 1
    used = min(max(used, 1), changed.height)
    project.document.change(lambda one: edits.set_level(one, plan, variable, file, used, WHY), said)
    return f"/protect/tree?variable={quote(variable)}&level={min(max(level, 1), max(changed.height - 1, 1))}"
