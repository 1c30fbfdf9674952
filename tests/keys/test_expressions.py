"""Expressions over columns: what plain Python makes of the same tree, and a fault for everything else."""

import math
from fractions import Fraction

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st

from incrowd.keys.expressions import Evaluator, ExpressionFault, parse
from incrowd.keys.expressions.evaluate import written

CELLS = ["0", "1", "-2", "0.5", "007", "1e2", "3.25", " 4", "", None, "-9"]

# A tree of numbers as (text, oracle); the oracle takes a record and gives a Fraction or None.


def _two(sign, work):
    def make(pair):
        (a, one), (b, other) = pair

        def oracle(record):
            x, y = one(record), other(record)
            return None if x is None or y is None else work(x, y)

        return f"({a} {sign} {b})", oracle

    return make


def _cell(name):
    def oracle(record):
        text = record[name]
        return None if text in (None, "", "-9") else Fraction(text.strip())

    return name, oracle


def _choice(parts):
    (a, one), (b, other), (c, third), sign = parts
    tests = {"<": lambda x, y: x < y, "==": lambda x, y: x == y, ">=": lambda x, y: x >= y}

    def oracle(record):
        x, y = one(record), other(record)
        return None if x is None or y is None else (third(record) if tests[sign](x, y) else x)

    return f"({c} if {a} {sign} {b} else {a})", oracle


def _first(pair):
    (a, one), (b, other) = pair
    return f"coalesce({a}, {b})", lambda record: other(record) if one(record) is None else one(record)


LEAVES = st.sampled_from([_cell("a"), _cell("b")]) | st.integers(0, 5).map(
    lambda n: (str(n), lambda record: Fraction(n))
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(_two("+", lambda x, y: x + y)),
        st.tuples(inner, inner).map(_two("-", lambda x, y: x - y)),
        st.tuples(inner, inner).map(_two("*", lambda x, y: x * y)),
        st.tuples(inner, inner).map(_two("/", lambda x, y: x / y if y else None)),
        st.tuples(inner, inner).map(_two("//", lambda x, y: Fraction(math.floor(x / y)) if y else None)),
        st.tuples(inner, inner).map(_two("%", lambda x, y: x % y if y else None)),
        st.tuples(inner, inner, inner, st.sampled_from(["<", "==", ">="])).map(_choice),
        st.tuples(inner, inner).map(_first),
    ),
    max_leaves=8,
)


@settings(max_examples=examples(300))
@given(TREES, st.sampled_from(CELLS), st.sampled_from(CELLS))
def test_numbers_are_what_exact_arithmetic_says(tree, a, b):
    text, oracle = tree
    record = {"a": a, "b": b}
    expression = parse(text)
    found = Evaluator(expression, {"a": ("-9",), "b": ("-9",)})([record[name] for name in expression.columns])
    if expression.tree.kind == "cell":
        return  # a column as it is: no number was asked for
    expected = oracle(record)
    assert found in ("-", "0") if expected is None else found == f"={written(expected)}", text


@settings(max_examples=examples(200))
@given(st.fractions(min_value=-(10**18), max_value=10**18, max_denominator=10**9))
def test_a_number_is_written_as_near_as_15_digits_are(number):
    text = written(number)
    assert abs(Fraction(text) - number) <= abs(number) * Fraction(1, 10**14) or Fraction(text) == number
    assert "e" not in text.lower()
    assert text == written(Fraction(text)), "what is written is read as the same"
    assert not text.startswith("-0") or "." in text
    if number.denominator == 1:
        assert text == str(number.numerator)


