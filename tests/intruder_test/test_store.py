"""The store of an intruder test: made whole or not at all, true to the release, erased for good."""

from __future__ import annotations

import csv
import json
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from intruder_cases import Clock, make, release
from typer.testing import CliRunner

import incrowd as ic
from incrowd.cli import load
from incrowd.errors import InputError, PlanError
from incrowd.intruder_test import making
from incrowd.intruder_test import store as stores
from incrowd.intruder_test.browse import RecordSearch, parse_search, search
from incrowd.intruder_test.claims import Claim
from incrowd.intruder_test.custodian import keep_scores, kept_scores, material, opened
from incrowd.intruder_test.deciding import decide, undecided_csv
from incrowd.intruder_test.desk import Desk
from incrowd.intruder_test.erasing import erase, remember
from incrowd.intruder_test.facts import Team
from incrowd.intruder_test.parts import Invited
from incrowd.intruder_test.scoring import score
from incrowd.intruder_test.store import Store
from incrowd.intruder_test.value import dump_scores
from incrowd.pipeline.check import load_plan


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


def _released(run: Path) -> list[dict[str, str]]:
    with (run / "release" / "people.csv").open() as file:
        return list(csv.DictReader(file))


def test_nothing_is_overwritten_and_nothing_half_made_stays(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "test.db"
    place.write_text("mine")
    with pytest.raises(InputError, match="D215"):
        make(run, place)
    assert place.read_text() == "mine"
    place.unlink()
    monkeypatch.setattr(making, "_deal", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        make(run, place)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"intruders": "0"}, "D221"), ({"targets": -1}, "D221"), ({"decoys": 1.0}, "D221"), ({"hours": 0.0}, "D221"),
        ({"expires": "2020-01-01"}, "D221"), ({"expires": "tomorrow"}, "D221"), ({"prize": "x" * 2001}, "D221"),
        ({"expires": "2999-01-02", "delete_on": "2999-01-01"}, "D221"), ({"scenario": "nobody"}, "D219"),
        ({"intruders": "no-such-file"}, "D000"),
    ],
)  # fmt: skip
def test_options_that_make_no_sense(run: Path, tmp_path: Path, options: dict[str, object], code: str) -> None:
    with pytest.raises(InputError, match=code):
        make(run, tmp_path / "test.db", **options)
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_test_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    sqlite3.connect(tmp_path / "empty").close()
    for name in ("text", "empty", "nothing"):
        if (tmp_path / name).exists():
            (tmp_path / name).chmod(0o600)
        with pytest.raises(InputError, match="D216"), opened(str(tmp_path / name)):
            pass


VALUES = st.sampled_from([None, "a", "B", "b%", "_", "10", "9", "-1.5", "é"])


