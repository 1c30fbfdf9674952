"""Simulated intruders against a release, or against what a plan would release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from incrowd.attack.auxiliary import Files, read_auxiliary
from incrowd.attack.on_run import attack_all, attack_names, chosen_scenarios, in_scenario
from incrowd.attack.value import Attacked
from incrowd.audit.checked import Trust
from incrowd.errors import InputError
from incrowd.pipeline.trace import Traced, trace_plan, trace_release
from incrowd.plan import split_tier
from incrowd.rows.engines import ENGINES

PLANS = (".yaml", ".yml")


@dataclass(frozen=True)
class Intrusion:
    """What simulated intruders achieved on one file: each attack in each scenario. It stays inside."""

    source: str
    records: int  # that were attacked
    of: int  # that the original has
    attacks: tuple[Attacked, ...]
    refusal: str | None = None  # why the gate would not let this file leave, whatever the attacks say


def try_attacks(
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
) -> Intrusion:
    """Try attacks on a release, or on what a plan would release. Nothing is released, and no truth is stored.

    `source` is a plan, or a run's folder or its release folder; `original` the data where they are now, and `folder`
    where the plan's other files are. `register` is a file of people whom an intruder could look up, `others` other
    releases about some of the same people, `tables` published counts. Without names, all scenarios of the plan and all
    attacks that cost little are tried. `linker` is the engine of probabilistic linkage: duckdb or spark. `trust` says
    whose signature of a run counts.

    >>> import incrowd as ic
    >>> ic.try_attacks("plan.yaml", attacks=["linkage"]).attacks[0].success  # doctest: +SKIP
    Rate(hits=2011, tries=83456)
    """
    names = attack_names(attacks)
    if linker not in (there := [name for name, kind in ENGINES.items() if kind.links]):
        message = f"{linker!r} is no engine for probabilistic linkage."
        raise InputError("D199", message, f"There are: {', '.join(there)}.")
    files = Files(
        None if register is None else Path(register), tuple(map(Path, others)), tuple(map(Path, tables)), linker
    )
    done = 0
    with _traced(Path(source), original, folder, trust) as traced:
        chosen = chosen_scenarios(traced.plan, scenarios)

        def told(attack: str, scenario: str) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(f"{attack} ({scenario})", done, len(names) * len(chosen))

        situation = in_scenario(traced.situation(), chosen[0])
        auxiliary = read_auxiliary(traced.plan, traced.context, situation, files, traced.done.log.other_releases)
        found = attack_all(situation, auxiliary, chosen, names, told)
        refusal = None if traced.done.refusal is None else str(traced.done.refusal)
        return Intrusion(str(source), situation.released.num_rows, situation.known.num_rows, tuple(found), refusal)


def _traced(
    source: Path, original: str | Path | None, folder: str | Path | None, trust: Trust | None
) -> AbstractContextManager[Traced]:
    data, home = None if original is None else Path(original), None if folder is None else Path(folder)
    file, _ = split_tier(source)
    if not file.exists():
        raise InputError("D200", f"there is no plan or release {source}.", "Name a plan.yaml, or the folder of a run.")
    return trace_plan(source, data, home) if file.suffix in PLANS else trace_release(source, data, home, trust)
