"""incrowd: from raw microdata about people to a file that can be opened, with the evidence that it can."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.audit.checked import Trust
    from incrowd.demo import write_demo
    from incrowd.errors import IncrowdError, InputError, NotReleasable, PlanError, SecretError
    from incrowd.keys.hierarchy import Hierarchy
    from incrowd.keys.requirements import DistinctL, K, OneSided, Requirement, parse_model
    from incrowd.keys.table import KeyTable
    from incrowd.pipeline import Run, run
    from incrowd.pipeline.check import load_plan
    from incrowd.pipeline.tiers import run_tiers
    from incrowd.plan import Plan
    from incrowd.postcodes import (
        Merged,
        NoPostcode,
        Places,
        Postcode,
        analyse_places,
        count_places,
        merge_places,
        parse_postcode,
    )
    from incrowd.profiling import profile, starter_plan
    from incrowd.report.review import Reviewed
    from incrowd.risk.background import Background
    from incrowd.risk.value import Risk, Scenario
    from incrowd.rows import Rows, open_source
    from incrowd.rows.lookup import find_hierarchies
    from incrowd.rows.tabulate import tabulate
    from incrowd.secret import Secret
    from incrowd.tasks.attack import Intrusion, try_attacks
    from incrowd.tasks.audit_diff import Difference, diff_audits
    from incrowd.tasks.audit_sign import SealVerification, sign_audit, verify_audit
    from incrowd.tasks.compare import PlanFigures, compare
    from incrowd.tasks.reproduce import Reproduction, reproduce
    from incrowd.tasks.review import review
    from incrowd.tasks.risk import Assessment, assess, assess_plan
    from incrowd.tasks.search import FoundRecoding, search_file
    from incrowd.tasks.sweep import Swept, sweep
    from incrowd.tasks.table import perturbed_table
    from incrowd.tasks.verify import Verification, verify

__version__ = "0.1.0"

#: Where each public name lives. They are imported on first use, so that `incrowd --help` is quick.
_HOME = {
    "Assessment": "tasks.risk",
    "Difference": "tasks.audit_diff",
    "DistinctL": "keys.requirements",
    "FoundRecoding": "tasks.search",
    "Background": "risk.background",
    "Hierarchy": "keys.hierarchy",
    "IncrowdError": "errors",
    "InputError": "errors",
    "Intrusion": "tasks.attack",
    "K": "keys.requirements",
    "KeyTable": "keys.table",
    "Merged": "postcodes",
    "NoPostcode": "postcodes",
    "NotReleasable": "errors",
    "OneSided": "keys.requirements",
    "Places": "postcodes",
    "Plan": "plan",
    "PlanError": "errors",
    "PlanFigures": "tasks.compare",
    "Postcode": "postcodes",
    "Reproduction": "tasks.reproduce",
    "Requirement": "keys.requirements",
    "Reviewed": "report.review",
    "Risk": "risk.value",
    "Rows": "rows",
    "Run": "pipeline",
    "Scenario": "risk.value",
    "SealVerification": "tasks.audit_sign",
    "Secret": "secret",
    "SecretError": "errors",
    "Swept": "tasks.sweep",
    "Trust": "audit.checked",
    "Verification": "tasks.verify",
    "analyse_places": "postcodes",
    "assess": "tasks.risk",
    "assess_plan": "tasks.risk",
    "compare": "tasks.compare",
    "count_places": "postcodes",
    "diff_audits": "tasks.audit_diff",
    "find_hierarchies": "rows.lookup",
    "load_plan": "pipeline.check",
    "merge_places": "postcodes",
    "open_source": "rows",
    "parse_model": "keys.requirements",
    "parse_postcode": "postcodes",
    "perturbed_table": "tasks.table",
    "profile": "profiling",
    "reproduce": "tasks.reproduce",
    "review": "tasks.review",
    "run": "pipeline",
    "run_tiers": "pipeline.tiers",
    "search_file": "tasks.search",
    "sign_audit": "tasks.audit_sign",
    "starter_plan": "profiling",
    "sweep": "tasks.sweep",
    "tabulate": "rows.tabulate",
    "try_attacks": "tasks.attack",
    "verify": "tasks.verify",
    "verify_audit": "tasks.audit_sign",
    "write_demo": "demo",
}

__all__ = [
    "Assessment",
    "Background",
    "Difference",
    "DistinctL",
    "FoundRecoding",
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
