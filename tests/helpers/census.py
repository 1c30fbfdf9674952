"""The census teaching file with the codes of its variable list, read from the list as it is published."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from shared import SHARED

CENSUS = SHARED / "data" / "census2011"
_CODE = re.compile(r"^\s*(- ?\d|-?\d{1,2})\s*\.?\s\s*([A-Za-z0-9].*)$|^\s*(?:Region\s+10\s+)?([EW]\d{8})\s+(.*)$")
_PAGE = re.compile(r"page \d|Variable|Number of|[Cc]ategories|Produced")


def census_codes(columns: list[str]) -> dict[str, dict[str, str]]:
    """Column -> code -> words, of the columns whose name stands in the list as it does in the file."""
    lines = (CENSUS / "variable_list.txt").read_text(encoding="utf-8", errors="replace").splitlines()
    names = {name.lower().split(" (")[0]: name for name in columns if name.strip()}
    found: dict[str, dict[str, str]] = {}
    now, last = "", None
    for line in lines:
        text = " ".join(line.split())
        head = next((name for low, name in names.items() if text.lower().startswith(low) and name not in found), None)
        if head is not None:
            now, last = head, None
            found[now] = {}
            text = re.sub(r"^\d+ +", "", text[len(head) :].strip())
        match = _CODE.match(f"{text} ")
        if now and match:
            last = (match[1] or match[3]).replace(" ", "")
            found[now].setdefault(last, (match[2] or match[4]).strip())
        elif _PAGE.match(text):
            last = None
        elif now and last is not None and text:
            found[now][last] += f" {text}"
    del found["Residence Type"]  # what stands under it are the codes of the next one, whose name is broken
    return {name: codes for name, codes in found.items() if "1" in codes or "E12000001" in codes}


def write_codes(path: Path, columns: list[str]) -> None:
    """A CSV file with the codes of all variables."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["variable", "code", "label"])
        for name, codes in census_codes(columns).items():
            writer.writerows([name, code, words] for code, words in codes.items())
