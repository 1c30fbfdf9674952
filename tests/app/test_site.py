"""What all pages share: sessions that nobody else sees, forms, undo, faults as sentences, who may come in."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest
from people import plan_with, write_case
from workbench import MARK, Visitor, workbench

from incrowd.app import neighbours
from incrowd.app.document import Document
from incrowd.app.server import make_server
from incrowd.app.sessions import IDLE, MOST, Sessions
from incrowd.errors import IncrowdError, InputError

PAGES = ("data", "variables", "risk", "protect", "propose", "utility", "attack", "release", "postcodes")


def test_every_page_stands_without_a_plan_and_with_one(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    with workbench(tmp_path) as address:
        visitor = Visitor(address)
        for page in PAGES:
            text = visitor.get(f"/{page}")
            assert text.count("<h1") == 1, page
            assert 'aria-current="page"' in text, page
        visitor.post("/data/open", file=str(path))
        for page in PAGES:
            text = visitor.get(f"/{page}")
            assert "People" in text, page
            assert "Traceback" not in text
        visitor.get("/nowhere", 404)


def test_a_plan_with_faults_says_them_on_every_page(tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(requirements=[{"model": "k", "k": "none"}]))
    with workbench(tmp_path) as address:
        visitor = Visitor(address)
        visitor.get("/data")
        visitor.post("/data/open", file=str(path))
        for page in PAGES:
            assert "1 thing to mend" in visitor.get(f"/{page}"), page
        path.write_text("title: [broken")
        for page in PAGES:
            assert "was changed outside" in visitor.get(f"/{page}") or page != PAGES[0], page
            assert "to mend" in visitor.get(f"/{page}"), page


def test_two_users_do_not_see_each_other(tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(title="Zebras"))
    with workbench(tmp_path) as address:
        one, two = Visitor(address), Visitor(address)
        one.get("/data")
        two.get("/data")
        one.post("/data/open", file=str(path))
        assert "Zebras" in one.get("/risk")
        for page in PAGES:
            assert "Zebras" not in two.get(f"/{page}")
        assert two.client.get("/plan.yaml").status_code == 400
        # A form with another one's mark does nothing.
        two.mark = one.mark
        assert "out of date" in two.post("/protect/steps/remove", number="1")
        assert len(Document(path).tree["steps"]) == 3


def test_a_form_needs_its_mark_and_its_origin(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    with workbench(tmp_path) as address:
        visitor = Visitor(address)
        visitor.get("/data")
        visitor.post("/data/open", file=str(path))
        answer = visitor.client.post("/protect/steps/remove", data={"number": "1", "mark": "wrong"})
        assert "out of date" in answer.text
        headers = {"Origin": "http://evil.example"}
        answer = visitor.client.post(
            "/protect/steps/remove", data={"number": "1", "mark": visitor.mark}, headers=headers
        )
        assert answer.status_code == 403
        answer = visitor.client.get("/data", headers={"Host": "evil.example"})  # a name that was bent to this machine
        assert answer.status_code == 400
        assert len(Document(path).tree["steps"]) == 3


def test_a_network_needs_the_token_and_opens_no_paths(tmp_path: Path) -> None:
    path = write_case(tmp_path, plan_with(title="Zebras"))
    with workbench(tmp_path, host="0.0.0.0", token="t" * 24) as address:
        stranger = httpx.Client(base_url=address, follow_redirects=True)
        for page in (*PAGES, "plan.yaml", "jobs/release"):
            assert stranger.get(f"/{page}").status_code == 401
            assert stranger.get(f"/{page}", params={"token": "x" * 24}).status_code == 401
        guest = Visitor(address)
        text = guest.get("/data?token=" + "t" * 24)
        assert str(guest.client.get("/data").url).endswith("/data")
        assert "token=" not in text
        guest.get("/data")
        assert "Zebras" not in guest.post("/data/open", file=str(path))
        assert "Zebras" not in guest.get("/risk")


def test_a_short_token_is_refused(tmp_path: Path) -> None:

    with pytest.raises(IncrowdError, match="X039"):
        make_server("127.0.0.1", 0, "short", (), 1, tmp_path)
    server = make_server("0.0.0.0", 0, None, (), 1, tmp_path)
    assert len(server.site.token) >= 24  # one is made
    assert server.site.token in server.address
    server.close()


def test_a_name_is_for_others_also_on_loopback(tmp_path: Path) -> None:
    """Whoever comes through a proxy or a tunnel on this machine needs the token, and opens no file by its path."""
    named = {"Host": "wb.example.org"}
    with workbench(tmp_path, names=("wb.example.org",), token="t" * 24) as address:
        for headers in (named, {}):
            assert httpx.get(f"{address}/data", headers=headers).status_code == 401
        asked = httpx.get(f"{address}/data?token={'t' * 24}", headers=named)
        page = httpx.get(f"{address}/data", headers=named, cookies=asked.cookies)
        assert (page.status_code, 'action="/data/open"' in page.text) == (200, False)
    server = make_server("127.0.0.1", 0, None, ("wb.example.org",), 1, tmp_path)
    assert len(server.site.token) >= 24  # one is made
    assert not server.site.paths
    server.close()


def test_another_site_begins_no_session(tmp_path: Path) -> None:
    """A browser says for whom it asks; pictures and frames of another site would use up all sessions."""
    ways = (
        ("cross-site", "no-cors", "image"), ("same-site", "no-cors", "script"),
        ("cross-site", "navigate", "iframe"), ("same-origin", "navigate", "iframe"),
    )  # fmt: skip
    with workbench(tmp_path) as address:
        for site, mode, dest in ways:
            asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode, "Sec-Fetch-Dest": dest}
            answer = httpx.get(f"{address}/data", headers=asked)
            assert (answer.status_code, answer.cookies) == (403, httpx.Cookies())
        for site, mode in (("none", "navigate"), ("cross-site", "navigate"), ("same-origin", "cors")):
            asked = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
            answer = httpx.get(f"{address}/data", headers=asked)
            assert (answer.status_code, answer.headers["x-frame-options"]) == (200, "DENY")


def test_a_session_with_nothing_open_makes_room(tmp_path: Path) -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    cookies = []
    path = write_case(tmp_path)
    for number in range(MOST):
        now[0] += 1
        cookie, session = sessions.new()
        cookies.append(cookie)
        if number != 5:
            session.open_plan(path, own=False)
    sessions.new()
    assert sessions.find(cookies[5]) is None
    assert all(sessions.find(cookie) for cookie in cookies[:5] + cookies[6:])
    now[0] += 1
    fresh, session = sessions.new()  # the new one made room in its turn
    session.open_plan(path, own=False)
    with pytest.raises(InputError, match="D415"):
        sessions.new()
    assert sessions.find(fresh) is session
    sessions.close()


def test_two_workbenches_keep_their_sessions_apart(tmp_path: Path) -> None:
    with workbench(tmp_path) as one, workbench(tmp_path) as two:
        client = httpx.Client(follow_redirects=True)
        marks = [MARK.findall(client.get(f"{address}/data").text)[0] for address in (one, two)]
        assert [MARK.findall(client.get(f"{address}/data").text)[0] for address in (one, two)] == marks


@pytest.mark.parametrize("path", ["/static/none.js", "/static/a/b", "/static/"])
def test_what_is_not_there_is_not_found(path: str, tmp_path: Path) -> None:
    with workbench(tmp_path) as address:
        assert httpx.get(f"{address}{path}").status_code == 404


def test_another_user_of_the_machine_is_not_let_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system says whose a connection is; here it says that we are somebody else."""
    if not neighbours.TABLES[0].exists():
        pytest.skip("only Linux says whose a connection is")
    with workbench(tmp_path) as address:
        assert httpx.get(f"{address}/data").status_code == 200
        monkeypatch.setattr(os, "getuid", lambda: 54321)
        expected = 200 if os.geteuid() == 0 else 403  # root may look at everything anyhow
        assert httpx.get(f"{address}/data").status_code == expected
        monkeypatch.setattr(neighbours, "_owner", lambda *_: 1234)
        answer = httpx.get(f"{address}/data")
        assert (answer.status_code, "another user" in answer.text) == (403, True)


