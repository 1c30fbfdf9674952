"""Kinds of sources that an intruder may have used: a list, so that claims can be counted by them."""

from __future__ import annotations

OTHER = "other"
#: As they are stored, and in words.
KINDS = {
    "own": "what I know myself",
    "search": "a search engine",
    "social": "social media",
    "register": "a public register",
    "news": "news",
    "maps": "maps and street view",
    "homes": "property or energy sites",
    "data": "other open data",
    OTHER: "something else (say what below)",
}
