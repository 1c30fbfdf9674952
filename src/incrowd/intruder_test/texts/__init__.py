"""What participants read and agree to: templates that a department edits, filled with the facts of the test.

A template is plain Markdown: headings, paragraphs and lists. `{title}` stands for a fact. Everything else is shown as
it is written, and nothing in it is ever taken for HTML.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from incrowd.errors import InputError, did_you_mean
from incrowd.intruder_test.facts import Facts
from incrowd.intruder_test.protocol import day, moment, span
from incrowd.machine.writing import write_private

HERE = Path(__file__).parent
INFORMATION, CONDUCT, CONSENT, INVITATION = "information", "conduct", "consent", "invitation"
NAMES = (INFORMATION, CONDUCT, CONSENT, INVITATION)
#: Of every text, and of the invitation alone, which is filled for each person.
OF_TEST = ("title", "records", "people", "hours", "expires", "delete_on", "prize", "sources", "confidentiality")
OF_PERSON = ("name", "link")
LONGEST = 20_000
_BRACE = re.compile(r"\{([a-z_]*)\}|[{}]")


@dataclass(frozen=True)
class Block:
    """A piece of a text: a heading, a paragraph, or a list."""

    kind: str  # "heading", "paragraph" or "list"
    lines: tuple[str, ...]


def templates(folder: Path | None = None) -> dict[str, str]:
    """The templates: the department's own from a folder, or ours. Each is there, and says only what can be filled."""
    found = {}
    for name in NAMES:
        path = (folder or HERE) / f"{name}.md"
        try:
            text = path.read_text(encoding="utf-8-sig")
        except FileNotFoundError:
            hint = "All are needed: incrowd intruder-test texts -o FOLDER writes them."
            raise InputError("D493", f"there is no text {path}.", hint) from None
        except (OSError, UnicodeDecodeError):
            raise InputError("D493", f"{path} cannot be read as text in UTF-8.") from None
        if not text.strip() or len(text) > LONGEST:
            raise InputError("D493", f"{path} is empty or too long.", f"A text has up to {LONGEST:,} characters.")
        _check(path, name, text)
        found[name] = text
    return found


def write_templates(folder: Path) -> list[Path]:
    """Write our templates into a folder, to be edited. Nothing is overwritten."""
    paths = [folder / f"{name}.md" for name in NAMES]
    if there := next((path for path in paths if path.exists()), None):
        raise InputError("D494", f"there is something at {there} already.", "Nothing is overwritten: name another.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError("D494", f"{folder} cannot be made ({error.strerror}).") from None
    for name, path in zip(NAMES, paths, strict=True):
        write_private(path, templates()[name])
    return paths


def filled(found: Mapping[str, str], facts: Facts) -> dict[str, str]:
    """The texts of a test. The invitation keeps the places for a person's name and link."""
    values = {
        "title": facts.title, "records": f"{facts.records:,}", "people": facts.called.many,
        "hours": span(facts.hours * 3600), "expires": moment(facts.expires), "delete_on": day(facts.delete_on),
        "prize": facts.prize or "There is no prize.", "sources": facts.sources,
        "confidentiality": facts.confidentiality,
    }  # fmt: skip
    return {name: _fill(text, values) for name, text in found.items()}


def invitation(facts: Facts, name: str, link: str) -> str:
    """The invitation of one person; the name and the link alone where the test has no text for it."""
    text = facts.texts.get(INVITATION)
    return f"{name}\t{link}\n" if text is None else _fill(text, {"name": name, "link": link}).strip() + "\n"


def blocks(text: str) -> list[Block]:
    """A text in pieces, for pages: what is not a heading or a list is a paragraph.

    >>> [block.kind for block in blocks("# A\\n\\nb\\nc\\n\\n- d\\n- e")]
    ['heading', 'paragraph', 'list']
    """
    found: list[Block] = []
    for piece in re.split(r"\n\s*\n", text.replace("\r\n", "\n").strip()):
        for line in (line.strip() for line in piece.split("\n")):
            if line.startswith("#"):
                found.append(Block("heading", (line.lstrip("#").strip(),)))
            elif line.startswith(("- ", "* ")):
                _join(found, "list", line[2:].strip())
            elif found and found[-1].kind == "list" and found[-1].lines and line:
                found[-1] = Block("list", (*found[-1].lines[:-1], f"{found[-1].lines[-1]} {line}"))
            elif line:
                _join(found, "paragraph", line)
        found.append(Block("end", ()))
    return [block for block in found if block.lines]


def _join(found: list[Block], kind: str, line: str) -> None:
    if found and found[-1].kind == kind:
        found[-1] = Block(kind, (*found[-1].lines, line))
    else:
        found.append(Block(kind, (line,)))


def _fill(text: str, values: Mapping[str, str]) -> str:
    """What is filled in is never looked at again: a title with braces stays as it is."""
    return _BRACE.sub(lambda found: values.get(found[1] or "", found[0]), text)


def _check(path: Path, name: str, text: str) -> None:
    known = (*OF_TEST, *OF_PERSON) if name == INVITATION else OF_TEST
    for number, line in enumerate(text.splitlines(), start=1):
        for found in _BRACE.finditer(line):
            if found[1] not in known:
                what = f"there is no {found[0]}" if found[1] else "a brace that stands for nothing"
                hint = did_you_mean(found[1] or "", known) or f"There are: {', '.join(f'{{{one}}}' for one in known)}."
                raise InputError("D492", f"{path}, line {number}: {what}.", hint)
    if name == INVITATION and "{link}" not in text:
        raise InputError("D492", f"{path}, line 1: the invitation has no {{link}}.", "Nobody could sign in.")