def test_a_session_that_nobody_uses_ends_with_its_files() -> None:
    now = [0.0]
    sessions = Sessions(clock=lambda: now[0])
    cookie, session = sessions.new()
    (session.folder / "people.csv").write_text("somebody")
    now[0] = IDLE - 1
    assert sessions.find(cookie) is session
    now[0] += IDLE + 1
    assert sessions.find(cookie) is None
    for _ in range(100):
        if not session.folder.exists():
            break
        time.sleep(0.05)
    assert not session.folder.exists()
    sessions.close()


def test_close_and_forget(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    with workbench(tmp_path) as address:
        visitor = Visitor(address)
        visitor.get("/data")
        visitor.post("/data/open", file=str(path))
        visitor.post("/leave")
        assert "None is open." in visitor.get("/risk")
    assert path.exists()


def test_undo_and_redo_and_an_editor_between(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    first = path.read_text()
    document = Document(path)
    document.change(lambda tree: tree.update(title="Two"), "title")
    document.change(lambda tree: tree.update(title="Three"), "title")
    assert "Three" in path.read_text()
    document.undo()
    assert "title: Two" in path.read_text()
    document.redo()
    assert "title: Three" in path.read_text()
    path.write_text(path.read_text().replace("Three", "By hand"))
    assert document.refresh()
    assert document.undoes == "changed outside"
    document.undo()
    assert "title: Three" in path.read_text()
    document.undo()
    document.undo()
    assert document.undoes is None
    assert path.read_text() == first
    document.undo()
    assert path.read_text() == first
    document.change(lambda tree: tree.update(title="Other"), "title")
    assert document.redoes is None


def test_comments_and_order_stay(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    text = "# why this file\n" + path.read_text().replace("tier: open", "tier: open # agreed in May")
    path.write_text(text)
    document = Document(path)
    document.change(lambda tree: tree.update(title="Other"), "title")
    found = path.read_text()
    assert "# why this file" in found
    assert "tier: open # agreed in May" in found
    assert found.index("data:") < found.index("variables:") < found.index("steps:")


def test_a_broken_plan_is_not_edited(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    document = Document(path)
    for broken in ("a: [", "- only\n- a list", "a: &x [1]\nb: *x", "x: " + "[" * 80):
        path.write_text(broken)
        with pytest.raises(InputError, match="D411"):
            document.change(lambda tree: tree.update(title="x"), "title")
        assert path.read_text() == broken


def test_the_mode_of_a_shared_plan_stays(tmp_path: Path) -> None:
    path = write_case(tmp_path)
    path.chmod(0o664)
    Document(path).change(lambda tree: tree.update(title="Other"), "title")
    assert path.stat().st_mode & 0o777 == 0o664
