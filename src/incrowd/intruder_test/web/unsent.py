"""What somebody typed and could not be stored: it is shown to them again, to be copied. It is written nowhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from fastapi import Request
from fastapi.responses import HTMLResponse

from incrowd.errors import IncrowdError
from incrowd.intruder_test.web.forms import LABELS, Form

#: The fields that people fill in, as they are called on the pages of intruders and of the office. No mark, no link.
FIELDS = {
    "target": "Card or person", "who": LABELS["who"], "record": "Record number", "learned": "What you learned",
    "attribute": "Variable", "value": LABELS["value"], "confidence": "Confidence", "used": "Variables used",
    "kinds": "Sources", "sources": LABELS["sources"], "link": LABELS["link"], "minutes": "Minutes it took",
    "reasoning": LABELS["reasoning"], "judgment": "Judgment", "note": "Note",
}  # fmt: skip


def typed(request: Request, columns: Sequence[str] = ()) -> str:
    """The form of a request in words, field by field; empty without one. `columns` are for those who may know them."""
    form: Form = getattr(request.state, "form", {})
    said = {name: ", ".join(filter(None, form.get(name, ()))) for name in FIELDS}
    said["learned"] = _learned(said["learned"], columns)
    return "\n".join(f"{FIELDS[name]}: {text}" for name, text in said.items() if text)


def failed(request: Request, error: IncrowdError) -> HTMLResponse:
    """Plain, for the pages themselves may not work: what failed, by its code, and what was typed."""
    text = f"<p>{escape(error.code)}: it did not work just now. Please send it again.</p>"
    if form := typed(request):
        text += f"<p>This was not stored:</p><pre>{escape(form)}</pre>"
    return HTMLResponse(text, 503)


def _learned(chosen: str, columns: Sequence[str]) -> str:
    """A value that was chosen from the list, with its variable: the form sends the variable's place."""
    place, found, value = chosen.partition("=")
    known = found and place.isdecimal() and len(place) < 6 and int(place) < len(columns)
    return f"{columns[int(place)]}: {value}" if known else value
