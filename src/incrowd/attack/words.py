"""How attacks are told."""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.keys.saying import percent as percent
from incrowd.risk.value import Scenario


def list_keys(names: Sequence[str]) -> str:
    """Names as in a sentence."""
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)


def knowledge(scenario: Scenario, register: bool = False) -> str:
    """What an intruder knows, to stand after 'who'."""
    wrong = [f"{name} ({percent(scenario.error[name])} wrong)" for name in scenario.keys if scenario.error.get(name)]
    told = f"knows {list_keys(scenario.keys)}" + (" from a register" if register else "")
    if wrong:
        told += f", not always rightly: {list_keys(wrong)},"
    return told + (" and that the person is in the file" if scenario.knows_who_is_in else " but not who is in the file")
