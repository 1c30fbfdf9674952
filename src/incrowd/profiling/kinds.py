"""The kinds of variables that are recognised: their role and why, and what their values look like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from incrowd.plan.model import Role
from incrowd.profiling import patterns
from incrowd.profiling.phrases import PHRASES, split

Looks = Callable[[str], bool]


@dataclass(frozen=True)
class Kind:
    """One kind: its name, its role and why, and how its values are told from others.

    `looks` answers for one value, `enough` is the share of values from which a column is recognised without
    its name. Other things look like a `soft` kind too, so there values decide only where the name says
    nothing else. Of a kind that is not `uniform` many values look otherwise.
    """

    name: str
    role: Role
    why: str
    looks: Looks | None = None
    enough: float = 0.8
    soft: bool = False
    uniform: bool = True
    many: str = ""

    @property
    def plural(self) -> str:
        """What several of them are called."""
        return self.many or f"{self.name}s"

    @property
    def phrases(self) -> tuple[str, ...]:
        """What columns of this kind are called."""
        return split(PHRASES[self.name])


_NAMES = "it names a person by itself"
_KNOWN = "others may know it of a person"
_WANTED = "it is what an intruder wants to learn"


def _identifier(name: str, looks: Looks | None = None, many: str = "") -> Kind:
    return Kind(name, "identifier", _NAMES, looks, many=many)


def _key(name: str, why: str = _KNOWN) -> Kind:
    return Kind(name, "key", why)


def _sensitive(name: str) -> Kind:
    return Kind(name, "sensitive", _WANTED)


AGE = _key("age")
YEAR_OF_BIRTH = _key("year of birth", "it tells the age")
DATE_OF_BIRTH = _key("date of birth")
POSTCODE = Kind(
    "postcode", "key", "a whole postcode is a handful of homes, and neighbours know it", patterns.is_postcode
)
NAME = Kind("name", "identifier", _NAMES, patterns.is_part_of_a_name, 0.3, soft=True, uniform=False)
RECORD_NUMBER = Kind("record number", "identifier", _NAMES, patterns.is_machine_code, soft=True, uniform=False)
NATIONAL_INSURANCE = _identifier("National Insurance number", patterns.has_national_insurance_shape)
EMAIL = _identifier("e-mail address", patterns.is_email, "e-mail addresses")
FREE_TEXT = _identifier("free text")
WEIGHT = Kind("sampling weight", "other", "it is a number of the survey; look whether it gives away the area")

#: In the order in which values are tried: what has check digits or a mark of its own comes first.
KINDS: tuple[Kind, ...] = (
    EMAIL,
    NATIONAL_INSURANCE,
    POSTCODE,
    _identifier("NHS number", patterns.is_nhs_number),
    _identifier("payment card number", patterns.is_card_number),
    _identifier("phone number", patterns.is_phone_number),
    _identifier("IP address", patterns.is_ip_address, "IP addresses"),
    _identifier("device address", patterns.is_device_address, "device addresses"),
    _identifier("URL", patterns.is_url),
    Kind("bank account number", "identifier", _NAMES, patterns.is_iban, uniform=False),
    Kind(
        "sort code",
        "identifier",
        "with an account number it names a person",
        patterns.is_sort_code,
        soft=True,
    ),
    Kind("vehicle registration", "identifier", _NAMES, patterns.is_vehicle_registration, soft=True),
    Kind("address", "identifier", _NAMES, patterns.is_address, 0.6, uniform=False, many="addresses"),
    RECORD_NUMBER,
    NAME,
    _identifier("official number"),
    _identifier("user name"),
    _identifier("place on the map"),
    FREE_TEXT,
    _identifier("picture or recording"),
    DATE_OF_BIRTH,
    AGE,
    YEAR_OF_BIRTH,
    _key("sex"),
    _key("area"),
    _key("marital status"),
    _key("ethnicity", "it is visible, and an intruder may also want to learn it"),
    _key("religion", "neighbours know it, and it deserves protection as well"),
    _key("occupation"),
    _key("industry"),
    _key("education"),
    _key("family"),
    _key("housing"),
    _key("country"),
    _key("height or weight", "whoever sees a person knows it roughly"),
    _key("date of an event", "whoever was there knows the day"),
    _sensitive("income"),
    _sensitive("wealth"),
    _sensitive("credit or debt"),
    _sensitive("benefits"),
    _sensitive("health"),
    _sensitive("habits"),
    _sensitive("conviction"),
    _sensitive("grade"),
    _sensitive("opinion or private life"),
    WEIGHT,
)

BY_NAME = {kind.name: kind for kind in KINDS}
