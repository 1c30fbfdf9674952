"""Verdicts by file: the claims that only people can judge go out, and come back with a verdict."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

from incrowd.errors import InputError
from incrowd.intruder_test.custodian import Judged, put_judgment
from incrowd.intruder_test.erasing import remember
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.verdicts import BY_FILE, CORRECT, LEARNED, PARTIAL, RIGHT, VERDICTS, WRONG, Judgment
from incrowd.keys.spreadsheet import harmless
from incrowd.machine.paths import must_be_file

HEADER = (
    "claim",
    "intruder",
    "who",
    "record",
    "attribute",
    "value",
    "confidence",
    "sources",
    "used",
    "reasoning",
    "verdict",
)
#: What the words in a file mean: a partial claim there is one that taught something.
FROM_FILE = {CORRECT: RIGHT, PARTIAL: LEARNED, WRONG: WRONG}


def undecided_csv(judged: Sequence[Judged]) -> str:
    """The claims that nobody has decided on, with an empty column for the verdict."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(HEADER)
    for each in judged:
        if each.verdict is None:
            c = each.claim
            cells = (c.id, f"intruder {each.intruder}", c.who, c.record or "", c.attribute or "", c.value or "",
                     c.confidence, c.sources, ", ".join(c.used), c.reasoning, "")  # fmt: skip
            writer.writerow([harmless(cell) for cell in cells])
    return out.getvalue()


def decide(store: Store, path: Path, judged: Sequence[Judged]) -> int:
    """Take over the verdicts that the custodian wrote into the file; gives how many. The file goes with the test."""
    open_ = {each.claim.id: each.claim for each in judged if each.verdict is None}
    must_be_file(path)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file)
            lines = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error):
        raise InputError("D223", f"{path} cannot be read as CSV in UTF-8.") from None
    if not {"claim", "verdict"} <= set(reader.fieldnames or ()):
        raise InputError("D223", f"{path} has no columns claim and verdict.", "Let --decide write a new file.")
    remember(store, path)
    found: dict[int, str] = {}
    for number, line in enumerate(lines, start=2):
        verdict = (line.get("verdict") or "").strip().lower()
        if not verdict:
            continue
        text = (line.get("claim") or "").strip()
        if verdict not in VERDICTS or not text.isdecimal() or int(text) not in open_:
            message = f"line {number} of {path} is no decision: the verdict or the claim's number does not fit."
            raise InputError(
                "D223", message, "Write correct, partial or wrong; only claims without a verdict can be decided."
            )
        found[int(text)] = verdict
    with store.writing() as connection:
        for claim, verdict in found.items():
            put_judgment(connection, claim, open_[claim].changed, Judgment(BY_FILE, FROM_FILE[verdict]), store.now)
    return len(found)
