"""Hierarchies made, read, written, checked and shown. All of it on texts in memory: no files."""

from incrowd.keys.hierarchies.arx import format_arx, parse_arx
from incrowd.keys.hierarchies.automatic import automatic
from incrowd.keys.hierarchies.builders import (
    cut_bands,
    date_parts,
    equal_bands,
    mapped,
    ordered_groups,
    prefixes,
    quantile_bands,
)
from incrowd.keys.hierarchies.postcodes import postcode_component, postcodes
from incrowd.keys.hierarchies.tree import tree_lines
from incrowd.keys.hierarchies.validate import require_valid, validate
from incrowd.keys.hierarchies.words import describe, level_in_words

__all__ = [
    "automatic",
    "cut_bands",
    "date_parts",
    "describe",
    "equal_bands",
    "format_arx",
    "level_in_words",
    "mapped",
    "ordered_groups",
    "parse_arx",
    "postcode_component",
    "postcodes",
    "prefixes",
    "quantile_bands",
    "require_valid",
    "tree_lines",
    "validate",
]
