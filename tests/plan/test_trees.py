"""A plan is no larger, deeper or more tangled than a person would write it, or it is refused at once."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path

import pytest
import yaml
from commands import incrowd_cli
from hypothesis import given
from hypothesis import strategies as st
from people import PLAN, write_case

from incrowd.audit.archive import Archive
from incrowd.audit.checked import Trust
from incrowd.errors import IncrowdError, InputError
from incrowd.intruder_test.value import load_scores
from incrowd.plan import dump_plan, inspect_plan, json_tree, parse_plan, read_text
from incrowd.plan.trees import DEEPEST, MOST_BYTES, MOST_NODES


def bomb(levels: int, width: int = 10) -> str:
    """A few lines that stand for width ** levels values."""
    lines = ["a0: &a0 [" + ", ".join(["lol"] * width) + "]"]
    lines += [f"a{i}: &a{i} [" + ", ".join([f"*a{i - 1}"] * width) + "]" for i in range(1, levels)]
    return "\n".join(lines) + "\n"


#: Texts that would take much more than their size, and the code that says why they are not read.
BOMBS = {
    "aliases": (bomb(9), "P071"),
    "an anchor": ("title: &t x\n", "P071"),
    "a merge": ("base: &b {a: 1}\nmore: {<<: *b}\n", "P071"),
    "a tree inside itself": ("a: &a [*a]\n", "P071"),
    "brackets": ("a: " + "[" * 900 + "]" * 900, "P072"),
    "a million brackets": ("[" * 1_000_000, "P072"),
    "braces": ("{a: " * 900 + "1" + "}" * 900, "P072"),
    "indented": ("\n".join(" " * i + f"k{i}:" for i in range(900)), "P072"),
    "dashes": ("- " * 900 + "x", "P072"),
    "keys of keys": ("? " * 900 + "x", "P072"),
    "a long list": ("a: [" + "1," * (MOST_NODES + 10) + "]", "P073"),
    "many fields": ("\n".join(f"f{i}: 1" for i in range(3000)), "P074"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_plan_that_would_burst_is_refused_at_once(name: str, tmp_path: Path) -> None:
    text, code = BOMBS[name]
    begun = time.process_time()
    found = inspect_plan(text, tmp_path)
    assert found.faults
    assert code in {fault.code for fault in found.faults}
    assert time.process_time() - begun < 30
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 << 20  # KiB


@pytest.mark.parametrize("name", ["aliases", "brackets", "indented"])
def test_the_command_line_says_which_line(name: str, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(BOMBS[name][0])
    done = incrowd_cli("check", "plan.yaml", folder=tmp_path)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith(f"{BOMBS[name][1]} (line "), done.stderr


def test_what_is_just_within_is_read(tmp_path: Path) -> None:
    deep = "[" * (DEEPEST - 2) + "]" * (DEEPEST - 2)
    assert "P072" not in {fault.code for fault in inspect_plan(f"a: {deep}", tmp_path).faults}


def test_a_file_that_is_no_plan_is_not_read_to_its_end(tmp_path: Path) -> None:
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * (MOST_BYTES + 1))
    with pytest.raises(InputError, match="D282"):
        read_text(large)
    os.mkfifo(tmp_path / "pipe.yaml")
    for place in (tmp_path, tmp_path / "pipe.yaml", Path("/dev/zero"), tmp_path / "absent.yaml", Path("a\0b")):
        with pytest.raises(InputError, match=r"D000|D270|D271"):
            read_text(place)


def test_no_plan_that_incrowd_writes_has_an_alias(tmp_path: Path) -> None:
    bands = ["0", "40"]
    content = {**PLAN, "steps": [{"step": "recode", "variable": "age", "bands": bands}] * 2 + PLAN["steps"]}
    write_case(tmp_path)
    plan = inspect_plan(json.dumps(content), tmp_path).plan
    assert plan is not None
    assert "&id" not in dump_plan(plan)
    assert parse_plan(dump_plan(parse_plan(json.dumps(PLAN), tmp_path)), tmp_path)


@given(st.text(alphabet="{}[]&*!?|>-:#,\"' \n\tab1", max_size=80))
def test_any_text_is_a_plan_or_has_faults(text: str) -> None:
    found = inspect_plan(text, Path("/nonexistent"))
    assert found.faults


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*PLAN, "x"]), inner, max_size=3),
        max_leaves=12,
    )
)
def test_any_tree_in_place_of_a_part_is_a_fault_and_never_a_crash(tree: object) -> None:
    for part in PLAN:
        found = inspect_plan(yaml.safe_dump({**PLAN, part: tree}), Path("/nonexistent"))
        assert found.faults  # there is no data, at least


DEEP_JSON = "[" * 200_000


def test_json_of_others_may_be_deep_and_is_refused() -> None:
    with pytest.raises(ValueError, match="deep"):
        json_tree(DEEP_JSON)
    with pytest.raises(InputError, match="D224"):
        load_scores(DEEP_JSON, "scores.json")


@pytest.mark.parametrize("log", [DEEP_JSON, "[]", "3", "{", '"x"', "\udc80"])
def test_an_audit_with_a_broken_log_says_so(log: str, tmp_path: Path) -> None:
    for folder in ("release", "audit"):
        (tmp_path / folder).mkdir()
    (tmp_path / "audit" / "plan.yaml").write_text(json.dumps(PLAN))
    for name in ("log.json", "manifest.json"):
        (tmp_path / "audit" / name).write_bytes(log.encode(errors="surrogatepass"))
    found = Archive.find(tmp_path, trust=Trust(unsigned=True))
    assert found.manifest is None
    with pytest.raises(IncrowdError, match="D236"):
        _ = found.log
