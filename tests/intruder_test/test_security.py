"""The web pages of an intruder test against somebody who does not keep to the rules."""

from __future__ import annotations

import html
import re
import shutil
import sqlite3
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest
from intruder_cases import CANARIES, Clock, Friend, crawl, make, release, serving
from servers import absent

from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test import desk as desks
from incrowd.intruder_test.custodian import invite, opened
from incrowd.intruder_test.serving import is_loopback, server
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.web.guard import HEADERS

HOSTILE = (
    "'; DROP TABLE claim; --", "\" OR 1=1 --", "1 UNION SELECT value FROM truth_value", "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>", "{{ 7 * 7 }}", "%00\x00\x01", "\U0001f600", "=cmd|' /C calc'!A0",
    "../../etc/passwd",
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def tokens_and_address(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[str], str, Path]]:
    place = tmp_path_factory.mktemp("served") / "test.db"
    made = make(run, place, intruders="20")
    with serving(place) as address:
        yield [each.token for each in made.invitations], address, place


@pytest.fixture
def fresh(tokens_and_address: tuple[list[str], str, Path]) -> Iterator[Friend]:
    """Somebody new who has accepted the rules."""
    tokens, address, _ = tokens_and_address
    with Friend(address, tokens.pop()) as friend:
        yield friend.accept()


def _rows(place: Path, query: str, *values: object) -> list[tuple[object, ...]]:
    with sqlite3.connect(place) as connection:
        return connection.execute(query, values).fetchall()


def test_a_session_shows_nothing_of_the_original_but_the_cards(
    fresh: Friend, tokens_and_address: tuple[list[str], str, Path]
) -> None:
    assert fresh.claim(target=1, record=3, used="age").status_code == 303
    assert crawl(fresh) > 60
    for path in ("/records?sort=3&order=falling", "/records?t4=n1", "/openapi.json", "/docs", "/test.db", "/claims/0"):
        fresh.get(path)
    everything = "\n".join(fresh.seen)
    assert not [canary for canary in CANARIES if canary in everything]
    for word in ("decoy", "truth", "not released", "suppressed"):
        assert word not in everything.lower()
    # The cards show the exact age, which the scenario grants, and the sex and the town, and no other column.
    _, _, place = tokens_and_address
    for (shown,) in _rows(place, "SELECT shown FROM target"):
        assert re.findall(r'\["(\w+)",', str(shown)) == ["age", "sex", "town"]


@pytest.mark.slow
def test_every_answer_has_its_headers_and_no_script(fresh: Friend) -> None:
    for path in ("/", "/rules", "/records", "/targets", "/claims", "/claims/new", "/style.css", "/nowhere"):
        answer = fresh.get(path)
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
        assert "<script" not in answer.text
        assert not re.search(r'\son\w+="|javascript:|style="', answer.text)
        assert "server" not in answer.headers
    assert "script-src" not in HEADERS["Content-Security-Policy"]  # default-src 'none' covers it


def test_the_cookie_is_for_the_server_only(tokens_and_address: tuple[list[str], str, Path]) -> None:
    tokens, address, place = tokens_and_address
    token = tokens.pop()
    answer = httpx.post(f"{address}/enter", data={"token": token})
    cookie = answer.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    value = cookie.split("=", 1)[1].split(";")[0]
    raw = b"".join(path.read_bytes() for path in place.parent.glob("test.db*"))
    assert token.encode() not in raw
    assert value.encode() not in raw
    assert len(token) == 43  # 256 bits
    # The same link again, and a forged one.
    for again in (token, token[:-1] + ("A" if token[-1] != "A" else "B"), "", "x" * 5000):
        refused = httpx.post(f"{address}/enter", data={"token": again})
        assert refused.status_code == 403
        assert "set-cookie" not in refused.headers


