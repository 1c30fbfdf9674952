"""Make the generated pages again: the command line, the plan's fields and schema, the errors, attacks, the Python API,
the rooms and their picture.

    python docs/generate.py            write what changed
    python docs/generate.py --check    write nothing; exit code 1 when a page is out of date

Whole pages are generated (cli.md, errors.md, plan.schema.json), or the part between two comments of a page that is
otherwise written by hand (plan.md, attacks.md, python.md).
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import runpy
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
SOURCE = DOCS.parent / "src" / "incrowd"
NOTE = "<!-- Made by `make docs`. Change the source, not this page. -->"
BEGIN, END = "<!-- generated -->", "<!-- end of generated -->"
CODE = re.compile(r"^[DPRSX]\d{3}$")

#: The commands in the order of the work; any others follow by name.
ORDER = (
    "profile", "init", "check", "propose", "run", "report", "reproduce", "audit", "review", "verify", "risk", "attack",
    "intruder-test", "sweep", "compare", "search", "hierarchy", "table", "postcode", "app", "demo", "demo-data",
)  # fmt: skip

#: Fields whose name says nearly all, so that the model does not describe them.
PLAIN = {
    "title": "What the release is called, in the reports.",
    "step": "Which step.",
    "model": "Which requirement.",
    "test": "Which test.",
    "variable": "The column.",
    "variables": "The columns.",
    "sensitive": "The sensitive variable it speaks of.",
    "k": "The fewest people.",
    "l": "How diverse: so many values.",
    "t": "The largest distance.",
    "c": "How many times.",
    "alpha": "The largest share.",
    "beta": "The largest gain.",
    "delta": "The largest change, as a natural logarithm.",
    "dmin": "The smallest share of a class that is in the file.",
    "dmax": "The largest share of a class that is in the file.",
    "distance": "How far apart two values are.",
    "date_part": "What to keep of a date.",
    "date_parts": "Parts of a date, level by level, the finest first.",
    "format": "CSV or Parquet.",
    "data": "See below.",
    "release": "See below.",
}

#: Messages that are put together from other texts, so that the source does not show them in one place.
SPOKEN = {
    "P000": ("A plan has faults; each of them has a code of its own.", "Mend them all; `incrowd check` shows them."),
    "P001": ("The plan is not YAML, or is not a list of fields.", "The line tells where YAML stops making sense."),
    "P004": ("A field has a value that it cannot have.", "The message says what it needs."),
    "P006": ("There is no such step or model.", "The message lists the known ones."),
    "P062": ("A requirement cannot be meant like this: a number is out of its range, or a part is missing.", ""),
    "D392": ("python-docx, which writes Word documents, is not installed.",
             "Install it: pip install 'incrowd[word]'."),
    "P102": ("An expression cannot be read; the message says what.", "Write it as the page of `derive` shows."),
    "P103": ("An expression calls a function that there is not.", "The message names the nearest one."),
    "P104": ("An expression reckons with texts, or compares what cannot be compared.", "The message says where."),
    "R001": ("The written file does not satisfy a requirement; the message says which and by how much.",
             "Recode more, or add a suppress_records step."),
    "R010": ("Even the coarsest recoding does not satisfy the requirements; the message says which, and by how much.",
             "Lower the requirement, drop a key, or allow more suppression."),
    "X032": ("Ctrl-C, SIGTERM or SIGHUP: the command stopped (exit code 130, 143 or 129) and cleared up.",
             "The message says whether something had been released before."),
    "X020": ("Something that is installed on request is not there; the message says what.",
             "Install it: pip install 'incrowd[…]', with the extra that the message names."),
    "X026": ("What a test with human intruders needs is not installed.",
             "Install it: pip install 'incrowd[intruders]'."),
    "X001": ("Something unexpected in incrowd itself. Nothing was released.",
             "Report it with the lines that are shown; they hold no data."),
}  # fmt: skip


def pages() -> dict[Path, str]:
    """Every generated page with the text it should have."""
    return {
        DOCS / "cli.md": cli_page(),
        DOCS / "errors.md": errors_page(),
        DOCS / "attacks.md": _between(DOCS / "attacks.md", attack_table()),
        DOCS / "plan.md": _between(DOCS / "plan.md", plan_tables()),
        DOCS / "python.md": _between(DOCS / "python.md", f"{functions()}\n\n{classes()}"),
        DOCS / "plan.schema.json": json.dumps(_schema(), indent=1) + "\n",
        **runpy.run_path(str(DOCS / "house.py"))["pages"](),
    }


def _between(page: Path, text: str) -> str:
    """The page with a new text between its two comments."""
    head, rest = page.read_text(encoding="utf-8").split(BEGIN, 1)
    return f"{head}{BEGIN}\n\n{text.strip()}\n\n{END}{rest.split(END, 1)[1]}"


def _table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())


# The command line


def cli_page() -> str:
    """A section for each command, from the same texts as --help."""
    import typer

    from incrowd import cli

    whole = typer.main.get_command(cli.load())
    parts = [
        "# The command line",
        NOTE,
        _one_line(whole.help or ""),
        "Every command has `--help` (or `-h`). Results go to standard output, progress and faults to standard error. "
        "A command that measures has `--json`. Shell completion is left out on purpose.",
        _table(
            ["exit code", "means"],
            [
                ["0", "done; what was asked for holds"],
                ["1", "something unexpected, or no room on the disk"],
                ["2", "a fault in the plan, the data, the secret or the options ([errors](errors.md))"],
                ["3", "a requirement does not hold: nothing is released"],
                ["130", "stopped by Ctrl-C"],
            ],
        ),
        *_commands(whole, "incrowd"),
    ]
    return "\n\n".join(parts) + "\n"


def _commands(group: Any, path: str) -> Iterator[str]:
    known = {name: number for number, name in enumerate(ORDER)}
    for name, command in sorted(group.commands.items(), key=lambda each: (known.get(each[0], len(known)), each[0])):
        if getattr(command, "hidden", False):
            continue
        here = f"{path} {name}"
        yield f"## {here}"
        if command.help:
            yield "\n\n".join(_one_line(part) for part in inspect.cleandoc(command.help).split("\n\n"))
        if hasattr(command, "commands"):
            yield from _commands(command, here)
            continue
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        options = [p for p in command.params if p.param_type_name == "option" and "--help" not in p.opts]
        words = [p.name.upper() if p.required else f"[{p.name.upper()}]" for p in arguments]
        needed = [f"{max(p.opts, key=len)} ..." for p in options if p.required]
        rest = ["[OPTIONS]"] if len(needed) < len(options) else []
        yield f"```text\n{' '.join([here, *words, *needed, *rest])}\n```"
        rows = [[f"`{p.name.upper()}`", "", _one_line(p.help or "")] for p in arguments]
        rows += [[", ".join(f"`{opt}`" for opt in p.opts), _default(p), _one_line(p.help or "")] for p in options]
        if rows:
            yield _table(["argument or option", "default", "meaning"], rows)


def _default(option: Any) -> str:
    if option.required:
        return "needed"
    if option.default is None or getattr(option, "is_flag", False) or option.default in ((), []):
        return ""
    value = option.default
    return f"`{getattr(value, 'value', value)}`"


# The plan


def _schema() -> dict[str, Any]:
    from incrowd.plan import Plan

    return Plan.model_json_schema(by_alias=True)


def plan_tables() -> str:
    """A table of fields for every part of a plan, in the order in which a reader meets them."""
    schema = _schema()
    parts, seen, queue = [], {"Plan"}, ["Plan"]
    while queue:
        name = queue.pop(0)
        part = schema if name == "Plan" else schema["$defs"][name]
        for used in _refs(part):
            if used not in seen:
                seen.add(used)
                queue.append(used)
        if "properties" in part:
            parts.append(_part(name, part))
    return "\n\n".join(parts)


def _refs(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if "$ref" in node:
            yield node["$ref"].rsplit("/", 1)[1]
        for key, value in node.items():
            if key not in ("$defs", "discriminator"):
                yield from _refs(value)
    elif isinstance(node, list):
        for value in node:
            yield from _refs(value)


def _part(name: str, part: dict[str, Any]) -> str:
    fields, title = part["properties"], f"### {_spaced(name).capitalize()}"
    for kind in ("step", "model", "test"):  # a use case may have a model too
        if kind in fields:
            words = fields[kind].get("enum") or [fields[kind].get("const")]
            title = f"### {kind}: {', '.join(f'`{word}`' for word in words)}"
    if name == "Plan":
        title = "### The plan"
    elif name in ("Data", "Variable", "Release"):
        title = f"### {'variables: each ' if name == 'Variable' else ''}`{name.lower()}`"
    rows = []
    first = sorted(fields.items(), key=lambda each: each[0] not in ("step", "model", "test"))
    for field, what in sorted(first, key=lambda each: each[0] in ("reason", "keys", "where") and len(fields) > 3):
        needed = "needed" if field in part.get("required", []) else _said(what.get("default"))
        words = what.get("description") or PLAIN.get(field, "")
        rows.append([f"`{field}`", _type(what), needed, _one_line(words)])
    intro = _one_line(part.get("description", ""))
    return "\n\n".join(each for each in (title, intro, _table(["field", "holds", "default", "meaning"], rows)) if each)


def _spaced(name: str) -> str:
    """'HierarchyRule' as 'hierarchy rule'; what is planned is called as in the plan."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removeprefix("Planned")).lower()


