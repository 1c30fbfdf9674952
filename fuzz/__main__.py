"""The command line: which kinds, for how long, from which seed. Exit code 0 when nothing was wrong or unexplained."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

from fuzz import canaries, damaged, page, plans, signals, verifying
from fuzz.outcome import Outcome, Tally
from fuzz.pool import Kind, play_alone, play_many, rng_of
from fuzz.shrink import keep, signature

#: Each kind, and its share of the time.
KINDS: dict[str, tuple[Kind, float]] = {
    "plans": (plans, 0.4),  # type: ignore[dict-item]
    "verify": (verifying, 0.1),  # type: ignore[dict-item]
    "bytes": (damaged, 0.2),  # type: ignore[dict-item]
    "signals": (signals, 0.15),  # type: ignore[dict-item]
    "canaries": (canaries, 0.15),  # type: ignore[dict-item]
}
#: Faults of one sort that are made smaller and saved; more of them are only counted.
KEPT = 2


def main() -> int:
    """Play, count, save what was found."""
    options = _options()
    # Imported once, before the children are forked: each of them would take seconds for it.
    for name in ("pipeline", "tasks", "attack", "keys.search", "cli"):
        import_module(f"incrowd.{name}")
    canaries.all_commands()
    if options.again is not None:
        saved = json.loads((options.again / "case.json").read_text())
        return _show(play_alone(KINDS[saved["kind"]][0], saved["case"]))
    wanted = {name: KINDS[name] for name in options.only or KINDS}
    if options.case is not None:
        ((kind, _),) = wanted.values()
        return _show(play_alone(kind, kind.make(rng_of(kind.NAME, options.seed, options.case))))
    whole = sum(share for _, share in wanted.values())
    tallies = [
        _play(kind, options.seed, options.seconds * share / whole, options.found, options.shrink)
        for kind, share in wanted.values()
    ]
    print(f"\n{page.table(tallies)}\n\n{page.codes(tallies)}")
    if options.json is not None:
        options.json.write_text(json.dumps([tally.to_json() for tally in tallies], ensure_ascii=False, indent=1))
    if options.write is not None:
        page.write(options.write, tallies, options.seed)
    return int(any(tally.wrong or tally.unexplained for tally in tallies))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=sys.modules["fuzz"].__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--seconds", type=float, default=600.0, help="how long in all")
    parser.add_argument("--seed", default="1", help="any text; the same seed makes the same cases")
    parser.add_argument(
        "--only", action="append", choices=list(KINDS), help="only this kind; may be given several times"
    )
    parser.add_argument("--case", type=int, help="with --only: this case alone")
    parser.add_argument("--again", type=Path, help="a saved case")
    parser.add_argument("--found", type=Path, default=Path("fuzz-found"), help="where faults are saved")
    parser.add_argument("--shrink", type=float, default=40.0, help="seconds for making a fault smaller; 0: not at all")
    parser.add_argument("--json", type=Path, help="write the figures and faults here")
    parser.add_argument("--write", type=Path, help="put the figures into this page")
    return parser.parse_args()


def _play(kind: Kind, seed: str, seconds: float, place: Path, shrinking: float) -> Tally:
    """All cases of one kind."""
    tally, begun, seen = Tally(kind.NAME), time.monotonic(), dict[str, int]()
    failed: list[tuple[int, Outcome]] = []
    for number, outcome in play_many(kind, seed, seconds):
        tally.add(outcome)
        new = [one for one in signature(outcome) if seen.setdefault(one, 0) < KEPT]
        for one in new:
            seen[one] += 1
        if new:
            failed.append((number, outcome))
        for fault in outcome.faults[:3] if new else ():
            print(f"{kind.NAME} {number}: {fault.sort}: {fault.text}", file=sys.stderr, flush=True)
    tally.seconds = time.monotonic() - begun
    tally.found = [keep(kind, seed, number, outcome, place, shrinking) for number, outcome in failed]
    print(f"{kind.NAME}: {tally.tried} tried, {tally.wrong} wrong, {tally.unexplained} unexplained", flush=True)
    return tally


def _show(outcome: Outcome) -> int:
    print(json.dumps(outcome.to_json(), ensure_ascii=False, indent=1))
    return int(bool(outcome.faults))


if __name__ == "__main__":
    sys.exit(main())
