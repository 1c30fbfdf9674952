"""The process of one job (`app/jobs.py` starts it): a call comes in, how far it is and its result go out.

Beside the public functions of incrowd a few are here that the pages need and that only put public ones together.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import incrowd as ic
from incrowd.app.data_work import WORK
from incrowd.errors import IncrowdError, PlanError, places
from incrowd.machine import stopping
from incrowd.tasks._keeping import try_keeping


def main() -> None:
    """Do one job; its result is in the file that is named."""
    for number in stopping.SIGNALS:  # a server that was started in the background ignores Ctrl-C, and so would we
        signal.signal(number, signal.SIG_DFL)
    stopping.listen()
    place = Path(sys.argv[1])
    name, arguments, settings = pickle.load(sys.stdin.buffer)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever prints prints elsewhere: this way is for telling how far the work is

    def tell(**told: object) -> None:
        out.write(json.dumps(told) + "\n")
        out.flush()

    try:
        found: tuple[str, Any] = ("result", _function(name, tell)(*arguments, **settings))
    except PlanError as error:
        found = ("fault", ("P000", "the plan has faults.", "", tuple(str(fault) for fault in error.faults)))
    except IncrowdError as error:
        found = ("fault", (error.code, error.message, error.hint, ()))
    except MemoryError:
        found = (
            "fault",
            ("X036", "there is not enough memory for this.", "Close something else, or take a sample.", ()),
        )
    except stopping.Stopped:
        return
    except Exception as error:
        where = "".join(places(error, 1))
        broke = f"something in incrowd broke ({type(error).__name__} in {where})."
        found = ("fault", ("X037", broke, "Please report it, without data.", ()))
    with stopping.held():
        descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            pickle.dump(found, file)
    stopping.deafen()


def _function(name: str, tell: Callable[..., None]) -> Callable[..., Any]:
    """The function, told where to say how far it is."""
    function = LOCAL.get(name) or getattr(ic, name)
    known = signature(function).parameters

    def call(*arguments: object, **settings: object) -> object:
        if "progress" in known:
            settings["progress"] = _progress(tell, function)
        if "within" in known:
            settings["within"] = lambda share: tell(total=-1, share=round(float(share), 3))
        return function(*arguments, **settings)

    return call


def _progress(tell: Callable[..., None], function: Callable[..., object]) -> Callable[..., None]:
    def progress(*told: object) -> None:
        match told:
            case (str() as what, int() as number, int() as total):
                tell(what=what, number=number, total=total)
            case (int() as number, int() as total):
                tell(what="", number=number, total=total)
            case (first, *_):
                tell(what=str(getattr(first, "what", "")), number=0, total=0)

    return progress


LOCAL: dict[str, Callable[..., Any]] = {**WORK, "try_keeping": try_keeping}


if __name__ == "__main__":
    main()
