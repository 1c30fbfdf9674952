"""Read an expression and see that it makes sense. Python's parser splits it up; nothing of it is ever run by Python.

Whatever is not listed here is refused: attributes, indices, calls of anything else, comprehensions, powers.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from fractions import Fraction

from incrowd.errors import did_you_mean
from incrowd.keys.dates import MomentPart, tells
from incrowd.keys.expressions.functions import FUNCTIONS, SPECIAL
from incrowd.keys.expressions.tree import Call, Column, Constant, Expression, ExpressionFault, Kind, Node

LONGEST = 2000
#: So many operators may be inside each other, and so many values there may be in all: what stands between two
#: comparisons is looked at twice, and what stands in that, four times.
DEEPEST, MOST = 50, 2000
_NUMBER = re.compile(r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_TEXT = re.compile(r"""("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')""")
_QUOTED = re.compile(rf"{_TEXT.pattern}|`([^`]*)`")
_ESCAPED = re.compile(r"\\(.)")
_NO_SIGN = re.compile("[\x00\ud800-\udfff]")
_SPACE = re.compile(r"[\n\r\t\f\v]")
_ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARED = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_WORDS = {"number": "a number", "text": "a text", "truth": "a yes or no", "cell": "a column"}


def parse(text: str) -> Expression:
    """Which columns does an expression name, and what does it make of them? Raises ExpressionFault.

    >>> parse("'child' if age < 16 else 'adult'").columns
    ('age',)
    """
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.named: list[str] = []
        self.source = b""
        self.values = 0
        # Columns in backticks become names that Python can read; quoted texts stay as they are.
        self.prefix = "column_"
        while self.prefix in text:
            self.prefix += "_"

    def read(self) -> Expression:
        if len(self.text) > LONGEST:
            raise ExpressionFault(
                "unreadable", f"an expression has at most {LONGEST:,} characters.", "Derive in steps."
            )
        try:
            source = self._for_python()
            self.source = source.encode()
            tree = ast.parse(source, mode="eval").body
            made = self.node(tree, 0)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            hint = "Write it as in Python: weight / (height * height). Column names with other signs go in `backticks`."
            raise ExpressionFault("unreadable", "this is no expression that can be read.", hint) from None
        return Expression(self.text, made)

    def _for_python(self) -> str:
        """The expression on one line, with names that Python knows."""
        parts, at = [], 0
        for found in _QUOTED.finditer(self.text):
            parts.append(_plain(self.text[at : found.start()]))
            at = found.end()
            if found[1] is not None:
                parts.append(_one_text(found[1]))
                continue
            parts.append(f" {self.prefix}{len(self.named)} ")
            self.named.append(found[2])
        return "".join([*parts, _plain(self.text[at:])]).strip()

    def _written(self, tree: ast.expr) -> str:
        """What stands there, as it is written: Python takes some letters for others."""
        return self.source[tree.col_offset : tree.end_col_offset].decode()

    def node(self, tree: ast.expr, depth: int) -> Node:
        if depth > DEEPEST:
            raise ExpressionFault("unreadable", "the expression is too deep to be read.", "Derive it in steps.")
        self.values += 1
        if self.values > MOST:
            raise ExpressionFault("unreadable", "the expression is too large to be worked out.", "Derive it in steps.")
        inside = depth + 1
        match tree:
            case ast.Name():
                return self._column(tree)
            case ast.Constant():
                return self._constant(tree)
            case ast.BinOp(left, op, right) if type(op) in _ARITHMETIC:
                given = tuple(_as(self.node(each, inside), "number") for each in (left, right))
                return Call(_ARITHMETIC[type(op)], given, "number")
            case ast.UnaryOp(ast.USub() | ast.UAdd(), operand):
                number = _as(self.node(operand, inside), "number")
                return number if isinstance(tree.op, ast.UAdd) else Call("negative", (number,), "number")
            case ast.UnaryOp(ast.Not(), operand):
                return Call("not", (_as(self.node(operand, inside), "truth"),), "truth")
            case ast.BoolOp(op, values):
                name = "and" if isinstance(op, ast.And) else "or"
                return Call(name, tuple(_as(self.node(each, inside), "truth") for each in values), "truth")
            case ast.Compare(left, ops, others):
                return self._compared(left, ops, others, inside)
            case ast.IfExp(test, body, other):
                both = _alike([self.node(body, inside), self.node(other, inside)])
                return Call("if", (_as(self.node(test, inside), "truth"), *both), both[0].kind)
            case ast.Call(ast.Name(name), given, []):
                return self._call(name, given, inside)
        raise ExpressionFault(
            "unreadable",
            f"the expression uses something that is not allowed here ({type(tree).__name__.lower()}).",
            "There are + - * / // %, comparisons, in, and, or, not, `a if condition else b`, and functions: "
            f"{', '.join(sorted((*FUNCTIONS, *SPECIAL)))}.",
        )

    def _column(self, tree: ast.Name) -> Column:
        name = self._written(tree)
        return Column(self.named[int(name.removeprefix(self.prefix))] if name.startswith(self.prefix) else name)

    def _constant(self, tree: ast.Constant) -> Constant:
        written = self._written(tree)
        if isinstance(tree.value, str) and tree.kind is None:
            if not _TEXT.fullmatch(written) or _NO_SIGN.search(tree.value):
                hint = "Put a comma between two texts, and one pair of quotation marks around each."
                raise ExpressionFault("unreadable", "a text in the expression is not written plainly.", hint)
            return Constant(tree.value, "text")
        if not _NUMBER.fullmatch(written):
            raise ExpressionFault(
                "unreadable", "a number in the expression is not written plainly.", "Write 0.25 or 1000; 'a text'."
            )
        return Constant(Fraction(written.rstrip(".") if written.endswith(".") else written), "number")

    def _compared(self, left: ast.expr, ops: Sequence[ast.cmpop], others: Sequence[ast.expr], depth: int) -> Node:
        """a < b < c is a < b and b < c."""
        found: list[Node] = []
        for op, right in zip(ops, others, strict=True):
            one = self.node(left, depth)
            if isinstance(op, ast.In | ast.NotIn) and isinstance(right, ast.Tuple | ast.List | ast.Set) and right.elts:
                listed = [self.node(each, depth) for each in right.elts]
                if not all(isinstance(each, Constant) for each in listed):
                    raise ExpressionFault("unreadable", "after in there is a list of values.", 'in ("a", "b")')
                name = "in" if isinstance(op, ast.In) else "not in"
                found.append(Call(name, tuple(_alike([one, *listed])), "truth"))
            elif type(op) in _COMPARED:
                other = self.node(right, depth)
                sign = _COMPARED[type(op)]
                ordered = sign not in ("==", "!=")
                if ordered and "text" in (one.kind, other.kind):
                    hint = "Only numbers have an order: number(x), or of dates days(seen) < days('2024-05-31')."
                    raise ExpressionFault("mismatch", "there is a text where a number is needed.", hint)
                both = [_as(each, "number") for each in (one, other)] if ordered else _alike([one, other])
                found.append(Call(sign, tuple(both), "truth"))
            else:
                raise ExpressionFault(
                    "unreadable", "this comparison is not known.", "There are == != < <= > >= and in."
                )
            left = right
        return found[0] if len(found) == 1 else Call("and", tuple(found), "truth")

    def _call(self, name: str, arguments: Sequence[ast.expr], depth: int) -> Node:
        given = [self.node(each, depth) for each in arguments]
        if name == "missing" and len(given) == 1:
            return Call("missing", (_known(given[0]),), "truth")
        if name == "coalesce" and len(given) >= 2:
            alike = tuple(_known(each) for each in _alike(given))
            return Call("coalesce", alike, alike[0].kind)
        function = FUNCTIONS.get(name)
        if function is None and name not in SPECIAL:
            known = [*FUNCTIONS, *SPECIAL]
            hint = did_you_mean(name, known) or f"There are: {', '.join(sorted(known))}."
            raise ExpressionFault("function", f"there is no function {name!r}.", hint)
        least, most = (1, 1) if name == "missing" else (2, 20) if function is None else (function.least, function.most)
        if function is None or not least <= len(given) <= most:
            many = f"{least}" if least == most else f"{least} to {most}"
            raise ExpressionFault("function", f"{name} takes {many} values.")
        kinds = [function.takes[min(i, len(function.takes) - 1)] for i in range(len(given))]
        if name == "text" and given[0].kind == "number":
            return Call("written", (given[0],), "text")
        if name == "number" and given[0].kind == "text":
            return Call("read", (given[0],), "number")
        _check_fixed(name, given)
        return Call(name, tuple(_as(each, kind) for each, kind in zip(given, kinds, strict=True)), function.gives)


