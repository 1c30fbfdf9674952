"""Behind a proxy that ends TLS: only the proxy's word counts, and whoever comes another way is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from intruder_cases import Friend, make, release, serving
from nginx import NAME, PROXY, plain_of, proxied
from office_cases import account
from starlette.responses import PlainTextResponse

from incrowd.errors import IncrowdError
from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.serving import server
from incrowd.intruder_test.web.guard import HEADERS
from incrowd.intruder_test.web.proxy import behind, parse, trusted


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="module")
def doors(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str, str, Path, list[str]]]:
    """Both servers behind nginx: their addresses there, the one that the intruders' server has itself, the test."""
    place = tmp_path_factory.mktemp("proxied") / "test.db"
    made = make(run, place, intruders="9")
    options = {"behind": [PROXY], "names": [NAME]}
    with (
        serving(place, **options) as own,
        serving(place, office=True, **options) as office,
        proxied(_port(own), _port(office)) as (url, office_url),
    ):
        yield url, office_url, own, place, [each.token for each in made.invitations]


def _port(address: str) -> int:
    found = urlsplit(address).port
    assert found is not None
    return found


class Browser(Friend):
    """One that takes the proxy's certificate."""

    def __init__(self, address: str, token: str, **headers: str) -> None:
        super().__init__(address)
        self.client = httpx.Client(base_url=address, timeout=30, verify=False, headers=headers)
        assert self.post("/enter", token=token).status_code == 303


def test_both_servers_work_through_nginx(doors: tuple[str, str, str, Path, list[str]]) -> None:
    url, office_url, _, place, tokens = doors
    with Browser(url, tokens.pop(), Origin=url) as friend:
        cookie = next(iter(friend.client.cookies.jar))
        assert cookie.name == "__Host-incrowd"
        assert cookie.secure
        friend.accept()
        assert friend.claim(who="my uncle", record=3).status_code == 303
        answer = friend.get("/records")
        assert answer.status_code == 200
        assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    with httpx.Client(base_url=office_url, verify=False) as client:
        signed_in = client.post("/enter", data={"token": account(place, "Cid", "custodian")})
        assert signed_in.status_code == 303
        assert re.match(r"__Host-incrowd-office=.*; Secure", signed_in.headers["set-cookie"])
        assert "my uncle" in client.get("/claims").text


def test_what_does_not_come_by_https_is_refused(doors: tuple[str, str, str, Path, list[str]]) -> None:
    url, office_url, _, _, tokens = doors
    for each in (url, office_url):
        for headers in ({}, {"X-Forwarded-Proto": "https"}):
            answer = httpx.get(plain_of(each), headers=headers)
            assert (answer.status_code, answer.text) == (403, "Only by https.")
    token = tokens.pop()
    assert httpx.post(f"{plain_of(url)}/enter", data={"token": token}).status_code == 403
    with Browser(url, token) as friend:  # the link was not used up
        assert friend.get("/rules").status_code == 200


def test_another_name_is_refused(doors: tuple[str, str, str, Path, list[str]]) -> None:
    url, _, _, _, _ = doors
    for host in ("127.0.0.1", "evil.example", "localhost.evil.example"):
        answer = httpx.get(url, verify=False, headers={"Host": host})
        assert (answer.status_code, answer.text) == (400, "Unknown host.")


def test_past_the_proxy_nobody_is_answered(doors: tuple[str, str, str, Path, list[str]]) -> None:
    _, _, own, _, _ = doors
    headers = {"Host": NAME, "X-Forwarded-Proto": "https", "X-Forwarded-For": PROXY}
    answer = httpx.get(own, headers=headers)  # from this machine, which is not the proxy
    assert (answer.status_code, answer.text) == (403, "Only through the proxy.")
    transport = httpx.HTTPTransport(local_address=PROXY)  # from the proxy's address, without what it must say
    with httpx.Client(base_url=own, transport=transport, headers={"Host": NAME}) as client:
        assert client.get("/").status_code == 403
        assert client.get("/", headers={"X-Forwarded-Proto": "https"}).status_code == 400
        assert client.get("/", headers={"X-Forwarded-Proto": "https", "X-Forwarded-For": "::1"}).status_code == 200


