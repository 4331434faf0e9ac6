"""Finds the operation of a path, in time that does not grow with the number of routes."""

import difflib
import re

import msgspec

from stoa.operations.table import Operation

_API = "/api/v1/"
_PATH_CHARS = 500
_SEGMENT_CHARS = 40
_ALIKE = 0.65
"""How alike a misspelling is: more than `receipt` and `request` are to `reject`."""


class RouteMatch(msgspec.Struct, frozen=True, gc=False):
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
            if segment not in self.children:
                self.children[segment] = _Node()
            return self.children[segment]
        self.braced = self.braced or _Node()
        return self.braced

    def near(self, segment: str) -> "_Node | None":
        """The child for a segment, or for the fixed one that it may be a misspelling of: one with
        the same first letter, as `unassign` is no misspelling of `assign`."""
        alike = [name for name in self.children if name[0] == segment[0]]
        close = difflib.get_close_matches(segment[:_SEGMENT_CHARS], alike, 1, _ALIKE)
        return self.children[close[0]] if close else self.braced

    def first(self) -> dict[str, Operation]:
        """The operations here, or else at a place below that has some: if any is one segment away,
        at that one."""
        if self.methods:
            return self.methods
        below = [*self.children.values()]
        if self.braced:
            below.insert(0, self.braced)
        return next((child for child in below if child.methods), below[0]).first()


class Router:
    """A tree of path segments; a fixed segment goes before a braced one."""

    def __init__(self, operations: list[Operation]) -> None:
        self._api = _Node()
        for operation in operations:
            node = self._api
            for segment in operation.path.removeprefix(_API).split("/"):
                node = node.grow(segment)
            node.methods[operation.method] = operation
        self._fixed: dict[str, RouteMatch] = {}
        for operation in operations:
            if not operation.path_fields and (found := self.find(operation.path)):
                self._fixed[operation.path] = found

    def find(self, path: str) -> RouteMatch | None:
        """The operations at `path`, or None when there are none."""
        fixed = self._fixed.get(path)
        if fixed:
            return fixed
        if not path.startswith(_API):
            return None
        node = self._api
        values: list[str] = []
        for segment in path[len(_API) :].split("/"):
            child = node.children.get(segment)
            if child is None:
                child = node.braced
                if child is None or not segment:
                    return None
                values.append(segment)
            node = child
        return RouteMatch(node.methods, tuple(values)) if node.methods else None

    def nearest(self, path: str, method: str) -> RouteMatch | None:
        """The operations nearest to a path of the API that has none: empty segments and another
        version are left out, and misspelt segments corrected. Where that leads nowhere, or who
        reads to a write, what is read above it, as a write there does something else. None if
        nothing is read there. Only the beginning of a long path is looked at."""
        node, values = self._api, list[str]()
        above: RouteMatch | None = None
        is_whole, is_corrected = True, False
        for segment in _below_api(path):
            child = node.near(segment)
            if child is None:
                is_whole = False
                break
            if child is node.braced:
                values.append(segment)
            is_corrected |= child not in (node.braced, node.children.get(segment))
            node = child
            above = _reading(node.methods, values) or above
        if node is self._api:
            return None
        is_another = is_corrected and method in ("GET", "HEAD") and "GET" not in node.first()
        if is_whole and (node.methods or not above) and not is_another:
            return RouteMatch(node.first(), tuple(values))
        return above or _reading(node.first(), values)


def _reading(methods: dict[str, Operation], values: list[str]) -> RouteMatch | None:
    """What is read at a place, if anything is."""
    read = methods.get("GET")
    return RouteMatch({"GET": read}, tuple(values)) if read else None


def _below_api(path: str) -> list[str]:
    """The segments of a path below `/api/v1`, whatever its version is and in lower case."""
    segments = [part for part in path[:_PATH_CHARS].lower().split("/") if part][1:]
    is_version = segments and re.fullmatch(r"v\d*", segments[0])
    return segments[1:] if is_version else segments
