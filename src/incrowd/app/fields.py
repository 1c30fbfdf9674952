"""A part of a plan (a step, a requirement, a use case) as fields of a form, made from its model: a new method has its
form by itself, and what a field means is said once.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from incrowd.errors import InputError
from incrowd.intruder_test.web.forms import Form, first

#: The word that tells the kind of a part, and what pages set by other means.
KINDS = ("step", "model", "test")
HIDDEN = (*KINDS, "off")
NUMBERS = (int, float, Decimal)
PLAIN = (str, *NUMBERS)
#: Fields that name one column, and those that name several.
ONE = {"variable", "sensitive", "outcome", "group", "weight", "by", "of", "target"}
SEVERAL = {
    "variables", "keys", "strata", "geography", "similar", "by", "of", "within", "importance", "predictors", "spread",
    "features", "numbers", "columns", "between",
}  # fmt: skip


@dataclass(frozen=True)
class FormField:
    """One field: what it is called, how it is asked for, and what it holds now."""

    name: str
    kind: str  # tick, choice, columns, number, text, list, pairs, conditions or yaml
    required: bool
    help: str
    choices: tuple[str, ...] = ()
    value: str = ""
    values: tuple[str, ...] = ()
    usual: str = ""  # what holds when it is left empty


def fields_of(
    model: type[BaseModel], columns: Sequence[str], given: Mapping[str, Any] | None = None
) -> list[FormField]:
    """The fields of a form for this part, with what it holds where there is one."""
    found = []
    for name, field in model.model_fields.items():
        said = field.alias or name
        if said not in HIDDEN:
            now = None if given is None else given.get(said)
            found.append(_field(said, field, columns, now))
    return sorted(found, key=lambda one: (one.name == "reason", not one.required))


def read_fields(model: type[BaseModel], form: Form, columns: Sequence[str]) -> dict[str, Any]:
    """What a form says, as the part of a plan; what was left empty is left out. The plan's check judges it."""
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        said = field.alias or name
        if said in HIDDEN:
            continue
        kind = _field(said, field, columns, None).kind
        texts = form.get(f"f-{said}", [])
        value = _read(kind, said, [text for text in texts if text])
        if value not in (None, [], {}, ""):
            found[said] = value
    return found


def _field(name: str, field: FieldInfo, columns: Sequence[str], now: Any) -> FormField:
    kind, choices = _kind(name, _bare(field.annotation))
    help_ = (field.description or "").replace("`", "")
    text, several = _shown(kind, now)
    if kind == "columns" or (kind == "choice" and not choices):
        choices = tuple(columns)
    # A name that the data no longer have stays visible.
    choices += tuple(one for one in several or (text,) if kind in ("columns", "choice") and one and one not in choices)
    usual = "" if field.is_required() or kind not in ("number", "text", "choice") else _shown(kind, field.default)[0]
    return FormField(name, kind, field.is_required(), help_, choices, text, several, usual)


def _bare(kind: Any) -> Any:
    """A type without what is said about it, and without None."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif get_origin(kind) in (Union, UnionType):
            inside = [one for one in get_args(kind) if one is not type(None)]
            if len(inside) > 1:
                return kind
            kind = inside[0]
        else:
            return kind


def _kind(name: str, kind: Any) -> tuple[str, tuple[str, ...]]:
    origin = get_origin(kind)
    if origin is Literal:
        return "choice", tuple(str(one) for one in get_args(kind))
    if kind is bool:
        return "tick", ()
    if kind in NUMBERS:
        return "number", ()
    if origin is list and (name in SEVERAL or _bare(get_args(kind)[0]) in PLAIN):
        return ("columns" if name in SEVERAL else "list"), ()
    if kind is str:
        return ("choice" if name in ONE else "text"), ()
    if origin is dict and all(_bare(one) is str for one in get_args(kind)):
        return "pairs", ()
    if origin is dict and _is_texts(_bare(get_args(kind)[1])):
        return "conditions", ()
    return ("text" if _is_number(kind) else "yaml"), ()


def _is_texts(kind: Any) -> bool:
    return get_origin(kind) is list and _bare(get_args(kind)[0]) is str


def _is_number(kind: Any) -> bool:
    return get_origin(kind) in (Union, UnionType) and all(_bare(one) in PLAIN for one in get_args(kind))


def _shown(kind: str, now: Any) -> tuple[str, tuple[str, ...]]:
    if now is None:
        return "", ()
    if kind == "columns":
        return "", tuple(str(one) for one in (now if isinstance(now, list) else [now]))
    if kind == "list":
        return ", ".join(str(one) for one in now), ()
    if kind == "pairs" and isinstance(now, Mapping):
        return "\n".join(f"{old} = {new}" for old, new in now.items()), ()
    if kind == "conditions" and isinstance(now, Mapping):
        sides = {name: values if isinstance(values, list) else [values] for name, values in now.items()}
        return "\n".join(f"{name} = {' | '.join(map(str, values))}" for name, values in sides.items()), ()
    if kind == "tick":
        return ("yes" if str(now).lower() == "true" else ""), ()
    if kind in ("yaml", "pairs", "conditions"):
        out = io.StringIO()
        YAML(typ="safe").dump(_plain(now), out)
        return out.getvalue().removesuffix("...\n").strip(), ()
    return str(now), ()


def _plain(now: Any) -> Any:
    """Maps and lists without what the editor of the text adds to them."""
    if isinstance(now, Mapping):
        return {str(name): _plain(value) for name, value in now.items()}
    return [_plain(value) for value in now] if isinstance(now, list) else now


def _read(kind: str, name: str, texts: Sequence[str]) -> Any:
    if kind == "columns":
        return list(texts)
    text = next(iter(texts), "").strip()
    if not text:
        return None
    if kind == "tick":
        return True
    if kind == "list":
        return [part.strip() for part in text.split(",") if part.strip()]
    if kind == "pairs":
        return _pairs(name, text)
    if kind == "conditions":
        return _conditions(name, text)
    if kind == "yaml":
        try:
            return YAML(typ="rt").load(text)
        except YAMLError:
            message = f"what is written for {name} cannot be read."
            raise InputError("D446", message, "Write it as YAML, as in the plan's reference.") from None
    return text


def _pairs(name: str, text: str) -> dict[str, str]:
    pairs = {}
    for number, line in enumerate(text.splitlines(), start=1):
        old, middle, new = line.rpartition(" = ")
        if not middle:
            raise InputError("D447", f"line {number} of {name} has no ' = '.", "Write a line as: old value = new value")
        pairs[old.strip()] = new.strip()
    return pairs


def _conditions(name: str, text: str) -> dict[str, list[str]]:
    """Which values of which variables, as the reports write it: sex = f | m."""
    found = {}
    for number, line in enumerate(filter(str.strip, text.splitlines()), start=1):
        variable, middle, values = line.partition(" = ")
        if not middle:
            way = "Write a line as: variable = value | another value"
            raise InputError("D435", f"line {number} of {name} has no ' = '.", way)
        found[variable.strip()] = [value.strip() for value in values.split(" | ") if value.strip()]
    return found


def chosen(form: Form, name: str, among: Sequence[str]) -> str:
    """The value of a field that must be one of these."""
    value = first(form, name)
    if value not in among:
        raise InputError("D448", f"{name} must be chosen from its list.", "Reload the page and choose again.")
    return value
