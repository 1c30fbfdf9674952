"""A small release with canaries in its original, a test of it, and a server to talk to."""

from __future__ import annotations

import html
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
from people import plan_with, write_case

import incrowd as ic
from incrowd.intruder_test.serving import server
from incrowd.tasks.intruder_test_new import IntruderTest, IntruderTestOptions, new_test

#: What must never be seen in an answer: names, the value of a dropped sensitive variable, an exact figure.
CANARIES = ("Xanthippe", "Zebedee", "canary-diagnosis", "canary-outside", "99999")


def release(folder: Path, labels: Mapping[str, str] = MappingProxyType({}), **changes: Any) -> Path:
    """A run of people by age band and sex, k = 3; two people of 97 are suppressed. Gives its folder. `labels` are what
    columns mean.
    """
    variables = {
        "name": {"role": "identifier", "reason": "names a person"},
        "age": {"role": "key", "reason": "visible"},
        "sex": {"role": "key", "reason": "visible"},
        "town": {"role": "key", "reason": "known"},
        "ill": {"role": "sensitive", "reason": "private"},
        "secret": {"role": "sensitive", "reason": "private"},
        "note": {"role": "other", "reason": "harmless"},
        "pay": {"role": "other", "reason": "harmless"},
    }
    for name, label in labels.items():
        variables[name]["label"] = label
    steps = [
        {"step": "drop", "variables": ["name", "secret"]},
        {"step": "recode", "variable": "age", "bands": ["0", "40", "80"]},
        {"step": "suppress_records"},
    ]
    scenarios = [
        {"name": "neighbour", "keys": ["age", "sex", "town"]},
        {"name": "stranger", "keys": ["sex"], "error": {"sex": 0.5}, "knows_who_is_in": False},
    ]
    plan = plan_with(variables=variables, steps=steps, scenarios=scenarios, **changes)
    path = write_case(folder, plan)
    lines = ["name,age,sex,town,ill,secret,note,pay"]
    for i in range(120):
        name = "Xanthippe" if i % 2 else "Zebedee"
        town = ("Ayton", "Beeford")[i % 3 == 0]
        lines.append(
            f"{name}-{i},{20 + i % 50},{'fm'[i % 2]},{town},{'yn'[i % 5 == 0]},canary-diagnosis-{i},n{i},{1000 + 7 * i}"
        )
    lines += [f"Zebedee-{i},9{i % 10},f,Ceeby,y,canary-outside,canary-outside-{i},99999" for i in (120, 121)]
    (folder / "people.csv").write_text("\n".join(lines) + "\n")
    return ic.run(path).folder


def make(run: Path, place: Path | str, **options: Any) -> IntruderTest:
    settings = {"intruders": "3", "targets": 6, "decoys": 1 / 3, **options}
    clock = settings.pop("clock", time.time)
    return new_test(run, str(place), IntruderTestOptions(**settings), clock=clock)


class Clock:
    """A clock that a test can put forward."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead


@contextmanager
def serving(place: Path | str, clock: Any = time.time, **options: Any) -> Iterator[str]:
    """A real server on loopback, in this process; gives its address."""
    running = server(str(place), port=0, clock=clock, **options)
    thread = threading.Thread(target=running.run)
    thread.start()
    try:
        end = time.monotonic() + 30
        while not running.started:
            assert time.monotonic() < end
            assert thread.is_alive()
            time.sleep(0.02)
        yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    finally:
        running.should_exit = True
        thread.join(30)


FIELD = re.compile(r'name="(mark|nonce|changed)" value="([^"]*)"')


class Friend:
    """An intruder's browser: it keeps its cookie, fills in forms, and remembers everything it was ever sent."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self.client = httpx.Client(base_url=address, timeout=30)
        self.seen: list[str] = []
        if token is not None:
            answer = self.post("/enter", token=token)
            assert answer.status_code == 303, answer.text

    def __enter__(self) -> Friend:
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def get(self, path: str, **query: Any) -> httpx.Response:
        return self._keep(self.client.get(path, params=query or None))

    def post(self, path: str, **fields: Any) -> httpx.Response:
        return self._keep(self.client.post(path, data=fields))

    def send(self, page: str, path: str, **fields: Any) -> httpx.Response:
        """Open a page, and send its form with its hidden fields."""
        hidden = dict(FIELD.findall(self.get(page).text))
        return self.post(path, **{**hidden, **fields})

    def accept(self) -> Friend:
        assert self.send("/rules", "/rules", accept="yes").status_code == 303
        return self

    def claim(self, **fields: Any) -> httpx.Response:
        usual = {"confidence": 50, "reasoning": "because it fits", "kinds": "own"}
        return self.send("/claims/new", "/claims", **{**usual, **fields})

    def _keep(self, answer: httpx.Response) -> httpx.Response:
        self.seen.append(f"{answer.headers}\n{html.unescape(answer.text)}")
        return answer


def crawl(friend: Friend, limit: int = 300) -> int:
    """Open every address that any page links to; gives how many."""
    waiting, done = ["/"], set()
    while waiting and len(done) < limit:
        path = waiting.pop()
        if path in done:
            continue
        done.add(path)
        answer = friend.get(path)
        if "location" in answer.headers:
            waiting.append(answer.headers["location"])
        waiting += [html.unescape(found) for found in re.findall(r'href="(/[^"]*)"', answer.text)]
    return len(done)