@settings(max_examples=examples(40))
@given(st.data())
def test_a_search_finds_what_a_loop_finds(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    rows = data.draw(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=12))
    numbers = data.draw(
        st.lists(st.sampled_from(["1", "2.5", "-3", "1e3", "007"]), min_size=len(rows), max_size=len(rows))
    )
    table = pa.table(
        {"x": pa.array([r[0] for r in rows], pa.string()), "y": pa.array([r[1] for r in rows], pa.string()),
         "z": pa.array(numbers, pa.string())}
    )  # fmt: skip
    place = tmp_path_factory.mktemp("search") / "test.db"
    rules = making.Rules("t", (Invited("a"),), 1.0, 10**10, 10**10, "", "", "")
    with pytest.MonkeyPatch.context() as patch:
        kinds = {"x": "choice", "y": "text", "z": "number"}
        patch.setattr(making, "_column", lambda name, *_: making.ReleasedColumn(name, kinds[name], name == "x"))
        making.make(str(place), rules, table, {"x": {}}, [], [Team("t", "s", True)], "", "0")
    query = {
        "f0": data.draw(st.sampled_from(["", "?", "=a", "=b%", "=zzz"])),
        "t1": data.draw(st.sampled_from(["", "b", "%", "_", "'"])),
        "a2": data.draw(st.sampled_from(["", "2", "x"])),
        "b2": data.draw(st.sampled_from(["", "7", "nan"])),
        "sort": data.draw(st.sampled_from(["", "0", "2", "9", "c0"])),
        "order": data.draw(st.sampled_from(["", "falling"])),
    }
    store = Store(str(place), desk=True)
    with store.reading() as connection:
        found = search(connection, store.records, store.facts, parse_search(query, store.facts))
    store.close()
    expected = []
    for number, ((x, y), z) in enumerate(zip(rows, numbers, strict=True), start=1):
        fits = query["f0"] == "" or (x is None if query["f0"] == "?" else x == query["f0"][1:])
        fits &= query["t1"] == "" or (y is not None and query["t1"] in y.lower())
        fits &= query["a2"] != "2" or float(z) >= 2
        fits &= query["b2"] != "7" or float(z) <= 7
        if fits:
            expected.append((number, (x, y, z)))
    falling = query["order"] == "falling"
    if query["sort"] == "2":
        expected.sort(key=lambda row: -float(str(row[1][2])) if falling else float(str(row[1][2])))
    elif query["sort"] == "0":
        there = sorted((r for r in expected if r[1][0] is not None), key=lambda r: str(r[1][0]).encode(), reverse=False)
        if falling:
            there.sort(key=lambda r: str(r[1][0]).encode(), reverse=True)
        expected = there + [row for row in expected if row[1][0] is None]
    elif falling:
        expected.reverse()
    assert (found.count, list(found.rows)) == (len(expected), expected)


