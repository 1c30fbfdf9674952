"""One family of errors. Each carries a code, a message and a hint, and never a cell value.

What a message shows cannot act on whoever reads it: `visible` writes out characters that would. A title, a column's
name or a file's name can hold an escape sequence that clears a terminal or hides a line in it, or a mark that turns
the order of a line round. Every text of ours goes through it on its way to a terminal and into a page.

IncrowdError               exit code 1
├── InputError   D…        the data cannot be read, or does not fit the plan            exit code 2
├── PlanError    P…        the plan has faults (all of them, in .faults)                exit code 2
├── SecretError  S…        the secret is missing, weak or readable by others            exit code 2
└── NotReleasable R…       a requirement does not hold in the file as written           exit code 3
"""

from __future__ import annotations

import difflib
import re
import traceback
from collections.abc import Iterable
from dataclasses import dataclass

#: Control characters but for tab and line feed; line and paragraph separators; marks that turn text round, join it or
#: are not seen; halves of characters. What shapes letters and emoji (U+200C, U+200D) acts on its neighbours alone.
_ACTING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""The text, with characters that would act on its reader written out.

    >>> visible("Release\x1b[2J of \u202ecod.exe")
    'Release\\x1b[2J of \\u202ecod.exe'
    """
    return _ACTING.sub(lambda found: _written(found[0]), text)


def _written(letter: str) -> str:
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


class IncrowdError(Exception):
    """What every error of incrowd has: a code, a message and a way out."""

    exit_code = 1

    def __init__(self, code: str, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        text = f"{self.code}: {self.message}"
        return visible(f"{text} {self.hint}" if self.hint else text)


class InputError(IncrowdError):
    """The data cannot be read, or a value does not fit what the plan says of it."""

    exit_code = 2


class SecretError(IncrowdError):
    """The secret is missing, too short, or readable by others."""

    exit_code = 2


class NotReleasable(IncrowdError):
    """A requirement does not hold in the file as it was written: nothing is released."""

    exit_code = 3


@dataclass(frozen=True)
class Fault:
    """One thing that is wrong in a plan: where, what, and the way out."""

    code: str
    place: str
    message: str
    hint: str | None = None
    line: int | None = None

    def __str__(self) -> str:
        where = f"line {self.line}, {self.place}" if self.line else self.place
        text = f"{self.code} ({where}): {self.message}"
        return visible(f"{text} {self.hint}" if self.hint else text)


class PlanError(IncrowdError):
    """A plan with faults; `faults` holds all of them."""

    exit_code = 2

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("P000", "\n".join(str(fault) for fault in faults))
        self.faults = faults

    def __str__(self) -> str:
        return self.message


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """The known name that is nearest, as a hint."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"Did you mean {near[0]!r}?" if near else None


def missing_extra(what: str, extra: str, code: str = "X020") -> IncrowdError:
    """What to raise where something that is installed on request is not there."""
    return IncrowdError(code, f"{what} is not installed.", f"Install it: pip install 'incrowd[{extra}]'")


def places(error: BaseException, most: int = 6) -> list[str]:
    """Where something unexpected happened, the innermost last; not what it says, which may quote a record."""
    frames = traceback.extract_tb(error.__traceback__)[-most:]
    return [f"{frame.name} ({frame.filename.rsplit('/', 2)[-1]}:{frame.lineno})" for frame in frames]
