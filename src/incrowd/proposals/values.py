"""What may be done to a variable that is no key: ways to say it more coarsely, to blur it by chance, to give it up.

Exact amounts single out nearly everybody, whatever is done to the keys. Each way has an estimate of what it keeps, made
on the values alone, so that a search can choose before a record is touched.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import numpy as np

from incrowd.errors import InputError
from incrowd.keys.codebook import Codebook
from incrowd.keys.table import KeyTable, from_records
from incrowd.keys.transition import invariant_matrix, uniform_matrix
from incrowd.proposals.information import BANDS, Floats, Given, Int64, entropy, mutual
from incrowd.proposals.ladder import ladder_of

#: Roundings are tried from this part of the standard deviation up to all of it.
FINEST = 50
#: A tail that so few are in becomes one value with any rounding.
TAIL = 0.005
#: The standard deviations of noise, as shares of the variable's own, and the chances of pram.
NOISE = (0.1, 0.2, 0.3, 0.5)
#: The groups of microaggregation.
GROUPS = (50, 500)
PRAM = (0.05, 0.1, 0.2)
#: Categories with more values than this are merged, not exchanged.
FEW = 30
#: A text of which more than this share of the records has one of its own is no category.
OWN = 0.5

Step = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Treatment:
    """One way to treat a variable, with what it keeps by estimate."""

    name: str
    words: str
    steps: tuple[Step, ...]
    kept: float
    codes: Int64 | None = None  # the new code of each value, where chance decides nothing; None where it does
    perturbs: bool = False
    drops: bool = False
    after_keys: bool = False  # it goes by keys, and so comes after they are coarsened


def treatments_of(
    given: Given,
    *,
    perturb: bool,
    drop: bool,
    book: Codebook,
    strata: Sequence[str] = (),
    amount: bool = True,
    named: Collection[str] = (),
) -> tuple[Treatment, ...]:
    """All ways to treat a variable: first as it is, then ever coarser, then by chance, at last given up.

    `strata` are the keys that use cases look at it by: shuffling keeps what those say. `amount` says whether numbers
    may be taken for amounts, and not for names; `named` values keep their name.
    """
    stays = Treatment("as it is", "as it is", (), 1.0, np.arange(len(given.values)))
    found = [stays, *_coarser(given, amount, book, named)]
    if perturb:
        found += _by_chance(given, strata, amount)
    if drop:
        step = {"step": "drop", "variables": [given.name]}
        found.append(Treatment("left out", "left out", (step,), 0.0, np.zeros(len(given.values), np.int64), drops=True))
    return tuple(found)


def is_amount(given: Given) -> bool:
    """Whether it has many numbers, too many to be categories, and not ranges of them."""
    return (
        given.numbers is not None
        and given.cuts is not None
        and all(_is_number(value) for value in given.values if value not in given.apart)
    )


def _coarser(given: Given, amount: bool, book: Codebook, named: Collection[str]) -> Iterator[Treatment]:
    if is_amount(given) and amount and not given.apart:  # steps that reckon refuse codes for no value: bands do not
        yield from _rounded(given)
        return
    found = list(_by_form(given, book, named))
    yield from found
    if not found and FEW < len(given.values) <= OWN * len(given.codes):
        yield from _merged(given)


def _by_form(given: Given, book: Codebook, named: Collection[str]) -> Iterator[Treatment]:
    """As a key with such values would be: where dates, places, codes, numbers or an order tell what is coarser."""
    try:
        ladder = ladder_of(given.name, _counted(given), Path(), book, None, named)
    except InputError:  # the values are not what they are declared to be
        return
    if ladder.merged:
        return
    paths = {row[0]: row for row in ladder.hierarchy.rows}
    for level, rung in enumerate(ladder.rungs[1:-1], start=1):
        labels = [None if value is None else paths[value][level] for value in given.values]
        yield _named(given, rung.words, labels, rung.steps)


def _counted(given: Given) -> KeyTable:
    """How many records have each value, as a table of classes."""
    table = from_records({given.name: given.values})
    counts = dict(zip(given.values, given.counts.tolist(), strict=True))
    values = table.domains[0].values
    return replace(table, records=np.array([counts[values[code]] for code in table.codes[0]], np.int64))


def _rounded(given: Given) -> Iterator[Treatment]:
    numbers, counts = given.numbers, given.counts
    assert numbers is not None
    high = _quantile(numbers, counts, 1 - TAIL)
    finest = max((_decimals(value) for value in given.values if value), default=0)
    for base in _bases(_deviation(numbers, counts), finest):
        at_top = np.ceil(high / base) * base
        steps: list[Step] = []
        told = f"rounded to {_text(base)}"
        new = numbers.copy()
        if np.nanmax(numbers) > at_top:
            steps.append({"step": "top_code", "variable": given.name, "at": _number(at_top)})
            told += f", {_text(at_top)} and more as one"
            new = np.minimum(new, at_top)
        steps.append({"step": "round", "variable": given.name, "base": _number(base)})
        new = np.floor(new / base + 0.5) * base
        yield _named(given, told, [None if np.isnan(n) else str(n) for n in new.tolist()], tuple(steps), new)


def _merged(given: Given) -> Iterator[Treatment]:
    """Rare values as one; how rare, in steps."""
    total, last = len(given.codes), 0
    into = "Other" if "Other" not in given.values else "Other values"
    for share in (1_000, 200, 50):
        fewer = max(total // share, 3)
        rare = given.counts < fewer
        if not rare.any() or int(rare.sum()) == last:
            continue
        last = int(rare.sum())
        labels = [into if few else value for value, few in zip(given.values, rare.tolist(), strict=True)]
        step = {"step": "merge_small", "variable": given.name, "fewer_than": fewer, "into": into}
        yield _named(given, f"values of fewer than {fewer:,} together", labels, (step,))


def _named(
    given: Given, words: str, labels: Sequence[str | None], steps: tuple[Step, ...], numbers: Floats | None = None
) -> Treatment:
    place = {label: code for code, label in enumerate(dict.fromkeys(labels))}
    codes = np.array([place[label] for label in labels], np.int64)
    after = codes if numbers is None or len(place) <= BANDS else given.band_of(numbers)
    return Treatment(words, words, steps, _kept(given, after), codes)


def _by_chance(given: Given, strata: Sequence[str], amount: bool) -> Iterator[Treatment]:
    name = given.name
    if is_amount(given) and amount and not given.apart:
        decimals = max((_decimals(value) for value in given.values if value), default=0)
        for share in NOISE:
            step = {"step": "noise", "variables": [name], "share": share, "decimals": decimals}
            words = f"noise of {share:.0%} of its standard deviation"
            yield Treatment(words, words, (step,), _kept_with_noise(given, share), perturbs=True)
        for few in (group for group in GROUPS if 4 * group <= len(given.codes)):
            step = {
                "step": "microaggregate",
                "variables": [name],
                "k": few,
                "method": "univariate",
                "decimals": decimals,
            }
            words = f"the mean of {few} or more that are alike"
            yield Treatment(words, words, (step,), _kept_as_means(given, few), perturbs=True)
    elif given.numbers is None and 1 < len(given.values) <= FEW:
        for rate in PRAM:
            step = {"step": "pram", "variable": name, "rate": rate, "invariant": True}
            changed = float((1 - np.diag(_exchanged(given, rate))) @ given.counts) / max(int(given.counts.sum()), 1)
            words = f"{changed:.0%} of the values exchanged by chance"
            yield Treatment(words, words, (step,), _kept_with_pram(given, rate), perturbs=True)
    if strata or is_amount(given):
        words = "dealt out anew" + (f" among those alike in {', '.join(strata)}" if strata else "")
        step = {"step": "shuffle", "variables": [name], **({"strata": list(strata)} if strata else {})}
        yield Treatment(words, words, (step,), 0.0, perturbs=True, after_keys=True)


def _kept(given: Given, after: Int64) -> float:
    weights = given.counts.astype(float)
    bits = entropy(np.bincount(given.bands, weights=weights))
    return mutual(given.bands, after, weights) / bits if bits else 1.0


def _kept_with_noise(given: Given, share: float) -> float:
    """An estimate, with noise of its own: what is released is drawn from the secret, and measured."""
    numbers = given.numbers
    assert numbers is not None
    noise = np.random.default_rng(0).standard_normal(len(given.codes))
    moved = numbers[given.codes] + share * _deviation(numbers, given.counts) * noise
    before = given.bands[given.codes]
    bits = entropy(np.bincount(before))
    return mutual(before, given.band_of(moved)) / bits if bits else 1.0


def _kept_as_means(given: Given, few: int) -> float:
    """With the mean of neighbours in the place of each value, as many as the group has at least."""
    numbers = given.numbers
    assert numbers is not None
    order = np.argsort(numbers, kind="stable")
    group = np.empty(len(order), np.int64)
    group[order] = (np.cumsum(given.counts[order]) - given.counts[order]) // few
    weights = np.where(np.isnan(numbers), 0, given.counts)
    sums = np.bincount(group, weights=np.nan_to_num(numbers) * weights)
    means = sums / np.maximum(np.bincount(group, weights=weights), 1)
    return _kept(given, given.band_of(np.where(np.isnan(numbers), np.nan, means[group])))


def _kept_with_pram(given: Given, rate: float) -> float:
    p = given.counts / max(int(given.counts.sum()), 1)
    joint = p[:, None] * _exchanged(given, rate)
    bits = entropy(p)
    return (entropy(joint.sum(0)) + entropy(joint.sum(1)) - entropy(joint.ravel())) / bits if bits else 1.0


def _exchanged(given: Given, rate: float) -> Floats:
    """How likely each value becomes each other one, by the matrix that the step makes: there and back, so that more
    than the rate is exchanged. Missing stays missing.
    """
    there = np.array([bool(value) for value in given.values])
    matrix = np.eye(len(there))
    own = invariant_matrix(uniform_matrix(int(there.sum()), rate), given.counts[there])
    matrix[np.ix_(there, there)] = own
    return matrix


def _bases(deviation: float, decimals: int) -> list[float]:
    """1, 2, 5, 10, 20 ... between a small part of the standard deviation and all of it."""
    if not deviation or not np.isfinite(deviation):
        return []
    first = int(np.floor(np.log10(deviation / FINEST)))
    steps = (lead * 10.0**exponent for exponent in range(first, first + 4) for lead in (1, 2, 5))
    return [base for base in steps if deviation / FINEST <= base <= deviation and base > 10.0**-decimals]


def _deviation(numbers: Floats, counts: Int64) -> float:
    there = ~np.isnan(numbers)
    mean = np.average(numbers[there], weights=counts[there])
    return float(np.sqrt(np.average((numbers[there] - mean) ** 2, weights=counts[there])))


def _quantile(numbers: Floats, counts: Int64, share: float) -> float:
    there = ~np.isnan(numbers)
    order = np.argsort(numbers[there], kind="stable")
    below = np.cumsum(counts[there][order])
    return float(numbers[there][order][min(int(np.searchsorted(below, share * below[-1])), len(below) - 1)])


def _is_number(text: str | None) -> bool:
    try:
        return text is None or Decimal(text.strip()).is_finite()
    except InvalidOperation:
        return False


def _decimals(text: str) -> int:
    exponent = Decimal(text.strip()).as_tuple().exponent
    return min(max(-exponent, 0), 12) if isinstance(exponent, int) else 0


def _number(value: float) -> int | float:
    exact = float(f"{value:.12g}")
    return int(exact) if exact == int(exact) else exact


def _text(value: float) -> str:
    return f"{_number(value):,}"
