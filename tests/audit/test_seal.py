"""An audit and its release are as they were sealed, by somebody whose key is known; or whoever reads them is told."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from people import plan_with, write_case
from sealing_cases import as_before_seals, entries, reseal
from typer.testing import CliRunner

import incrowd as ic
from incrowd.audit.checked import Trust
from incrowd.audit.signatures import sign
from incrowd.audit.signing import VARIABLE, find_signer, make_key, new_signer, read_key
from incrowd.cli import load
from incrowd.errors import SecretError
from incrowd.tasks.audit_sign import add_files
from incrowd.tasks.audit_verify import refuse_forgery
from incrowd.tasks.intruder_test_new import IntruderTestOptions, new_test

FUNCTION = "def keeps(original, released):\n    return released.num_rows > 0\n"


def _case(folder: Path, **changes: Any) -> Path:
    (folder / "look.csv").write_text("value,name\n" + "".join(f"00{i},n{i // 2}\n" for i in range(7)))
    (folder / "mine.py").write_text(FUNCTION)
    plan = plan_with(
        use_cases=[{"name": "mine", "test": "python", "function": "mine:keeps", "columns": ["sex"]}],
        scenarios=[{"name": "nosy", "keys": ["age", "sex"]}], **changes,
    )  # fmt: skip
    plan["steps"].insert(2, {"step": "recode", "variable": "note", "lookup": "look.csv"})
    return write_case(folder, plan)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A home with two runs of two plans, signed with the key that lies there."""
    home = tmp_path_factory.mktemp("made") / "home"
    home.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv(VARIABLE)
        one = ic.run(_case(home))
        other = ic.run(_case(home, title="Others", requirements=[{"model": "k", "k": "12"}]))
        _case(home)
    return home, one.folder.name, other.folder.name


