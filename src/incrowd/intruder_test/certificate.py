"""The certificate of an erased test: what was erased, when and by whom, what stays. It names no participant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from sqlalchemy import Connection, delete, insert, select

from incrowd.intruder_test.protocol import moment
from incrowd.intruder_test.schema import truth_certificate

#: What each table holds, for readers. Tables of the same kind are told apart by their names.
HELD = {
    "claim": "claims", "acquaintance": "people whom intruders know", "dealt": "which cards each intruder got",
    "session": "sessions of intruders", "attempt": "limited tries", "action": "log of the intruders' pages",
    "intruder": "names of intruders", "target": "target cards", "truth_target": "who the targets are",
    "truth_record": "whose records these are", "truth_value": "true values", "truth_judgment": "judgments",
    "truth_session": "sessions of the office", "truth_account": "accounts of the office",
    "truth_action": "log of the office", "truth_file": "files beside the test", "record": "released records",
}  # fmt: skip
STAYS = (
    "the title, the dates and the texts that participants accepted",
    "the SHA-256 of the tested release, and how many records it had",
    "the scores, where they were counted before: counts and judges' notes that name nobody",
    "this certificate",
)
#: What is told of files, each as their paths.
FILES = ("deleted", "missing", "left_alone")
NOT_SEEN = (
    "Copies that were made of the test or of its files: mails with links, backups, snapshots of the disk, printed "
    "pages and participants' own notes are not known here. Delete them, too."
)


@dataclass(frozen=True)
class Certificate:
    """What was erased. Rows are counted as they were deleted; `left` is what was counted afterwards."""

    title: str
    sha256: str
    place: str  # the file's name, or that it was a schema of PostgreSQL
    by: str
    at: int
    rows: Mapping[str, int]
    deleted: tuple[str, ...]
    missing: tuple[str, ...]
    left_alone: tuple[str, ...] = ()  # no regular file is there any more
    left: Mapping[str, int] = field(default_factory=dict)  # empty while erasing is not finished
    overwritten: str = ""  # how the bytes were overwritten

    @property
    def finished(self) -> bool:
        """Whether the rows were counted again, and none was left."""
        return bool(self.left) and not any(self.left.values())

    def joined(self, later: Certificate) -> Certificate:
        """This one, begun before, with what was erased later."""
        rows = {name: self.rows.get(name, 0) + later.rows.get(name, 0) for name in {**self.rows, **later.rows}}
        missing = tuple(path for path in later.missing if path not in self.deleted)
        alone = tuple(dict.fromkeys((*self.left_alone, *later.left_alone)))
        deleted = (*self.deleted, *later.deleted)
        return replace(later, by=self.by, rows=rows, deleted=deleted, missing=missing, left_alone=alone)

    @property
    def text(self) -> str:
        """For readers, in Markdown."""
        lines = [
            f"# Certificate of erasure: {self.title}", "",
            f"- Erased: {moment(self.at)}",
            f"- By: {self.by}",
            f"- Test: {self.place}",
            f"- Release that was tested: SHA-256 {self.sha256}", "",
            "| what | table | rows erased | rows left, counted afterwards |",
            "| --- | --- | ---: | ---: |",
        ]  # fmt: skip
        lines += [
            f"| {HELD.get(name, name)} | {name} | {many:,} | {self.left.get(name, 'not counted')} |"
            for name, many in self.rows.items()
        ]
        lines += ["", self.overwritten, "", "Files deleted with it:", ""]
        lines += [f"- {path}" for path in self.deleted] or ["- none"]
        if self.missing:
            lines += ["", "Files that were not where they had been written; delete them if they were moved:", ""]
            lines += [f"- {path}" for path in self.missing]
        if self.left_alone:
            lines += [
                "",
                "Where a file had been written is now a folder, a link or a device, which was left alone. Look "
                "whether it holds what was written, and delete that:",
                "",
            ]
            lines += [f"- {path}" for path in self.left_alone]
        lines += ["", "What stays:", "", *(f"- {each}" for each in STAYS), "", NOT_SEEN]
        return "\n".join(lines) + "\n"


def kept_certificate(connection: Connection) -> Certificate | None:
    """The certificate that is stored, if there is one."""
    found = connection.execute(select(truth_certificate.c.certificate)).scalar_one_or_none()
    if found is None:
        return None
    fields = json.loads(found)
    return Certificate(**{**fields, **{name: tuple(fields.get(name, ())) for name in FILES}})


def keep_certificate(connection: Connection, certificate: Certificate) -> None:
    """Store it: it stays when the rest is erased."""
    connection.execute(delete(truth_certificate))
    connection.execute(insert(truth_certificate).values(id=1, certificate=json.dumps(asdict(certificate))))


def place_beside(stem: Path) -> Path:
    """Where the certificate of a test is written: beside it, under a name that is free."""
    endings = (".erased.md", *(f".erased-{number}.md" for number in range(2, 1000)))
    return next(path for ending in endings if not (path := stem.with_suffix(ending)).exists())
