"""Split postcodes into their components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from incrowd.keys.postcodes import NoPostcode, Postcode, parse
from incrowd.postcodes.directory import read_directory
from incrowd.rows.result import Line, Listing

_HEADS = ("unit", "area", "district", "subdistrict", "sector", "kind")


@dataclass(frozen=True, repr=False)
class ParsedPostcodes(Listing[Postcode | NoPostcode]):
    """What each text is: a postcode with its components, or none, with the reason.

    `authorities`, where real ones were asked for: the local authority of each unit, empty where there is none, None
    where there is no such postcode.
    """

    texts: tuple[str, ...]
    items: tuple[Postcode | NoPostcode, ...]
    authorities: Mapping[str, str | None] = field(default_factory=dict)

    @property
    def good(self) -> tuple[Postcode, ...]:
        """Those that are postcodes."""
        return tuple(one for one in self.items if isinstance(one, Postcode))

    def _told(self) -> str:
        return f"{len(self.good)} of {len(self.items)} texts are postcodes"

    def _names(self) -> Sequence[str]:
        return ("text", *_HEADS, "why not")

    def _lines(self) -> Iterable[Line]:
        return [
            {
                "text": text, **{head: getattr(one, head, None) for head in _HEADS},
                "why not": one.words if isinstance(one, NoPostcode) else None,
            }
            for text, one in zip(self.texts, self.items, strict=True)
        ]  # fmt: skip


def postcode_parse(texts: str | Sequence[str], *, real: bool = False) -> ParsedPostcodes:
    """Split postcodes, in any case and spacing, into their components; what is none says why, and what may be meant.

    With `real` each is looked up among all real ones (needs the extra `postcodes`).

    >>> ic.postcode_parse("sw1a1aa")[0].sector
    'SW1A 1'
    """
    given = (texts,) if isinstance(texts, str) else tuple(texts)
    found = ParsedPostcodes(given, tuple(parse(text) for text in given))
    if not real or not found.good:
        return found
    directory = read_directory("".join(sorted({one.unit[0] for one in found.good})))
    return ParsedPostcodes(given, found.items, {one.unit: directory.authority(one.unit) for one in found.good})