def test_looking_at_a_link_does_not_use_it_up(tokens_and_address: tuple[list[str], str, Path]) -> None:
    tokens, address, _ = tokens_and_address
    token = tokens.pop()
    for _ in range(3):
        assert "Sign in" in httpx.get(f"{address}/enter/{token}").text
    with Friend(address, token) as friend:
        assert "Accept and start the clock" in friend.get("/rules").text


@pytest.mark.parametrize("path", ["/rules", "/records", "/targets", "/claims", "/claims/new", "/claims/1"])
def test_without_a_session_there_is_nothing(tokens_and_address: tuple[list[str], str, Path], path: str) -> None:
    _, address, _ = tokens_and_address
    for cookies in ({}, {"incrowd": "x" * 43}, {"incrowd": "' OR 1=1 --"}):
        answer = httpx.get(address + path, cookies=cookies)
        assert answer.status_code == 401
        assert "Ayton" not in answer.text


def test_somebody_elses_claim_is_not_there(fresh: Friend, tokens_and_address: tuple[list[str], str, Path]) -> None:
    tokens, address, place = tokens_and_address
    assert fresh.claim(who="my neighbour", record=7, reasoning="private thoughts").status_code == 303
    (number,) = _rows(place, "SELECT max(id) FROM claim")[0]
    with Friend(address, tokens.pop()) as other:
        other.accept()
        for path in (f"/claims/{number}", "/claims/999999", f"/claims/{number}%20OR%201=1"):
            assert other.get(path).status_code == 404
        mine = {"target": 1, "record": 1, "confidence": 1, "reasoning": "it is mine now", "kinds": "own"}
        assert other.send("/claims/new", f"/claims/{number}", **mine).status_code == 404
        assert other.send("/claims/new", f"/claims/{number}/withdraw").status_code == 404
        assert "private thoughts" not in "".join(other.seen)
    assert _rows(place, "SELECT reasoning, withdrawn FROM claim WHERE id = ?", number) == [("private thoughts", 0)]


@pytest.mark.slow
def test_hostile_texts_are_only_texts(
    fresh: Friend, tokens_and_address: tuple[list[str], str, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desks, "CLAIMS", 10**6)
    _, _, place = tokens_and_address
    before = _rows(place, "SELECT count(*) FROM truth_value")
    for text in HOSTILE:
        fields = {"who": text, "record": "2", "attribute": "ill", "value": text, "sources": text,
                  "link": text, "minutes": "3", "reasoning": f"{text} is what I think"}  # fmt: skip
        assert fresh.claim(**fields, used=text).status_code == 303, text
        for name in ("record", "attribute", "target", "confidence", "nonce", "learned", "kinds", "minutes"):
            assert fresh.claim(**{**fields, name: text}).status_code in (303, 400, 422)
        for name in ("f0", "f1", "t4", "sort", "order", "page", "a5", "b5", text):
            answer = fresh.get("/records", **{name: text})
            assert answer.status_code == 200
        assert fresh.get(f"/claims/{quote(text, safe='')}").status_code == 404
    broken = b"who=%ED%A0%BD%ff&record=%00&" * 3
    kind = {"content-type": "application/x-www-form-urlencoded"}
    assert fresh.client.post("/claims", content=broken, headers=kind).status_code == 403
    page = fresh.get("/claims").text
    assert html.escape(HOSTILE[3]) in page
    for tag in ("<script", "<img"):
        assert tag not in "".join(part for part in re.split("&[a-z]+;", page))
    assert "49" not in re.findall(r"{{.*?}}", page)
    assert _rows(place, "SELECT count(*) FROM truth_value") == before
    stored = {row[0] for row in _rows(place, "SELECT reasoning FROM claim")}
    assert {f"{text} is what I think" for text in ("'; DROP TABLE claim; --", "<script>alert(1)</script>")} <= stored


def test_too_long_is_refused(fresh: Friend) -> None:
    for name, length in (("who", 201), ("value", 201), ("sources", 1001), ("link", 501), ("reasoning", 4001)):
        fields = {"target": 1, "record": 1, "attribute": "ill", "value": "y", name: "x" * length}
        answer = fresh.claim(**fields)
        assert answer.status_code == 422
        assert "too long" in answer.text
    assert fresh.claim(reasoning="x" * 70000).status_code == 413
    assert fresh.get("/records", t4="x" * 5000).status_code == 414
    assert fresh.client.post("/claims", content=iter([b"a=b"])).status_code == 411


def test_a_form_needs_its_mark(fresh: Friend, tokens_and_address: tuple[list[str], str, Path]) -> None:
    _, _, place = tokens_and_address
    before = _rows(place, "SELECT count(*) FROM claim")
    fields = {"nonce": "0" * 32, "target": "1", "record": "1", "confidence": "1", "reasoning": "x" * 20, "kinds": "own"}
    for mark in ({}, {"mark": ""}, {"mark": "0" * 64}, {"mark": "é"}):
        for path in ("/claims", "/claims/1", "/claims/1/withdraw", "/rules", "/leave"):
            assert fresh.post(path, **fields, **mark).status_code == 403
    good = dict(re.findall(r'name="(mark|nonce)" value="([^"]*)"', fresh.get("/claims/new").text))
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}):
        assert fresh.client.post("/claims", data={**fields, **good}, headers=headers).status_code == 403
    kind = {"content-type": "application/json"}
    assert fresh.client.post("/claims", content=b"{}", headers=kind).status_code == 415
    assert _rows(place, "SELECT count(*) FROM claim") == before


