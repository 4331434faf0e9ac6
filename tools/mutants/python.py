"""Mutants of Python: comparisons, conditions, numbers, arithmetic, guards, calls and results."""

import ast
from collections.abc import Iterator

from tools.mutants.change import Mutant

_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.In: "not in",
    ast.NotIn: "in",
    ast.Is: "is not",
    ast.IsNot: "is",
}
_COMPUTED: dict[type[ast.operator], str] = {
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "//",
    ast.FloorDiv: "*",
    ast.Div: "*",
    ast.Mod: "*",
    ast.BitOr: "&",
    ast.BitAnd: "|",
}
_SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any"}
_SHAPES = {"frozen", "gc", "slots", "strict", "kw_only", "bound", "maxsize", "single"}
"""Keywords that say how objects lie in memory, who may change them, how they are made, what they
are taken to be or how fast they are read, not what they do."""

_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break)
Change = tuple[int, int, str]


def mutants(path: str, source: bytes) -> list[Mutant]:
    """Every mutant of a module, in the order of its text."""
    changes = _Changes(source).within(ast.parse(source))
    found = [Mutant(path, start, end, new.encode()) for start, end, new in changes]
    return sorted(one for one in found if one.of(source) != source)


class _Changes:
    """The changes of one source: first byte, last byte, what stands there instead."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._starts = [0]
        for line in source.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def within(self, node: ast.AST) -> Iterator[Change]:
        """Those of a node and of all that is in it."""
        if isinstance(node, ast.stmt):
            yield from self._of_statement(node)
        elif isinstance(node, ast.expr):
            yield from self._of_expression(node)
        for child in _children(node):
            yield from self.within(child)

    def _span(self, node: ast.expr | ast.keyword | ast.stmt) -> tuple[int, int]:
        start = self._starts[node.lineno - 1] + node.col_offset
        return start, self._starts[(node.end_lineno or 0) - 1] + (node.end_col_offset or 0)

    def _text(self, node: ast.expr) -> str:
        start, end = self._span(node)
        return self._source[start:end].decode()

    def _between(self, left: ast.expr, right: ast.expr, old: str, new: str) -> Change:
        start, end = self._span(left)[1], self._span(right)[0]
        return start, end, self._source[start:end].decode().replace(old, new, 1)

    def _of_statement(self, node: ast.stmt) -> Iterator[Change]:
        match node:
            case ast.If() | ast.While():
                yield from self._negated(node.test)
                if isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVES):
                    yield from self._without_a_guard(node)
            case ast.Return(value=ast.expr()) if not _is_false(node.value):
                yield *self._span(node), "return None"
            case ast.Expr(value=ast.Call() | ast.Await()):
                yield *self._span(node), "pass"
            case _:
                pass

    def _of_expression(self, node: ast.expr) -> Iterator[Change]:
        match node:
            case ast.Compare():
                sides = [node.left, *node.comparators]
                for left, operator, right in zip(sides, node.ops, sides[1:], strict=False):
                    yield self._between(left, right, _symbol(operator), _COMPARED[type(operator)])
            case ast.BoolOp():
                yield from self._without_a_condition(node)
            case ast.UnaryOp(op=ast.Not()):
                yield *self._span(node), f"({self._text(node.operand)})"
            case ast.IfExp():
                yield from self._negated(node.test)
            case ast.Constant(value=bool()):
                yield *self._span(node), str(not node.value)
            case ast.Constant(value=int(number)):
                yield *self._span(node), str(number + 1)
                yield *self._span(node), str(number - 1)
            case ast.BinOp() if type(node.op) in _COMPUTED:
                computed = _COMPUTED[type(node.op)]
                yield self._between(node.left, node.right, _symbol(node.op), computed)
            case ast.Call():
                yield from self._call(node)
            case _:
                pass

    def _negated(self, test: ast.expr) -> Iterator[Change]:
        if not isinstance(test, ast.Compare | ast.UnaryOp):  # those have mutants of their own
            yield *self._span(test), f"(not ({self._text(test)}))"

    def _without_a_guard(self, node: ast.If) -> Iterator[Change]:
        if not node.orelse:
            yield *self._span(node), "pass"

    def _without_a_condition(self, node: ast.BoolOp) -> Iterator[Change]:
        word = " and " if isinstance(node.op, ast.And) else " or "
        values = [f"({self._text(value)})" for value in node.values]
        for left_out in range(len(values)):
            rest = word.join(values[:left_out] + values[left_out + 1 :])
            yield *self._span(node), f"({rest})"
        other = " or " if word == " and " else " and "
        yield *self._span(node), f"({other.join(values)})"

    def _call(self, node: ast.Call) -> Iterator[Change]:
        if isinstance(node.func, ast.Name) and node.func.id in _SWAPPED:
            yield *self._span(node.func), _SWAPPED[node.func.id]
        elif len(node.args) > 1 and not any(isinstance(one, ast.Starred) for one in node.args[:2]):
            first, second = node.args[:2]
            (start, _), (_, end) = self._span(first), self._span(second)
            yield start, end, f"{self._text(second)}, {self._text(first)}"
        before: list[ast.expr | ast.keyword] = [node.func, *node.args]
        for keyword in node.keywords:
            if keyword.arg not in {None, *_SHAPES} and len(before) > 1:
                yield self._span(before[-1])[1], self._span(keyword)[1], ""
            before.append(keyword)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What of a node can be changed: no annotation, no line for the log, and nothing within an
    f-string, of which Python 3.11 does not know the places."""
    if isinstance(node, ast.JoinedStr):
        return
    annotations = {getattr(node, "annotation", None), getattr(node, "returns", None)}
    for child in ast.iter_child_nodes(node):
        shape = isinstance(child, ast.keyword) and child.arg in _SHAPES
        if child not in annotations and not shape and not _logs(child):
            yield child


def _is_false(value: ast.expr | None) -> bool:
    """Whether this is no more true or false than None."""
    return isinstance(value, ast.Constant) and not value.value


def _logs(node: ast.AST) -> bool:
    """Whether this only writes to the log."""
    return ast.unparse(node).startswith("log.") if isinstance(node, ast.Expr) else False


def _symbol(operator: ast.cmpop | ast.operator) -> str:
    """The operator as it is written."""
    a = ast.Name("a")
    if isinstance(operator, ast.cmpop):
        return ast.unparse(ast.Compare(a, [operator], [a]))[2:-2]
    return ast.unparse(ast.BinOp(a, operator, a))[2:-2]
