"""Ways in which people make pseudonyms that anybody can make again: hashes without a secret, and mere disguises."""

from __future__ import annotations

import base64
import codecs
import hashlib
import hmac
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

_HEX = re.compile(r"[0-9a-fA-F]{2,}")
SEPARATORS = ("", " ", ",", ", ", ";", "|", "-", "_", ":", "/", "\t")
FORMS: dict[str, Callable[[str], str]] = {
    "": str,
    "in lower case": str.lower,
    "in upper case": str.upper,
    "trimmed": str.strip,
    "without spaces": lambda text: "".join(text.split()),
    "in lower case without spaces": lambda text: "".join(text.lower().split()),
    "in upper case without spaces": lambda text: "".join(text.upper().split()),
}
#: What may stand between a salt that leaked and the identifiers.
BETWEEN = ("", ":", "|", "-", "_", ".", "$", " ")
HASHES = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha3_256", "sha3_512", "blake2b", "blake2s")
DISGUISES: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "reversed": lambda text: text[::-1],
    "rot13": lambda text: codecs.encode(text, "rot13"),
    "digits shifted by 5": lambda text: text.translate(str.maketrans("0123456789", "5678901234")),
    "base64": lambda text: base64.b64encode(text.encode()).decode(),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(text.encode()).decode(),
    "hexadecimal": lambda text: text.encode().hex(),
    "CRC32": lambda text: f"{zlib.crc32(text.encode()):08x}",
    "CRC32 as a number": lambda text: str(zlib.crc32(text.encode())),
    "Adler32": lambda text: f"{zlib.adler32(text.encode()):08x}",
}


@dataclass(frozen=True)
class Recipe:
    """One way: which columns, joined by what, in which form, with which salt, and what is made of the text."""

    columns: tuple[str, ...]
    separator: str
    form: str
    before: str  # a salt in front
    after: str  # and at the end
    make: str
    length: int = 0  # of a digest that is cut short
    key: bytes | None = None  # of an HMAC
    leaked: bool = False  # whether the salt or the key is one that leaked

    def text(self, parts: Sequence[str | None]) -> str | None:
        """The text that is hashed; None when a part is missing."""
        if any(part is None for part in parts):
            return None
        form = FORMS[self.form]
        return self.before + self.separator.join(form(part) for part in parts if part is not None) + self.after

    def pseudonym(self, parts: Sequence[str | None]) -> str | None:
        """What this way makes of somebody's identifiers, in lower case and without padding (see `plain`)."""
        text = self.text(parts)
        if text is None:
            return None
        made = DISGUISES[self.make](text) if self.make in DISGUISES else digest(self.make, text, self.key)
        return plain(made, self.length)

    @property
    def words(self) -> str:
        """The recipe in words, without anybody's data."""
        joined = " and ".join(self.columns)
        form = f" {self.form}" if self.form else ""
        salted = self.leaked or self.before or self.after
        salt = f" with a salt that {'leaked' if self.leaked else 'is easily guessed'}" if salted else ""
        keyed = "HMAC by " if self.key is not None else ""
        return f"{keyed}{self.make} of {joined}{form}{salt}"


def digest(make: str, text: str, key: bytes | None = None) -> str:
    """A hash in hexadecimal, or in base64 where the name says so; with a key, its HMAC."""
    name, _, written = make.partition(" in ")
    raw = hashlib.new(name, text.encode()) if key is None else hmac.new(key, text.encode(), name)
    return base64.b64encode(raw.digest()).decode() if written else raw.hexdigest()


def plain(text: str, length: int = 0) -> str:
    """A pseudonym without what people write differently: case of hexadecimal digits, padding, alphabets of base64."""
    text = text.strip().rstrip("=").replace("-", "+").replace("_", "/")
    text = text[2:] if text[:2].lower() == "0x" else text
    if text and all(c in "0123456789abcdefABCDEF" for c in text):
        text = text.lower()
    return text[:length] if length else text


def recipes(
    parts: Sequence[str], more: Sequence[str], column: str, length: int, leaked: Sequence[str] = ()
) -> Iterator[Recipe]:
    """Every way that is tried for a column of pseudonyms.

    `parts` are the identifiers that may be in it, `more` other columns of the source that may be joined to one, and
    `length` that of the pseudonyms when they all have the same. `leaked` are salts, or keys, that may have leaked.
    """
    hashes = [*HASHES, *(f"{name} in base64" for name in HASHES)]
    cut = [(make, 0) for make in [*DISGUISES, *hashes]]
    if length and length >= 6:
        cut += [(make, length) for make in hashes]
    pairs = [(one, other) for one in parts for other in [*parts, *more] if one != other]
    pairs += [(other, one) for one in parts for other in more]
    for salt in leaked:
        digests = [(make, cut_to) for make, cut_to in cut if make in hashes]
        for name in parts:
            yield from _leaked(salt, (name,), "", digests)
        for columns in [*pairs, *([tuple(parts)] if len(parts) > 2 else [])]:
            for separator in SEPARATORS:
                yield from _leaked(salt, columns, separator, digests)
    salts = [("", ""), *(pair for salt in (column, *parts, "salt") for pair in ((salt, ""), ("", salt)))]
    for name in parts:
        for form in FORMS:
            for before, after in salts:
                yield from (Recipe((name,), "", form, before, after, make, cut_to) for make, cut_to in cut)
    for pair in pairs:
        for separator in SEPARATORS:
            for form in ("", "in lower case", "in upper case without spaces"):
                yield from (Recipe(pair, separator, form, "", "", make, cut_to) for make, cut_to in cut)
    if len(parts) > 2:
        for separator in SEPARATORS:
            yield from (Recipe(tuple(parts), separator, "", "", "", make, cut_to) for make, cut_to in cut)


def _leaked(
    salt: str, columns: tuple[str, ...], separator: str, digests: Sequence[tuple[str, int]]
) -> Iterator[Recipe]:
    """Every way to use a salt that leaked: in front, at the end, and as the key of an HMAC."""
    between = dict.fromkeys([*BETWEEN, separator]) if len(columns) == 1 else dict.fromkeys(["", separator])
    ends = [end for one in between for end in ((salt + one, ""), ("", one + salt))]
    forms = FORMS if len(columns) == 1 else ("", "in lower case", "in upper case without spaces")
    keys = [salt.encode(), *([bytes.fromhex(salt)] if _HEX.fullmatch(salt) and len(salt) % 2 == 0 else [])]
    for form in forms:
        for make, cut_to in digests:
            for before, after in ends:
                yield Recipe(columns, separator, form, before, after, make, cut_to, leaked=True)
            for key in keys:
                yield Recipe(columns, separator, form, "", "", make, cut_to, key, leaked=True)
