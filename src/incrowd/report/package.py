"""A release as open-data portals take it: a Frictionless Data Package, and for CSV the W3C's metadata beside it.

Everything here stands in the plan's public fields or can be counted in the released file. No dates: the same release
gives the same bytes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from incrowd.audit.manifest import FileEntry
from incrowd.plan import Plan
from incrowd.report.dictionary import LISTED, DictionaryRow
from incrowd.report.words import TIERS

PACKAGE = "datapackage.json"
#: Where the W3C looks for the metadata of a CSV file.
CSVW_ENDING = "-metadata.json"
NO_LICENCE = "No licence is named yet: without one, nobody may rely on being allowed to use this file."
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_WEB = re.compile(r"https?://\S+")

#: The columns of dictionary.csv, which is part of the package.
_DICTIONARY = (
    DictionaryRow("variable", "Name of the column", "text", 0),
    DictionaryRow("label", "What it means", "text", 0, missing_allowed=True),
    DictionaryRow("type", "text, number, or a category whose values are listed", "text", 0),
    DictionaryRow("distinct_values", "How many different values it has", "number", 0, holds="integer"),
    DictionaryRow("values", "The values, where they are few", "text", 0, missing_allowed=True),
    DictionaryRow("missing_allowed", "Whether a value may be missing", "text", 0),
    DictionaryRow("codes", "What values stand for", "text", 0, missing_allowed=True),
    DictionaryRow("missing_means", "What an empty cell stands for", "text", 0, missing_allowed=True),
)


def describe_release(plan: Plan) -> str:
    """What the release is, in a few sentences, for a catalogue."""
    told = [plan.release.description, f"Tier: {plan.tier}, {TIERS[plan.tier]}."]
    if plan.release.licence is None and plan.tier == "open":
        told.append(NO_LICENCE)
    told.append("What it protects against, and what it does not, is in report.html.")
    return " ".join(part for part in told if part)


def data_package(plan: Plan, columns: Sequence[DictionaryRow], data: Sequence[FileEntry], dictionary: FileEntry) -> str:
    """The descriptor `datapackage.json` (specs.frictionlessdata.io, version 1) of a release."""
    about = plan.release
    csv = about.format == "csv"
    inside = any(part.name != about.file for part in data)
    numbered = [f"{about.name.lower()}-{i + 1}" for i in range(len(data))] if inside else [about.name.lower()]
    resources = [_resource(name, plan.title, part, columns) for name, part in zip(numbered, data, strict=True)]
    resources.append(_resource("dictionary", "Data dictionary", dictionary, _DICTIONARY))
    licence = about.licence
    content: dict[str, Any] = {
        "name": about.name.lower(),
        "profile": "tabular-data-package" if csv else "data-package",
        "title": plan.title,
        "description": describe_release(plan),
        "version": about.version,
        "keywords": list(about.keywords),
        "licenses": [] if licence is None else [_given(name=licence.name, path=licence.url, title=licence.title)],
        "contributors": _contributors(plan),
        "resources": resources,
    }
    return _json({name: value for name, value in content.items() if value})


def _resource(name: str, title: str, file: FileEntry, columns: Sequence[DictionaryRow]) -> dict[str, Any]:
    csv = file.name.endswith(".csv")
    kind = {
        "profile": "tabular-data-resource" if csv else "data-resource",
        "format": file.name.rpartition(".")[2],
        "mediatype": _MEDIA[file.name.rpartition(".")[2]],
    }
    how = {"encoding": "utf-8", "dialect": _DIALECT} if csv else {}
    return {
        "name": name, "path": file.name, "title": title, **kind, **how,
        "bytes": file.bytes, "hash": f"sha256:{file.sha256}",
        "schema": {"fields": [_field(column) for column in columns], "missingValues": [""]},
    }  # fmt: skip


_MEDIA = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_DIALECT = {"delimiter": ",", "lineTerminator": "\n", "quoteChar": '"', "doubleQuote": True, "header": True}


def _field(column: DictionaryRow) -> dict[str, Any]:
    constraints: dict[str, Any] = {} if column.missing_allowed else {"required": True}
    if column.values and column.distinct <= LISTED and column.holds in _READ:
        constraints["enum"] = [_READ[column.holds](value) for value in column.values if value]
    codes = [{"value": value, "label": label} for value, label in column.codes.items()]
    found = {"name": column.variable, "type": column.holds, "title": column.label, "constraints": constraints}
    return {name: value for name, value in (*found.items(), ("categories", codes)) if value}


#: Values that can be listed. Numbers cannot: as JSON they may be others, or none at all.
_READ: Mapping[str, Any] = {"string": str, "integer": int}


def _contributors(plan: Plan) -> list[dict[str, str]]:
    who, contact = plan.release.publisher, plan.release.contact
    if who is None and contact is None:
        return []
    found = {"title": who or plan.title, "role": "publisher"}
    if contact is not None:
        place = "email" if _MAIL.fullmatch(contact) else "path" if _WEB.fullmatch(contact) else "contact"
        found[place] = contact
    return [found]


def csvw_metadata(plan: Plan, columns: Sequence[DictionaryRow]) -> str:
    """The metadata of the CSV file as the W3C asks for (CSV on the Web, 2015)."""
    about = plan.release
    licence = None if about.licence is None else {"@id": about.licence.url}
    told = {
        "dc:title": plan.title,
        "dc:description": describe_release(plan),
        "dc:publisher": about.publisher,
        "dc:license": licence,
        "dcat:keyword": list(about.keywords) or None,
        "schema:version": about.version,
    }
    schema = {"columns": [_csvw_column(column) for column in columns]}
    dialect = {"encoding": "utf-8", "delimiter": ",", "quoteChar": '"', "doubleQuote": True, "header": True}
    context = ["http://www.w3.org/ns/csvw", {"@language": "en"}]
    given = _given(**told)
    return _json({"@context": context, "url": about.file, **given, "dialect": dialect, "tableSchema": schema})


def _csvw_column(column: DictionaryRow) -> dict[str, Any]:
    # A name may hold what a URI template allows; the title is what stands in the file.
    name = quote(column.variable, safe="").replace("-", "%2D").replace("~", "%7E")
    name = f"%5F{name[1:]}" if name.startswith("_") else name
    base: Any = {"integer": "integer", "number": "decimal"}.get(column.holds, "string")
    if column.values and column.distinct <= LISTED and base == "string":
        base = {"base": "string", "format": "|".join(re.escape(value) for value in column.values if value)}
    told = _given(**{"dc:description": column.label})
    codes = [f"{value} = {label}" for value, label in column.codes.items()]
    more = {"dc:relation": codes} if codes else {}
    required = not column.missing_allowed
    return {"name": name, "titles": column.variable, **told, **more, "datatype": base, "required": required}


def _given(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _json(content: Mapping[str, Any]) -> str:
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
