"""Are our attacks at least as strong as anonymeter's? Both attack the same six releases, and the table says which wins.

    python -m benchmarks anonymeter                      a table; exit code 1 where ours is weaker without a reason
    python -m benchmarks.bench_anonymeter 20000 500      people in the demo, targets

anonymeter needs numpy below 2: it gets an environment of its own in the user's cache, made with pip on the first run.
It is handed what ours has: the release, what is known of the people in it at the release's categories, the same
targets, and people who were held out before. docs/anonymeter.md says what the two ask, and where they differ.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.anonymeter_cases import KEYS, SENSITIVE, situations
from incrowd.attack import ATTACKS
from incrowd.attack.inference import named
from incrowd.attack.knowledge import sensitive_of
from incrowd.attack.learning.guesses import guess
from incrowd.attack.learning.numbers import Numbers
from incrowd.attack.learning.room import room_of, strongest
from incrowd.attack.matching.predicates import readings, tried_on
from incrowd.attack.matching.strategies import strategy_of
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Rate
from incrowd.risk.value import Scenario

VERSION = "1.1.0"
ORACLE = Path(__file__).with_name("anonymeter_oracle.py")
PEOPLE, TARGETS = 20_000, 500
#: Of singling out: attempts; columns in one; how many are made at most to find as many that are alone in the release.
TRIES, COLUMNS, ATTEMPTS = 500, 3, 100_000
#: What the two datasets of the linkability attack know of a person.
SPLITS = {"linkability of keys": (KEYS[:4], KEYS[4:]), "linkability of all": (KEYS, SENSITIVE)}
SECRETS = ("income", "on_benefits")
LINKS = ("linkage", "nearest", "probabilistic")
SECONDS = 1_800


class Unavailable(Exception):
    """anonymeter cannot be had here; the message says why."""


@dataclass(frozen=True)
class Figure:
    """A rate with its interval, and of people outside or without their own record."""

    value: float
    low: float
    high: float
    control: tuple[float, float, float] | None = None  # value, low, high

    @staticmethod
    def of(rate: Rate, control: Rate | None = None) -> Figure:
        """From ours."""
        return Figure(rate.value, rate.low, rate.high, control and (control.value, control.low, control.high))

    def __str__(self) -> str:
        return f"{self.value:.1%} [{self.low:.1%}, {self.high:.1%}]"


@dataclass(frozen=True)
class Compared:
    """One attack on one variant by both."""

    variant: str
    attack: str
    theirs: Figure
    ours: Figure
    by: str  # which attack of ours
    claims: Figure | None = None  # of ours, where it only speaks when it is sure

    @property
    def verdict(self) -> str:
        """Is ours at least as high? 'yes'; 'within the interval'; 'of its claims'; 'reason'; or 'no'."""
        if self.ours.value >= self.theirs.value:
            return "yes"
        if self.ours.high >= self.theirs.low:
            return "within the interval"
        if self.claims is not None and self.claims.high >= self.theirs.low:
            return "of its claims"
        control = self.theirs.control
        return "reason" if control is not None and control[2] >= self.theirs.low else "no"

    @property
    def reason(self) -> str:
        """Why ours is lower where it is."""
        return {
            "of its claims": f"ours counts people, anonymeter attempts of its choice; our surest claims: {self.claims}",
            "reason": "anonymeter does as well on people who are not in the file: it finds nobody's own record",
        }.get(self.verdict, "")


def cache() -> Path:
    """Where environments are kept."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "incrowd-benchmarks"


def environment(home: Path, seconds: float = SECONDS) -> Path:
    """A Python that has anonymeter; made when it is not there, whole or not at all."""
    there = home / f"anonymeter-{VERSION}"
    python = Path("bin") / "python"
    if (there / python).exists():
        return there / python
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as making:
            new = Path(making) / "new"
            for command in (
                [sys.executable, "-m", "venv", str(new)],
                [str(new / python), "-m", "pip", "install", "--quiet", "--no-compile", f"anonymeter=={VERSION}"],
            ):
                subprocess.run(command, check=True, capture_output=True, text=True, timeout=seconds)
            new.rename(there)
    except subprocess.CalledProcessError as error:
        last = (error.stderr or "").strip().splitlines()[-1:] or ["no reason given"]
        raise Unavailable(f"pip cannot install anonymeter {VERSION}: {last[0]}") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"installing anonymeter {VERSION} took longer than {seconds:.0f} seconds") from None
    except OSError as error:
        raise Unavailable(f"no environment can be made in the cache: {error.strerror}") from None
    return there / python


def numbers_of(situation: Situation) -> list[str]:
    """The columns that are plain numbers, in the release and in what is known."""

    def plain(label: str | None) -> bool:
        try:
            return label is None or bool(np.isfinite(float(label)))
        except ValueError:
            return False

    tables = (situation.released, situation.known)
    return [
        name for name in situation.released.column_names
        if all(plain(label) for table in tables for label in table[name].unique().to_pylist())
    ]  # fmt: skip


def targets_of(situation: Situation, most: int) -> Int64:
    """Some of the released people, by keyed chance."""
    inside = np.flatnonzero(situation.inside)
    order = np.argsort(situation.draws("anonymeter", "targets")(len(inside)), kind="stable")
    return np.sort(inside[order[:most]])


