"""incrowd: from raw microdata about people to a file that can be opened, with the evidence that it can."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.assessment import Assessment, Given, assess, assess_plan
    from incrowd.auditing import Difference, diff_audits
    from incrowd.beside import perturbed_table
    from incrowd.demo import write_demo
    from incrowd.errors import IncrowdError, InputError, NotReleasable, PlanError, SecretError
    from incrowd.evidence.checked import Trust
    from incrowd.evidence.review import Reviewed
    from incrowd.geography import (
        Merged,
        NoPostcode,
        Places,
        Postcode,
        analyse_places,
        count_places,
        merge_places,
        parse_postcode,
    )
    from incrowd.intrusion import Intrusion, try_attacks
    from incrowd.keys.hierarchy import Hierarchy
    from incrowd.keys.requirements import DistinctL, K, OneSided, Requirement, parse_model
    from incrowd.keys.table import KeyTable
    from incrowd.pipeline import Run, run
    from incrowd.plan import Plan, load_plan
    from incrowd.profiling import profile, starter_plan
    from incrowd.reproduction import Reproduction, reproduce
    from incrowd.reviewing import review
    from incrowd.risk.value import Risk, Scenario
    from incrowd.rows import Rows, open_source
    from incrowd.rows.lookup import find_hierarchies
    from incrowd.rows.tabulate import tabulate
    from incrowd.sealing import SealVerification, sign_audit, verify_audit
    from incrowd.search import FoundRecoding, search_file
    from incrowd.secret import Secret
    from incrowd.sweeping import Swept, sweep
    from incrowd.tiering import run_tiers
    from incrowd.verification import Verification, verify
    from incrowd.what_if import PlanFigures, compare

__version__ = "0.1.0"

#: Where each public name lives. They are imported on first use, so that `incrowd --help` is quick.
_HOME = {
    "Assessment": "assessment",
    "Difference": "auditing",
    "DistinctL": "keys.requirements",
    "FoundRecoding": "search",
    "Given": "assessment",
    "Hierarchy": "keys.hierarchy",
    "IncrowdError": "errors",
    "InputError": "errors",
    "Intrusion": "intrusion",
    "K": "keys.requirements",
    "KeyTable": "keys.table",
    "Merged": "geography",
    "NoPostcode": "geography",
    "NotReleasable": "errors",
    "OneSided": "keys.requirements",
    "Places": "geography",
    "Plan": "plan",
    "PlanError": "errors",
    "PlanFigures": "what_if",
    "Postcode": "geography",
    "Reproduction": "reproduction",
    "Requirement": "keys.requirements",
    "Reviewed": "evidence.review",
    "Risk": "risk.value",
    "Rows": "rows",
    "Run": "pipeline",
    "Scenario": "risk.value",
    "SealVerification": "sealing",
    "Secret": "secret",
    "SecretError": "errors",
    "Swept": "sweeping",
    "Trust": "evidence.checked",
    "Verification": "verification",
    "analyse_places": "geography",
    "assess": "assessment",
    "assess_plan": "assessment",
    "compare": "what_if",
    "count_places": "geography",
    "diff_audits": "auditing",
    "find_hierarchies": "rows.lookup",
    "load_plan": "plan",
    "merge_places": "geography",
    "open_source": "rows",
    "parse_model": "keys.requirements",
    "parse_postcode": "geography",
    "perturbed_table": "beside",
    "profile": "profiling",
    "reproduce": "reproduction",
    "review": "reviewing",
    "run": "pipeline",
    "run_tiers": "tiering",
    "search_file": "search",
    "sign_audit": "sealing",
    "starter_plan": "profiling",
    "sweep": "sweeping",
    "tabulate": "rows.tabulate",
    "try_attacks": "intrusion",
    "verify": "verification",
    "verify_audit": "sealing",
    "write_demo": "demo",
}

__all__ = [
    "Assessment",
    "Difference",
    "DistinctL",
    "FoundRecoding",
    "Given",
    "Hierarchy",
    "IncrowdError",
    "InputError",
    "Intrusion",
    "K",
    "KeyTable",
    "Merged",
    "NoPostcode",
    "NotReleasable",
    "OneSided",
    "Places",
    "Plan",
    "PlanError",
    "PlanFigures",
    "Postcode",
    "Reproduction",
    "Requirement",
    "Reviewed",
    "Risk",
    "Rows",
    "Run",
    "Scenario",
    "SealVerification",
    "Secret",
    "SecretError",
    "Swept",
    "Trust",
    "Verification",
    "analyse_places",
    "assess",
    "assess_plan",
    "compare",
    "count_places",
    "diff_audits",
    "find_hierarchies",
    "load_plan",
    "merge_places",
    "open_source",
    "parse_model",
    "parse_postcode",
    "perturbed_table",
    "profile",
    "reproduce",
    "review",
    "run",
    "run_tiers",
    "search_file",
    "sign_audit",
    "starter_plan",
    "sweep",
    "tabulate",
    "try_attacks",
    "verify",
    "verify_audit",
    "write_demo",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'incrowd' has no attribute {name!r}")
    value = getattr(import_module(f"incrowd.{_HOME[name]}"), name)
    globals()[name] = value
    return value
