"""Finds the operation of a path, in time that does not grow with the number of routes."""

from typing import NamedTuple

from stoa.operations.table import Operation


class Found(NamedTuple):
    """The operations of a path by method, and the values of its braces in order."""

    methods: dict[str, Operation]
    values: tuple[str, ...]


class _Node:
    """A place in the tree of path segments; `braced` is the child for any segment."""

    def __init__(self) -> None:
        self.children: dict[str, _Node] = {}
        self.braced: _Node | None = None
        self.methods: dict[str, Operation] = {}

    def grow(self, segment: str) -> "_Node":
        """The child for a segment of a declared path, made when it is new."""
        if not segment.startswith("{"):
            return self.children.setdefault(segment, _Node())
        self.braced = self.braced or _Node()
        return self.braced


class Router:
    """A tree of path segments; a fixed segment goes before a braced one."""

    def __init__(self, operations: list[Operation]) -> None:
        self._root = _Node()
        for operation in operations:
            node = self._root
            for segment in operation.path.split("/"):
                node = node.grow(segment)
            node.methods[operation.method] = operation

    def find(self, path: str) -> Found | None:
        """The operations at `path`, or None when there are none."""
        node = self._root
        values: list[str] = []
        for segment in path.split("/"):
            child = node.children.get(segment)
            if child is None:
                child = node.braced
                if child is None or not segment:
                    return None
                values.append(segment)
            node = child
        return Found(node.methods, tuple(values)) if node.methods else None
