"""Every public function has an example, and each of them runs: in one process, in the order of the page."""

from __future__ import annotations

import doctest
import inspect
import runpy
from pathlib import Path
from typing import Any

import pytest

import incrowd as ic
from incrowd.demo import write_example

GENERATE = runpy.run_path(str(Path(__file__).resolve().parents[2] / "docs" / "generate.py"))
FUNCTIONS: list[str] = GENERATE["public_functions"]()


FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


class Lenient(doctest.OutputChecker):
    """An example that shows no output may print anything."""

    def check_output(self, want: str, got: str, flags: int) -> bool:
        return not want or super().check_output(want, got, flags)


def examples(name: str) -> doctest.DocTest | None:
    text = inspect.getdoc(getattr(ic, name)) or ""
    found = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    return found if found.examples else None


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_says_what_it_does_and_shows_how(name: str) -> None:
    found = examples(name)
    assert found is not None
    assert any(f"ic.{name}(" in one.source for one in found.examples)


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("INCROWD_SECRET", raising=False)
    ic.demo_data("people.csv", rows=5_000)
    write_example(tmp_path)
    pytest.importorskip("sqlalchemy")
    names: dict[str, Any] = {"ic": ic, "done": ic.run("plan.yaml")}
    runner = doctest.DocTestRunner(Lenient(), verbose=False, optionflags=FLAGS)
    said: list[str] = []
    for name in FUNCTIONS:
        found = examples(name)
        assert found is not None
        found.globs = names
        runner.run(found, out=said.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)
