"""What is in a file; which roles it suggests; a starter plan from them."""

from incrowd.profiling.ending import Ending
from incrowd.profiling.measure import Column, Profile, profile
from incrowd.profiling.starter import starter_plan

__all__ = ["Column", "Ending", "Profile", "profile", "starter_plan"]
