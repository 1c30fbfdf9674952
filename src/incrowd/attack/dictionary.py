"""dictionary: make everybody's pseudonym again from a list of names, and look it up in the release."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from incrowd.attack.knowledge import RELEASE, joined, texts, untried
from incrowd.attack.matching.recipes import Recipe, plain, recipes
from incrowd.attack.registry import attack
from incrowd.attack.situation import Auxiliary, Int64, Situation
from incrowd.attack.value import Attacked, Rate
from incrowd.attack.words import percent

#: A way is tried on so many people; one that finds nobody among the first few of them is given up.
TRIED = 40
FIRST = 5
#: Other columns of the source that may be joined to an identifier.
MOST_MORE = 12
#: From this rank correlation on, an order counts as kept.
KEPT = 0.99
ACTS = "makes the pseudonym of everybody on a list of identifiers by every usual way without a secret (hashes, easily \
guessed salts, encodings, numbers in the list's order), and looks it up in the release"
_LOOKS = re.compile(r"(0x)?[0-9a-fA-F]{8}|(0x)?[0-9a-fA-F]{16,128}|[A-Za-z0-9+/_-]{20,88}={0,2}")


LEAKED = "Salts that may have leaked are tried where they are named."
UNKNOWN = "A salt that leaked and is not among those named would not be found."


@attack(
    "dictionary", ACTS, residual="Order of the rows and pseudonyms", once=True, place=140,
    assumes="The intruder has the identifiers of everybody in the source, rightly, and does not know the secret.",
)  # fmt: skip
def dictionary(situation: Situation, auxiliary: Auxiliary) -> list[Attacked]:
    """Can a released pseudonym be made again by somebody who has a list of names but no secret?

    For each released column that looks like a pseudonym, or that has a value of its own for each value of an
    identifier. Success: released records whose pseudonym was made from that person's identifiers. Baseline: a guess
    among the different pseudonyms. Control: the pseudonyms of people who are not in the release, looked up in the same
    way. To save time a way is tried on a few released people first, whose identifiers are known here; an intruder tries
    all. Salts that may have leaked (in a report, in a program) are tried where they are named, in front, at the end and
    as the key of an HMAC. Misleads when nothing is found: a salt that leaked and is not named is not among the ways.
    """
    if not situation.released.num_rows:
        return [_untried(situation, "the release holds no record.")]
    names = [name for name in situation.identifiers if name in situation.columns]
    at_start = situation.at_start(situation.columns)
    columns = [name for name in situation.released.column_names if _is_pseudonym(situation, at_start, name, names)]
    if not names and not columns:  # a short one looks like any code: without identifiers nothing is followed
        columns = [name for name in situation.released.column_names if name not in situation.columns]
    if not columns:
        why = "no released column looks like a pseudonym or follows an identifier."
        return [_untried(situation, why, RELEASE)]
    if not names:
        why = (
            f"{', '.join(columns)} may be a pseudonym, and no identifier is named to make one from: a plan says which \
columns of the source are (role: identifier)."
        )
        return [_untried(situation, why)]
    return [_attack(situation, at_start, column, names, auxiliary.salts) for column in columns]


def _untried(situation: Situation, why: str, says: str = "") -> Attacked:
    return replace(untried(situation, "dictionary", ACTS, why, says=says), knows="a list of identifiers")


def _is_pseudonym(situation: Situation, at_start: pa.Table, column: str, names: list[str]) -> bool:
    """Does a column look like one, or does it follow an identifier one to one?"""
    released = situation.released[column].combine_chunks()
    values = released.drop_null().unique().to_pylist()
    if not values:
        return False
    if column not in situation.keys and sum(bool(_LOOKS.fullmatch(value)) for value in values) >= 0.9 * len(values):
        return True
    if len(values) < 0.5 * len(released.drop_null()):
        return False  # many share a value: a category or a number, whatever it follows
    behind = pa.array(situation.lines)
    for name in names:
        pairs = pa.table({"made": released, "of": at_start[name].take(behind).combine_chunks()}).drop_null()
        different = pairs.group_by(["made", "of"]).aggregate([]).num_rows
        if different == len(pairs["made"].unique()) == len(pairs["of"].unique()):
            return True
    return False


def _attack(situation: Situation, at_start: pa.Table, column: str, names: list[str], salts: Sequence[str]) -> Attacked:
    pseudonyms = texts(situation.released[column])
    told = _told(situation, at_start, pseudonyms, names)
    if not told.any():
        return _untried(situation, f"nobody has a value both in {column} and in an identifier.")
    recipe = _recipe(situation, at_start, column, pseudonyms, names, salts)
    salted = f", and {len(salts):,} salts that may have leaked" if salts else ""
    knows = f"a list of {', '.join(names)} of everybody in the source{salted}; not the secret"
    if recipe is not None:
        right, control = _looked_up(situation, at_start, recipe, pseudonyms)
        how = f"It is {recipe.words}."
    else:
        right, how = _by_order(situation, at_start, pseudonyms, names)
        control = None
    success = Rate(int(right[told].sum()), int(told.sum()))
    different = len({value for value in pseudonyms if value is not None})
    sentence = (
        f"{percent(success.value)} of the pseudonyms in {column} can be made again by anybody who has a list of the "
        f"identifiers{' and the salt' if recipe is not None and recipe.leaked else ', without a secret'}. {how}"
        if success.hits
        else f"None of the {success.tries:,} pseudonyms in {column} could be made again from the identifiers."
    )
    hit = situation.lines[np.flatnonzero(right)[:50]]
    return Attacked(
        "dictionary", situation.scenario.name, knows, ACTS, success, 1 / max(different, 1), control, sentence, None,
        tuple(int(line) + 1 for line in hit),
        joined("" if success.hits else "Only usual ways are tried. " + (UNKNOWN if salts else LEAKED),
               "" if control else "No control: everybody is in the release, or no way was found."),
    )  # fmt: skip


def _told(
    situation: Situation, at_start: pa.Table, pseudonyms: list[str | None], names: list[str]
) -> NDArray[np.bool_]:
    """The released records with a pseudonym, of people of whom an identifier is known: nobody else can be tried."""
    known = np.zeros(len(pseudonyms), bool)
    for name in names:
        known |= at_start[name].is_valid().to_numpy()[situation.lines]
    return np.asarray(known & np.array([value is not None for value in pseudonyms], bool))


def _recipe(
    situation: Situation,
    at_start: pa.Table,
    column: str,
    pseudonyms: list[str | None],
    names: list[str],
    salts: Sequence[str],
) -> Recipe | None:
    """The way that makes the most of some people's pseudonyms again; None when none makes any."""
    more = [name for name in situation.columns if name not in names and name != column][:MOST_MORE]
    behind = at_start.select([*names, *more]).take(pa.array(situation.lines))
    whole = np.array([value is not None for value in pseudonyms])
    for name in names:
        whole &= behind[name].is_valid().to_numpy()
    told = np.flatnonzero(whole)
    if not len(told):
        return None
    order = np.argsort(situation.draws("dictionary", column)(len(told)), kind="stable")[:TRIED]
    some = told[order].tolist()
    parts = {name: texts(behind[name].take(pa.array(some))) for name in [*names, *more]}
    made = [plain(pseudonyms[i] or "") for i in some]
    lengths = {len(value) for value in made}
    best, most = None, 0
    for recipe in recipes(names, more, column, lengths.pop() if len(lengths) == 1 else 0, salts):
        columns = [parts[name] for name in recipe.columns]
        if not any(recipe.pseudonym([c[i] for c in columns]) == made[i] for i in range(min(FIRST, len(made)))):
            continue
        found = sum(recipe.pseudonym([c[i] for c in columns]) == value for i, value in enumerate(made))
        if found > most:
            best, most = recipe, found
        if most > 0.9 * len(some):
            break
    return best


