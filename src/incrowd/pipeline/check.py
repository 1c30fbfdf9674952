"""The first stage: is there anything wrong with the plan? It is read and checked here, and only once.

What the plan room can say of a plan, and what only the attack room knows: which attacks there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from incrowd.attack.on_run import check_names
from incrowd.errors import Fault, InputError, PlanError
from incrowd.intruder_test.value import read_tested
from incrowd.machine.paths import as_path
from incrowd.plan import Inspection, Plan, inspect_plan, one_of, read_text, split_tier
from incrowd.plan.files import TEST, tested_files


@dataclass(frozen=True)
class Checked:
    """A plan without faults, where the files that it names are looked for, and what its author should know."""

    plan: Plan
    folder: Path
    notes: tuple[str, ...] = ()


def check(plan: Plan | Checked | str | Path, folder: Path | None = None) -> Checked:
    """The plan of one file; of a plan that makes several, one is named as `plan.yaml@open`. Raises PlanError with all
    faults. A Plan was checked when it was loaded.
    """
    if isinstance(plan, Checked):
        return plan
    if isinstance(plan, Plan):
        return Checked(plan, folder or Path.cwd())
    file, tier = split_tier(plan)
    found = inspect(read_text(file), file.parent)
    return Checked(one_of(found.sound(), file, tier), folder or file.resolve().parent, found.notes)


def check_to_release(plan: Plan | Checked | str | Path, folder: Path | None = None) -> Checked:
    """The plan of one file that may be released by itself."""
    _refuse_one_of_several(plan)
    return check(plan, folder)


def check_files(plan: Plan | str | Path, folder: Path | None = None) -> list[Checked]:
    """The plans of all files that a plan makes, to be released together: one, or one for each of its tiers."""
    if not isinstance(plan, Plan):
        plan = as_path(plan)
    _refuse_one_of_several(plan)
    if isinstance(plan, Plan):
        whole = Checked(plan, folder or Path.cwd())
    else:
        found = inspect(read_text(Path(plan)), Path(plan).parent)
        whole = Checked(found.sound(), folder or Path(plan).resolve().parent, found.notes)
    if not whole.plan.tiers:
        return [whole]
    plans = [whole.plan.of_tier(one.tier) for one in whole.plan.tiers]
    return [Checked(one, whole.folder, () if number else whole.notes) for number, one in enumerate(plans)]


def load_plan(path: str | Path) -> Plan:
    """Read a plan and check everything that can be checked without the data. Raises PlanError with all faults.

    Of a plan that makes several files one is named as `plan.yaml@open`.

    >>> ic.load_plan("plan.yaml").with_role("identifier")
    ['name']
    """
    return check(path).plan


def inspect(text: str, folder: Path) -> Inspection:
    """All faults of a plan that show without its data, sorted by line; files are looked for in `folder`."""
    found = inspect_plan(text, folder)
    return found if found.plan is None else found.adding([*check_names(found.plan), *_check_test(found.plan, folder)])


def _check_test(plan: Plan, folder: Path) -> list[Fault]:
    """What is wrong with the scores that the plan names: said now, not when the file is written."""
    files = tested_files(plan, folder)
    if not files or not all(file.is_file() for file in files):
        return []  # that one is not there is said of every file
    try:
        read_tested(files, "")
    except PlanError as error:
        return list(error.faults)
    except InputError as error:
        return [Fault(error.code, TEST, error.message, error.hint)]
    return []


def _refuse_one_of_several(plan: Plan | Checked | str | Path) -> None:
    if not isinstance(plan, Plan | Checked) and split_tier(plan)[1] is not None:
        message = "a file of one tier is released with those of the others, or not at all."
        raise InputError("D252", message, "Run the whole plan: the files are tried together first.")
