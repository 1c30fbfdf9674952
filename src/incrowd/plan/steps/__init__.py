"""The protection steps as types. One file per family; each step says what others have to know of it.

A new file in this folder is found by itself, and every step in it (see base.py) may stand in a plan.
"""

from typing import Annotated

from incrowd.machine.modules import import_all
from incrowd.plan.steps.base import STEPS, Step

__all__ = ["STEPS", "AnyStep", "Step"]

import_all(__name__)

#: A step of a plan, of the kind that its field `step` names.
AnyStep = Annotated[Step, STEPS]
