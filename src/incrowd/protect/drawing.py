"""What a draw depends on beside the record: the release, all that was done before, and the step itself.

Two files whose draws are the same, or the same but scaled, can be subtracted: what chance added goes, and the truth is
left. So no step makes a key of its own. It is handed one that is made from all this (`key_draws`), and cannot forget
any of it. See docs/decisions/0010-what-a-draw-depends-on.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Set
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from incrowd.keys.codebook import Codebook
from incrowd.plan.files import put_file
from incrowd.plan.steps import Step
from incrowd.protect.state import Change, Context

#: What people write beside a step, what changes no record, and the number of a pseudonym: that is a name, no draw.
SILENT = {"reason", "off", "number"}


def canonical(step: Step, folder: Path, without: Set[str] = frozenset()) -> str:
    """A step as one text, however it was written: what differs from the defaults, and files by their content.

    A file's name says nothing: it lies elsewhere when an audit is carried out again.
    """
    content = step.model_dump(by_alias=True, exclude_defaults=True, exclude=SILENT | without)
    for place, file in step.files().items():
        path = folder / file
        if path.is_file():  # what is not there is told by whoever reads it
            put_file(content, place, file, hashlib.sha3_256(path.read_bytes()).hexdigest())
    return json.dumps(content, sort_keys=True, default=_plain)


def key_draws(step: Step, history: str, context: Context) -> Context:
    """What the step may know, with keys of its own. Fields that are `nested` in the step stay out of them."""
    own = json.dumps([canonical(step, context.folder, step.nested), *_around(step, context)])
    return replace(context, keyed_by=(history, own), certain=not step.chance)


def add_to_history(step: Step, history: str, context: Context, change: Change) -> str:
    """The history once the step is done. Of a search it has what was found: pinned, that draws the same."""
    found = {name: change.found[name] for name in step.finds if name in change.found}
    content = canonical(step, context.folder, step.searched if found else frozenset())
    whole = json.dumps([content, found, *_around(step, context)], sort_keys=True)
    return hashlib.sha3_256(f"{history}\n{whole}".encode()).hexdigest()


def _around(step: Step, context: Context) -> list[str]:
    """What a step depends on in the plan around it."""
    required = [requirement.describe() for requirement in context.requirements] if step.decides_by_class else []
    return [str(context.household), str(context.has_unit), *required, *_declared(step, context.book)]


def _declared(step: Step, book: Codebook) -> list[str]:
    """The scales and the codes for 'no value' of its variables: a recoding and a search go by them."""
    declared = {*book.scales, *book.missing}
    names = sorted({name for _, name in step.named()} & declared) if declared else []
    return [json.dumps([name, book.scales.get(name), book.missing.get(name)]) for name in names]


def _plain(value: object) -> object:
    """A number in one way of writing: 5 and 5.0 are the same base."""
    return format(value.normalize() + 0, "f") if isinstance(value, Decimal) else str(value)
