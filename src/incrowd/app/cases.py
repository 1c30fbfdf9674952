"""The use cases of a plan as forms. The fields come from the model of each kind: a new one has its form by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from incrowd.app.fields import FormField, fields_of, read_fields
from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form
from incrowd.plan import Plan, released_columns
from incrowd.plan.invalid import in_words
from incrowd.plan.use_cases import KINDS
from incrowd.utility.evaluate import rule_of
from incrowd.utility.settings import k_setting


@dataclass(frozen=True)
class Case:
    """A use case in the list: what it asks, by which test, and when it passes."""

    name: str
    test: str
    rule: str


@dataclass(frozen=True)
class Kind:
    """A kind of use case to choose from: the question that it answers, and when it passes."""

    test: str
    asks: str


def cases_of(plan: Plan) -> list[Case]:
    """The use cases of a plan, in its order."""
    return [Case(case.name, case.test, rule_of(case)) for case in plan.use_cases]


def kinds() -> list[Kind]:
    """Every test that a use case may have, in the words of its model."""
    return [Kind(test, " ".join((model.__doc__ or "").replace("`", "").split())) for test, model in KINDS.items()]


def columns_of(plan: Plan) -> list[str]:
    """The variables that a use case may name: those that are released."""
    there = set(released_columns(plan))
    return [name for name in plan.variables if name in there]


def case_fields(
    test: str, columns: Sequence[str], given: Mapping[str, Any] | None, draft: Form | None
) -> list[FormField]:
    """The form of a use case; a draft is what somebody has typed and could not be saved yet."""
    found = fields_of(KINDS[test], columns, given)
    if draft is None:
        return found
    typed = {field.name: tuple(draft.get(f"f-{field.name}", ())) for field in found}
    return [replace(one, value=next(iter(typed[one.name]), ""), values=typed[one.name]) for one in found]


def read_case(test: str, form: Form, columns: Sequence[str]) -> dict[str, Any]:
    """What a form says, as a plan writes it; a fault where that is no use case."""
    given = read_fields(KINDS[test], form, columns)
    try:
        case = KINDS[test].model_validate({"test": test, **given})
    except ValidationError as error:
        told = [_told(one) for one in error.errors(include_url=False, include_input=False)]
        raise InputError("D429", f"this is no use case yet: {'; '.join(told)}.", "Mend it and save again.") from None
    content = case.model_dump(mode="json", by_alias=True)
    return {"name": content["name"], "test": test, **{field: content[field] for field in given if field != "name"}}


def _told(error: Mapping[str, Any]) -> str:
    """Which field, and what is wrong with it; never what was typed."""
    field = next(iter(error["loc"]), "")
    return f"{field}: {in_words(error)}" if field else in_words(error)


def put_case(tree: Any, number: int | None, content: Mapping[str, Any]) -> None:
    """Add a use case to the plan, or write the one with this number anew."""
    cases = _cases(tree)
    if number is None:
        cases.append(dict(content))
        return
    one = _at(cases, number)
    for field in [field for field in one if field not in content]:
        del one[field]
    one.update(content)


def remove_case(tree: Any, number: int) -> None:
    """Take a use case out of the plan."""
    cases = _cases(tree)
    _at(cases, number)
    del cases[number]
    if not cases:
        del tree["use_cases"]


def case_at(tree: Any, number: int) -> Any:
    """The use case with this number, as the plan writes it."""
    return _at(_cases(tree), number)


def set_k(tree: Any, plan: Plan, k: int) -> None:
    """Set every k that a sweep of k tries: of the requirement, and of the steps that go by it."""
    for path in k_setting(plan, str(k)).paths:
        part, number, field = path.split(".")
        word, kind = ("model", "k") if part == "requirements" else ("step", plan.steps[int(number)].step)
        listed = tree.get(part) or []
        if int(number) >= len(listed) or str(listed[int(number)].get(word)) != kind:
            message = "k cannot be set from here: the plan is written in an older form."
            raise InputError("D434", message, "Change it in plan.yaml.")
        listed[int(number)][field] = k


def _cases(tree: Any) -> Any:
    if not tree.get("use_cases"):
        tree["use_cases"] = []
    return tree["use_cases"]


def _at(cases: Any, number: int) -> Any:
    if not 0 <= number < len(cases):
        raise InputError("D431", "the plan has no such use case.", "Reload the page.")
    return cases[number]
