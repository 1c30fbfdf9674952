"""What gives records away without any key: the order of the file, and pseudonyms that anybody can make."""

import base64
import hashlib
import hmac
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from people import plan_with, write_case
from situations import Record, crowd, situation

import incrowd as ic
from incrowd.attack.auxiliary import salts_of
from incrowd.attack.dictionary import dictionary
from incrowd.attack.row_order import _by_chance, row_order
from incrowd.attack.situation import Auxiliary
from incrowd.errors import InputError, NotReleasable
from incrowd.pipeline.trace import trace_plan, trace_release

NOTHING = Auxiliary()
PEOPLE: list[Record] = [
    {"name": f"Ann {chr(97 + i % 26)}{i * 37 % 211}", "postcode": f"NE{i % 30} {i % 9}XY", "sex": "fm"[i % 2]}
    for i in range(211)
]


def test_the_order_of_the_source_shows_and_a_keyed_one_does_not() -> None:
    people = crowd(500, sex=["f", "m"], ill=["y", "n"])
    weak = row_order(situation(people, ["sex"], ["ill"], shuffled=False), NOTHING)[0]
    assert weak.success is not None
    assert weak.success.value == 1.0
    assert "+1.000" in weak.sentence
    assert "shows through" in weak.why
    strong = row_order(situation(people, ["sex"], ["ill"]), NOTHING)[0]
    assert strong.success is not None
    assert strong.control is not None
    assert strong.success.value < 0.03
    assert strong.control.value < 0.03
    assert strong.baseline == pytest.approx(2 / 500)
    gaps = row_order(situation([{**p, "n": str(i % 3)} for i, p in enumerate(people)], ["sex"], ["ill"],
                               keep=lambda r: r["n"] != "1", shuffled=False), NOTHING)[0]  # fmt: skip
    assert gaps.success is not None
    assert gaps.success.value == 1.0  # records that were left out do not hide the order of the others
    assert row_order(situation(people[:2], ["sex"]), NOTHING)[0].success is None