def test_a_forged_address_does_not_get_round_the_limit(doors: tuple[str, str, str, Path, list[str]]) -> None:
    _, office_url, _, place, _ = doors
    with httpx.Client(base_url=office_url, verify=False) as client:
        tries = []
        for number in range(11):
            forged = {"X-Forwarded-For": f"198.51.100.{number}, {PROXY}"}
            if number % 2:
                forged = {"X-Forwarded-For": f"1.1.1.{number}", "X-Real-IP": "1.1.1.1", "Forwarded": "for=1.1.1.1"}
            tries.append(client.post("/enter", data={"token": "x" * 43}, headers=forged).status_code)
    assert tries == [403] * 10 + [429]
    with opened(str(place)) as store, store.reading() as connection:
        query = "SELECT DISTINCT who FROM attempt WHERE kind = 'office'"
        assert [row[0] for row in connection.exec_driver_sql(query)] == ["127.0.0.1"]


def _asked(proxies: list[str], peer: str, *forwarded: str, proto: str = "https") -> str:
    """Whom a request is taken for, or why it is refused."""
    headers = [(b"x-forwarded-for", each.encode()) for each in forwarded]
    headers += [(b"x-forwarded-proto", proto.encode())] if proto else []
    found = behind({"type": "http", "client": (peer, 1), "headers": headers}, trusted(proxies))
    return bytes(found.body).decode() if isinstance(found, PlainTextResponse) else str(found["client"][0])


def test_the_last_untrusted_address_is_who_asks() -> None:
    proxies = ["10.0.0.1", "10.0.0.2"]
    assert _asked(proxies, "10.0.0.1", "192.0.2.7") == "192.0.2.7"
    assert _asked(proxies, "10.0.0.1", "1.1.1.1, 192.0.2.7") == "192.0.2.7"  # what the client wrote stands before it
    assert _asked(proxies, "10.0.0.1", "1.1.1.1", "192.0.2.7, 10.0.0.2") == "192.0.2.7"  # two proxies, two headers
    assert _asked(proxies, "10.0.0.1", "10.0.0.2, 192.0.2.7") == "192.0.2.7"  # who writes a proxy's address is not one
    assert _asked(proxies, "10.0.0.1", "[2001:db8::1]:443") == "2001:db8::1"
    assert _asked(proxies, "10.0.0.1", "192.0.2.7:51000") == "192.0.2.7"
    assert _asked(proxies, "::ffff:10.0.0.1", "::ffff:192.0.2.7") == "192.0.2.7"
    assert _asked(proxies, "10.0.0.1", "10.0.0.2") == "10.0.0.2"  # somebody at the proxy itself
    nobody = "The proxy does not say who is asking."
    assert _asked(proxies, "10.0.0.1") == nobody
    assert _asked(proxies, "10.0.0.1", "") == nobody
    assert _asked(proxies, "10.0.0.1", "192.0.2.7, nonsense") == nobody
    for peer in ("192.0.2.7", "10.0.0.3", "", "unknown"):
        assert _asked(proxies, peer, "192.0.2.7") == "Only through the proxy."
    for proto in ("", "http", "https, http", "httpsx"):
        assert _asked(proxies, "10.0.0.1", "192.0.2.7", proto=proto) == "Only by https."


@given(st.lists(st.sampled_from(["1.1.1.1", "10.0.0.1", "::1", "x", "", " 10.0.0.2"]), max_size=5))
def test_whatever_a_client_writes_the_proxy_has_the_last_word(written: list[str]) -> None:
    assert _asked(["10.0.0.1", "10.0.0.2"], "10.0.0.1", ",".join([*written, "192.0.2.7"])) == "192.0.2.7"


@given(st.text(max_size=30))
def test_an_address_is_one_or_none(text: str) -> None:
    found = parse(text)
    assert found is None or parse(str(found)) == found


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"behind": [PROXY]}, "X041"), ({"behind": ["proxy.example"], "names": [NAME]}, "X042"),
        ({"behind": ["0.0.0.0"], "names": [NAME]}, "X042"), ({"behind": ["10.0.0.0/8"], "names": [NAME]}, "X042"),
        ({"behind": [""], "names": [NAME]}, "X042"), ({"host": "0.0.0.0"}, "X025"),
        ({"host": "0.0.0.0", "office": True}, "X025"),
        ({"behind": [PROXY], "names": [NAME], "cert": Path("a"), "key": Path("b")}, "X041"),
    ],
)  # fmt: skip
def test_a_proxy_that_cannot_be_is_refused(run: Path, tmp_path: Path, options: dict[str, object], code: str) -> None:
    make(run, tmp_path / "test.db")
    with pytest.raises(IncrowdError, match=code):
        server(str(tmp_path / "test.db"), port=0, **options)  # type: ignore[arg-type]
