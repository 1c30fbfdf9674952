"""Settings for all tests."""

import os

from hypothesis import HealthCheck, settings

# No deadline: the first call of a kernel compiles it, and CI machines are shared.
settings.register_profile(
    "incrowd", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("incrowd")