def test_an_unknown_host_is_refused(tokens_and_address: tuple[list[str], str, Path]) -> None:
    _, address, _ = tokens_and_address
    for host in ("evil.example", "127.0.0.1.evil.example", "", "[::1", "evil.example:80@127.0.0.1"):
        assert httpx.get(address, headers={"host": host}).status_code == 400
    assert httpx.get(address, headers={"host": "localhost:1"}).status_code == 200


def test_before_the_rules_are_accepted_nothing_is_shown(run: Path, tmp_path: Path) -> None:
    clock = Clock()
    made = make(run, tmp_path / "test.db", hours=1.0, clock=clock)
    tokens = [each.token for each in made.invitations]
    with serving(tmp_path / "test.db", clock=clock) as address:
        with Friend(address, tokens[0]) as friend:
            for path in ("/records", "/targets", "/claims", "/claims/new"):
                assert friend.get(path).headers["location"] == "/rules"
            assert friend.send("/rules", "/rules").status_code == 400
            friend.accept()
            assert friend.claim(target=2, record=4).status_code == 303
            assert re.search("Time left: <strong>(1 h|59 min)<", friend.get("/records").text)
            clock.ahead = 3601
            for path in ("/records", "/targets", "/claims/new", "/claims/1"):
                assert friend.get(path).headers["location"] == "/claims"
            page = friend.get("/claims").text
            assert "The time is up" in page
            assert "Withdraw" not in page
            hidden = dict(re.findall(r'name="(mark)" value="([^"]*)"', friend.get("/rules").text))
            late = {"nonce": "1" * 32, "target": 1, "record": 1, "confidence": 1, "kinds": "own", **hidden,
                    "reasoning": "too late for this"}  # fmt: skip
            for path in ("/claims", "/claims/1", "/claims/1/withdraw"):
                friend.post(path, **late)
        # The rules cannot be accepted a second time to get more time.
        clock.ahead = 15 * 86400
        with Friend(address) as late_friend:
            assert late_friend.post("/enter", token=tokens[1]).status_code == 403
        assert _rows(tmp_path / "test.db", "SELECT reasoning, withdrawn FROM claim") == [("because it fits", 0)]
        assert _rows(tmp_path / "test.db", "SELECT what FROM action")[-1] == ("sign-in refused",)
        clock.ahead = 91 * 86400
        assert httpx.get(address).status_code == 410
        for table in ("claim", "truth_record", "truth_value", "target", "intruder", "action", "record"):
            assert _rows(tmp_path / "test.db", f"SELECT count(*) FROM {table}") == [(0,)]
    with pytest.raises(InputError, match="D222"):
        server(str(tmp_path / "test.db"), clock=clock)


