"""Does this value look like ...? One function for each thing that is recognised by its values, with no
engine.

They are tried on a bounded set of a column's distinct values. A column is recognised by a share of them, so a
function may be wrong about single values; it errs on the side of recognising.
"""

from __future__ import annotations

import ipaddress
import re
from datetime import date

from incrowd.profiling.forenames import FORENAMES
from incrowd.profiling.surnames import SURNAMES

_EMAIL = re.compile(r"[^@\s,;<>\"]+@[^@\s,;<>\"]+\.[^@\s,;<>\".]{2,}")
_NI_SHAPE = re.compile(r"[A-Z]{2}[0-9]{6}[A-Z]")
_NI_ALLOWED = re.compile(r"(?!BG|GB|KN|NK|NT|TN|ZZ)[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z][0-9]{6}[A-D]")
# The six formats A9, A99, AA9, AA99, A9A, AA9A with the letters Royal Mail allows in each place; the space
# may lack.
_POSTCODE = re.compile(
    r"(?:[A-PR-UWYZ](?:[0-9]{1,2}|[A-HK-Y][0-9]{1,2}|[0-9][A-HJKPSTUW]|[A-HK-Y][0-9][ABEHMNPRVWXY]))"
    r"\s*[0-9][ABD-HJLNP-UW-Z]{2}|GIR\s*0AA"
)
_PHONE_UK = re.compile(r"(?:\+44|0044)(?:\(0\))?0?[1-9][0-9]{8,9}|0[1-9][0-9]{8,9}")
_PHONE_ABROAD = re.compile(r"\+[1-9][0-9]{7,14}")
_PHONE_US = re.compile(r"(?:\+?1[\s.-]?)?(?:\([2-9][0-9]{2}\)\s?|[2-9][0-9]{2}[\s.-])[0-9]{3}[\s.-][0-9]{4}")
_URL = re.compile(r"(?:(?:https?|ftp)://|www\.)\S+\.\S+", re.IGNORECASE)
_SORT_CODE = re.compile(r"([0-9]{2})[- ]([0-9]{2})[- ]([0-9]{2})")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
# Formats since 1963: AB12 CDE, A123 BCD, ABC 123D. Older ones (and Northern Ireland's) look like any code.
_VEHICLE = re.compile(r"[A-Z]{2}[0-9]{2}\s?[A-Z]{3}|[A-HJ-NPR-TV-Y][0-9]{1,3}\s?[A-Z]{3}|[A-Z]{3}\s?[0-9]{1,3}[A-Z]")
_MAC = re.compile(r"(?:[0-9A-F]{2}[:-]){5}[0-9A-F]{2}")
_UUID = re.compile(r"[0-9A-F]{8}-(?:[0-9A-F]{4}-){3}[0-9A-F]{12}|[0-9A-F]{32}|[0-9A-F]{40}|[0-9A-F]{64}")
_STREET = (
    r"street|st|road|rd|avenue|ave|lane|ln|close|drive|dr|way|court|crescent|terrace|gardens|grove|square|row|hill"
)
_ADDRESS = re.compile(rf"(?:flat\s+\w+,?\s+)?[0-9]+[a-z]?,?\s+(?:[\w'\u2019.-]+\s+)+(?:{_STREET})\b.*", re.IGNORECASE)
_WORDS_OF_A_NAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*\.?")

_SURNAME = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
#: What stands before a surname, and belongs to it.
_PARTICLES = re.compile(
    r"(?:(?:van|von|der|den|ter|de|del|della|di|du|da|dos|bin|ibn|mc|mac)\s+|(?:el|al)-)+", re.IGNORECASE
)
_BEGINS_A_NAME = re.compile(r"O['\u2019][A-Z]|Ma?c[A-Z]")


def is_email(value: str) -> bool:
    """Is it an e-mail address?"""
    return _EMAIL.fullmatch(value) is not None


def is_nhs_number(value: str) -> bool:
    """Is it an NHS number: ten digits of which the last is the check digit modulo 11?

    With d1 to d9 weighted 10 to 2, the check digit is 11 minus the sum modulo 11; 11 is written 0, 10 is
    never issued. One in eleven arbitrary ten-digit numbers passes. Reference: NHS Data Dictionary, "NHS
    number".

    >>> is_nhs_number("943 476 5919"), is_nhs_number("943 476 5918")
    (True, False)
    """
    digits = re.sub(r"[\s-]", "", value)
    if re.fullmatch(r"[0-9]{10}", digits) is None or len(set(digits)) == 1:
        return False
    check = 11 - sum(int(digit) * (10 - place) for place, digit in enumerate(digits[:9])) % 11
    return check % 11 == int(digits[9]) and check != 10


def has_national_insurance_shape(value: str) -> bool:
    """Two letters, six digits, a letter, spaces anywhere: also numbers that HMRC would never issue.

    Temporary, fictional and mistyped numbers still sit in a column of National Insurance numbers.
    """
    return _NI_SHAPE.fullmatch(_compact(value)) is not None


