"""Local recoding: a recoding per class, every class valid, each value still from its key's hierarchy."""

from incrowd.keys.local.bound import lower_bound
from incrowd.keys.local.recode import recode_locally
from incrowd.keys.local.result import SUPPRESSED, LocalRecoding

__all__ = ["SUPPRESSED", "LocalRecoding", "lower_bound", "recode_locally"]