@pytest.fixture
def run(made: tuple[Path, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the home; gives its first run."""
    monkeypatch.delenv(VARIABLE)
    shutil.copytree(made[0], tmp_path / "home", symlinks=True)
    return tmp_path / "home" / "runs" / made[1]


@pytest.fixture
def other(run: Path, made: tuple[Path, str, str]) -> Path:
    return run.with_name(made[2])


#: Everything that reads a run, without the commands.
READERS: dict[str, Callable[[Path], object]] = {
    "reproduce": ic.reproduce,
    "review": ic.review,
    "diff": lambda run: ic.audit_diff(run, run),
    "attack": lambda run: ic.attack(run, attacks=["linkage"]),
    "intruder test": lambda run: new_test(run, str(run.parent.parent / "test.db"), IntruderTestOptions()),
    "table": lambda run: ic.table(run, ["name"]),
    "report": lambda run: refuse_forgery(run, Trust()),
    "sign": lambda run: ic.audit_sign(run, name="A", role="board", key=_own_key(run)),
}


def _own_key(run: Path) -> Path:
    key = run.parent.parent / "own"
    if not key.exists():
        make_key(key)
    return key


def _refused(run: Path, code: str = "D295", words: str = "") -> None:
    """Nobody reads it; all say why in the same way."""
    for name, read in READERS.items():
        with pytest.raises(ic.InputError) as caught:
            read(run)
        assert caught.value.code == code, name
        assert words in caught.value.message, name


def _files(run: Path) -> list[str]:
    return [f"{place}/{entry.name}" for place in ("audit", "release") for entry in entries(run / place)]


@pytest.mark.slow
def test_what_nobody_touched_is_as_it_was_sealed(run: Path) -> None:
    found = ic.audit_verify(run)
    assert found.ok, found.says
    assert {file.state for file in found.files} == {"unchanged"}
    seal = {"audit/manifest.json", "audit/manifest.json.sig"}
    assert {file.name for file in found.files} == set(_files(run)) - seal
    assert found.known
    assert ic.reproduce(run).same
    assert ic.review(run).worse == ()


def _flip(path: Path, _: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def _swap(path: Path, other: Path) -> None:
    found = other / path.relative_to(path.parents[1] if path.parent.name != "files" else path.parents[2])
    path.write_bytes(found.read_bytes() if found.read_bytes() != path.read_bytes() else b"")


def _link(path: Path, to: Path) -> None:
    """The same bytes, elsewhere."""
    to.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(to)


FORGED: dict[str, Callable[[Path, Path], Any]] = {
    "flipped": _flip,
    "cut": lambda path, _: path.write_bytes(path.read_bytes()[:-1]),
    "gone": lambda path, _: path.unlink(),
    "another run's": _swap,
    "a link": lambda path, other: _link(path, other.parent / "x"),
}  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_every_file_of_audit_and_release_is_sealed(run: Path, other: Path, forged: str) -> None:
    names = _files(run)
    assert {"audit/log.json", "audit/report.html", "release/people.csv", "release/manifest.json.sig"} <= set(names)
    assert any(name.startswith("audit/files/") for name in names)
    for name in names:
        path = run / name
        kept = path.read_bytes()
        FORGED[forged](path, other)
        found = ic.audit_verify(run)
        if (name, forged) == ("audit/secret", "gone"):
            assert found.ok  # who deletes it takes nothing from the evidence
        else:
            assert not found.ok, name
            assert name.startswith("audit/manifest") or any(text.startswith(name) for text in found.says), name
            for read in (ic.reproduce, ic.review):
                with pytest.raises(ic.InputError, match=r"D29[567]"):
                    read(run)
        path.unlink(missing_ok=True)
        path.write_bytes(kept)
    assert ic.audit_verify(run).ok


def test_everything_that_reads_a_run_refuses_a_forged_log(run: Path) -> None:
    log = run / "audit" / "log.json"
    log.write_text(log.read_text().replace('"passed": true', '"passed": false', 1))
    _refused(run, words="audit/log.json is changed")


def test_nothing_may_be_added(run: Path) -> None:
    for name in ("audit/more.txt", "audit/files/9-x.csv", "release/more.csv", "audit/.hidden", "release/deep/x"):
        (run / name).parent.mkdir(exist_ok=True)
        (run / name).write_text("x")
        assert f"{name} is unlisted" in ic.audit_verify(run).says
        _refused(run, words=f"{name} is unlisted")
        (run / name).unlink()
    (run / "audit" / "signatures").symlink_to(run / "release")
    assert not ic.audit_verify(run).ok
    _refused(run)


def test_the_seal_of_another_run_does_not_fit(run: Path, other: Path) -> None:
    for place in ("audit", "release"):
        for name in ("manifest.json", "manifest.json.sig"):
            shutil.copy(other / place / name, run / place / name)
        assert not ic.audit_verify(run).ok
        _refused(run)
    for name in ("log.json", "plan.yaml", "report.html"):
        shutil.copy(other / "audit" / name, run / "audit" / name)
    assert "release/people.csv is changed" in ic.audit_verify(run).says
    _refused(run, words="release/people.csv is changed")


def test_taking_the_signature_away_is_no_way_out(run: Path) -> None:
    (run / "audit" / "manifest.json.sig").unlink()
    assert ic.audit_verify(run).signature == "missing"
    assert not ic.audit_verify(run).ok
    _refused(run, "D296", "no signature")
    # It was sealed, so it is no audit of an earlier version, whoever asks.
    for read in (ic.reproduce, ic.review):
        with pytest.raises(ic.InputError, match="D297"):
            read(run, trust=ic.Trust(unsigned=True))


@pytest.mark.parametrize("what", ["log.json", "plan.yaml", "manifest.json", "*"])
def test_an_audit_of_which_little_is_left_is_no_release_alone(run: Path, what: str) -> None:
    for path in [*(run / "audit").glob(what), run / "audit" / "manifest.json.sig"]:
        if path.is_file():
            path.unlink()
    (run / "audit" / "report.html").write_text("<h1>all is fine</h1>")
    for path in (run, run / "audit", run / "release"):
        assert not ic.audit_verify(path).ok
        for read in (ic.reproduce, ic.review, lambda path: refuse_forgery(path, Trust())):
            with pytest.raises(ic.InputError):
                read(path)


def test_a_run_without_its_audit_is_told(run: Path) -> None:
    shutil.rmtree(run / "audit")
    assert ic.audit_verify(run).says == ("the audit of this run is not here",)
    with pytest.raises(ic.InputError, match="D295"):
        refuse_forgery(run, Trust())


def test_a_link_brings_no_keys_from_elsewhere(run: Path, tmp_path: Path) -> None:
    home, evil = run.parents[1], tmp_path / "evil"
    assert ic.audit_verify(home / "release").ok  # the pointer is followed
    shutil.copytree(home, evil, symlinks=True)
    (evil / "incrowd.signing").unlink()
    reseal(evil / "runs" / run.name, forger := new_signer())
    (evil / "incrowd.signing.pub").write_text(forger.public.pem)
    forged = evil / "runs" / run.name
    assert not ic.audit_verify(forged).ok  # what lies beside a copy came with it
    shutil.rmtree(run)
    for place, target in ((run, forged), (home / "release", forged / "release")):
        place.unlink(missing_ok=True)
        place.symlink_to(target)
        with pytest.raises(ic.InputError, match="D295"):
            ic.audit_verify(place)
        with pytest.raises(ic.InputError, match="D295"):
            ic.review(place)
    run.unlink()
    run.mkdir()
    for part in ("audit", "release"):
        (run / part).symlink_to(forged / part)
        with pytest.raises(ic.InputError, match="D295"):
            ic.audit_verify(run)
        (run / part).unlink()


@pytest.mark.slow
def test_an_audit_of_an_earlier_version_is_shown_when_it_is_asked_for(run: Path) -> None:
    as_before_seals(run)
    _refused(run, "D296")
    old = ic.Trust(unsigned=True)
    assert not ic.audit_diff(run, run, trust=old)
    looked = ic.review(run, trust=old)
    assert looked.worse == ()
    assert "nobody vouches" in str(looked.not_tried)
    found = ic.reproduce(run, trust=old)
    assert found.data_same
    assert not found.signed
    assert {file.name for file in found.files if file.again != "same"} == {"manifest.json", "report.html"}


@pytest.mark.parametrize("unsigned", [False, True])
def test_a_forgery_with_a_key_of_its_own_is_noticed(run: Path, unsigned: bool) -> None:
    log = run / "audit" / "log.json"
    log.write_text(log.read_text().replace('"passed": true', '"passed": false', 1))
    forger = new_signer()
    reseal(run, forger)
    # The forger also leaves the public half where it is looked for.
    (run.parents[1] / "incrowd.signing.pub").write_text(forger.public.pem)
    found = ic.audit_verify(run)
    assert (found.signature, found.known, found.ok) == ("valid", False, False)
    assert forger.public.fingerprint in found.says[0]
    trust = ic.Trust(unsigned=unsigned)
    for read in (ic.reproduce, ic.review):
        with pytest.raises(ic.InputError, match="D298"):
            read(run, trust=trust)


def test_a_copy_is_known_by_the_key_that_is_named_and_not_by_what_lies_beside_it(run: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copytree(run / "audit", elsewhere / "audit")
    right = shutil.copy(run.parents[1] / "incrowd.signing.pub", tmp_path / "right.pub")
    shutil.copy(right, elsewhere / "incrowd.signing.pub")
    with pytest.raises(ic.InputError, match="D298"):
        ic.audit_diff(elsewhere, elsewhere)
    assert not ic.audit_diff(elsewhere, elsewhere, trust=ic.Trust((right,)))
    assert ic.audit_verify(elsewhere / "audit", trust=ic.Trust((right,))).ok
    # Who names the run and not its audit is told that the release is not here.
    assert "release/people.csv is not here" in ic.audit_verify(elsewhere, trust=ic.Trust((right,))).says
    make_key(tmp_path / "wrong")
    with pytest.raises(ic.InputError, match="D298"):
        ic.audit_diff(run, run, trust=ic.Trust((tmp_path / "wrong.pub",)))
    with pytest.raises(SecretError, match="S007"):
        ic.audit_verify(run, trust=ic.Trust((tmp_path / "wrong",)))


def test_whoever_gets_the_release_alone_can_check_it(run: Path, tmp_path: Path) -> None:
    got = shutil.copytree(run / "release", tmp_path / "download")
    key = run.parents[1] / "incrowd.signing.pub"
    assert not ic.audit_verify(got).ok, "no key is known"
    assert ic.audit_verify(got, trust=ic.Trust((key,))).ok
    for name in [entry.name for entry in entries(got)]:
        kept = (got / name).read_bytes()
        _flip(got / name, run)
        try:
            assert not ic.audit_verify(got, trust=ic.Trust((key,))).ok, name
        except ic.InputError as error:  # a manifest may be no JSON any more
            assert (name, error.code) == ("manifest.json", "D301")
        (got / name).write_bytes(kept)
    (got / "more.csv").write_text("x\n")
    assert ic.audit_verify(got, trust=ic.Trust((key,))).says == ("release/more.csv is unlisted",)
    (got / "manifest.json").unlink()
    with pytest.raises(ic.InputError, match="D300"):
        ic.audit_verify(got)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no OpenSSL here")
def test_openssl_alone_checks_the_signature_of_a_release(run: Path, tmp_path: Path) -> None:
    key = run.parents[1] / "incrowd.signing.pub"
    command = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", key, "-rawin", "-in", run / "release/manifest.json",
               "-sigfile", run / "release/manifest.json.sig"]  # fmt: skip
    assert subprocess.run(command, capture_output=True).returncode == 0
    der = subprocess.run(["openssl", "pkey", "-pubin", "-in", key, "-outform", "DER"], capture_output=True).stdout
    (tmp_path / "key.der").write_bytes(der)
    print_ = subprocess.run(["openssl", "dgst", "-sha256", "-r", tmp_path / "key.der"], capture_output=True, text=True)
    fingerprint = print_.stdout.split()[0]
    for page in (run / "audit/report.html", run / "release/report.html"):
        assert fingerprint in page.read_text()
    _flip(run / "release/manifest.json", run)
    assert subprocess.run(command, capture_output=True).returncode != 0


def test_sign_offs_are_signatures_over_the_manifest(run: Path, other: Path, tmp_path: Path) -> None:
    mine, yours = make_key(tmp_path / "mine"), make_key(tmp_path / "yours")
    home = run.parents[1] / "incrowd.signing.pub"
    first = ic.audit_sign(run, name="A. Board", role="board", key=tmp_path / "mine", text="as agreed")
    second = ic.audit_sign(run, name="B. Board", role="officer", decision="refuse", key=tmp_path / "yours")
    both = ic.Trust((home, tmp_path / "mine.pub", tmp_path / "yours.pub"))
    found = ic.audit_verify(run, trust=both)
    assert found.ok, found.says
    assert [(one.name, one.role, one.decision, one.valid, one.known) for one in found.sign_offs] == [
        ("A. Board", "board", "approve", True, True), ("B. Board", "officer", "refuse", True, True),
    ]  # fmt: skip
    assert {one.fingerprint for one in found.sign_offs} == {mine.public.fingerprint, yours.public.fingerprint}
    # An unknown key is never silently fine.
    says = ic.audit_verify(run, trust=ic.Trust((home, tmp_path / "mine.pub"))).says
    assert len(says) == 1
    assert "B. Board" in says[0]
    # One that was there before another cannot be taken away, nor be changed, nor stand in another audit.
    kept = first.read_bytes()
    first.unlink()
    assert "gone or changed" in ic.audit_verify(run, trust=both).says[0]
    _refused(run, "D299")
    for old, new in ((b"approve", b"refuse"), (b"A. Board", b"C. Board"), (b"as agreed", b"not so")):
        first.write_bytes(kept.replace(old, new))
        assert "its signature does not fit" in str(ic.audit_verify(run, trust=both).says)
        _refused(run, "D299")
    first.write_bytes(kept)
    assert ic.reproduce(run).same
    (other / "audit" / "signatures").mkdir()
    shutil.copy(second, other / "audit" / "signatures" / "x.json")
    assert "it is about another audit" in str(ic.audit_verify(other, trust=both).says)
    _refused(other, "D299")
    for junk in (b"", b"{}", b"[]", b'{"statement": 1, "public_key": "", "signature": "zz"}'):
        (other / "audit" / "signatures" / "x.json").write_bytes(junk)
        assert "it is no statement" in str(ic.audit_verify(other, trust=both).says)
        _refused(other, "D299")


def test_the_key_of_the_runs_is_nobodys_own(run: Path) -> None:
    key = run.parents[1] / "incrowd.signing"
    with pytest.raises(ic.InputError, match="D302"):
        ic.audit_sign(run, name="Dame Chair", role="board", key=key)
    told = {"kind": "sign-off", "name": "Dame Chair", "role": "board", "decision": "approve"}
    sign(run / "audit", (run / "audit" / "manifest.json").read_bytes(), told, read_key(key))
    found = ic.audit_verify(run)
    assert not found.sign_offs[0].known
    assert "with the key of the runs" in found.says[0]


def test_a_sign_off_says_who_and_what(run: Path) -> None:
    for wrong in ({"decision": "perhaps"}, {"name": " "}, {"role": "a\nb"}, {"text": "x" * 3000}):
        with pytest.raises(ic.InputError, match="D302"):
            ic.audit_sign(run, **{"name": "A", "role": "board", "key": _own_key(run), **wrong})
    with pytest.raises(SecretError, match="S008"):
        ic.audit_sign(run, name="A", role="board", key=run / "nothing")


def test_what_is_added_later_has_a_signature_of_its_own(run: Path, tmp_path: Path) -> None:
    add_files(run, {"report.pdf": b"%PDF"}, Trust())
    add_files(run, {"report.pdf": b"%PDF"}, Trust())  # the same once more needs nothing new
    assert len(list((run / "audit" / "signatures").iterdir())) == 1
    assert ic.audit_verify(run).ok
    assert ic.reproduce(run).same
    _flip(run / "audit" / "report.pdf", run)
    assert "audit/report.pdf is unlisted" in ic.audit_verify(run).says
    _refused(run, words="audit/report.pdf is unlisted")
    (run / "audit" / "report.pdf").write_bytes(b"%PDF")
    # A statement by a stranger vouches for nothing.
    (run / "audit" / "report.pdf").unlink()
    add_files(run, {"other.pdf": b"%PDF"}, Trust(), make_key(tmp_path / "stranger"))
    assert not ic.audit_verify(run).ok
    _refused(run, words="audit/other.pdf is unlisted")


def test_what_a_stranger_puts_there_does_not_steer_a_terminal(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run / "release" / "\x1b[2Jx").write_text("x")
    signer = new_signer()
    told = {"kind": "sign-off", "name": "\x1b]0;x\x07", "role": "board", "decision": "approve"}
    sign(run / "audit", (run / "audit" / "manifest.json").read_bytes(), told, signer)
    done = CliRunner().invoke(load(), ["audit", "verify", str(run)])
    assert done.exit_code == 1
    assert "\x1b" not in done.stdout
    assert "it is no statement" in done.stdout
    with pytest.raises(ic.InputError, match=r"release/\?\[2Jx is unlisted"):
        ic.review(run)


def test_without_a_key_at_hand_nothing_is_added(run: Path) -> None:
    (run.parents[1] / "incrowd.signing").unlink()
    assert not ic.audit_verify(run).ok  # the public half that lies there may be anybody's
    trust = Trust((run.parents[1] / "incrowd.signing.pub",))
    assert ic.audit_verify(run, trust=trust).ok
    with pytest.raises(SecretError, match="S008"):
        add_files(run, {"report.pdf": b"%PDF"}, trust)
    assert not (run / "audit" / "report.pdf").exists()


def test_a_refused_run_is_sealed_too(tmp_path: Path) -> None:
    plan = plan_with(steps=[{"step": "drop", "variables": ["name"]}], requirements=[{"model": "k", "k": "50"}])
    with pytest.raises(ic.NotReleasable):
        ic.run(write_case(tmp_path, plan))
    refused = next((tmp_path / "runs").glob("*-refused"))
    assert ic.audit_verify(refused).ok
    (refused / "release").mkdir()
    (refused / "release" / "people.csv").write_text("x\n")
    assert ic.audit_verify(refused).says == ("release/people.csv is unlisted",)


def test_keys_are_made_for_their_owner_and_read_with_care(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    signer = find_signer(tmp_path)
    path = tmp_path / "incrowd.signing"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert find_signer(tmp_path).public == signer.public
    assert str(signer.public.raw) not in repr(signer.private)
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []
    with pytest.raises(SecretError, match="S009"):
        make_key(path)
    path.chmod(0o644)
    with pytest.raises(SecretError, match="S005"):
        find_signer(tmp_path)
    path.chmod(0o600)
    path.write_text("nothing")
    with pytest.raises(SecretError, match="S006"):
        read_key(path)
    with pytest.raises(SecretError, match="S004"):
        make_key(tmp_path / "nowhere" / "key")
    monkeypatch.setenv(VARIABLE, "00")
    with pytest.raises(SecretError, match="S006"):
        find_signer(tmp_path)
    monkeypatch.setenv(VARIABLE, "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60")
    # The public key and the signature of the empty message in RFC 8032, 7.1, test 1.
    assert find_signer(tmp_path).public.raw.hex() == "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
    assert (find_signer(tmp_path).sign(b"") or b"").hex().startswith("e5564300c360ac729086e2cc806e828a84877f1eb8e5d974")


def test_the_commands_say_it_and_end_with_the_code(run: Path, tmp_path: Path) -> None:
    runner, key = CliRunner(), str(tmp_path / "mine")
    assert runner.invoke(load(), ["audit", "keygen", key]).exit_code == 0
    command = ["audit", "sign", str(run), "--name", "A", "--role", "board", "--key", key]
    assert runner.invoke(load(), command).exit_code == 0
    home = str(run.parents[1] / "incrowd.signing.pub")
    done = runner.invoke(load(), ["audit", "verify", str(run), "--trust", home, "--trust", f"{key}.pub"])
    assert done.exit_code == 0, done.stdout
    assert "As it was sealed" in done.stdout
    done = runner.invoke(load(), ["audit", "verify", str(run), "--json"])
    assert done.exit_code == 1
    told = json.loads(done.stdout)
    assert not told["ok"]
    assert "not known here" in told["says"][0]
    assert runner.invoke(load(), ["reproduce", str(run)]).exit_code == 0, (
        "an unknown sign-off keeps nobody from reading"
    )
    _flip(run / "audit" / "report.html", run)
    assert runner.invoke(load(), ["audit", "verify", str(run)]).exit_code == 1
    for words in (
        ["reproduce"],
        ["review"],
        ["report"],
        ["attack"],
        ["table", "--by", "name"],
        ["audit", "diff", str(run)],
    ):
        done = runner.invoke(load(), [*words, str(run)])
        assert done.exit_code != 0, words
        assert "D295" in str(done.exception), words


def test_a_run_is_signed_with_the_key_that_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE)
    path = write_case(tmp_path)
    vault = tmp_path / "vault"
    vault.mkdir()
    signer = make_key(vault / "key")
    done = CliRunner().invoke(load(), ["run", str(path), "--signing-key", str(vault / "key"), "--json"])
    assert done.exit_code == 0, done.stdout
    assert not (tmp_path / "incrowd.signing").exists()
    trust = ic.Trust((vault / "key.pub",))
    found = ic.audit_verify(tmp_path / "release", trust=trust)
    assert found.ok
    assert found.fingerprint == signer.public.fingerprint
    assert ic.reproduce(tmp_path / "release", trust=trust).same


def test_the_private_key_is_in_no_file_of_a_run(run: Path) -> None:
    path = run.parents[1] / "incrowd.signing"
    private = read_key(path).private
    assert private is not None
    raw = private.private_bytes_raw()
    needles = (raw, raw.hex().encode(), path.read_bytes().splitlines()[1])
    for file in (file for file in run.rglob("*") if file.is_file()):
        assert not any(needle in file.read_bytes() for needle in needles), file
