"""What is erased is certified: counted as it went, counted again afterwards, and told without naming anybody."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from intruder_cases import Clock, Friend, make, release, serving

import incrowd as ic
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test import schema
from incrowd.intruder_test import store as stores
from incrowd.intruder_test.certificate import HELD, Certificate, kept_certificate
from incrowd.intruder_test.custodian import opened
from incrowd.intruder_test.erasing import BY_DATE, erase, remember


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return release(tmp_path_factory.mktemp("release"))


def _kept(place: Path) -> Certificate:
    with opened(str(place)) as store, store.reading() as connection:
        found = kept_certificate(connection)
    assert found is not None
    return found


def test_the_certificate_counts_what_went_and_that_nothing_is_left(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    (tmp_path / "names.txt").write_text("Ann Example\nBob Example\n")
    made = make(run, place, intruders=str(tmp_path / "names.txt"))
    (tmp_path / "names.txt").unlink()
    with serving(place) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
    (tmp_path / "secret.csv").write_text("claims")
    with opened(str(place)) as store:
        remember(store, tmp_path / "secret.csv")
        with store.reading() as connection:
            tables = [table.name for table in (*schema.ERASED, store.records)]
            there = {name: connection.exec_driver_sql(f"SELECT count(*) FROM {name}").scalar_one() for name in tables}
        gone = erase(store, "Data Protection Officer")
    told = _kept(place)
    assert there["intruder"] == 2
    assert there["record"] == 120
    assert there["action"] >= 2
    assert told.rows == there == dict(gone.rows)
    assert told.finished
    assert set(told.left) == set(there)
    assert gone.written == tmp_path / "test.erased.md"
    text = gone.written.read_text()
    assert gone.written.stat().st_mode & 0o077 == 0
    assert "Data Protection Officer" in text
    assert "| names of intruders | intruder | 2 | 0 |" in text
    assert str(tmp_path / "secret.csv") in text
    assert "Example" not in text
    with sqlite3.connect(place) as connection:
        assert all(connection.execute(f"SELECT count(*) FROM {name}").fetchone() == (0,) for name in there)


def test_every_table_is_named_in_words() -> None:
    assert {table.name for table in schema.ERASED} | {"record"} == set(HELD)
    stays = {"test", "truth_certificate", "truth_score"}
    assert {table.name for table in schema.meta.tables.values()} == {table.name for table in schema.ERASED} | stays


def test_a_report_behind_a_link_is_deleted_and_so_is_the_link(run: Path, tmp_path: Path) -> None:
    place, real, link = tmp_path / "test.db", tmp_path / "share" / "real.html", tmp_path / "report.html"
    make(run, place)
    real.parent.mkdir()
    link.symlink_to(real)
    ic.intruder_test_score(str(place), report=link)
    assert "Every claim" in real.read_text()
    gone = ic.intruder_test_erase(str(place))
    assert {real, link} == set(gone.deleted)
    assert not real.exists()
    assert not link.is_symlink()
    assert f"- {real}" in gone.certificate.text


def test_a_folder_in_the_place_of_a_file_blocks_nothing(run: Path, tmp_path: Path) -> None:
    """A report that cannot be written is not remembered; what took the place of one that was is named and left."""
    place, folder, report = tmp_path / "test.db", tmp_path / "reports", tmp_path / "report.html"
    make(run, place)
    folder.mkdir()
    with pytest.raises(InputError, match="D280"):
        ic.intruder_test_score(str(place), report=folder)
    ic.intruder_test_score(str(place), report=report)
    report.unlink()
    report.mkdir()
    other = tmp_path / "other.html"
    ic.intruder_test_score(str(place), report=other)
    other.unlink()
    (tmp_path / "mine.txt").write_text("mine")
    other.symlink_to(tmp_path / "mine.txt")
    gone = ic.intruder_test_erase(str(place))
    assert set(gone.left_alone) == {report, other}
    assert not gone.missing
    assert folder.is_dir()
    assert (tmp_path / "mine.txt").read_text() == "mine"
    told = _kept(place)
    assert told.finished
    assert "was left alone" in told.text
    assert ic.intruder_test_erase(str(place)).left_alone == gone.left_alone


def test_what_goes_to_a_pipe_is_not_ours_to_delete(run: Path, tmp_path: Path) -> None:
    make(run, tmp_path / "test.db")
    with opened(str(tmp_path / "test.db")) as store:
        remember(store, Path("/dev/null"))
        assert Path("/dev/null") not in erase(store).left_alone


def test_erasing_again_changes_nothing(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    make(run, place)
    with opened(str(place)) as store:
        erase(store, "Ann")
    first = _kept(place)
    with opened(str(place)) as store:
        again = erase(store, "Bob")
    assert again.certificate == first == _kept(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.db", "test.erased.md"]


def test_on_its_day_a_certificate_is_written_too(run: Path, tmp_path: Path) -> None:
    place, clock = tmp_path / "test.db", Clock()
    make(run, place, clock=clock)
    clock.ahead = 91 * 86400
    with opened(str(place), clock) as store:
        assert store.erased
    assert f"By: {BY_DATE}" in (tmp_path / "test.erased.md").read_text()


def test_what_took_two_tries_is_one_certificate(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "WAIT", 50)
    place = tmp_path / "test.db"
    make(run, place)
    reader = sqlite3.connect(place, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM intruder").fetchall()
    with opened(str(place)) as store, pytest.raises(InputError, match="D253"):
        erase(store, "Ann")
    assert not (tmp_path / "test.erased.md").exists()
    reader.execute("COMMIT")
    reader.close()
    told = _kept(place)  # whoever opens it ends what was begun
    assert (told.by, told.rows["intruder"], told.finished) == ("Ann", 3, True)


def test_a_row_that_is_written_meanwhile_is_no_erased_test(
    run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "test.db"
    make(run, place)
    with opened(str(place)) as store:
        tidy = store.tidy

        def late() -> str:
            with store.writing() as connection:
                connection.execute(schema.attempt.insert().values(kind="sign-in", who="192.0.2.1", at=1))
            return tidy()

        monkeypatch.setattr(store, "tidy", late)
        with pytest.raises(IncrowdError, match=r"X043.*attempt"):
            erase(store)
        assert store.half_erased
        monkeypatch.undo()
        assert erase(store).certificate.finished


def test_pages_that_are_still_open_write_nothing_to_an_erased_test(run: Path, tmp_path: Path) -> None:
    place = tmp_path / "test.db"
    made = make(run, place)
    with serving(place) as address, Friend(address, made.invitations[0].token) as friend:
        friend.accept()
        with opened(str(place)) as store:
            erase(store)
        assert friend.get("/records").status_code == 410
        assert friend.post("/enter", token="x" * 43).status_code == 410
    with sqlite3.connect(place) as connection:
        for table in ("attempt", "action"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