def is_national_insurance_number(value: str) -> bool:
    """Could HMRC have issued it? Neither letter is D, F, I, Q, U, V, the second not O, some prefixes and all
    but the suffixes A to D are never used (HMRC manual NIM39110).
    """
    return _NI_ALLOWED.fullmatch(_compact(value)) is not None


def is_postcode(value: str) -> bool:
    """Is it written as a whole UK postcode, whether or not Royal Mail delivers there?"""
    return _POSTCODE.fullmatch(value.strip().upper()) is not None


def is_phone_number(value: str) -> bool:
    """Is it a British phone number, an international one with its +, or one written the North American way?"""
    if re.search(r"[^0-9\s()+./-]", value) or "/" in value:
        return False
    digits = re.sub(r"[\s().-]", "", value)
    return any(p.fullmatch(digits) for p in (_PHONE_UK, _PHONE_ABROAD)) or _PHONE_US.fullmatch(value) is not None


def is_ip_address(value: str) -> bool:
    """Is it an internet address of version 4 or 6?"""
    if value.count(".") != 3 and value.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def is_url(value: str) -> bool:
    """Is it the address of a page?"""
    return _URL.fullmatch(value) is not None


def is_sort_code(value: str) -> bool:
    """Is it three pairs of digits that are not a date?"""
    found = _SORT_CODE.fullmatch(value)
    if found is None:
        return False
    day, month, year = (int(part) for part in found.groups())
    return not any(_exists(1900 + y, m, d) for d, m, y in ((day, month, year), (year, month, day), (month, day, year)))


def is_iban(value: str) -> bool:
    """Is it an international bank account number with the right check digits (modulo 97, ISO 13616)?"""
    text = _compact(value)
    if _IBAN.fullmatch(text) is None:
        return False
    return int("".join(str(int(sign, 36)) for sign in text[4:] + text[:4])) % 97 == 1


def is_card_number(value: str) -> bool:
    """Is it a payment card's number: 13 to 19 digits that pass Luhn's check?"""
    digits = re.sub(r"[\s-]", "", value)
    if re.fullmatch(r"[2-6][0-9]{12,18}", digits) is None:
        return False
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(digits))]
    return sum(number - 9 if number > 9 else number for number in doubled) % 10 == 0


def is_vehicle_registration(value: str) -> bool:
    """Is it written as a British number plate since 1963?"""
    return _VEHICLE.fullmatch(value.upper()) is not None


def is_device_address(value: str) -> bool:
    """Is it the hardware (MAC) address of a device?"""
    return _MAC.fullmatch(value.upper()) is not None


def is_machine_code(value: str) -> bool:
    """Is it a UUID or a hash, such as programs number people with?"""
    return _UUID.fullmatch(value.upper()) is not None


def is_address(value: str) -> bool:
    """Is it a house number with a street?"""
    return _ADDRESS.fullmatch(value) is not None


def is_name(value: str) -> bool:
    """Is it a person's name? One to five words, of which the first (after a title) or, after a comma, the
    last part begins with a common forename.

    It knows only some 200 forenames, mostly of the United Kingdom, so that a column of names is recognised
    from about a third of its values.
    """
    words = value.replace(",", " , ").split()
    if words and words[0].lower().rstrip(".") in {"mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir"}:
        words = words[1:]
    if "," in words:
        words = words[words.index(",") + 1 :] + words[: words.index(",")]
    if not 1 <= len(words) <= 5 or not all(_WORDS_OF_A_NAME.fullmatch(word) for word in words):
        return False
    return words[0].lower() in FORENAMES


def is_surname(value: str) -> bool:
    """Is it a surname by itself, or two with a hyphen: a part of it is a common one, or begins as only names do?

    It knows some 400 surnames, mostly of the United Kingdom, and O'Brien, McKay, van der Berg and the like by their
    beginning. What stands behind a comma is an initial or a forename.
    """
    value = value.partition(",")[0].strip()
    bare = value[found.end() :] if (found := _PARTICLES.match(value)) else value
    if _SURNAME.fullmatch(bare) is None:
        return False
    if bare != value and bare[0].isupper():
        return True
    return _BEGINS_A_NAME.match(value) is not None or not SURNAMES.isdisjoint(value.lower().split("-"))


def is_part_of_a_name(value: str) -> bool:
    """Is it a person's name, or their surname alone?"""
    return is_name(value) or is_surname(value)


def is_written_as_a_name(value: str) -> bool:
    """Is it one word (or two with a hyphen) of letters that begins as names do, with a capital?

    So are towns, trades and nationalities: it tells what may be a name, and never that something is one.
    """
    return _SURNAME.fullmatch(value) is not None and value[0].isupper() and len(value) > 1


def _compact(value: str) -> str:
    return re.sub(r"[\s-]", "", value).upper()


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True