def _said(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict | list):
        return "none" if not value else "see below"
    return f"`{json.dumps(value) if not isinstance(value, str) else value}`"


def _type(what: dict[str, Any]) -> str:
    if "$ref" in what:
        return _spaced(what["$ref"].rsplit("/", 1)[1])
    if "const" in what:
        return f"`{what['const']}`"
    if "enum" in what:
        return " or ".join(f"`{word}`" for word in what["enum"])
    for union in ("anyOf", "oneOf"):
        if union in what:
            kinds = [_type(each) for each in what[union] if each.get("type") != "null"]
            if len(kinds) > 3:
                return "one of the kinds below"
            # A decimal number may be written as a number or as text; a plan's reader sees a number.
            return "number" if set(kinds) <= {"number", "text"} and len(kinds) == 2 else " or ".join(kinds)
    if what.get("type") == "array":
        return f"list of {_type(what.get('items', {}))}"
    if what.get("type") == "object":
        inside = what.get("additionalProperties")
        return f"name: {_type(inside)}" if isinstance(inside, dict) else "fields"
    words = {"string": "text", "integer": "whole number", "number": "number", "boolean": "true or false"}
    text = words.get(str(what.get("type")), "anything")
    limits = {"minimum": "≥", "exclusiveMinimum": ">", "maximum": "≤", "exclusiveMaximum": "<"}
    bounds = [f"{sign} {what[limit]:g}" for limit, sign in limits.items() if limit in what]
    return f"{text} {', '.join(bounds)}".strip()


