"""What all pages share: sessions that nobody else sees, forms, undo, faults as sentences, who may come in."""

from __future__ import annotations

import os
import time
from pathlib import Path

import httpx
import pytest
from people import plan_with, write_case
from workbench import Visitor, workbench

from incrowd.app import neighbours
from incrowd.app.document import Document
from incrowd.app.sessions import IDLE, Sessions
from incrowd.errors import InputError

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
    from incrowd.app.server import make_server
    from incrowd.errors import IncrowdError

    with pytest.raises(IncrowdError, match="X039"):
        make_server("127.0.0.1", 0, "short", (), 1, tmp_path)
    server = make_server("0.0.0.0", 0, None, (), 1, tmp_path)
    assert len(server.site.token) >= 24  # one is made
    assert server.site.token in server.address
    server.close()


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