def test_until_it_is_deleted_a_test_that_is_over_shows_nothing(run: Path, tmp_path: Path) -> None:
    clock = Clock()
    place = tmp_path / "test.db"
    made = make(run, place, clock=clock)
    with serving(place, clock=clock) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        clock.ahead = 91 * 86400
        place.chmod(0o640)  # as a backup might: erasing is refused (D217)
        for path in ("/", "/records", "/targets"):
            answer = friend.get(path)
            assert (answer.status_code, answer.text) == (503, "This test is over. It is not deleted yet.")
        assert _rows(place, "SELECT count(*) FROM intruder") == [(3,)]
        place.chmod(0o600)
        assert [friend.get("/").status_code for _ in range(2)] == [410, 410]
        assert _rows(place, "SELECT count(*) FROM intruder") == [(0,)]


def test_what_the_card_says_cannot_be_claimed(fresh: Friend, tokens_and_address: tuple[list[str], str, Path]) -> None:
    _, _, place = tokens_and_address
    before = _rows(place, "SELECT count(*) FROM claim")
    for more in ({}, {"record": 1}):
        answer = fresh.claim(target=1, attribute="sex", value="f", **more)
        assert answer.status_code == 422
        assert "The target card says sex already" in answer.text
    assert _rows(place, "SELECT count(*) FROM claim") == before
    assert fresh.claim(target=1, attribute="ill", value="y").status_code == 303
    assert fresh.claim(who="Kim", attribute="sex", value="f").status_code == 303
    # Nor by changing a claim.
    number = re.findall(r'"/claims/(\d+)"', fresh.get("/claims").text)[0]
    fields = {"target": 1, "attribute": "sex", "value": "f", "confidence": 9, "reasoning": "x" * 20, "kinds": "own"}
    assert fresh.send(f"/claims/{number}", f"/claims/{number}", **fields).status_code == 422


@pytest.mark.slow
def test_sign_ins_and_claims_are_limited(run: Path, tmp_path: Path) -> None:
    clock = Clock()
    made = make(run, tmp_path / "test.db", clock=clock)
    with serving(tmp_path / "test.db", clock=clock) as address:
        codes = [
            httpx.post(f"{address}/enter", data={"token": f"no{i}"}).status_code for i in range(desks.SIGN_INS + 2)
        ]
        assert codes == [403] * desks.SIGN_INS + [429] * 2
        assert _rows(tmp_path / "test.db", "SELECT count(*) FROM attempt") == [(desks.SIGN_INS,)]
        # Whoever was invited comes in from the same address all the same, once, and frees nobody else.
        right = {"token": made.invitations[1].token}
        assert httpx.post(f"{address}/enter", data=right).status_code == 303
        assert httpx.post(f"{address}/enter", data=right).status_code == 429
        assert httpx.post(f"{address}/enter", data={"token": "no"}).status_code == 429
        clock.ahead = desks.SIGN_IN_SECONDS + 1
        with Friend(address, made.invitations[0].token) as friend:
            friend.accept()
            codes = [friend.claim(target=1, record=1).status_code for _ in range(desks.CLAIMS + 1)]
            assert codes == [303] * desks.CLAIMS + [429]
            clock.ahead += desks.CLAIM_SECONDS + 1
            assert friend.claim(target=1, record=1).status_code == 303


def test_a_form_that_is_sent_twice_is_one_claim(fresh: Friend, tokens_and_address: tuple[list[str], str, Path]) -> None:
    _, _, place = tokens_and_address
    hidden = dict(re.findall(r'name="(mark|nonce)" value="([^"]*)"', fresh.get("/claims/new").text))
    for _ in range(3):
        fields = {**hidden, "who": "once only", "record": 5, "confidence": 5, "reasoning": "x" * 20, "kinds": "own"}
        assert fresh.post("/claims", **fields).status_code == 303
    assert _rows(place, "SELECT count(*) FROM claim WHERE who = 'once only'") == [(1,)]