# The attacks


def attack_table() -> str:
    """A line for every attack: what it says of itself."""
    from incrowd.attack import ATTACKS

    rows = []
    for one in ATTACKS.values():
        tried = ("once" if one.once else "in each scenario") + (", when asked for" if one.on_request else "")
        rows.append([f"`{one.word}`", one.acts, one.needed, tried, one.residual])
    return _table(["word", "the intruder", "needs", "is tried", "measures the residual risk"], rows)


# The errors


def errors_page() -> str:
    """A line for every code in the source, with its message and the way out."""
    found = error_codes()
    families = {
        "P": "Plan: `PlanError`, exit code 2. All faults of a plan are shown at once, each with its line.",
        "D": "Data: `InputError`, exit code 2. The data cannot be read, or does not fit what is said of it.",
        "S": "Secret: `SecretError`, exit code 2. [More on the secret](secret.md).",
        "R": "Release: `NotReleasable`, exit code 3. Nothing is released, and an earlier release stays as it is.",
        "X": "Other: `IncrowdError`, exit code 1.",
    }
    parts = [
        "# Errors",
        NOTE,
        "Every error has a code, a place and, where there is one, a way out. No error shows a value of the data: "
        "counts, line numbers and names of columns only. `…` stands for such a count or name. In Python every error is "
        "an `incrowd.IncrowdError` with `.code`, `.message` and `.hint`; a `PlanError` has `.faults`. With `--json` "
        "a command prints the same as JSON.",
    ]
    for letter, words in families.items():
        codes = sorted(code for code in found if code[0] == letter)
        rows = []
        for code in codes:
            said = [SPOKEN[code]] if code in SPOKEN else list(dict.fromkeys(found[code]))
            messages = list(dict.fromkeys(message for message, _ in said if message))
            hints = list(dict.fromkeys(hint for _, hint in said if hint))
            rows.append([code, "<br>".join(messages), "<br>".join(hints)])
        parts += [f"## {letter}", words, _table(["code", "what is wrong", "the way out"], rows)]
    return "\n\n".join(parts) + "\n"


def error_codes() -> dict[str, list[tuple[str, str]]]:
    """Every error code in the source, with the messages and hints that go with it."""
    found: dict[str, list[tuple[str, str]]] = {code: [] for code in SPOKEN}
    for file in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        said = _Texts(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr):
                # A code at the beginning of a text: 'X001: an unexpected ...'.
                if (match := re.match(r"([DPRSX]\d{3}): (.+)", said.words(node) or "", re.DOTALL)) is not None:
                    found.setdefault(match[1], []).append((_sentence(match[2]), ""))
                continue
            if not isinstance(node, ast.Call | ast.Tuple):
                continue
            parts = node.args if isinstance(node, ast.Call) else node.elts
            for at, part in enumerate(parts):
                if isinstance(part, ast.Constant) and isinstance(part.value, str) and CODE.match(part.value):
                    texts = [said.words(each) or "" for each in parts[at + 1 :]]
                    # A fault names its place between its code and its message.
                    if isinstance(node, ast.Call) and ast.unparse(node.func).lower().endswith("fault"):
                        texts = texts[1:]
                    message, hint = ([*texts, "", ""])[:2]
                    # The engine's complaints are kept as the end of a sentence about a line.
                    subject = "A line " if isinstance(node, ast.Tuple) else ""
                    found.setdefault(part.value, []).append((_sentence(subject + message), _sentence(hint)))
    return found