def _looked_up(
    situation: Situation, at_start: pa.Table, recipe: Recipe, pseudonyms: list[str | None]
) -> tuple[NDArray[np.bool_], Rate | None]:
    """For each released record whether its pseudonym is the one made for that person; the same for people outside."""
    columns = [texts(at_start[name]) for name in recipe.columns]
    made = [recipe.pseudonym(parts) for parts in zip(*columns, strict=True)]
    right = np.array(
        [
            value is not None and plain(value, recipe.length) == made[line]
            for value, line in zip(pseudonyms, situation.lines.tolist(), strict=True)
        ]
    )
    outside = np.flatnonzero(~situation.inside).tolist()
    if not outside:
        return right, None
    released = {plain(value, recipe.length) for value in pseudonyms if value is not None}
    return right, Rate(sum(made[line] in released for line in outside), len(outside))


def _by_order(
    situation: Situation, at_start: pa.Table, pseudonyms: list[str | None], names: list[str]
) -> tuple[NDArray[np.bool_], str]:
    """Records whose place among the sorted pseudonyms is their place among the sorted identifiers, or in the source."""
    made = _ranks(pseudonyms)
    nobody = np.zeros(len(pseudonyms), bool)
    if len(made) < 10 or len(set(pseudonyms)) < len(pseudonyms):
        return nobody, ""
    lines = pa.array(situation.lines)
    orders = {f"order of {name}": _ranks(texts(at_start[name].take(lines))) for name in names}
    orders["order of the source"] = np.argsort(np.argsort(situation.lines, kind="stable"))
    for words, ranks in orders.items():
        correlation = float(np.corrcoef(made, ranks)[0, 1])
        if abs(correlation) >= KEPT:
            wanted = made if correlation > 0 else len(made) - 1 - made
            return np.asarray(wanted == ranks), f"They are in the {words}."
    return nobody, ""


def _ranks(values: list[str | None]) -> Int64:
    """The places of values in order, of numbers by size."""
    there = [value or "" for value in values]
    try:
        order = np.argsort(np.array([float(value) for value in there]), kind="stable")
    except ValueError:
        order = np.array(sorted(range(len(there)), key=lambda i: there[i]), np.int64)
    ranks = np.empty(len(there), np.int64)
    ranks[order] = np.arange(len(there))
    return ranks
