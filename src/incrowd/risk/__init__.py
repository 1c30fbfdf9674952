"""How exposed are people, before and after protection? Measures on the KeyTable, each with method and scenario."""

from incrowd.risk.value import Risk, Scenario

__all__ = ["Risk", "Scenario"]
