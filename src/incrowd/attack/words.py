"""How attacks are told."""

from __future__ import annotations

from collections.abc import Sequence

from incrowd.risk.value import Scenario


def percent(share: float) -> str:
    """A share so that a small one is not told as none, nor a large one as all.

    >>> percent(0.1234), percent(0.00001), percent(0), percent(1e-9), percent(1), percent(0.9999)
    ('12.3%', '0.0010%', '0%', 'under 0.0001%', '100%', 'more than 99.9%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if 0.999 < share < 1:
        return "more than 99.9%"
    if abs(share) < 0.000001:
        return "under 0.0001%"
    return f"{share:.1%}" if share >= 0.001 else f"{100 * share:.2g}%" if share >= 0.0001 else f"{100 * share:.4f}%"


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
