"""Settings for all tests."""

import os
import signal

import pytest
import yaml
from examples import examples
from hypothesis import HealthCheck, settings

from incrowd.machine import stopping

pytest_plugins = ["engine_cases"]  # its fixtures: one Spark and one database for all tests of a worker

# No deadline: the first call of a kernel compiles it, and CI machines are shared.
settings.register_profile(
    "incrowd",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=examples(100),
)
settings.load_profile("incrowd")
# Tests write plans from parts that they share; a plan has no aliases.
yaml.SafeDumper.ignore_aliases = lambda self, data: True  # type: ignore[method-assign]

# One key for all runs of the tests, so that runs in two folders give the same bytes. It is the first of RFC 8032.
os.environ["INCROWD_SIGNING_KEY"] = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"


#: Stated, not remembered: a shell's background ignores Ctrl-C, and a fixture of a whole file may have called `main`
#: before any test of it began.
HANDLERS = {
    signal.SIGINT: signal.default_int_handler,
    signal.SIGTERM: signal.SIG_DFL,
    signal.SIGHUP: signal.SIG_DFL,
}


@pytest.fixture(autouse=True)
def signals() -> None:
    """Every test begins with Python's own handlers, whatever ran before it, and so do the processes that it starts."""
    for number, handler in HANDLERS.items():
        signal.signal(number, handler)
    stopping._state = stopping._State()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of a file share what it makes: one worker has them all. The files with Spark name a group of theirs."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(str(item.path.relative_to(item.config.rootpath))))
