"""incrowd: from raw microdata about people to a file that can be opened, with the evidence that it can.

One word in four places: `incrowd review` is `cli/review.py` is `tasks/review.py` is `ic.review`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as below, for who reads types; a test keeps the two in step
    from incrowd.audit.checked import Trust as Trust
    from incrowd.audit.plan_changes import Difference as Difference
    from incrowd.errors import Fault as Fault
    from incrowd.errors import IncrowdError as IncrowdError
    from incrowd.errors import InputError as InputError
    from incrowd.errors import NotReleasable as NotReleasable
    from incrowd.errors import PlanError as PlanError
    from incrowd.errors import SecretError as SecretError
    from incrowd.intruder_test.erasing import Erased as Erased
    from incrowd.intruder_test.making import Invitation as Invitation
    from incrowd.keys.hierarchy import Hierarchy as Hierarchy
    from incrowd.keys.postcodes import NoPostcode as NoPostcode
    from incrowd.keys.postcodes import Postcode as Postcode
    from incrowd.keys.requirements import AlphaK as AlphaK
    from incrowd.keys.requirements import BetaLikeness as BetaLikeness
    from incrowd.keys.requirements import DeltaDisclosure as DeltaDisclosure
    from incrowd.keys.requirements import DeltaPresence as DeltaPresence
    from incrowd.keys.requirements import DistinctL as DistinctL
    from incrowd.keys.requirements import EnhancedBeta as EnhancedBeta
    from incrowd.keys.requirements import EntropyL as EntropyL
    from incrowd.keys.requirements import K as K
    from incrowd.keys.requirements import KMap as KMap
    from incrowd.keys.requirements import OneSided as OneSided
    from incrowd.keys.requirements import RecursiveL as RecursiveL
    from incrowd.keys.requirements import Requirement as Requirement
    from incrowd.keys.requirements import TCloseness as TCloseness
    from incrowd.keys.requirements import WeakK as WeakK
    from incrowd.keys.requirements import parse_model as parse_model
    from incrowd.keys.table import KeyTable as KeyTable
    from incrowd.pipeline.check import load_plan as load_plan
    from incrowd.pipeline.foreign_plan import ForeignRelease as ForeignRelease
    from incrowd.plan import Plan as Plan
    from incrowd.profiling import Column as Column
    from incrowd.profiling import Profile as Profile
    from incrowd.proposals.prices import Price as Price
    from incrowd.proposals.value import Proposal as Proposal
    from incrowd.proposals.value import Proposals as Proposals
    from incrowd.report.review import Reviewed as Reviewed
    from incrowd.risk.background import Background as Background
    from incrowd.risk.value import Risk as Risk
    from incrowd.risk.value import Scenario as Scenario
    from incrowd.rows import Rows as Rows
    from incrowd.rows import open_source as open_source
    from incrowd.rows.lookup import find_hierarchies as find_hierarchies
    from incrowd.rows.tabulate import tabulate as tabulate
    from incrowd.secret import Secret as Secret
    from incrowd.tasks._review_all import ReviewedAll as ReviewedAll
    from incrowd.tasks._review_all import ReviewedRun as ReviewedRun
    from incrowd.tasks._review_all import review_all as review_all
    from incrowd.tasks.app import app as app
    from incrowd.tasks.attack import Intrusion as Intrusion
    from incrowd.tasks.attack import attack as attack
    from incrowd.tasks.audit_diff import Differences as Differences
    from incrowd.tasks.audit_diff import audit_diff as audit_diff
    from incrowd.tasks.audit_keygen import SigningKey as SigningKey
    from incrowd.tasks.audit_keygen import audit_keygen as audit_keygen
    from incrowd.tasks.audit_sign import audit_sign as audit_sign
    from incrowd.tasks.audit_verify import SealVerification as SealVerification
    from incrowd.tasks.audit_verify import SignedOff as SignedOff
    from incrowd.tasks.audit_verify import audit_verify as audit_verify
    from incrowd.tasks.check import PlanCheck as PlanCheck
    from incrowd.tasks.check import check as check
    from incrowd.tasks.compare import Comparison as Comparison
    from incrowd.tasks.compare import PlanFigures as PlanFigures
    from incrowd.tasks.compare import compare as compare
    from incrowd.tasks.demo import demo as demo
    from incrowd.tasks.demo_data import demo_data as demo_data
    from incrowd.tasks.hierarchy_build import BuiltHierarchy as BuiltHierarchy
    from incrowd.tasks.hierarchy_build import hierarchy_build as hierarchy_build
    from incrowd.tasks.hierarchy_show import hierarchy_show as hierarchy_show
    from incrowd.tasks.hierarchy_validate import CheckedHierarchy as CheckedHierarchy
    from incrowd.tasks.hierarchy_validate import hierarchy_validate as hierarchy_validate
    from incrowd.tasks.init import init as init
    from incrowd.tasks.intruder_test_account import OfficeLink as OfficeLink
    from incrowd.tasks.intruder_test_account import intruder_test_account as intruder_test_account
    from incrowd.tasks.intruder_test_advise import AdvisedChange as AdvisedChange
    from incrowd.tasks.intruder_test_advise import IntruderAdvice as IntruderAdvice
    from incrowd.tasks.intruder_test_advise import intruder_test_advise as intruder_test_advise
    from incrowd.tasks.intruder_test_dry_run import DryRun as DryRun
    from incrowd.tasks.intruder_test_dry_run import intruder_test_dry_run as intruder_test_dry_run
    from incrowd.tasks.intruder_test_erase import intruder_test_erase as intruder_test_erase
    from incrowd.tasks.intruder_test_invite import intruder_test_invite as intruder_test_invite
    from incrowd.tasks.intruder_test_new import IntruderTest as IntruderTest
    from incrowd.tasks.intruder_test_new import IntruderTestOptions as IntruderTestOptions
    from incrowd.tasks.intruder_test_new import intruder_test_new as intruder_test_new
    from incrowd.tasks.intruder_test_score import ScoredTest as ScoredTest
    from incrowd.tasks.intruder_test_score import intruder_test_score as intruder_test_score
    from incrowd.tasks.intruder_test_serve import intruder_test_serve as intruder_test_serve
    from incrowd.tasks.intruder_test_texts import intruder_test_texts as intruder_test_texts
    from incrowd.tasks.postcode_analyse import PostcodeAnalysis as PostcodeAnalysis
    from incrowd.tasks.postcode_analyse import postcode_analyse as postcode_analyse
    from incrowd.tasks.postcode_lookup import PostcodeLookups as PostcodeLookups
    from incrowd.tasks.postcode_lookup import postcode_lookup as postcode_lookup
    from incrowd.tasks.postcode_merge import PostcodeMerge as PostcodeMerge
    from incrowd.tasks.postcode_merge import postcode_merge as postcode_merge
    from incrowd.tasks.postcode_parse import ParsedPostcodes as ParsedPostcodes
    from incrowd.tasks.postcode_parse import postcode_parse as postcode_parse
    from incrowd.tasks.profile import profile as profile
    from incrowd.tasks.propose import propose as propose
    from incrowd.tasks.report import Reports as Reports
    from incrowd.tasks.report import report as report
    from incrowd.tasks.reproduce import Reproduction as Reproduction
    from incrowd.tasks.reproduce import reproduce as reproduce
    from incrowd.tasks.review import review as review
    from incrowd.tasks.risk import Assessment as Assessment
    from incrowd.tasks.risk import risk as risk
    from incrowd.tasks.run import Run as Run
    from incrowd.tasks.run import run as run
    from incrowd.tasks.search import FoundRecoding as FoundRecoding
    from incrowd.tasks.search import Frontier as Frontier
    from incrowd.tasks.search import search as search
    from incrowd.tasks.sweep import Swept as Swept
    from incrowd.tasks.sweep import sweep as sweep
    from incrowd.tasks.table import PerturbedTable as PerturbedTable
    from incrowd.tasks.table import PublishedTable as PublishedTable
    from incrowd.tasks.table import table as table
    from incrowd.tasks.verify import Finding as Finding
    from incrowd.tasks.verify import Verification as Verification
    from incrowd.tasks.verify import verify as verify
    from incrowd.utility.settings import Setting as Setting

__version__ = "0.1.0"

#: The public names of each room. They are imported on first use, so that `incrowd --help` is quick.
_ROOMS = {
    "audit.checked": "Trust",
    "audit.plan_changes": "Difference",
    "errors": "Fault IncrowdError InputError NotReleasable PlanError SecretError",
    "intruder_test.erasing": "Erased",
    "intruder_test.making": "Invitation",
    "keys.hierarchy": "Hierarchy",
    "keys.postcodes": "NoPostcode Postcode",
    "keys.requirements": (
        "AlphaK BetaLikeness DeltaDisclosure DeltaPresence DistinctL EnhancedBeta EntropyL K KMap "
        "OneSided RecursiveL Requirement TCloseness WeakK parse_model"
    ),
    "keys.table": "KeyTable",
    "pipeline.check": "load_plan",
    "pipeline.foreign_plan": "ForeignRelease",
    "plan": "Plan",
    "profiling": "Column Profile",
    "proposals.prices": "Price",
    "proposals.value": "Proposal Proposals",
    "report.review": "Reviewed",
    "risk.background": "Background",
    "risk.value": "Risk Scenario",
    "rows": "Rows open_source",
    "rows.lookup": "find_hierarchies",
    "rows.tabulate": "tabulate",
    "secret": "Secret",
    "tasks.app": "app",
    "tasks.attack": "Intrusion attack",
    "tasks.audit_diff": "Differences audit_diff",
    "tasks.audit_keygen": "SigningKey audit_keygen",
    "tasks.audit_sign": "audit_sign",
    "tasks.audit_verify": "SealVerification SignedOff audit_verify",
    "tasks.check": "PlanCheck check",
    "tasks.compare": "Comparison PlanFigures compare",
    "tasks.demo": "demo",
    "tasks.demo_data": "demo_data",
    "tasks.hierarchy_build": "BuiltHierarchy hierarchy_build",
    "tasks.hierarchy_show": "hierarchy_show",
    "tasks.hierarchy_validate": "CheckedHierarchy hierarchy_validate",
    "tasks.init": "init",
    "tasks.intruder_test_account": "OfficeLink intruder_test_account",
    "tasks.intruder_test_advise": "AdvisedChange IntruderAdvice intruder_test_advise",
    "tasks.intruder_test_dry_run": "DryRun intruder_test_dry_run",
    "tasks.intruder_test_erase": "intruder_test_erase",
    "tasks.intruder_test_invite": "intruder_test_invite",
    "tasks.intruder_test_new": "IntruderTest IntruderTestOptions intruder_test_new",
    "tasks.intruder_test_score": "ScoredTest intruder_test_score",
    "tasks.intruder_test_serve": "intruder_test_serve",
    "tasks.intruder_test_texts": "intruder_test_texts",
    "tasks.postcode_analyse": "PostcodeAnalysis postcode_analyse",
    "tasks.postcode_lookup": "PostcodeLookups postcode_lookup",
    "tasks.postcode_merge": "PostcodeMerge postcode_merge",
    "tasks.postcode_parse": "ParsedPostcodes postcode_parse",
    "tasks.profile": "profile",
    "tasks.propose": "propose",
    "tasks.report": "Reports report",
    "tasks.reproduce": "Reproduction reproduce",
    "tasks.review": "review",
    "tasks._review_all": "ReviewedAll ReviewedRun review_all",
    "tasks.risk": "Assessment risk",
    "tasks.run": "Run run",
    "tasks.search": "FoundRecoding Frontier search",
    "tasks.sweep": "Swept sweep",
    "tasks.table": "PerturbedTable PublishedTable table",
    "tasks.verify": "Finding Verification verify",
    "utility.settings": "Setting",
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names.split()}

__all__ = sorted(_HOME)


class _Face(ModuleType):
    """The package as its users see it: every public name, whatever else has that name.

    The rooms `risk`, `attack`, `demo`, `report` and `app` have the names of commands. An import of anything in them
    would put the room in the function's place, so here it is not put anywhere: `from incrowd.risk import record` finds
    rooms by `sys.modules`, and needs no attribute.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOME and isinstance(value, ModuleType)):
            super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        if name not in _HOME:
            raise AttributeError(f"module 'incrowd' has no attribute {name!r}")
        value = getattr(import_module(f"incrowd.{_HOME[name]}"), name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *_HOME})


sys.modules[__name__].__class__ = _Face
