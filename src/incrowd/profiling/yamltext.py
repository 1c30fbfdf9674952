"""Write column names and sentences into YAML so that reading gives them back, whatever is in them."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*")
_NOT_TEXT = {"y", "n", "yes", "no", "on", "off", "true", "false", "null"}
#: YAML reads a longer key only with a question mark before it.
_LONGEST_KEY = 1000


def scalar(text: str) -> str:
    """A text as YAML on one line: as it is where every reader takes it for text, else in double quotes.

    >>> scalar("age"), scalar("Yes"), scalar('a "b": #c')
    ('age', '"Yes"', '"a \\\\"b\\\\": #c"')
    """
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_TEXT:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A text in YAML's double quotes; what cannot be seen is written as its number."""
    return '"' + "".join(_sign(sign) for sign in text) + '"'


def key(text: str) -> str:
    """A text as a key, with its colon."""
    written = scalar(text)
    return f"{written}:" if len(written) < _LONGEST_KEY else f"? {written}\n  :"


def comment(text: str, indent: int = 0) -> str:
    """Lines of comment. No line end inside a name can break out of it: it is quoted before."""
    return "\n".join(f"{' ' * indent}# {line}".rstrip() for line in text.splitlines())


def _sign(sign: str) -> str:
    if sign in '"\\':
        return f"\\{sign}"
    if sign.isprintable():
        return sign
    number = ord(sign)
    if number < 0x100:
        return f"\\x{number:02X}"
    return f"\\u{number:04X}" if number < 0x10000 else f"\\U{number:08X}"
