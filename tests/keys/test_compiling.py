"""Work with a time limit is done again where a compiler took its time."""

import numpy as np
from numba import njit

from incrowd.keys.compiling import once_compiled


def test_work_is_done_again_only_where_something_was_compiled():
    @njit
    def add(numbers):
        return numbers.sum()

    times = []

    def work():
        times.append(1)
        return add(np.arange(4))

    assert once_compiled(work) == 6
    assert len(times) == 2
    assert once_compiled(work) == 6
    assert len(times) == 3
