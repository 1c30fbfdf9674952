"""What is in a file; which roles it suggests; a starter plan from them."""

from incrowd.profile.measure import Column, Profile, profile
from incrowd.profile.starter import starter_plan

__all__ = ["Column", "Profile", "profile", "starter_plan"]
