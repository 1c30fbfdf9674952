"""How many records of a class fail, however finely it is divided?

Let a class fail where a convex figure D of its distribution q is above a limit t, and let M be the largest D that there
is. A class of n records that is divided into parts n_i, q_i has q = sum (n_i / n) q_i, so that by convexity
n max(D(q) - t, 0) <= sum n_i max(D(q_i) - t, 0) <= (M - t) * (records of the parts that fail). So at least the share
max(D(q) - t, 0) / (M - t) of its records is in parts that fail. The sum over all classes can only grow as classes are
divided: where it is more than may be suppressed, no finer table will do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from incrowd.keys.requirements.kernels import Float64

#: With less room above the limit nothing can fail, or rounding would say what does.
LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Convex:
    """A convex figure of each class, with the limit above which a class fails, and the largest figure there can be."""

    figures: Float64
    limit: float
    largest: float

    def doomed(self) -> Float64:
        """The least share of each class's records that is in parts that fail, however the class is divided."""
        room = self.largest - self.limit
        if not room > LEAST:
            return np.zeros(len(self.figures))
        return np.clip((self.figures - self.limit) / room, 0.0, 1.0)