def test_a_new_invitation_ends_the_old_ones(run: Path, tmp_path: Path) -> None:
    made = make(run, tmp_path / "test.db")
    first, second = made.invitations[:2]
    with serving(tmp_path / "test.db") as address, Friend(address, first.token) as friend:
        friend.accept()
        with opened(str(tmp_path / "test.db")) as store:
            again, other = invite(store, first.name), invite(store, second.name)
            with pytest.raises(InputError, match="D226"):
                invite(store, "nobody")
        assert friend.get("/records").status_code == 401
        with Friend(address, again) as back:
            assert "Time left" in back.get("/records").text
        assert httpx.post(f"{address}/enter", data={"token": second.token}).status_code == 403
        assert httpx.post(f"{address}/enter", data={"token": other}).status_code == 303


def test_the_desk_cannot_read_the_truth(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db")
    desk = Store(str(tmp_path / "test.db"), desk=True)
    whole = Store(str(tmp_path / "test.db"))
    elsewhere = tmp_path / "other.db"
    for table in ("truth_target", "truth_record", "truth_value", "truth_judgment", "truth_account", "truth_score"):
        statements = (
            f"SELECT * FROM {table}",
            f"DELETE FROM {table}",
            f"SELECT 1 WHERE EXISTS (SELECT * FROM {table})",
        )
        for statement in statements:
            with pytest.raises(IncrowdError, match="X027"), desk.writing() as connection:
                connection.exec_driver_sql(statement)
        with whole.reading() as connection:
            connection.exec_driver_sql(statements[0])
    with pytest.raises(IncrowdError, match="X027"), desk.reading() as connection:
        connection.exec_driver_sql(f"ATTACH '{elsewhere}' AS other")
    desk.close()
    whole.close()


def test_nobody_else_can_read_the_files(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    made = make(run, place)
    with serving(place) as address, Friend(address, made.invitations[0].token):
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.glob("test.db*")}
        assert set(modes) == {"test.db", "test.db-wal", "test.db-shm"}
        assert set(modes.values()) == {0o600}
    place.chmod(0o640)
    with pytest.raises(InputError, match="D217"):
        server(str(place))


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::", ""])
def test_other_machines_are_not_served_without_tls(run: Path, tmp_path: Path, host: str) -> None:
    assert not is_loopback(host)
    with pytest.raises(IncrowdError, match="X025"):
        server(str(tmp_path / "test.db"), host=host)


def test_under_tls_the_cookie_is_secure(run: Path, tmp_path: Path) -> None:
    if (openssl := shutil.which("openssl")) is None:
        absent("openssl")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    options = ["-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=intruders.example.org"]
    command = [str(openssl), "req", "-x509", *options, "-keyout", str(key), "-out", str(cert)]
    subprocess.run(command, check=True, capture_output=True)
    made = make(run, tmp_path / "test.db")
    with pytest.raises(InputError, match="D221"):
        server(str(tmp_path / "test.db"), cert=cert)
    with serving(tmp_path / "test.db", cert=cert, key=key, names=["intruders.example.org"]) as address:
        client = httpx.Client(
            base_url=address.replace("http:", "https:"), verify=False, headers={"host": "intruders.example.org"}
        )
        answer = client.post("/enter", data={"token": made.invitations[0].token})
        assert answer.headers["set-cookie"].startswith("__Host-incrowd=")
        assert "Secure" in answer.headers["set-cookie"]
        assert "max-age" in answer.headers["strict-transport-security"]
        assert client.get("/rules", headers={"host": "127.0.0.2"}).status_code == 400
        cookie = answer.headers["set-cookie"].split(";")[0]
        assert client.get("/rules", headers={"cookie": cookie}).status_code == 200
        client.close()