def test_equal_records_that_lie_together_are_no_order_of_the_source() -> None:
    """Ordered by a hash of their values, as a release is: households of equal records are together by these alone."""
    rng = np.random.default_rng(4)
    people = [{"sex": "fm"[i // 4 % 2], "home": str(i // 4)} for i in range(2000)]
    place = {home: rng.random() for home in dict.fromkeys(p["home"] for p in people)}
    told = situation(people, ["sex"], columns=["sex", "home"])
    at = sorted(range(len(told.lines)), key=lambda row: place[str(told.released["home"][row])])
    hashed = replace(told, released=told.released.take(at), lines=told.lines[at])
    found = row_order(hashed, NOTHING)[0]
    assert found.success is not None
    assert found.control is not None
    assert found.baseline is not None
    # Of four in a home three pairs are neighbours, each of them with chance 2/4 in the release.
    assert found.baseline == pytest.approx((500 * 3 * 2 / 4) / 1999, abs=0.001)
    for rate in (found.success, found.control):
        assert rate.low < found.baseline < rate.high
    assert "since equal records lie together" in found.sentence
    assert not found.why


@settings(max_examples=examples(20), deadline=None)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=8), st.integers(0, 1000))
def test_the_chance_of_neighbours_is_that_of_many_shuffles(sizes: list[int], seed: int) -> None:
    rng = np.random.default_rng(seed)
    block = np.repeat(np.arange(len(sizes)), sizes)
    places = rng.permutation(len(block))
    if len(block) < 3:
        return
    seen = []
    for _ in range(1500):
        order = rng.permutation(len(sizes))
        rows = np.concatenate([rng.permutation(np.flatnonzero(block == b)) for b in order])
        seen.append(float((np.abs(np.diff(places[rows])) == 1).mean()))
    assert _by_chance(places, block) == pytest.approx(np.mean(seen), abs=5 * np.std(seen) / np.sqrt(1500) + 1e-9)


def test_a_release_is_not_in_the_order_of_its_source(tmp_path: Path) -> None:
    run = ic.run(write_case(tmp_path))
    with trace_release(run.release) as traced:
        found = row_order(traced.situation(), NOTHING)[0]
    assert found.success is not None
    assert found.success.value < 0.25


def _made(make: Callable[[Record], str], keep: Callable[[Record], bool] = lambda r: True) -> object:
    return situation(
        PEOPLE, ["sex"], keep=keep, change=lambda r: r | {"id": make(r)}, identifiers=["name"], columns=["sex", "id"],
        known=lambda r: r | {"id": None},
    )  # fmt: skip


WEAK: dict[str, Callable[[Record], str]] = {
    "md5": lambda r: hashlib.md5(str(r["name"]).encode()).hexdigest(),
    "sha256 in upper case": lambda r: hashlib.sha256(str(r["name"]).upper().encode()).hexdigest().upper(),
    "sha3_256 of two": lambda r: hashlib.sha3_256(f"{r['name']}{r['postcode']}".encode()).hexdigest(),
    "sha1 with the column's name": lambda r: hashlib.sha1(f"id{r['name']}".encode()).hexdigest(),
    "sha512 cut short": lambda r: hashlib.sha512(str(r["name"]).encode()).hexdigest()[:16],
    "sha256 in base64": lambda r: base64.b64encode(hashlib.sha256(str(r["name"]).encode()).digest()).decode(),
    "base64": lambda r: base64.b64encode(str(r["name"]).encode()).decode(),
    "crc32": lambda r: f"{zlib.crc32(str(r['name']).encode()):08x}",
    "reversed": lambda r: str(r["name"])[::-1],
    "numbered in order": lambda r: str(1000 + sorted(str(p["name"]) for p in PEOPLE).index(str(r["name"]))),
    "numbered as they came": lambda r: str(7 * PEOPLE.index({k: r[k] for k in ("name", "postcode", "sex")})),
}


@pytest.mark.parametrize("way", list(WEAK))
def test_a_pseudonym_without_a_secret_is_made_again(way: str) -> None:
    found = dictionary(_made(WEAK[way]), NOTHING)[0]  # type: ignore[arg-type]
    assert found.success is not None
    assert found.success.value == 1.0, found.sentence
    assert "without a secret" in found.sentence
    assert len(found.worst) == 50


def test_people_outside_are_not_found() -> None:
    found = dictionary(_made(WEAK["md5"], lambda r: r["sex"] == "f"), NOTHING)[0]  # type: ignore[arg-type]
    assert found.control is not None
    assert (found.control.hits, found.control.tries) == (0, 105)
    assert found.success is not None
    assert found.success.value == 1.0


def test_a_keyed_pseudonym_is_not_made_again(tmp_path: Path) -> None:
    steps = [
        {"step": "pseudonymise", "variables": ["name"], "into": "id"},
        {"step": "recode", "variable": "age", "bands": ["0", "40"]},
        {"step": "suppress_records"},
    ]
    with trace_plan(write_case(tmp_path, plan_with(steps=steps))) as traced:
        made = traced.situation()
        assert made.identifiers == ("name",)
        assert set(made.columns) == {"name", "age", "sex", "ill", "note"}
        found = [f for f in dictionary(made, NOTHING) if "in id" in f.sentence]
    assert found[0].success is not None
    assert (found[0].success.hits, found[0].success.tries) == (0, 60)
    assert "leaked" in found[0].why


SALT, KEY = "s3a-salt", "00ff10"
SALTED: dict[str, Callable[[Record], str]] = {
    "in front": lambda r: hashlib.sha256(f"{SALT}{r['name']}".encode()).hexdigest(),
    "at the end, apart": lambda r: hashlib.sha1(f"{r['name']}|{SALT}".encode()).hexdigest(),
    "as in the study": lambda r: hashlib.sha3_256(f"{r['name']}{r['postcode']}{SALT}".encode()).hexdigest(),
    "as a key": lambda r: hmac.new(SALT.encode(), str(r["name"]).lower().encode(), "sha256").hexdigest(),
    "as a key in hexadecimal": lambda r: hmac.new(bytes.fromhex(KEY), str(r["name"]).encode(), "sha512").hexdigest(),
    "cut short": lambda r: hashlib.md5(f"{SALT}:{r['name']}".encode()).hexdigest()[:10],
}


@pytest.mark.parametrize("way", list(SALTED))
def test_a_salt_that_leaked_opens_the_pseudonyms_and_is_not_told(way: str) -> None:
    made = _made(SALTED[way], lambda r: r["sex"] == "f")
    found = dictionary(made, Auxiliary(salts=("another", SALT, KEY)))[0]  # type: ignore[arg-type]
    assert found.success is not None
    assert found.success.value == 1.0
    assert found.control is not None
    assert found.control.hits == 0
    assert "with a salt that leaked" in found.sentence
    assert "and the salt" in found.sentence
    assert "3 salts" in found.knows
    assert not any(secret in str(found) for secret in (SALT, KEY))


def test_a_salt_that_nobody_names_is_not_found_and_the_result_says_so() -> None:
    made = _made(SALTED["in front"])
    for salts, words in (((), "tried where they are named"), (("another",), "not among those named")):
        found = dictionary(made, Auxiliary(salts=salts))[0]  # type: ignore[arg-type]
        assert found.success is not None
        assert found.success.hits == 0
        assert words in found.why


def test_a_plan_refuses_pseudonyms_that_a_leaked_salt_opens(tmp_path: Path) -> None:
    def hashed(i: int) -> str:
        return hashlib.sha256(f"{SALT}n{i}".encode()).hexdigest()

    lines = "".join(f"n{i},{20 + i % 4},{'fm'[i % 2]},y,{hashed(i)}\n" for i in range(60))
    attack = {"attacks": ["dictionary"], "limit": 0.1, "salts": "leaked.txt"}
    path = write_case(tmp_path, plan_with(attack=[attack]), lines)
    (tmp_path / "leaked.txt").write_text(f"{SALT}\n")
    with pytest.raises(NotReleasable, match="R022"):
        ic.run(path)
    kept = [file for file in (tmp_path / "runs").rglob("*") if file.is_file() and SALT.encode() in file.read_bytes()]
    assert not kept


def test_salts_are_the_lines_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "salts.txt").write_text("one\n two \n\none\n")
    assert salts_of(tmp_path / "salts.txt") == ("one", " two ")
    assert salts_of(None) == ()
    (tmp_path / "salts.txt").write_bytes(b"\xff\xfe\x00")
    for name in ("salts.txt", "absent.txt"):
        with pytest.raises(InputError, match="D496"):
            salts_of(tmp_path / name)


def test_without_pseudonyms_there_is_nothing_to_make_again() -> None:
    made = situation(PEOPLE, ["sex"], identifiers=["name"], columns=["sex"])
    assert dictionary(made, NOTHING)[0].success is None
    assert dictionary(situation(PEOPLE, ["sex"]), NOTHING)[0].success is None


def test_a_short_pseudonym_without_a_named_identifier_is_not_said_to_be_nothing_to_attack() -> None:
    people = crowd(60, age=[str(a) for a in range(20, 30)], ill=["y", "n"])
    made = situation(
        people, ["age"], ["ill"], columns=["age", "ill", "pid"],
        change=lambda r: r | {"pid": hashlib.md5(str(sorted(r.items())).encode()).hexdigest()[:10]},
    )  # fmt: skip
    (one,) = dictionary(made, Auxiliary())
    assert one.success is None
    assert not one.does_not_apply
    assert "pid may be a pseudonym, and no identifier is named" in one.why
    (one,) = dictionary(situation(people, ["age"], ["ill"]), Auxiliary())
    assert one.does_not_apply  # every released column is one of the source
