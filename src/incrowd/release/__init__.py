"""The gate: re-read, re-count with code of its own, publish or refuse."""

from incrowd.release.gate import gate
from incrowd.release.recount import Known
from incrowd.release.publish import Workspace, open_workspace

__all__ = ["Known", "Workspace", "gate", "open_workspace"]
