"""A small language of expressions over columns: `parse` reads and types one, `evaluator` carries it out on texts."""

from incrowd.keys.expressions.evaluate import Evaluator
from incrowd.keys.expressions.parse import parse
from incrowd.keys.expressions.tree import Expression, ExpressionFault

__all__ = ["Evaluator", "Expression", "ExpressionFault", "parse"]