@pytest.mark.parametrize(
    ("expression", "cells", "result"),
    [
        ("0.1 + x * 2", ["0.1"], "=0.3"),
        ("x / 3", ["2"], "=0.666666666666667"),
        ("x * 3 == 1 or missing(x)", ["0.1"], "=false"),
        ("round(x, 1)", ["2.25"], "=2.3"),
        ("round(x)", ["-2.5"], "=-3"),
        ("'yes' if x in ('a', 'b') else 'no'", ["b"], "=yes"),
        ("x not in (1, 2)", ["2.0"], "=false"),
        ("x == '2'", ["2.0"], "=false"),
        ("x == 2", ["2.0"], "=true"),
        ("missing(x)", ["-9"], "=true"),
        ("x == '-9'", ["-9"], "=true"),
        ("coalesce(x, 'none')", ["-9"], "=none"),
        ("coalesce(x if y == 'a' else y, 'none')", ["a", "-9"], "=none"),
        ("missing(x if y == 'a' else y)", ["a", "-9"], "=true"),
        ("x + 1", ["-9"], "-"),
        ("x + 1", ["abc"], "!"),
        ("x + 1", ["NaN"], "!"),
        ("x + 1", ["1e999"], "!"),
        ("x + 1", ["٣"], "!"),
        ("x * x", ["9e60"], "!"),  # no amount of anything, and no exception
        ("1 / x", ["0.0"], "0"),
        ("1 / x > 1 or x == 0", ["0"], "=true"),
        ("coalesce(1 / x, 7)", ["0"], "=7"),
        ("'a' if x > 1 else 'b'", [None], "-"),
        ("not x > 1 and x < 5", [None], "-"),
        ("x > 5 and missing(x)", [None], "-"),
        ("0 < x <= 5", ["5"], "=true"),
        ("min(x, 3) + max(x, 3)", ["9"], "=12"),
        ("year(x) * 100 + month(x)", ["2024-05-31"], "=202405"),
        ("weekday(x) in ('Saturday', 'Sunday')", ["2024-06-01"], "=true"),
        ("days(x) - days('2024-05-31')", ["2024-06-02"], "=2"),
        ("hour(x, '%d/%m/%Y %H:%M')", ["31/05/2024 17:45"], "=17"),
        ("hour(x)", ["2024-05-31"], "!"),
        ("`x y` + `a b`", ["1", "2"], "=3"),
        ("'`x`' if x == 'q' else \"it's\"", ["q"], "=`x`"),
        ("text(x * 2)", ["1.50"], "=3"),
        ("number(coalesce(x, '5')) + 1", [None], "=6"),
        ("x", [" as it is "], "= as it is "),
        ("-x // 2", ["5"], "=-3"),
        ("floor(-x) + ceil(x) + abs(-x)", ["1.5"], "=1.5"),
    ],
)
def test_what_an_expression_gives(expression, cells, result):
    read = parse(expression)
    assert Evaluator(read, {"x": ("-9",)})(cells) == result


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("__import__('os').system('x')", "unreadable"),
        ("x.real", "unreadable"),
        ("x[0]", "unreadable"),
        ("x ** 99999999", "unreadable"),
        ("[y for y in x]", "unreadable"),
        ("lambda: 1", "unreadable"),
        ("f'{x}'", "unreadable"),
        ("(y := x)", "unreadable"),
        ("x if", "unreadable"),
        ("x = 1", "unreadable"),
        ("x + 1j", "unreadable"),
        ("x + 0x1F", "unreadable"),
        ("x is None", "unreadable"),
        ("x in y", "unreadable"),
        ("x\0", "unreadable"),
        ("(" * 300 + "x" + ")" * 300, "unreadable"),
        ("-" * 1000 + "x", "unreadable"),
        ("x + 1 " * 400, "unreadable"),
        ("", "unreadable"),
        ("flor(x)", "function"),
        ("round(x, 1, 2)", "function"),
        ("eval('x')", "function"),
        ("x + 'a'", "mismatch"),
        ("x < 'b'", "mismatch"),
        ("x + 1 == 'a'", "mismatch"),
        ("'a' if x else 'b'", "mismatch"),
        ("x and y", "mismatch"),
        ("1 if x == 1 else 'b'", "mismatch"),
        ("round(x, y)", "mismatch"),
        ("hour(x, '%d/%m/%Y')", "mismatch"),
        ("x in (1, 'a')", "mismatch"),
        ("`a`1 + 1", "unreadable"),  # no second column, and no exception
        ("`a`1 + `b`", "unreadable"),
        ("`a`_1 + `b`", "unreadable"),
        ("x`a` + 1", "unreadable"),
        ("x # the first\n + y", "unreadable"),  # a remark would swallow the rest
        ("x \\\n + y", "unreadable"),
        ("x in ('a' 'b', 'c')", "unreadable"),  # a comma is missing
        ("'''it's `x`''' == x", "unreadable"),
        ("r'a' == x", "unreadable"),
        ("x == 'a\nb'", "unreadable"),
        ("x == '\\d'", "unreadable"),
        ("\ufeffx + 1", "unreadable"),
        (r"'\x00' if x > 1 else 'b'", "unreadable"),  # no file can hold it
        (r"'\ud800' if x > 1 else 'b'", "unreadable"),
        ("year(x, '%Y %Y')", "mismatch"),
    ],
)
def test_what_makes_no_sense_is_a_fault(expression, kind):
    with pytest.raises(ExpressionFault) as fault:
        parse(expression)
    assert fault.value.kind == kind
    if expression == "flor(x)":
        assert "floor" in fault.value.hint


def test_what_is_compared_twice_does_not_double_without_end():
    """A comparison in the middle of a comparison, again and again: 2 ** 40 values in 1,000 characters."""
    nested = "(0 < x)"
    for _ in range(40):
        nested = f"((0 < x) == {nested} == (0 < x))"
    with pytest.raises(ExpressionFault, match="too large"):
        parse(nested)
    assert Evaluator(parse("16 <= x // 12 < 65"))(["240"]) == "=true"


def test_texts_may_say_what_a_line_cannot():
    assert Evaluator(parse("x == 'a\\nb'"))(["a\nb"]) == "=true"
    assert Evaluator(parse("'#' if x == '\\\\' else 'no'"))(["\\"]) == "=#"
    assert Evaluator(parse("(x +\n  `größe, cm`)\n * 2"))(["1", "2"]) == "=6"
