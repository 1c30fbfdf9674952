"""Requirements as short texts, for the command line: `t:occupation:0.2:ordered`.

Each model says how it is written (`forms`). Any of them may end in `:on=KEY,KEY` (its own keys) and then
`:where=CONDITION` (the rest of the text). A name that holds a colon goes into double quotes. ARX's short names are
understood with ARX's meaning.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace

from incrowd.errors import Fault, PlanError, did_you_mean
from incrowd.keys.hierarchy import Hierarchy
from incrowd.keys.requirements.base import MODELS, Requirement
from incrowd.keys.requirements.form import Form, Spelled


def forms() -> dict[str, Form]:
    """How every model is written: by its own name first, then by ARX's short names."""
    own = {name: model.forms[name] for name, model in MODELS.items()}
    return own | {name: form for model in MODELS.values() for name, form in model.forms.items()}


def model_names() -> tuple[str, ...]:
    """The names a model can have, long and short."""
    return tuple(forms())


def parse_model(
    text: str,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> Requirement:
    """What requirement does a text mean? Hierarchies and declared orders of sensitive variables are handed in.

    >>> ic.parse_model("distinct_l:occupation:3").describe()
    'every class has at least 3 different values of occupation'
    """
    head, _, where = text.partition(":where=")
    try:
        name, *given = next(csv.reader([head], delimiter=":"), None) or [""]
    except csv.Error:
        raise _fault("P061", "", "it cannot be taken apart at its colons.", "Write it on one line.") from None
    keys = None
    if given and given[-1].startswith("on="):
        keys = tuple(key.strip() for key in given.pop()[3:].split(","))
    name = name.strip()
    known_forms = forms()
    if name not in known_forms:
        hint = did_you_mean(name, list(known_forms)) or f"The models are: {', '.join(known_forms)}."
        raise _fault("P060", name, "there is no such model.", hint)
    form = known_forms[name]
    way_out = f"Write it as {form.spelling(name)}."
    if not form.fewest <= len(given) <= form.most or not all(given):
        raise _fault("P061", name, f"it has {len(given)} fields after its name, or an empty one.", way_out)
    order = (orders or {}).get(given[0])
    known = Spelled(keys, where or None, None if order is None else tuple(order), (hierarchies or {}).get(given[0]))
    try:
        requirement = form.make(given, known)
    except ValueError:
        raise _fault("P061", name, "a field that should be a number is not one.", way_out) from None
    return replace(requirement, keys=known.keys, where=known.where)


def _fault(code: str, model: str, message: str, hint: str | None = None) -> PlanError:
    return PlanError([Fault(code, f"model {model}", message, hint)])
