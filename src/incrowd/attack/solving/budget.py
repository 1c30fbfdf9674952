"""How long is searched, and in how large blocks: by default no longer than the run itself takes.

It goes by the processor's time, so that a busy machine gives up no more than an idle one. A search that comes to its
end within it, as most do, does not depend on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from time import process_time

#: What a run takes of the processor: so many seconds for its reports, and so many for each record.
REPORTS, RECORD = 5.0, 13 / 100_000
THOROUGH = 3_600.0
#: A larger block is not solved.
LARGEST, LARGEST_THOROUGH = 3_000, 50_000
#: The solver looks at the clock on the wall: it may wait for the processor so many times as long as it works.
WAITING = 2.0
SOME = 0.1  # seconds that a solution gets at least


@dataclass(frozen=True)
class Budget:
    """What one search may take, from now on."""

    seconds: float
    largest: int
    begun: float = field(default_factory=process_time)

    @staticmethod
    def of(records: int, thorough: bool, share: float = 1.0) -> Budget:
        """A share of what the run of so many records takes; or more than anybody waits for."""
        if thorough:
            return Budget(THOROUGH, LARGEST_THOROUGH)
        return Budget(share * (REPORTS + RECORD * records), LARGEST)

    @property
    def left(self) -> float:
        """Seconds of the processor that are left; below 0 when it is time to stop."""
        return self.seconds - (process_time() - self.begun)

    @property
    def wait(self) -> float:
        """Seconds on the wall after which the solver is stopped."""
        return WAITING * max(self.left, SOME)
