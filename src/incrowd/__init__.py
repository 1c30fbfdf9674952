"""incrowd: from raw microdata about people to a file that can be opened, with the evidence that it can."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from incrowd.assessment import Assessment, Given, assess, assess_plan
    from incrowd.comparison import PlanFigures, compare
    from incrowd.demo import write_demo
    from incrowd.errors import IncrowdError, InputError, NotReleasable, PlanError, SecretError
    from incrowd.keys.hierarchy import Hierarchy
    from incrowd.keys.requirements import DistinctL, K, OneSided, Requirement, parse_model
    from incrowd.keys.table import KeyTable
    from incrowd.pipeline import Run, run
    from incrowd.plan import Plan, load_plan
    from incrowd.profiling import profile, starter_plan
    from incrowd.risk.value import Risk, Scenario
    from incrowd.rows import Rows, open_source
    from incrowd.rows.lookup import find_hierarchies
    from incrowd.rows.tabulate import tabulate
    from incrowd.search import FoundRecoding, search_file
    from incrowd.secret import Secret
    from incrowd.verification import Verification, verify

__version__ = "0.1.0"

#: Where each public name lives. They are imported on first use, so that `incrowd --help` is quick.
_HOME = {
    "Assessment": "assessment",
    "DistinctL": "keys.requirements",
    "FoundRecoding": "search",
    "Given": "assessment",
    "Hierarchy": "keys.hierarchy",
    "IncrowdError": "errors",
    "InputError": "errors",
    "K": "keys.requirements",
    "KeyTable": "keys.table",
    "NotReleasable": "errors",
    "OneSided": "keys.requirements",
    "Plan": "plan",
    "PlanError": "errors",
    "PlanFigures": "comparison",
    "Requirement": "keys.requirements",
    "Risk": "risk.value",
    "Rows": "rows",
    "Run": "pipeline",
    "Scenario": "risk.value",
    "Secret": "secret",
    "SecretError": "errors",
    "Verification": "verification",
    "assess": "assessment",
    "assess_plan": "assessment",
    "compare": "comparison",
    "find_hierarchies": "rows.lookup",
    "load_plan": "plan",
    "open_source": "rows",
    "parse_model": "keys.requirements",
    "profile": "profiling",
    "run": "pipeline",
    "search_file": "search",
    "starter_plan": "profiling",
    "tabulate": "rows.tabulate",
    "verify": "verification",
    "write_demo": "demo",
}

__all__ = [
    "Assessment",
    "DistinctL",
    "FoundRecoding",
    "Given",
    "Hierarchy",
    "IncrowdError",
    "InputError",
    "K",
    "KeyTable",
    "NotReleasable",
    "OneSided",
    "Plan",
    "PlanError",
    "PlanFigures",
    "Requirement",
    "Risk",
    "Rows",
    "Run",
    "Scenario",
    "Secret",
    "SecretError",
    "Verification",
    "assess",
    "assess_plan",
    "compare",
    "find_hierarchies",
    "load_plan",
    "open_source",
    "parse_model",
    "profile",
    "run",
    "search_file",
    "starter_plan",
    "tabulate",
    "verify",
    "write_demo",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'incrowd' has no attribute {name!r}")
    value = getattr(import_module(f"incrowd.{_HOME[name]}"), name)
    globals()[name] = value
    return value
