"""Finds the operation of a path, in time that does not grow with the number of routes."""

from typing import NamedTuple

from stoa.operations.table import Operation

_ANY = "{}"


class Found(NamedTuple):
    """The operations of a path by method, and the values of its braces in order."""

    methods: dict[str, Operation]
    values: tuple[str, ...]


class _Node:
    """A place in the tree of path segments."""

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.methods: dict[str, Operation] = {}


class Router:
    """A tree of path segments; a fixed segment goes before a braced one."""

    def __init__(self, operations: list[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            node = self._root
            for segment in operation.path.split("/"):
                key = _ANY if segment.startswith("{") else segment
                node = node.children.setdefault(key, _Node())
            node.methods[operation.method] = operation

    def find(self, path: str) -> Found | None:
        """The operations at `path`, or None when there are none."""
        node = self._root
        values: list[str] = []
        for segment in path.split("/"):
            child = node.children.get(segment)
            if child is None:
                child = node.children.get(_ANY)
                if child is None or not segment:
                    return None
                values.append(segment)
            node = child
        return Found(node.methods, tuple(values)) if node.methods else None
