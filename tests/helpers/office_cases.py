"""The office of a test to talk to: accounts, a browser for each, and a test with some claims in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import httpx
from intruder_cases import Friend

from incrowd.intruder_test.accounts import put_account
from incrowd.intruder_test.custodian import opened

HIDDEN = re.compile(r'<input type="hidden" name="(\w+)" value="([^"]*)">')


class Clerk(Friend):
    """The browser of somebody who runs the test."""

    def send(self, page: str, path: str, **fields: Any) -> httpx.Response:
        """Open a page, and send one of its forms with the hidden fields of that form."""
        text = self.get(page).text
        found = next((form for form in text.split("<form ") if f'action="{path}"' in form), "")
        mark = re.search(r'name="mark" value="([^"]*)"', text)
        hidden = {"mark": mark[1]} if mark else {}
        return self.post(path, **{**hidden, **dict(HIDDEN.findall(found)), **fields})

    def judge(self, number: int, judgment: str, note: str = "") -> httpx.Response:
        return self.send(f"/judge/{number}", f"/judge/{number}", judgment=judgment, note=note)


def account(place: Path | str, name: str, role: str, clock: Any = None) -> str:
    """The token of a new account."""
    with opened(str(place), **({} if clock is None else {"clock": clock})) as store:
        return put_account(store, name, role)