def theirs(python: Path, situation: Situation, targets: Int64, folder: Path) -> dict[str, Figure]:
    """What anonymeter finds, by the name of its attack."""
    assert situation.by_chance is not None
    columns = situation.released.column_names
    outside = np.flatnonzero(situation.by_chance & ~situation.inside)
    tables = {"released": situation.released.select(columns)} | {
        name: situation.known.select(columns).take(pa.array(which))
        for name, which in {
            "original": np.flatnonzero(situation.inside), "targets": targets, "control": outside,
        }.items()
    }  # fmt: skip
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
    asked = {
        "files": {name: str(folder / f"{name}.parquet") for name in tables}, "numbers": numbers_of(situation),
        "tries": TRIES, "columns": COLUMNS, "attempts": ATTEMPTS, "linkability": SPLITS, "known": columns,
        "secrets": SECRETS,
    }  # fmt: skip
    done = subprocess.run(
        [str(python), "-I", str(ORACLE)], input=json.dumps(asked), capture_output=True, text=True, timeout=SECONDS
    )
    if done.returncode:
        raise RuntimeError(f"anonymeter failed: {done.stderr.strip().splitlines()[-1:]}")
    return {
        name: Figure(**found["main"], control=tuple(found["control"][part] for part in ("value", "low", "high")))
        for name, found in json.loads(done.stdout)["found"].items()
    }


def ours(situation: Situation, targets: Int64) -> Iterator[tuple[str, str, Figure, Figure | None]]:
    """The nearest of ours by the name of anonymeter's attack: which of ours, its figure, and that of its claims."""
    (alone,) = ATTACKS["singling_out_any"](situation, Auxiliary())
    assert alone.success is not None
    assert alone.claimed is not None
    claims = surest(situation) or Rate(alone.success.hits, alone.claimed.tries)
    for mode in ("univariate", "multivariate"):
        yield mode, "singling_out_any", Figure.of(alone.success, alone.control), Figure.of(claims)
    register = Auxiliary(situation.known.take(pa.array(targets)), targets)
    for name, split in SPLITS.items():
        there = replace(situation, scenario=Scenario(name, tuple(column for half in split for column in half)))
        tried = [found for word in LINKS for found in ATTACKS[word](there, register) if found.success is not None]
        best = max(tried, key=lambda found: found.success.hits if found.success else -1)
        assert best.success is not None
        yield name, best.attack, Figure.of(best.success), None
    for secret in SECRETS:
        yield f"inference of {secret}", "inference", inferred(situation, targets, secret), None


def surest(situation: Situation) -> Rate | None:
    """How often the surest claims to have singled somebody out are true; None where no value was changed."""
    found = []
    for columns in readings(situation, situation.released.column_names):
        draws = situation.draws("singling_out_any", "predicates", columns.how)
        released = [codes[: situation.released.num_rows] for codes in columns.codes]
        sure = strategy_of(situation, columns, tried_on(released, columns.spans, draws)).surest
        found += [sure.claims] if sure is not None else []
    return max(found, key=lambda rate: rate.low, default=None)


def inferred(situation: Situation, targets: Int64, secret: str) -> Figure:
    """A number to within 5%, another value exactly, from all other columns: as anonymeter judges."""
    known = tuple(name for name in situation.released.column_names if name != secret)
    there = replace(situation, scenario=Scenario("all else", known), sensitive=(secret,))
    sensitive, room = sensitive_of(there, secret), room_of(there, targets, thorough=False)
    numbers = Numbers.of(there, sensitive) if sensitive.banded else None
    guesses = guess(sensitive, numbers, room, 1)
    if numbers is not None:
        near = named(guesses, numbers, room, np.ones(len(targets), bool))
        return Figure.of(near.success, near.control)
    true = sensitive.true[targets]
    hits = [strongest({model: both[at] == true for model, both in guesses.values.items()}, room.half) for at in (0, 1)]
    return Figure.of(*(Rate(int(one.sum()), len(one)) for one in hits))


def compared(python: Path, folder: Path, people: int, targets: int, only: str | None = None) -> Iterator[Compared]:
    """Every attack on every variant."""
    for variant, situation in situations(folder, people, only):
        whom = targets_of(situation, targets)
        found = theirs(python, situation, whom, folder)
        for attack, by, figure, claims in ours(situation, whom):
            yield Compared(variant, attack, found[attack], figure, by, claims)


def line(one: Compared) -> str:
    """A row of the table of docs/anonymeter.md."""
    controls = [f"{figure.control[0]:.1%}" if figure.control else "-" for figure in (one.theirs, one.ours)]
    cells = [one.variant, one.attack, str(one.theirs), controls[0], str(one.ours), controls[1], one.by, one.verdict]
    return f"| {' | '.join(cells)} | {one.reason} |"


def main() -> int:
    asked = [int(word) for word in sys.argv[1:]]
    people, targets = [*asked, *(PEOPLE, TARGETS)[len(asked) :]]
    try:
        python = environment(cache())
    except Unavailable as error:
        print(error)
        return 1
    worst = 0
    heads = ["variant", "attack", "anonymeter", "control", "ours", "control", "by", "at least as high?", "reason"]
    print(f"| {' | '.join(heads)} |\n|{' --- |' * len(heads)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for one in compared(python, Path(folder), people, targets):
            print(line(one), flush=True)
            worst |= one.verdict == "no"
    return int(worst)


if __name__ == "__main__":
    sys.exit(main())
