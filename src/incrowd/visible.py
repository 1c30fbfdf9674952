"""Which characters may act on whoever reads a text? None: here they become letters that can be seen.

A title, a column's name or a file's name can hold an escape sequence that clears a terminal or hides a line in it, or
a mark that turns the order of a line round, so that it reads as something else. Every text of ours goes through here
on its way to a terminal (`cli/terminal.py`) and into a page (`evidence/report.py`).
"""

from __future__ import annotations

import re

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
