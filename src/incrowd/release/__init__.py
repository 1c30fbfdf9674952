"""The gate: re-read, re-count with code of its own, publish or refuse."""

from incrowd.audit.workspace import Workspace, open_workspace
from incrowd.release import formulas  # noqa: F401 - they register themselves
from incrowd.release.gate import gate
from incrowd.release.recount import GateInputs

__all__ = ["GateInputs", "Workspace", "gate", "open_workspace"]
