"""The two reports of a run: where they are, and on paper."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from incrowd.audit.checked import Trust
from incrowd.audit.signing import read_key
from incrowd.errors import InputError
from incrowd.report.pdf import need_browser, print_pdf
from incrowd.rows.result import Line, Result
from incrowd.tasks.audit_sign import add_files
from incrowd.tasks.audit_verify import refuse_forgery

__all__ = ["Reports", "need_browser", "report"]

#: What each report is called on paper. Both are put into the audit: the release folder holds what its manifest lists.
PRINTED = {"internal": "report.pdf", "public": "public-report.pdf"}


@dataclass(frozen=True, repr=False)
class Reports(Result):
    """The pages of a run by who may read them, 'internal' and 'public', and where they are printed."""

    pages: Mapping[str, Path]
    printed: Mapping[str, Path] = field(default_factory=dict)

    def _told(self) -> str:
        return ", ".join(f"{name} {page}" for name, page in self.pages.items())

    def _lines(self) -> Iterable[Line]:
        return [
            {"report": name, "page": str(page), "printed": str(self.printed[name]) if name in self.printed else None}
            for name, page in self.pages.items()
        ]


def report(
    run: str | Path, *, pdf: bool = False, trust: Trust | None = None, signing_key: str | Path | None = None
) -> Reports:
    """Where are the reports of a run? With `pdf`, print them into the audit, signed with the key of the runs.

    `run` is the folder of a run, its release folder, or the pointer. A run that differs from what was sealed is
    refused; `trust` says whose signature counts.

    >>> sorted(ic.report(done.folder).pages)
    ['internal', 'public']
    """
    if pdf:
        need_browser()
    pages, trust = _pages(Path(run)), trust or Trust()
    refuse_forgery(Path(run), trust)
    if not pdf:
        return Reports(pages)
    with TemporaryDirectory(prefix="incrowd-") as private:  # mode 0700
        printed = {PRINTED[n]: print_pdf(page, Path(private, PRINTED[n])).read_bytes() for n, page in pages.items()}
    signer = None if signing_key is None else read_key(Path(signing_key))
    audit = add_files(next(iter(pages.values())).parents[1], printed, trust, signer)
    return Reports(pages, {name: audit / PRINTED[name] for name in pages})


def _pages(run: Path) -> dict[str, Path]:
    """The reports of a run: the internal one, and the public one where something was released."""
    folder = run.resolve()
    folder = folder.parent if folder.name in ("release", "audit") else folder
    found = {"internal": folder / "audit" / "report.html", "public": folder / "release" / "report.html"}
    there = {name: page for name, page in found.items() if page.is_file()}
    if not there:
        raise InputError("D230", f"{run} has no report.", "Name the folder of a run, runs/ID, or the pointer release.")
    return there