def _plain(part: str) -> str:
    """What stands outside of quotation marks, on one line: a remark would swallow all that follows it."""
    if "#" in part or "\\" in part:
        hint = "An expression has no remarks; names with other signs go in `backticks`."
        raise ExpressionFault("unreadable", "there is a # or a \\ outside of quotation marks.", hint)
    return _SPACE.sub(" ", part)


def _one_text(text: str) -> str:
    """A text in quotation marks, on one line."""
    if _SPACE.search(text) or any(sign not in "\\'\"nrtxuU" for sign in _ESCAPED.findall(text)):
        hint = r"Write \n for a new line, and \\ for a backslash."
        raise ExpressionFault("unreadable", "a text in the expression is not written plainly.", hint)
    return text


def _check_fixed(name: str, given: Sequence[Node]) -> None:
    """The number of decimals and the pattern of dates stand in the expression itself."""
    if len(given) < 2 or name in ("min", "max"):
        return
    last = given[1]
    if name == "round":
        if not isinstance(last, Constant) or last.value not in range(13):
            raise ExpressionFault("mismatch", "round takes a number of decimals from 0 to 12.", "round(bmi, 1)")
        return
    needs: dict[str, MomentPart] = {
        "year": "year", "quarter": "month_of_year", "month": "month_of_year", "hour": "hour",
    }  # fmt: skip
    part = needs.get(name, "weekday")
    if not isinstance(last, Constant) or not isinstance(last.value, str) or not tells(last.value, part):
        message = f"{name} takes how dates are written as its second value, and this does not tell the {name}."
        raise ExpressionFault("mismatch", message, f"{name}(seen, '%d/%m/%Y %H:%M')")


