"""UK postcodes: the grammar, once. `parse` reads one for people; `rows/postcodes.py` makes engine expressions of it.

Six formats: A9 9AA, A99 9AA, AA9 9AA, AA99 9AA, A9A 9AA, AA9A 9AA; the special GIR 0AA; and BFPO numbers. The letters
in front must be a postcode area that exists, and some letters are not used in some places (Royal Mail's PAF guide).
Whether a postcode of good form was ever given out, only a directory can tell (`postcodes/directory.py`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product
from typing import Literal

Component = Literal["area", "district", "subdistrict", "sector", "unit"]
#: From the coarsest to the finest.
COMPONENTS: tuple[Component, ...] = ("area", "district", "subdistrict", "sector", "unit")
#: How components are called, where that is not the word above.
NAMES: dict[str, str] = {"subdistrict": "sub-district", "zip3": "three digits", "unit": "postcode"}
Kind = Literal["geographic", "crown", "forces", "non-geographic"]
Reason = Literal["missing", "characters", "partial", "length", "format", "area", "place"]

#: Why a text is no postcode: the first of these that holds.
REASONS: dict[Reason, str] = {
    "missing": "there is nothing",
    "characters": "it holds something other than letters, digits and spaces",
    "partial": "it is only the first part of a postcode",
    "length": "it is too short or too long",
    "format": "its letters and digits are in none of the six formats",
    "area": "its first letters are no postcode area",
    "place": "it has a letter or digit that is not used in that place",
}

#: Every postcode area in use, by the nations it reaches into: England, Wales, Scotland, Northern Ireland, Crown
#: dependencies; those in none are no places. A file that leaves out a nation holds only part of an area on its border.
_AREAS = {
    "E": "AL B BA BB BD BH BL BN BR BS CB CM CO CR CT CV CW DA DE DH DL DN DT DY E EC EN EX FY GU HA HD HG HP HU HX "
    "IG IP KT L LA LE LN LS LU M ME MK N NE NG NN NR NW OL OX PE PL PO PR RG RH RM S SE SG SK SL SM SN SO SP SR SS ST "
    "SW TA TF TN TQ TR TS TW UB W WA WC WD WF WN WR WS WV YO",
    "W": "CF SA",
    "S": "AB DD EH FK G HS IV KA KW KY ML PA PH ZE",
    "EW": "CH GL HR LD LL NP SY",
    "ES": "CA DG TD",
    "N": "BT",
    "C": "GY IM JE",
    "": "BF BX QC XX",
}
NATIONS = {area: nations for nations, areas in _AREAS.items() for area in areas.split()}
_KINDS: dict[str, Kind] = {
    "GY": "crown", "IM": "crown", "JE": "crown", "BF": "forces", "BFPO": "forces", "BX": "non-geographic",
    "GIR": "non-geographic", "QC": "non-geographic", "XX": "non-geographic",
}  # fmt: skip

#: What stands between the characters of a postcode: spaces, tabs, line ends, spaces that do not break.
SPACES = " \t\r\n\u00a0"
_SHORT = "[" + "".join(sorted(area for area in NATIONS if len(area) == 1)) + "]"
_LONG = "(?:" + "|".join(sorted(area for area in NATIONS if len(area) == 2)) + ")"
_AREA = f"(?:{_LONG}|{_SHORT})"
# A letter at the end of a district: after one letter of the area more of them are in use than after two.
_OUTWARD = f"(?:{_AREA}(?:[0-9]|[1-9][0-9])|{_SHORT}[0-9][A-HJKMNPR-Y]|{_LONG}[0-9][ABEHMNPRVWXY])"
# Patterns for a text in capitals without spaces. They hold nothing that RE2, Java, PostgreSQL and Python read
# differently.
LETTER = "[ABD-HJLNP-UW-Z]"  # of the two at the end
_UNIT = f"{_OUTWARD}[0-9]{LETTER}{LETTER}"
BFPO = "^BFPO[1-9][0-9]?[0-9]?[0-9]?$"
PLAIN = "^[A-Za-z0-9]*$"
FORMAT = "^[A-Z][A-Z]?[0-9][0-9A-Z]?[0-9][A-Z][A-Z]$"
KNOWN = f"^{_AREA}[0-9]"
STANDARD = f"^(?:{_UNIT}|GIR0AA)$"
PARTIAL = f"^(?:{_AREA}|{_OUTWARD}[0-9]?|GIR0?|BFPO)$"
SHORTEST, LONGEST = 5, 7

_MATCH = {name: re.compile(text.replace("$", r"\Z")) for name, text in
          {"bfpo": BFPO, "plain": PLAIN, "format": FORMAT, "known": KNOWN, "standard": STANDARD,
           "partial": PARTIAL}.items()}  # fmt: skip
_GROUPS: dict[Component, re.Pattern[str]] = {
    "sector": re.compile(rf"({_OUTWARD}|GIR) ([0-9])\Z|BFPO\Z"),
    "subdistrict": re.compile(rf"(?:{_OUTWARD}|GIR|BFPO)\Z"),
    "district": re.compile(rf"(?:{_AREA}(?:[0-9]|[1-9][0-9])|GIR|BFPO)\Z"),
    "area": re.compile(rf"(?:{_AREA}|GIR|BFPO)\Z"),
}
_LOOKALIKE = {"O": "O0", "0": "0O", "I": "I1", "1": "1I"}


@dataclass(frozen=True)
class Postcode:
    """A postcode in its usual spelling, and its components; each lies inside the one before.

    A BFPO number lies in no place, so all its components but the unit are 'BFPO'.
    """

    unit: str
    area: str
    district: str
    subdistrict: str
    sector: str
    outward: str
    inward: str
    kind: Kind

    def component(self, name: Component) -> str:
        """One of its components, by name."""
        text: str = getattr(self, name)
        return text


@dataclass(frozen=True)
class NoPostcode:
    """A text that is none: why, and what it may have been meant for."""

    reason: Reason
    repairs: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """The reason as a sentence."""
        return REASONS[self.reason]


def parse(text: str | None) -> Postcode | NoPostcode:
    """Which postcode is this, whatever its case and spacing? Or why is it none, and what may be meant?

    O for 0 and I for 1 are offered as repairs where the outcome is a postcode; nothing is repaired silently.
    It misleads in one way: good form is not existence. ZE99 9ZZ parses, and no letter ever got there.

    >>> parse("ne352fg").sector, parse("EC1A 1BB").subdistrict, parse("NE35 2FG").subdistrict
    ('NE35 2', 'EC1A', 'NE35')
    >>> parse("SW1A OAA")
    NoPostcode(reason='format', repairs=('SW1A 0AA',))
    """
    compact = squeeze(text or "")
    reason = _fault(compact)
    if reason is None:
        return _split(compact.upper())
    return NoPostcode(reason, _repairs(compact.upper()) if reason in ("format", "area", "place") else ())


def read_component(text: str) -> tuple[tuple[Component, str], ...]:
    """Which area, district, sub-district or sector can this text be? All readings, the one as it is written first.

    Without a space NE31 is a district, and might have been meant for the sector NE3 1; with one it is the other way
    round. Nothing where it is none of them; whole postcodes are for `parse`.

    >>> read_component("ne3 1"), read_component("EC1A")
    ((('sector', 'NE3 1'), ('district', 'NE31')), (('subdistrict', 'EC1A'),))
    """
    compact = squeeze(text)
    if not _MATCH["plain"].match(compact):
        return ()
    compact = compact.upper()
    codes = [compact, f"{compact[:-1]} {compact[-1:]}"]
    trimmed = text.strip(SPACES)
    if len(trimmed) > 1 and trimmed[-2] in SPACES:
        codes.reverse()
    return tuple((found, code) for code in codes if (found := component_of([code])) is not None)


def format_of(code: str) -> str:
    """A code with A for each letter and 9 for each digit; what is in none of the six formats stays as it is.

    >>> format_of("NE3 1ED"), format_of("EC1A"), format_of("GIR 0AA"), format_of("BFPO 57")
    ('AA9 9AA', 'AA9A', 'GIR 0AA', 'BFPO number')
    """
    if code.startswith("BFPO"):
        return "BFPO number"
    return code if code.startswith("GIR") else re.sub("[0-9]", "9", re.sub("[A-Z]", "A", code))


def kind_of(area: str) -> Kind:
    """What kind of postcode is one of this area?"""
    return _KINDS.get(area, "geographic")


def squeeze(text: str) -> str:
    """A text without the spaces in it."""
    return text.translate(dict.fromkeys(map(ord, SPACES)))


def coarsen(code: str, finest: Component, component: Component) -> str:
    """The component that a code lies in, where the code is a `finest` in its usual spelling.

    >>> coarsen("EC1A 1", "sector", "district"), coarsen("NE35", "district", "area")
    ('EC1', 'NE')
    """
    if component == finest:
        return code
    if code.startswith("BFPO"):
        return "BFPO"
    if finest == "unit" and component == "sector":
        return code[:-2]
    outward = code.partition(" ")[0]
    if component in ("sector", "subdistrict"):
        return outward
    if outward == "GIR":
        return outward
    letters = outward.rstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or outward
    return letters if component == "district" else letters.rstrip("0123456789")


def component_of(codes: list[str]) -> Component | None:
    """Of which component are these codes, when every one of them is a code of one? None when they are not.

    A sector needs its space: AL11 is a district, AL1 1 a sector. Codes without any letter at their end can be
    districts or sub-districts; they count as districts.
    """
    for component in ("area", "district", "subdistrict", "sector"):
        if codes and all(_GROUPS[component].match(code) for code in codes):
            return component
    return None


def _fault(compact: str) -> Reason | None:
    """The first thing that is wrong with a text without spaces."""
    upper = compact.upper() if _MATCH["plain"].match(compact) else None
    if not compact:
        return "missing"
    if upper is None:
        return "characters"
    if _MATCH["standard"].match(upper) or _MATCH["bfpo"].match(upper):
        return None
    if _MATCH["partial"].match(upper):
        return "partial"
    if not SHORTEST <= len(upper) <= LONGEST:
        return "length"
    if not _MATCH["format"].match(upper):
        return "format"
    return "place" if _MATCH["known"].match(upper) else "area"


def _split(compact: str) -> Postcode:
    at = 4 if compact.startswith("BFPO") else len(compact) - 3
    outward, inward = compact[:at], compact[at:]
    unit = f"{outward} {inward}"
    parts = [coarsen(unit, "unit", component) for component in COMPONENTS[:4]]
    area, district, subdistrict, sector = parts
    return Postcode(unit, area, district, subdistrict, sector, outward, inward, kind_of(area))


def _repairs(compact: str) -> tuple[str, ...]:
    """The postcodes that the fewest swaps of O and 0, I and 1 make of a text."""
    found: dict[int, list[str]] = {}
    if len(compact) <= LONGEST + 1:
        for letters in product(*(_LOOKALIKE.get(letter, letter) for letter in compact)):
            candidate = "".join(letters)
            if _fault(candidate) is None:
                swaps = sum(a != b for a, b in zip(candidate, compact, strict=True))
                found.setdefault(swaps, []).append(_split(candidate).unit)
    return tuple(sorted(found[min(found)])) if found else ()
