"""The reports of a run and its decision paper: where they are, on paper, and as Word."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from incrowd.audit.checked import Trust
from incrowd.audit.signing import read_key
from incrowd.errors import InputError
from incrowd.report.board.paper import Paper
from incrowd.report.files import PAPER
from incrowd.report.pdf import need_browser, print_pdf
from incrowd.report.word import need_word, word_document
from incrowd.rows.result import Line, Result
from incrowd.tasks.audit_sign import add_files
from incrowd.tasks.audit_verify import refuse_forgery

__all__ = ["Reports", "need_browser", "report"]

#: Where each page is in the folder of a run.
PAGES = {"decision": "audit/decision.html", "internal": "audit/report.html", "public": "release/report.html"}
#: What each is called on paper. All are put into the audit: the release folder holds what its manifest lists.
PRINTED = {"decision": "decision.pdf", "internal": "report.pdf", "public": "public-report.pdf"}
WORD = "decision.docx"


@dataclass(frozen=True, repr=False)
class Reports(Result):
    """The pages of a run, 'decision' to be signed, 'internal' and 'public'; where they are printed; and as Word."""

    pages: Mapping[str, Path]
    printed: Mapping[str, Path] = field(default_factory=dict)
    word: Path | None = None

    def _told(self) -> str:
        return ", ".join(f"{name} {page}" for name, page in self.pages.items())

    def _lines(self) -> Iterable[Line]:
        return [
            {
                "report": name, "page": str(page), "printed": str(self.printed[name]) if name in self.printed else None,
                "word": str(self.word) if name == "decision" and self.word else None,
            }
            for name, page in self.pages.items()
        ]  # fmt: skip


def report(
    run: str | Path,
    *,
    pdf: bool = False,
    word: bool = False,
    trust: Trust | None = None,
    signing_key: str | Path | None = None,
) -> Reports:
    """Where are the decision paper and the reports of a run? With `pdf`, print them into the audit; with `word`, put
    the decision paper there as a Word document. Both are signed with the key of the runs.

    `run` is the folder of a run, its release folder, or the pointer. A run that differs from what was sealed is
    refused; `trust` says whose signature counts.

    >>> sorted(ic.report(done.folder).pages)
    ['decision', 'internal', 'public']
    """
    if pdf:
        need_browser()
    if word:
        need_word()
    if not os.path.lexists(run):
        raise InputError("D000", f"there is no file or folder {run}.")
    folder, trust = _folder(Path(run)), trust or Trust()
    pages = {name: folder / place for name, place in PAGES.items() if (folder / place).is_file()}
    if not pages:
        raise InputError("D230", f"{run} has no report.", "Name the folder of a run, runs/ID, or the pointer release.")
    refuse_forgery(Path(run), trust)
    made: dict[str, bytes] = {WORD: _word(folder)} if word else {}
    if pdf:
        with TemporaryDirectory(prefix="incrowd-") as private:  # mode 0700
            made |= {PRINTED[n]: print_pdf(page, Path(private, PRINTED[n])).read_bytes() for n, page in pages.items()}
    if not made:
        return Reports(pages)
    signer = None if signing_key is None else read_key(Path(signing_key))
    audit = add_files(folder, made, trust, signer)
    printed = {name: audit / PRINTED[name] for name in pages} if pdf else {}
    return Reports(pages, printed, audit / WORD if word else None)


def _folder(run: Path) -> Path:
    """The folder of a run, whichever of its folders is named."""
    folder = run.resolve()
    return folder.parent if folder.name in ("release", "audit") else folder


def _word(folder: Path) -> bytes:
    """The decision paper of a run as Word, made of what was sealed."""
    kept = folder / "audit" / PAPER
    if not kept.is_file():
        message = f"{folder} has no decision paper: an earlier version of incrowd made it."
        raise InputError("D390", message, "Run the plan again.")
    return word_document(Paper.read(kept.read_text(encoding="utf-8")))