def _as(node: Node, kind: Kind) -> Node:
    """The same where this kind is needed; a column is read as it."""
    if isinstance(node, Column) and kind in ("number", "text"):
        return Column(node.name, kind, kind)
    if isinstance(node, Call) and node.kind == "cell" and kind in ("number", "text"):
        given = tuple(_as(each, kind) if each.kind == "cell" else each for each in node.given)
        return Call(node.name, given, kind)
    if node.kind != kind:
        hint = (
            "number(x) reads a text as a number."
            if kind == "number" and node.kind == "text"
            else (
                "text(x) writes a number as a text."
                if kind == "text" and node.kind == "number"
                else "Compare it with something: age >= 16."
                if kind == "truth"
                else ""
            )
        )
        raise ExpressionFault("mismatch", f"there is {_WORDS[node.kind]} where {_WORDS[kind]} is needed.", hint)
    return node


def _alike(nodes: Sequence[Node]) -> list[Node]:
    """All of one kind: columns follow what they are beside."""
    kinds = {node.kind for node in nodes} - {"cell"}
    if len(kinds) > 1:
        words = " and ".join(sorted(_WORDS[kind] for kind in kinds))
        raise ExpressionFault("mismatch", f"{words} stand side by side.", "text(x) writes a number as a text.")
    if not kinds:
        return list(nodes)
    kind = kinds.pop()
    return [_as(node, kind) for node in nodes]


def _known(node: Node) -> Node:
    """A column as it is, where a code for a missing value is none; so is what is chosen between two."""
    if isinstance(node, Call) and node.name == "if":
        return Call("if", (node.given[0], *map(_known, node.given[1:])), node.kind)
    return Column(node.name, "known", node.kind) if isinstance(node, Column) and node.read == "text" else node
