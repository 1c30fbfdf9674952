"""What is intended: the release plan, typed, YAML in and out, every fault at once."""

from incrowd.plan.check import check_columns, released_columns
from incrowd.plan.load import Inspection, dump_plan, inspect_plan, is_plan, one_of, parse_plan, split_tier
from incrowd.plan.model import Plan
from incrowd.plan.trees import json_tree, read_text

__all__ = [
    "Inspection",
    "Plan",
    "check_columns",
    "dump_plan",
    "inspect_plan",
    "is_plan",
    "json_tree",
    "one_of",
    "parse_plan",
    "read_text",
    "released_columns",
    "split_tier",
]