def test_pages_of_a_search(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db")
    store = Store(str(tmp_path / "test.db"), desk=True)
    with store.reading() as connection:
        pages = [search(connection, store.records, store.facts, RecordSearch(page=n)) for n in (0, 1, 2, 3, 99)]
    store.close()
    assert [page.page for page in pages] == [1, 1, 2, 3, 3]
    numbers = [number for page in pages[1:4] for number, _ in page.rows]
    assert numbers == list(range(1, 121))
    columns = [column.name for column in store.facts.columns]
    assert [dict(zip(columns, values, strict=True)) for page in pages[1:4] for _, values in page.rows] == _released(run)


def _claim(store: Store, name: str, **fields: object) -> int:
    desk = Desk(store)
    with store.writing() as connection:
        connection.exec_driver_sql(f"UPDATE intruder SET started = {store.now} WHERE name = '{name}'")
        who = connection.exec_driver_sql(f"SELECT id FROM intruder WHERE name = '{name}'").scalar_one()
    from incrowd.intruder_test.desk import Intruder

    person = Intruder(who, name, store.now, store.now + 100, store.now, store.facts.teams[0])
    base = {"target": None, "who": "Kim", "record": 1, "attribute": None, "value": None, "confidence": 50,
            "sources": "", "used": (), "reasoning": "canary-reasoning"}  # fmt: skip
    return desk.file(person, str(fields.pop("nonce", "1")), Claim(**{**base, **fields}), "here")  # type: ignore[arg-type]


def test_the_custodian_decides_what_the_truth_does_not(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db")
    todo = tmp_path / "todo.csv"
    with opened(str(tmp_path / "test.db")) as store:
        one = _claim(store, "intruder 1", reasoning="=HYPERLINK(1)")
        two = _claim(store, "intruder 1", nonce="2", who="-1")
        known = _claim(store, "intruder 2", target=1)
        text = undecided_csv(material(store).judged)
        assert "'=HYPERLINK" in text
        assert ",-1," in text  # a number is no formula
        rows = list(csv.DictReader(text.splitlines()))
        assert [int(row["claim"]) for row in rows] == [one, two]
        for bad in (f"claim,verdict\n{one},maybe\n", f"claim,verdict\n{known},wrong\n", "claim,verdict\nx,wrong\n"):
            todo.write_text(bad)
            with pytest.raises(InputError, match="D223"):
                decide(store, todo, material(store).judged)
        todo.write_text(f"claim,verdict\n{one}, Correct \n{two},\n")
        assert decide(store, todo, material(store).judged) == 1
        assert [each.verdict for each in material(store).judged][:2] == ["correct", None]
        # What was decided about an earlier wording does not hold for a later one.
        with store.writing() as connection:
            connection.exec_driver_sql(f"UPDATE claim SET changed = changed + 5 WHERE id = {one}")
        assert [each.verdict for each in material(store).judged][:2] == [None, None]


def test_what_is_erased_is_gone(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    make(run, place, names=("name",))
    with opened(str(place)) as store:
        _claim(store, "intruder 1")
        scores = score(material(store), store.now)
        keep_scores(store, scores)
        before = b"".join(path.read_bytes() for path in tmp_path.glob("test.db*"))
        assert all(word in before for word in (b"canary-reasoning", b"Zebedee", b"intruder 1", b"Ayton"))
        erase(store)
    after = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for word in (b"canary-reasoning", b"Zebedee", b"Xanthippe", b"Ayton", b"n17"):
        assert word not in after
    with opened(str(place)) as store:
        assert store.erased
        assert kept_scores(store) == scores
    assert place.stat().st_mode & 0o077 == 0


def test_while_somebody_reads_it_nothing_is_called_erased(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WAIT", 50)
    place = tmp_path / "test.db"
    make(run, place)
    reader = sqlite3.connect(place, isolation_level=None)
    with opened(str(place)) as store:
        _claim(store, "intruder 1")
        keep_scores(store, score(material(store), store.now))
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM claim").fetchall() == [(1,)]
        with pytest.raises(InputError, match=r"D253.*not erased yet"):
            erase(store)
        assert store.half_erased
    # Its bytes are there; until they are gone, every command says so, and none counts what is half there.
    assert b"canary-reasoning" in b"".join(path.read_bytes() for path in tmp_path.glob("test.db*"))
    with pytest.raises(InputError, match="D253"), opened(str(place)):
        pass
    reader.execute("COMMIT")
    with opened(str(place)) as store:
        assert store.erased
        assert not store.half_erased
        assert kept_scores(store) is not None
        assert b"canary-reasoning" not in b"".join(path.read_bytes() for path in tmp_path.glob("test.db*"))
    reader.close()


def test_files_beside_the_test_go_with_it(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    _call("new", run, "-o", "test.db", "--targets", "3")
    with opened("test.db") as store:
        _claim(store, "intruder 1", who="my neighbour")
    for name in ("todo.csv", "todo.csv", "written.csv"):
        _call("score", "test.db", "--decide", name)
    (tmp_path / "copy.csv").write_text((tmp_path / "todo.csv").read_text())
    _call("score", "test.db", "--decide", "copy.csv")
    (tmp_path / "other.csv").write_text("age,sex\n1,f\n")
    with opened("test.db") as store, pytest.raises(InputError, match="D223"):
        decide(store, tmp_path / "other.csv", material(store).judged)
    (tmp_path / "copy.csv").rename(tmp_path / "moved.csv")
    said = _call("erase", "test.db", "--yes")
    assert f"Deleted, too: {tmp_path / 'test.invitations.txt'}" in said
    assert f"Deleted, too: {tmp_path / 'todo.csv'}" in said
    assert f"Deleted, too: {tmp_path / 'written.csv'}" in said
    assert f"Not found where it was written: {tmp_path / 'copy.csv'}" in said
    # Only what was written for the test, or held its claims: the protocol names nobody, the rest is somebody's own.
    left = ["moved.csv", "other.csv", "test.db", "test.erased.md", "test.protocol.md"]
    assert sorted(p.name for p in tmp_path.iterdir()) == left


def test_a_file_that_cannot_be_deleted_is_named(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(run, tmp_path / "test.db")
    (tmp_path / "claims.csv").write_text("claims")

    def locked(path: Path) -> None:
        raise PermissionError(1, "Operation not permitted", str(path))

    with opened(str(tmp_path / "test.db")) as store:
        remember(store, tmp_path / "claims.csv")
        monkeypatch.setattr(Path, "unlink", locked)
        with pytest.raises(InputError, match=r"D254.*claims.csv"):
            erase(store)
        assert not store.erased


def _call(*words: object) -> str:
    found = CliRunner().invoke(load(), ["intruder-test", *map(str, words)], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output.replace("\n", " ")


def test_a_test_of_another_version_is_refused(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db")
    with sqlite3.connect(tmp_path / "test.db") as connection:
        connection.execute("UPDATE test SET format = 1")
    with pytest.raises(InputError, match="D255"), opened(str(tmp_path / "test.db")):
        pass


def test_what_the_card_says_is_no_claim_and_a_guess_looks_at_the_class(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db", targets=4, decoys=0.0)
    with opened(str(tmp_path / "test.db")) as store:
        truths = material(store).truths
        card = truths[1]
        _claim(store, "intruder 1", target=1, record=None, attribute="sex", value=card.values["sex"])
        _claim(store, "intruder 1", nonce="2", target=1, record=card.records[0], attribute="sex", value="x")
        _claim(store, "intruder 1", nonce="3", target=1, record=None, attribute="note", value="n0")
        found = material(store)
    # The first is not counted, the second is judged by its record alone.
    assert [(j.claim.record, j.claim.attribute) for j in found.judged] == [(card.records[0], None), (None, "note")]
    assert found.judged[0].verdict == "correct"
    scores = score(found, 0)
    assert (scores.claims, scores.targets_identified) == (2, 1)
    assert any("repeat what the target card says: 1" in note for note in scores.notes)
    keys = ("age", "sex", "town")
    same = [r["note"] for r in _released(run) if all(r[key] == card.values[key] for key in keys)]
    assert len(same) == card.fits < 120
    every = {(0, "note"): (1 / 120,) * 120, (1, "note"): (1 / len(same),) * len(same)}  # every note is another
    assert found.shares == every
    assert scores.by_fit == pytest.approx(1 / len(same))


def test_on_its_day_everything_is_erased_by_whoever_opens_it(run: Path, tmp_path: Path) -> None:
    clock, today = Clock(), datetime.now(UTC).date().isoformat()
    make(run, tmp_path / "test.db", expires=today, delete_on=today, clock=clock)
    with opened(str(tmp_path / "test.db"), clock) as store:
        assert not store.erased
    clock.ahead = 86400
    with opened(str(tmp_path / "test.db"), clock) as store:
        assert store.erased
        assert kept_scores(store) is None


@pytest.mark.slow
def test_a_plan_names_scores_and_the_report_says_of_which_release(run: Path, tmp_path: Path) -> None:
    release(tmp_path)
    make(run, tmp_path / "test.db")
    with opened(str(tmp_path / "test.db")) as store:
        _claim(store, "intruder 1", target=1)
        scores = score(material(store), store.now)
    plan = yaml.safe_load((tmp_path / "plan.yaml").read_text())
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump({**plan, "intruder_test": "scores.json"}, sort_keys=False))
    with pytest.raises(PlanError, match="P058"):
        load_plan(path)
    (tmp_path / "scores.json").write_text("{}")
    with pytest.raises(PlanError, match="D224"):
        ic.run(path)
    (tmp_path / "scores.json").write_text(dump_scores(scores).replace(scores.release_sha256, "0" * 64))
    done = ic.run(path)
    assert "Of another release." in (done.audit / "report.html").read_text()
    assert "tried to find somebody" not in (done.release / "report.html").read_text()
    assert "Missing: no human intruder test" in (run / "audit" / "report.html").read_text()
    assert json.loads((done.audit / "log.json").read_text())["intruder_test"]["same_release"] is False
