"""One pass over the bytes of a CSV file, before an engine reads it: where would two readers see two different tables?

An engine is lenient where it should not be. It takes the blanks off ` "York"`, leaves out a last line that is too long,
and finds no records where a quoted name holds another line end than the lines have. Here such a file is refused, with
its line, so that the engine is left with files that every reader reads alike.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from incrowd.errors import InputError

LONGEST_LINE = 2 * 1024 * 1024

_LF, _CR, _QUOTE_MARK, _BLANK = 10, 13, 34, 32
#: Bytes that mean nothing but themselves, whatever the delimiter.
_COMMON = np.array([byte not in (_LF, _CR, _QUOTE_MARK) for byte in range(256)])
#: Where in a field a byte stands; after a carriage return, what comes next decides whether it ended a line.
_BEGIN, _BLANKS, _PLAIN, _QUOTED, _AFTER, _RETURN = range(6)
#: What is remembered from piece to piece. Line ends are 1 for LF, 2 for CR LF, 3 for CR, 0 where none came yet.
_AT, _LINE, _RECORD, _OPENED, _FIELDS, _BYTES, _WIDTH, _ENDS, _SEEN, _EMPTY = range(10)
_FINE, _BESIDE, _OPEN, _RAGGED, _LONG, _MIXED, _NAME = range(7)

_FAULTS = {
    _BESIDE: ("D266", "has a blank between a quotation mark and the end of its field, which readers take differently",
              "Remove the blank, or put it inside the quotation marks."),
    _OPEN: ("D006", "has a quotation mark that is not closed where it should be",
            "Double the quotation marks inside a quoted field."),
    _RAGGED: ("D004", "has not as many fields as the header",
              "Mend the line, or name the delimiter in the plan (data: delimiter)."),
    _LONG: ("D007", f"is longer than {LONGEST_LINE // 2**20} MiB",
            "A cell this large is hardly a value about a person: look for an unclosed quotation mark."),
    _MIXED: ("D267", "does not end as the first line does",
             "Save the file with one kind of line end; one that is part of a value belongs into quotation marks."),
    _NAME: ("D268", "names a column with a line end in it that is not the one of the file's lines",
            "Write the name on one line."),
}  # fmt: skip


class Scan:
    """Takes the pieces of a file one after the other; raises at the first record that is not as it should be."""

    def __init__(self, place: str, delimiter: str) -> None:
        self._place, self._mark = place, ord(delimiter)
        self._state = np.zeros(10, np.int64)
        self._state[[_LINE, _RECORD, _OPENED]] = 1

    def take(self, piece: bytes) -> None:
        """The next piece."""
        self._refuse(int(_walk(np.frombuffer(piece, np.uint8), self._state, self._mark)))

    def end(self) -> None:
        """The file is at its end. A last line may lack its line end, but nothing else."""
        state = self._state
        if state[_AT] == _QUOTED:
            state[_RECORD] = state[_OPENED]
            self._refuse(_OPEN)
        if state[_AT] != _RETURN and state[_BYTES]:
            self.take((b"\n", b"\n", b"\r\n", b"\r")[state[_ENDS]])
        if state[_AT] == _RETURN:
            self.take(b"-")  # anything: the carriage return was a line end of its own

    def _refuse(self, fault: int) -> None:
        if fault != _FINE:
            code, what, hint = _FAULTS[fault]
            raise InputError(code, f"line {self._state[_RECORD]} of {self._place} {what}.", hint)


@njit(cache=True, nogil=True)
def _walk(piece: NDArray[np.uint8], state: NDArray[np.int64], mark: int) -> int:
    """Over the bytes of a piece, by the grammar of RFC 4180; a quotation mark inside a plain field is a letter."""
    at, line, count, fields = state[_AT], state[_LINE], state[_BYTES], state[_FIELDS]
    returned = state[_EMPTY] >> 1 == 1  # the byte before was a carriage return
    blank = state[_EMPTY] & 1 == 1
    fault = _FINE
    for byte in piece:
        if _COMMON[byte] and byte != mark and not returned and at in (_PLAIN, _QUOTED):
            count += 1  # nearly all bytes are letters inside a field
            if count > LONGEST_LINE:
                return _LONG
            continue
        if state[_SEEN] == 0 and (byte == _LF or returned):
            state[_SEEN] = 3 if byte != _LF else 2 if returned else 1
        if byte == _CR or (byte == _LF and not returned):
            line += 1
        returned = byte == _CR
        ended = 0
        if at == _RETURN:
            ended, at = (2 if byte == _LF else 3), _BEGIN
        elif at == _QUOTED:
            if byte == _QUOTE_MARK:
                at = _AFTER
        elif byte == _LF:
            ended, blank, at = 1, at == _BEGIN and fields == 0, _BEGIN
        elif byte == _CR:
            blank, at = at == _BEGIN and fields == 0, _RETURN
        elif byte == mark:
            fields, at = fields + 1, _BEGIN
        elif byte == _QUOTE_MARK and at in (_BEGIN, _AFTER):
            if at == _BEGIN:
                state[_OPENED] = line
            at = _QUOTED
        elif at == _AFTER or (byte == _QUOTE_MARK and at == _BLANKS):
            fault = _BESIDE if byte == _BLANK or at == _BLANKS else _OPEN
            if at == _AFTER and line > state[_OPENED]:
                fault = _OPEN  # a field of several lines that ends like this was never closed
            state[_RECORD] = state[_OPENED] if at == _AFTER else line
            return fault
        elif at in (_BEGIN, _BLANKS):
            at = _BLANKS if byte == _BLANK else _PLAIN
        count += 1
        if ended:
            fault = int(_judge(state, ended, blank, fields + 1))
            if fault != _FINE:
                return fault
            fields, count = 0, 0
            state[_RECORD] = line
            if ended == 3:  # this byte is the first of the next line
                state[_RECORD] = line - (1 if byte == _CR else 0)
                count = 1
                if byte == _QUOTE_MARK:
                    at = _QUOTED
                    state[_OPENED] = line
                elif byte == mark:
                    fields = 1
                elif byte == _CR:
                    blank, at = True, _RETURN
                else:
                    at = _BLANKS if byte == _BLANK else _PLAIN
        elif count > LONGEST_LINE:
            return _LONG
    state[_AT], state[_LINE], state[_BYTES], state[_FIELDS] = at, line, count, fields
    state[_EMPTY] = 2 * returned + blank
    return fault


@njit(cache=True, nogil=True)
def _judge(state: NDArray[np.int64], ended: int, blank: bool, fields: int) -> int:
    """A record is at its end: does it end, and has it as many fields, as the first one?"""
    if state[_WIDTH] == 0 and not blank:
        state[_WIDTH], state[_ENDS] = fields, ended
        return _NAME if state[_SEEN] != ended else _FINE
    if state[_ENDS] not in (0, ended):
        return _MIXED
    return _FINE if blank or fields == state[_WIDTH] else _RAGGED
