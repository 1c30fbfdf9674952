"""Simulated intruders against a release, or against what a plan would release."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path

from incrowd.attack.auxiliary import Files, read_auxiliary
from incrowd.attack.foreign.trying import attack_foreign
from incrowd.attack.on_run import Progress, attack_all, attack_names, chosen_scenarios, in_scenario
from incrowd.attack.value import Attacked, Rate
from incrowd.audit.checked import Trust
from incrowd.errors import InputError
from incrowd.machine.paths import as_path
from incrowd.pipeline.foreign import TracedForeign, trace_foreign
from incrowd.pipeline.foreign_plan import ForeignRelease, is_foreign
from incrowd.pipeline.trace import Traced, trace_plan, trace_release
from incrowd.plan import is_plan, split_tier
from incrowd.risk.value import Scenario
from incrowd.rows.engines import ENGINES
from incrowd.rows.result import Line, Result


@dataclass(frozen=True, repr=False)
class Intrusion(Result):
    """What simulated intruders achieved on one file: each attack in each scenario. It stays inside."""

    source: str
    records: int  # that were attacked
    of: int  # that the original has
    attacks: tuple[Attacked, ...]
    refusal: str | None = None  # why the gate would not let this file leave, whatever the attacks say
    notes: tuple[str, ...] = ()  # of a release that was made elsewhere: how its truth was found, and what was not

    def _told(self) -> str:
        tried = sum(one.in_full for one in self.attacks)
        refused = "" if self.refusal is None else f"; it would not be released: {self.refusal}"
        return f"{tried} attacks tried on {self.records:,} released records of {self.of:,}{refused}"

    def _lines(self) -> Iterable[Line]:
        return [
            {
                "attack": one.name, "scenario": one.scenario, **_rate("success", one.success),
                "tries": one.success and one.success.tries, "tried": one.tried, "baseline": one.baseline,
                **_rate("control", one.control), "residual": one.residual, "assumed": one.assumed, "why": one.why,
            }
            for one in self.attacks
        ]  # fmt: skip

    def _charts(self) -> Iterable[str]:
        from incrowd.report.charts.attacks import attack_charts
        from incrowd.report.charts.look import to_svg

        return [to_svg(chart) for _, chart in attack_charts(self.attacks)]


def _rate(name: str, rate: Rate | None) -> dict[str, object]:
    value = None if rate is None else rate.value
    return {name: value, f"{name}_low": rate and rate.low, f"{name}_high": rate and rate.high}


def attack(
    source: str | Path,
    *,
    original: str | Path | None = None,
    scenarios: Sequence[str] | None = None,
    attacks: Sequence[str] | None = None,
    register: str | Path | None = None,
    others: Sequence[str | Path] = (),
    tables: Sequence[str | Path] = (),
    folder: str | Path | None = None,
    linker: str = "duckdb",
    progress: Callable[[str, int, int], None] | None = None,
    trust: Trust | None = None,
    foreign: ForeignRelease | None = None,
    thorough: bool = False,
    salts: str | Path | None = None,
) -> Intrusion:
    """Try attacks on a release, or on what a plan would release. Nothing is released, and no truth is stored.

    `source` is a plan, or a run's folder or its release folder; or a file of records that another tool made, and then
    `foreign` tells its keys, and whose record each is is found out from the `original` (or a `register`). `original` is
    the data where they are now, and `folder` where the plan's other files are. `register` is a file of people whom an
    intruder could look up, `others` other releases about some of the same people, `tables` published counts. Without
    names, all scenarios of the plan and all attacks that cost little are tried. `linker` is the engine of probabilistic
    linkage: duckdb or spark. `trust` says whose signature of a run counts. `thorough` attacks may take longer than the
    run itself. `salts` is a file of salts of pseudonyms that may have leaked, one in each line.

    >>> ic.attack("plan.yaml", attacks=["linkage"]).to_pandas()[["attack", "success", "baseline"]]
    """
    names = attack_names(attacks)
    if linker not in (there := [name for name, kind in ENGINES.items() if kind.links]):
        message = f"{linker!r} is no engine for probabilistic linkage."
        raise InputError("D199", message, f"There are: {', '.join(there)}.")
    files = Files(
        None if register is None else as_path(register),
        tuple(map(as_path, others)),
        tuple(map(as_path, tables)),
        _path(salts),
        linker,
        thorough,
    )
    done = 0
    total = 0

    def begins(attack: str, scenario: str) -> None:
        nonlocal done
        done += 1
        if progress is not None:
            progress(f"{attack} ({scenario})", done, total)

    if is_foreign(as_path(source), foreign):
        with trace_foreign(as_path(source), _path(original), files.register, foreign or ForeignRelease()) as other:
            chosen = chosen_scenarios(other.plan, scenarios)
            total = len(names) * len(chosen)
            return _on_foreign(str(source), other, files, chosen, names, begins)
    with _traced(as_path(source), original, folder, trust) as traced:
        chosen = chosen_scenarios(traced.plan, scenarios)
        total = len(names) * len(chosen)
        situation = in_scenario(traced.situation(), chosen[0])
        auxiliary = read_auxiliary(traced.plan, traced.context, situation, files, traced.done.log.other_releases)
        found = attack_all(situation, auxiliary, chosen, names, begins)
        refusal = None if traced.done.refusal is None else str(traced.done.refusal)
        return Intrusion(str(source), situation.released.num_rows, situation.known.num_rows, tuple(found), refusal)


def _path(given: str | Path | None) -> Path | None:
    return None if given is None else as_path(given)


def _on_foreign(
    source: str,
    traced: TracedForeign,
    files: Files,
    scenarios: Sequence[Scenario],
    names: Sequence[str],
    progress: Progress,
) -> Intrusion:
    """Attacks on a release that another tool made. A register that stands in for the original is no auxiliary."""
    foreign, situation = traced.foreign, traced.situation()
    if not foreign.whole:
        files = replace(files, register=None)
    auxiliary = read_auxiliary(traced.plan, traced.context, situation, files)
    found = attack_foreign(foreign, auxiliary, scenarios, names, progress)
    of = foreign.base.known.num_rows
    return Intrusion(source, situation.released.num_rows, of, tuple(found), None, foreign.notes)


def _traced(
    source: Path, original: str | Path | None, folder: str | Path | None, trust: Trust | None
) -> AbstractContextManager[Traced]:
    data, home = None if original is None else as_path(original), None if folder is None else Path(folder)
    file, _ = split_tier(source)
    if not file.exists():
        raise InputError("D200", f"there is no plan or release {source}.", "Name a plan.yaml, or the folder of a run.")
    return trace_plan(source, data, home) if is_plan(source) else trace_release(source, data, home, trust)
