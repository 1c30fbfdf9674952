"""Files that come in through the browser: under a harmless name, no larger than allowed, whole or not at all."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path

from fastapi import Request
from starlette.requests import ClientDisconnect

from incrowd.errors import InputError
from incrowd.rows.formats import DATA, ENDINGS

#: The longest name that is kept: in UTF-8 it has at most four times as many bytes, which every file system takes.
LONGEST = 60
_STAYS = frozenset("-_ ()")
#: What may come in. Of formats that are not read the reader says what they are.
PLANS = (".yaml", ".yml")
TAKEN = {*DATA, *ENDINGS, *PLANS}


def safe_name(given: str) -> str:
    """The name of an upload without anything that leads elsewhere or is hard to type; never empty, never hidden.

    >>> safe_name("../../etc/pass wd.CSV"), safe_name("C:\\\\data\\\\people.csv"), safe_name("..")
    ('pass wd.CSV', 'people.csv', 'data')
    """
    last = unicodedata.normalize("NFC", given).replace("\\", "/").rsplit("/", 1)[-1]
    stem, *endings = [_plain(part) for part in last.split(".") if _plain(part)] or ["data"]
    # An ending says what a file is, and .csv.gz are two.
    ending = "".join(f".{one[:10]}" for one in endings[-2:])
    stem = ".".join([stem, *endings[:-2]]) if len(endings) > 2 else stem
    return f"{stem[: LONGEST - len(ending)].rstrip(' .')}{ending}"


def _plain(part: str) -> str:
    return "".join(
        sign if sign.isalnum() or sign in _STAYS else "_" if sign.isprintable() else "" for sign in part
    ).strip()


def is_plan_by_name(name: str) -> bool:
    """Whether a plan comes in, and not records."""
    return Path(safe_name(name)).suffix.lower() in PLANS


def refuse_ending(name: str) -> None:
    """Only records and plans come in: a plan can run code that lies beside it, so none may."""
    ending = Path(safe_name(name)).suffix.lower()
    if ending not in TAKEN:
        message = "the file is neither records nor a plan, by the ending of its name."
        raise InputError("D334", message, "Let it end in what it is: .csv, .parquet, .xlsx, .sav, .dta, plan.yaml ...")


async def receive(request: Request, folder: Path, name: str, most: int) -> Path:
    """Write what comes to a file of the folder; where it is too much, or stops, nothing is left of it."""
    path = folder / safe_name(name)
    draft = folder / f".{os.urandom(6).hex()}.part"
    size = 0
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            async for piece in request.stream():
                size += len(piece)
                if size > most:
                    message = f"the file is larger than {most / 2**20:,.0f} MB, the limit for uploads here."
                    raise InputError("D423", message, "Open it by its path, or start the workbench with --upload.")
                file.write(piece)
        os.replace(draft, path)
    except ClientDisconnect:
        raise InputError("D424", "the file did not arrive whole.", "Send it again.") from None
    except OSError as error:
        message = f"the file could not be stored ({error.strerror})."
        raise InputError("D424", message, "Is there room on the disk of the temporary folder (TMPDIR)?") from None
    finally:
        draft.unlink(missing_ok=True)
    return path