def _sentence(text: str) -> str:
    text = _one_line(text)
    if text and not text.endswith((".", "?", "…", ")")) and " " in text and not re.search(r": \S+( \S+)?$", text):
        text += "."
    return text[:1].upper() + text[1:] if text[:2] != "--" else text


class _Texts:
    """The texts of a source file, with … for what is filled in at run time."""

    def __init__(self, tree: ast.Module) -> None:
        #: What was last put into a variable, by line: messages and hints are often built before they are used.
        self.assigned = [
            (node.lineno, target.id, node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        ]

    def words(self, node: ast.expr) -> str | None:
        """A text, or None where the source does not tell."""
        match node:
            case ast.Constant():
                return node.value if isinstance(node.value, str) else None
            case ast.JoinedStr():
                parts = (self.words(part) if isinstance(part, ast.Constant) else "…" for part in node.values)
                return "".join(part or "" for part in parts).replace("(s)", "s")
            case ast.BinOp(op=ast.Add()):
                return (self.words(node.left) or "…") + (self.words(node.right) or "…")
            case ast.IfExp():
                return self.words(node.body) or self.words(node.orelse)
            case ast.BoolOp():
                return next((words for words in map(self.words, node.values) if words), None)
            case ast.Call() if "did_you_mean" in ast.unparse(node.func):
                return "Did you mean …?"
            case ast.Name():
                before = [
                    (line, value) for line, name, value in self.assigned if name == node.id and line <= node.lineno
                ]
                return self.words(max(before, key=lambda each: each[0])[1]) if before else None
        return None


# The Python API


def public_functions() -> list[str]:
    """The public functions: the commands in the order of the work, then what they are made of."""
    import typer

    import incrowd
    from incrowd import cli

    groups = typer.main.get_command(cli.load()).commands  # type: ignore[attr-defined]
    words = [
        f"{name} {part}".strip().replace("-", "_").replace(" ", "_")
        for name in sorted(groups, key=ORDER.index)
        for part in getattr(groups[name], "commands", [""])
    ]
    return [*words, *(name for name in incrowd.__all__ if inspect.isfunction(_public(name)) and name not in words)]


def functions() -> str:
    """Every public function: how it is called, what it does, and an example that a test runs."""
    parts = ["## Functions"]
    for name in public_functions():
        function = _public(name)
        words, _, example = inspect.cleandoc(function.__doc__ or "").partition(">>> ")
        parts += [f"### ic.{name}", f"```text\n{_call(name, function)}\n```"]
        parts += [_one_line(part) for part in words.strip().split("\n\n")]
        parts += [f"```pycon\n>>> {example.strip()}\n```"] if example else []
    return "\n\n".join(parts)


def classes() -> str:
    """Every other public name, with the first words of its docstring."""
    import incrowd

    rows = []
    for name in incrowd.__all__:
        thing = _public(name)
        if isinstance(thing, type):
            first = inspect.cleandoc(thing.__doc__ or "").split("\n\n")[0]
            rows.append([f"`{name}`", "error" if issubclass(thing, Exception) else "class", _one_line(first)])
    return "## Classes\n\n" + _table(["name", "is a", "what for"], rows)


def _public(name: str) -> Any:
    import incrowd

    return getattr(incrowd, name)


def _call(name: str, function: Any) -> str:
    """The names of the arguments with their defaults, and what is given back."""
    words: list[str] = []
    signature = inspect.signature(function)
    for one in signature.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in words:
            words.append("*")
        default = "" if one.default is one.empty else f"={getattr(one.default, '__name__', None) or repr(one.default)}"
        words.append(f"{'**' if one.kind is one.VAR_KEYWORD else ''}{one.name}{default}")
    lines = textwrap.wrap(
        f"ic.{name}({', '.join(words)}) -> {signature.return_annotation}", 110, subsequent_indent="    "
    )
    return "\n".join(lines)


def main() -> int:
    """Write the pages, or say which are out of date."""
    stale = [
        (page, text) for page, text in pages().items() if not page.exists() or page.read_text(encoding="utf-8") != text
    ]
    for page, text in stale:
        if "--check" not in sys.argv:
            page.write_text(text, encoding="utf-8")
        print(f"{'out of date' if '--check' in sys.argv else 'written'}: {page.relative_to(DOCS.parent)}")
    if stale and "--check" in sys.argv:
        print("run: make docs")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
