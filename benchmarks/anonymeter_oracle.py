"""The other side of bench_anonymeter: run where anonymeter is, with nothing of incrowd. JSON in and out.

In: the files (Parquet), which columns are numbers, what the attacks are. Out: for each attack the rates with intervals.
"""

from __future__ import annotations

import json
import sys
import warnings
from importlib.metadata import version
from typing import Any


def rate(found: Any) -> dict[str, float]:
    """A success rate as anonymeter says it."""
    return {"value": found.value, "low": max(found.value - found.error, 0.0), "high": min(found.value + found.error, 1)}


def attacked(evaluator: Any) -> dict[str, Any]:
    """The rates of an attack that was tried, and of the same on people who are not in the file."""
    results = evaluator.results()
    return {
        "main": rate(results.attack_rate), "control": rate(results.control_rate),
    }  # fmt: skip


def main() -> None:
    """Every attack that is asked for, on one release."""
    import numpy as np
    import pandas as pd
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator, SinglingOutEvaluator

    asked = json.load(sys.stdin)
    np.random.seed(1)  # what pandas draws targets with
    files = {}
    for name in ("released", "original", "targets", "control"):
        table = pd.read_parquet(asked["files"][name])
        numbers = [column for column in table.columns if column in asked["numbers"]]
        texts = [column for column in table.columns if column not in numbers]
        table[numbers] = table[numbers].astype(float)
        table[texts] = table[texts].fillna("").astype(object)
        files[name] = table
    released, original, targets, control = files.values()
    found = {}
    for mode in ("univariate", "multivariate"):
        one = SinglingOutEvaluator(
            original, released, n_attacks=asked["tries"], n_cols=asked["columns"], control=control, seed=1,
            max_attempts=asked["attempts"],
        )  # fmt: skip
        one.evaluate(mode=mode)
        found[mode] = attacked(one)
    tries = min(len(targets), len(control))
    for name, split in asked["linkability"].items():
        one = LinkabilityEvaluator(targets, released, aux_cols=tuple(split), n_attacks=tries, control=control)
        one.evaluate(n_jobs=1)
        found[name] = attacked(one)
    for secret in asked["secrets"]:
        known = [column for column in asked["known"] if column != secret]
        one = InferenceEvaluator(
            targets, released, known, secret, regression=secret in asked["numbers"], n_attacks=tries, control=control
        )
        one.evaluate(n_jobs=1)
        found[f"inference of {secret}"] = attacked(one)
    json.dump({"version": version("anonymeter"), "found": found}, sys.stdout)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
