"""The public face: one word in four places, every name to be seen, every result to be read and taken along."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
import types
import typing
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pytest
import typer
from people import write_case

import incrowd as ic
from incrowd.cli import load
from incrowd.keys import requirements
from incrowd.rows.result import Result

SOURCE = Path(ic.__file__).parent


def commands() -> dict[str, str]:
    """Every command that can be called, as a word of Python, and the file of the command line that has it."""
    found = {}
    for name, command in typer.main.get_command(load()).commands.items():  # type: ignore[attr-defined]
        word = name.replace("-", "_")
        for part in getattr(command, "commands", {"": None}):
            found["_".join(filter(None, (word, part.replace("-", "_"))))] = word
    return found


@pytest.mark.parametrize(("word", "file"), commands().items())
def test_a_command_has_one_word_in_four_places(word: str, file: str) -> None:
    assert (SOURCE / "cli" / f"{file}.py").is_file()
    function = getattr(import_module(f"incrowd.tasks.{word}"), word)
    assert inspect.isfunction(function)
    assert getattr(ic, word) is function


def test_every_task_is_a_command() -> None:
    tasks = {path.stem for path in (SOURCE / "tasks").glob("[a-z]*.py")}
    assert tasks == set(commands())


def test_dir_shows_every_public_name_and_each_can_be_had() -> None:
    assert set(ic.__all__) <= set(dir(ic))
    assert all(getattr(ic, name) is not None for name in ic.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        ic.nothing  # type: ignore[attr-defined]  # noqa: B018


def test_who_reads_types_sees_the_same_names() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.asname: str(node.module).removeprefix("incrowd.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == ic._HOME


ROOMS = ("risk", "attack", "demo", "report", "app")
FIRST = "import incrowd as ic; " + "; ".join(f"import incrowd.{room}" for room in ROOMS)
LATER = "; ".join(f"import incrowd.{room}" for room in ROOMS) + "; import incrowd as ic"
BETWEEN = "import incrowd as ic; ic.risk; import incrowd.risk.record; from incrowd.report import words"


@pytest.mark.slow
@pytest.mark.parametrize("order", [FIRST, LATER, BETWEEN])
def test_a_command_is_a_function_whatever_was_imported_first(order: str) -> None:
    asked = f"assert all(callable(getattr(ic, name)) for name in {ROOMS}); import incrowd.cli; incrowd.cli.load(); "
    asked += (
        "from incrowd.risk import record; assert record.__name__ == 'incrowd.risk.record'; assert callable(ic.risk)"
    )
    subprocess.run([sys.executable, "-c", f"{order}; {asked}"], check=True)


def test_the_package_itself_is_quick_to_import() -> None:
    code = (
        "import sys, incrowd; print([name for name in ('ibis', 'pyarrow', 'numba', 'pandas') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def named(kind: object) -> set[type]:
    """The classes of ours in an annotation."""
    if isinstance(kind, type) and not isinstance(kind, types.GenericAlias):
        return {kind} if kind.__module__.startswith("incrowd") else set()
    return {found for part in typing.get_args(kind) for found in named(part)}


def test_every_type_that_a_public_function_gives_is_public() -> None:
    public = {getattr(ic, name) for name in ic.__all__}
    for function in filter(inspect.isfunction, public):
        given = typing.get_type_hints(function)["return"]
        assert named(given) <= public, function.__name__


def test_every_requirement_is_public() -> None:
    there = {value for value in vars(requirements).values() if inspect.isclass(value)}
    models = {one for one in there if issubclass(one, requirements.Requirement) and not inspect.isabstract(one)}
    assert len(models) > 10
    # Likeness is what several have in common.
    assert models - {getattr(ic, name) for name in ic.__all__} <= {requirements.Likeness}


@pytest.fixture(scope="module")
def case(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_case(tmp_path_factory.mktemp("face"))


@pytest.fixture(scope="module")
def done(case: Path) -> ic.Run:
    return ic.run(case)


def test_a_result_tells_itself_in_a_line_a_page_and_a_table(case: Path, done: ic.Run) -> None:
    file, keys = case.parent / "people.csv", ["age", "sex"]
    found: dict[str, Result] = {
        "verify": ic.verify(file, keys, [ic.K(2)]),
        "risk": ic.risk(file, keys, measures=["tables", "record"]),
        "profile": ic.profile(file),
        "search": ic.search(file, keys, [ic.K(2)], auto=True, suppression=1),
        "sweep": ic.sweep(case, k="2:3"),
        "compare": ic.compare([case, case]),
        "reproduce": ic.reproduce(done.folder),
        "audit_verify": ic.audit_verify(done.folder),
        "report": ic.report(done.folder),
        "hierarchy_build": ic.hierarchy_build(file, "age"),
        "postcode_parse": ic.postcode_parse(["SW1A 1AA", "nowhere"]),
        "run": done,
    }
    for name, one in found.items():
        assert len(repr(one)) < 700, name
        assert "\n" not in repr(one), name
        page, frame, table = one._repr_html_(), one.to_pandas(), one.to_arrow()
        assert page.startswith("<div>"), name
        assert len(frame) == table.num_rows > 0, name
        assert list(frame.columns) == table.column_names, name
        assert ("<svg" in page) == (name in ("risk", "sweep", "run")), name
    assert done.to_arrow().num_rows == done.log.end.records
    assert done.to_arrow().column_names == list(done.log.released_columns)


def test_a_table_without_rows_has_its_columns(done: ic.Run) -> None:
    same = ic.audit_diff(done.folder, done.audit)
    assert not same
    assert list(same.to_pandas().columns) == ["part", "what", "first", "second"]
    assert repr(same) == "Differences: the two audits tell the same"


def test_a_run_shows_no_record(done: ic.Run) -> None:
    shown, record = done._repr_html_(), re.compile(r">(00\d|n\d+)<|\bn17\b")
    assert "<td>" in shown
    assert record.search("<td>003</td>")
    assert not record.search(shown)
    assert not record.search(repr(done))


def test_a_page_takes_no_text_for_markup(tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_text("<b>age</b>,sex\n1,f\n1,f\n")
    found = ic.verify(file, ["<b>age</b>"], [ic.DistinctL("sex", 1)])
    assert "<b>age" not in found._repr_html_()
    assert "&lt;b&gt;age" in found._repr_html_()


def test_a_run_of_several_tiers_is_had_by_name(tmp_path: Path) -> None:
    both = ic.Run((_file("open"), _file("safeguarded")))
    assert list(both.tiers) == ["open", "safeguarded"]
    assert both.tiers["open"].release == Path("open")
    for name in ("release", "audit", "folder", "log", "notes"):
        with pytest.raises(ic.InputError, match=r"D317.*open, safeguarded"):
            getattr(both, name)
    with pytest.raises(ic.InputError, match="D317"):
        both.to_pandas()


def _file(tier: str) -> typing.Any:
    return types.SimpleNamespace(release=Path(tier), log=types.SimpleNamespace(tier=tier))


def test_no_postcodes_are_a_table_with_names_and_no_rows() -> None:
    assert ic.postcode_parse([]).to_arrow().column_names == ic.postcode_parse(["NE3 1ED"]).to_arrow().column_names


@pytest.mark.parametrize(
    "ask",
    [
        lambda table: ic.run(table),
        lambda table: ic.check(table),
        lambda table: ic.attack(table),
        lambda table: ic.attack("plan.yaml", register=table),
        lambda table: ic.attack("plan.yaml", others=[table]),
        lambda table: ic.table(table, ["a"]),
        lambda table: ic.reproduce(table),
        lambda table: ic.review(table),
    ],
)
def test_a_table_where_only_a_file_will_do_is_told(ask: typing.Any) -> None:
    with pytest.raises(ic.InputError, match="D320"):
        ask(pa.table({"a": ["1"]}))
