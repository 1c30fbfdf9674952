"""What one run has from its beginning: the plan, the secret, a private folder to work in. Every stage hands it on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from incrowd.attack.value import Attacked
from incrowd.audit.earlier import Earlier, find_earlier
from incrowd.audit.inputs import Taken, take_inputs
from incrowd.audit.series import NONE_BEFORE, Found, find_series, unnamed_series
from incrowd.audit.signing import Signer, find_signer
from incrowd.audit.workspace import Workspace, open_workspace
from incrowd.pipeline.check import Checked
from incrowd.pipeline.progress import Progress, numbered
from incrowd.plan import Plan
from incrowd.plan.files import named_files
from incrowd.plan.series import links_people
from incrowd.rows.memory import keep_below, parse_memory
from incrowd.secret import Secret, project_secret


@dataclass(frozen=True)
class OnTrial:
    """A file that was made on trial: what it was made from, and which bytes it was."""

    inputs: tuple[Taken, ...]
    sha256: str


@dataclass(frozen=True)
class Circumstances:
    """What is known of a run from elsewhere: from the other files of the same plan, or from the audit it is to repeat.

    `together` are attacks with another file of the plan, for the report; `source_hidden` says that the public report
    may not tell how many records came, as another file's does not. `on_trial` is the file that was tried with the
    others: only the same bytes from the same are released. `earlier` are the releases that were here before those of
    this plan (looked for when left out), `series` those of its series. Nobody signs when not `signed`, as in versions
    before.
    """

    together: tuple[Attacked, ...] = ()
    source_hidden: bool = False
    on_trial: OnTrial | None = None
    earlier: tuple[Earlier, ...] | None = None
    series: Found | None = None
    signed: bool = True


#: A run that nothing else is known of.
ALONE = Circumstances()


@dataclass(frozen=True, kw_only=True)
class Job:
    """A plan to carry out, and what with. The value of each stage is that of the one before it and what it adds."""

    plan: Plan
    folder: Path  # where the files are that the plan names
    secret: Secret
    work: Workspace
    stack: ExitStack  # closes what was opened
    earlier: tuple[Earlier, ...] = ()  # the releases that were here before
    found: Found = NONE_BEFORE  # those of the plan's series among them
    inputs: tuple[Taken, ...] = ()  # the bytes of the files, before the first was read
    keep_lines: bool = False  # every record carries its line in the source, so that an attack can be judged
    attacks: bool = True  # those of the plan are tried
    cap: int | None = None  # on memory, in bytes
    progress: Callable[[str], None] = lambda what: None
    within: Callable[[float], None] | None = None
    unwatch: Callable[[], None] = lambda: None  # ends the watch over memory
    signer: Signer | None = None
    circumstances: Circumstances = ALONE
    notes: tuple[str, ...] = ()  # what the author of the plan should know


def needs_lines(plan: Plan) -> bool:
    """Whether somebody will ask whose record each released one is: the plan's attacks, or its series."""
    return bool(plan.attacks) or (links_people(plan) and plan.data.engine_kind.on_this_machine)


@contextmanager
def begin(
    checked: Checked,
    out: Path | None,
    secret: Secret | None,
    memory: str | None,
    progress: Progress | None,
    within: Callable[[float], None] | None,
    signer: Signer | None,
    circumstances: Circumstances,
) -> Iterator[Job]:
    """Everything that a run to a release needs before its data are opened. All is closed and cleared at its end."""
    plan, folder, home = checked.plan, checked.folder, out or checked.folder
    cap = None if memory is None else parse_memory(memory)
    with keep_below(cap) as unwatch, open_workspace(home) as work, ExitStack() as stack:
        secret = secret or project_secret(folder, home)
        signer = (signer or find_signer(home)) if circumstances.signed else None
        begins = numbered(progress, len(plan.steps) + 5 + bool(plan.attacks) + (plan.release.series is not None))
        begins("read and count")
        tried, earlier, found = circumstances.on_trial, circumstances.earlier, circumstances.series
        inputs = take_inputs(named_files(plan), folder) if tried is None else tried.inputs
        yield Job(
            plan=plan,
            folder=folder,
            secret=secret,
            work=work,
            stack=stack,
            earlier=find_earlier(plan, folder, home, inputs) if earlier is None else earlier,
            found=find_series(plan, home, folder) if found is None else found,
            inputs=inputs,
            keep_lines=needs_lines(plan),
            cap=cap,
            progress=begins,
            within=within,
            unwatch=unwatch,
            signer=signer,
            circumstances=circumstances,
            notes=(*checked.notes, *unnamed_series(plan, home)),
        )
