"""The gate: re-read, re-count with code of its own, publish or refuse."""

from incrowd.release.gate import gate
from incrowd.release.publish import Workspace, open_workspace

__all__ = ["Workspace", "gate", "open_workspace"]
