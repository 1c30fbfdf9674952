"""Run logs made by hand: a small one, and one like the study's with all its steps."""

from __future__ import annotations

from collections.abc import Mapping

from incrowd.audit.log import BANDS, LARGEST_K, RunLog, Snapshot, StepLog
from incrowd.plan.verdict import Verdict

KEYS = ("area", "age", "gender", "marital_status", "num_children", "qualifications", "occupation")
#: Class sizes of the study's file after its last recoding (METHODS.md, section 5), and two more in their manner.
STUDY = {1: 2561, 2: 1182, 3: 662, 4: 460, 5: 402, 6: 327, 7: 292, 8: 284, 9: 291, 10: 277, 11: 251, 12: 240}


def snapshot(
    sizes: Mapping[int, int], larger: Mapping[int, int] | None = None, people: int = 100_000,
    keys: tuple[str, ...] = KEYS,
) -> Snapshot:  # fmt: skip
    """A snapshot with these classes; `larger` counts those above LARGEST_K by band."""
    bands = {first: (larger or {}).get(first, 0) for first in BANDS}
    sizes = {size: sizes.get(size, 0) for size in range(1, LARGEST_K + 1)}
    present = [size for size, number in (*sizes.items(), *bands.items()) if number]
    return Snapshot(
        keys=keys,
        records=people,
        people=people,
        classes=sum(sizes.values()) + sum(bands.values()),
        uniques=sizes[1],
        smallest=min(present, default=0),
        sizes=sizes,
        people_below={k: sum(s * n for s, n in sizes.items() if s < k) for k in range(2, LARGEST_K + 1)},
        larger=bands,
    )


def step(number: int, name: str, title: str, after: Snapshot, **more: object) -> StepLog:
    """A step that changed no record, unless told otherwise."""
    facts: dict[str, object] = {
        "reason": None, "records_removed": 0, "cells_changed": 0, "removed_for": {}, "notes": (),
    }  # fmt: skip
    return StepLog(number=number, name=name, title=title, after=after, **{**facts, **more})  # type: ignore[arg-type]


def small_log(**more: object) -> RunLog:
    """Twelve people in three classes; one class of two is dropped."""
    before = snapshot({2: 1, 4: 1, 6: 1}, people=12, keys=("age", "sex"))
    after = snapshot({4: 1, 6: 1}, people=10, keys=("age", "sex"))
    facts: dict[str, object] = {
        "title": "A small file",
        "tier": "open",
        "kind": "survey",
        "unit": None,
        "steps": (
            step(0, "start", "the file as it came", before),
            step(
                1, "suppress_records", "suppress records for k", after,
                records_removed=2, removed_for={"every class has at least 4 people": 2},
            ),
        ),
        "verdicts": (Verdict("every class has at least 4 people", "k", True, 4, 4),),
        "variables": {"age": ("key", "neighbours know it"), "sex": ("key", "neighbours know it")},
        "released_columns": ("age", "sex"),
    }  # fmt: skip
    return RunLog(**{**facts, **more})  # type: ignore[arg-type]


def study_log() -> RunLog:
    """The study's file: seven recodings and drops, then records suppressed at k = 9 and for one-sided diversity."""

    def about(classes: int, uniques: int) -> Snapshot:
        """Classes with the study's number of uniques, the others spread geometrically to add up to its people."""
        rest, people = classes - uniques, 100_000 - uniques
        stop = 1 / (people / rest - 1)
        sizes = {1: uniques, **{s: round(rest * stop * (1 - stop) ** (s - 2)) for s in range(2, LARGEST_K + 1)}}
        return snapshot(sizes, {13: classes - sum(sizes.values())})

    steps = [
        step(0, "start", "the file as it came", snapshot({1: 100_000}, keys=(*KEYS, "dob", "postcode")), seconds=0.31),
        step(1, "pseudonymise", "pseudonymise name + postcode into person",
             snapshot({1: 100_000}, keys=(*KEYS, "dob", "postcode")), cells_changed=100_000,
             reason="the same person can be followed through later extracts", seconds=0.52,
             notes=("100000 different pseudonyms; 0 records share theirs with another record",)),
        step(2, "drop", "drop dob, postcode", about(97_358, 95_426), cells_changed=200_000, seconds=0.04,
             reason="age and area say what analysts need; the exact date and address single people out"),
    ]  # fmt: skip
    for number, (title, classes, uniques, cells, reason) in enumerate([
        ("recode area by lookup", 81_432, 71_623, 100_000, "the ten ITL 1 regions: 318 districts are too fine"),
        ("recode age by bands", 39_622, 21_572, 100_000, "four age groups"),
        ("recode marital_status by mapping", 36_850, 18_455, 14_802, "divorced and widowed are rare among the young"),
        ("recode num_children by bands", 22_472, 7_485, 52_118, "large families stand out"),
        ("recode qualifications by mapping", 12_827, 3_489, 74_310, None),
    ], 3):  # fmt: skip
        steps.append(step(number, "recode", title, about(classes, uniques), cells_changed=cells, reason=reason,
                          notes=(f"{number + 7} values become {number}",), seconds=0.08))  # fmt: skip
    crowds = {13: 1150, 20: 1020, 50: 312, 100: 121, 200: 64, 500: 12, 1000: 3}
    last = snapshot(STUDY, crowds)
    kept = {size: number for size, number in STUDY.items() if size >= 9}
    steps.append(step(8, "recode", "recode occupation by mapping", last, cells_changed=58_204, seconds=0.07,
                      reason="4+5, 6+7 and 8+9 earn alike", notes=("10 values become 7",)))  # fmt: skip
    dropped = {"every class has at least 9 people": 17_039, "in no class does everybody have on_benefits = yes": 1_204,
               "in no class does everybody have home_ownership = no": 2_981}  # fmt: skip
    steps.append(step(9, "suppress_records", "suppress records for k, one_sided",
                      snapshot(kept, {**crowds, 13: 1021}, people=78_776), records_removed=21_224, removed_for=dropped,
                      reason="what recoding leaves below k = 9, and classes that would give a stigma away",
                      seconds=0.22))  # fmt: skip
    roles = dict.fromkeys((*KEYS, "dob", "postcode"), ("key", "friends, neighbours and social media tell it"))
    money = dict.fromkeys(("income", "on_benefits", "home_ownership", "credit_score"),
                          ("sensitive", "about a person's financial situation"))  # fmt: skip
    names = {"name": ("identifier", "it names a person")}
    verdicts = (
        Verdict("every class has at least 9 people", "k", True, 9, 9),
        Verdict("in no class does everybody have on_benefits = yes", "one_sided", True, 1, 0.9473684),
        Verdict("in no class does everybody have home_ownership = no", "one_sided", True, 1, 0.99996),
    )
    return RunLog("Household finances, England and Wales", "open", "administrative", None, tuple(steps), verdicts,
                  {**names, **roles, **money}, ("person", *KEYS, *money))  # fmt: skip
