"""Write what stays inside, and what leaves beside the data. A file that must stay leaves its audit, and ends here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from incrowd.audit.manifest import FileEntry
from incrowd.audit.series_people import write_people
from incrowd.errors import NotReleasable
from incrowd.intruder_test.value import read_tested
from incrowd.pipeline.after import MeasuredAfter
from incrowd.plan.files import tested_files
from incrowd.report.files import Origin, ReleaseFiles, finish_audit, write_audit, write_release_files
from incrowd.rows.spreadsheet import count_formulas


@dataclass(frozen=True, kw_only=True)
class Reported(MeasuredAfter):
    """Everything in the private folder, ready to be published."""

    files: ReleaseFiles
    audited: tuple[FileEntry, ...]


def write_reports(measured: MeasuredAfter) -> Reported:
    """The audit, then the files of the release. Raises the refusal where there is one, once its audit is kept."""
    measured.progress("evidence")
    plan, work, released, signer = measured.plan, measured.work, measured.released, measured.signer
    # In an Excel file a text is stored as a text, whatever it begins with.
    log = replace(measured.log, formulas={} if plan.release.format == "xlsx" else count_formulas(released))
    if plan.intruder_test is not None:
        log = replace(log, intruder_test=read_tested(tested_files(plan, measured.folder), measured.sha256))
    begun = write_audit(work.audit, plan, log, measured.secret)
    origin = Origin(measured.folder, measured.inputs, work.home)
    if measured.refusal is not None:
        work.keep_audit(finish_audit(work.audit, plan, log, begun, origin, (), signer))
        raise measured.refusal
    tried = measured.circumstances.on_trial
    if tried is not None and tried.sha256 != measured.sha256:
        message = "the file is not the one that was tried together with the others."
        raise NotReleasable("R034", message, "A search that is timed finds another recoding each time: pin it.")
    if measured.people is not None:
        begun = (*begun, write_people(work.audit, measured.people))
    files = write_release_files(work.release, plan, log, released, measured.entries, signer)
    audited = finish_audit(work.audit, plan, log, begun, origin, files.entries, signer)
    return Reported(**{**vars(measured), "log": log}, files=files, audited=audited)
