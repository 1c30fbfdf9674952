"""Many intruders at once, a server that is killed in the middle, and the same on PostgreSQL: no claim is lost."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from intruder_cases import FIELD, Friend, make, release, serving
from servers import Cluster

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.custodian import keep_scores, kept_scores, material, opened
from incrowd.intruder_test.erasing import erase
from incrowd.intruder_test.scoring import score

INTRUDERS, CLAIMS = 20, 4


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


def _start(place: str, port: int) -> subprocess.Popen[bytes]:
    """`incrowd intruder-test serve` in a process of its own, once it answers."""
    code = "import sys; from incrowd.cli import main; sys.argv[0] = 'incrowd'; main()"
    command = [sys.executable, "-c", code, "intruder-test", "serve", place, "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while True:
        assert process.poll() is None, process.stderr.read().decode()
        with contextlib.suppress(httpx.TransportError):
            httpx.get(f"http://127.0.0.1:{port}/")
            return process
        assert time.monotonic() < end
        time.sleep(0.1)


def _stubborn(address: str, token: str, number: int, acknowledged: set[str], middle: threading.Barrier) -> None:
    """File claims; when the server does not answer, send the same form again until it does."""

    def insist(client: httpx.Client, method: str, path: str, **data: object) -> httpx.Response:
        end = time.monotonic() + 90
        while True:
            try:
                answer = client.request(method, path, data=data or None)
                if answer.status_code != 503:
                    return answer
            except httpx.TransportError:
                pass
            assert time.monotonic() < end
            time.sleep(0.05)

    with httpx.Client(base_url=address, timeout=10) as client:
        assert insist(client, "POST", "/enter", token=token).status_code == 303
        hidden = dict(FIELD.findall(insist(client, "GET", "/rules").text))
        assert insist(client, "POST", "/rules", accept="yes", **hidden).status_code == 303
        for claim in range(CLAIMS):
            if claim == 1:
                middle.wait(60)  # the server dies about now
            hidden = dict(FIELD.findall(insist(client, "GET", "/claims/new").text))
            text = f"intruder {number} claim {claim}"
            fields = {**hidden, "who": "x", "record": number + 1, "confidence": claim, "reasoning": text,
                      "kinds": "own"}  # fmt: skip
            assert insist(client, "POST", "/claims", **fields).status_code == 303
            acknowledged.add(text)


@pytest.mark.slow
def test_twenty_intruders_and_a_killed_server_lose_no_claim(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    made = make(run, place, intruders=str(INTRUDERS))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = _start(str(place), port)
    acknowledged: set[str] = set()
    middle = threading.Barrier(INTRUDERS + 1)
    threads = [
        threading.Thread(target=_stubborn, args=(f"http://127.0.0.1:{port}", each.token, number, acknowledged, middle))
        for number, each in enumerate(made.invitations)
    ]
    for thread in threads:
        thread.start()
    try:
        middle.wait(90)
        time.sleep(0.15)
        before = len(acknowledged)
        os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        process = _start(str(place), port)
        for thread in threads:
            thread.join(120)
    finally:
        process.terminate()
        _, said = process.communicate()
    assert before < INTRUDERS * CLAIMS  # it died in the middle
    assert len(acknowledged) == INTRUDERS * CLAIMS
    with opened(str(place)) as store:
        found = material(store)
    assert sorted(each.claim.reasoning for each in found.judged) == sorted(acknowledged)
    assert b"claim" not in said  # nothing that anybody wrote is on the console


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    cluster = Cluster()
    yield cluster
    cluster.stop()


@pytest.mark.slow
def test_the_same_on_postgresql(cluster: Cluster, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    owner = cluster.owner()
    monkeypatch.setenv("PGUSER", str(owner["user"]))
    monkeypatch.setenv("PGPASSWORD", str(owner["password"]))
    place = f"postgresql://127.0.0.1:{cluster.port}/postgres?schema=friends"
    with pytest.raises(InputError, match="D216"), opened(place):
        pass
    made = make(run, place)
    with pytest.raises(InputError, match="D215"):
        make(run, place)
    # The server may use a role of its own, which cannot read the truth.
    cluster.execute(
        "CREATE ROLE desk LOGIN PASSWORD 'desk'", "GRANT USAGE ON SCHEMA friends TO desk",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA friends TO desk",
        "GRANT USAGE ON ALL SEQUENCES IN SCHEMA friends TO desk",
    )  # fmt: skip
    monkeypatch.setenv("PGUSER", "desk")
    monkeypatch.setenv("PGPASSWORD", "desk")
    with serving(place) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        for number in (1, 2):
            assert friend.claim(target=number, record=3, used="age", reasoning="it's ' fine").status_code == 303
        assert friend.claim(who="Kim", attribute="ill", value="y").status_code == 303
        assert "11 of 120 records fit" in friend.get("/records", t4="N7").text
        assert "7 of 120 records fit" in friend.get("/records", a5="1100", b5="1200", sort="5", f1="=f").text
        assert friend.send("/claims", "/claims/2/withdraw").status_code == 303
        assert httpx.post(f"{address}/enter", data={"token": made.invitations[0].token}).status_code == 403
    with pytest.raises(IncrowdError, match="X027"), opened(place) as store:
        material(store)
    monkeypatch.setenv("PGUSER", str(owner["user"]))
    monkeypatch.setenv("PGPASSWORD", str(owner["password"]))
    with opened(place) as store:
        found = material(store)
        assert len(found.judged) == 2
        assert [each.verdict is None for each in found.judged] == [False, True]
        scores = score(found, store.now)
        keep_scores(store, scores)
        assert erase(store).rows["claim"] == 3
        assert kept_scores(store) == scores
        assert store.erased


@pytest.mark.parametrize(
    "place",
    ["mysql://host/db", "postgresql://me:secret@host/db", "postgresql://host/db?schema=a;b", "postgresql://host/a/b",
     "postgresql://host/db?table=x", "postgresql://host:x/db"],
)  # fmt: skip
def test_other_addresses_are_refused_and_not_repeated(place: str) -> None:
    with pytest.raises(InputError, match="D218") as refused, opened(place):
        pass
    assert not re.search("secret|mysql|a;b", str(refused.value))
