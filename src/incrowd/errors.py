"""One family of errors. Each carries a code, a message and a hint, and never a cell value.

IncrowdError               exit code 1
├── InputError   D…        the data cannot be read, or does not fit the plan            exit code 2
├── PlanError    P…        the plan has faults (all of them, in .faults)                exit code 2
├── SecretError  S…        the secret is missing, weak or readable by others            exit code 2
└── NotReleasable R…       a requirement does not hold in the file as written           exit code 3
"""

from __future__ import annotations

from dataclasses import dataclass

from incrowd.visible import visible


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
