"""The refusals of a path that no operation has, and of a method that a path does not take."""

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl

from stoa.domain import ids
from stoa.domain.errors import Refusal
from stoa.domain.wishes import Wish, own_list, wished, words_of
from stoa.domain.words import says_little
from stoa.http.answering import method_not_allowed
from stoa.operations.finding import does, known_as, meant
from stoa.operations.table import TABLE, Operation
from stoa.rest.router import RouteMatch

_PATH_CHARS = 500
_IS_WORDS = re.compile("[A-Za-z_-]{2,}")
_OF_ITSELF = frozenset(words_of("operations endpoints routes methods tools docs help spec swagger"))
"""Words for what the service says of itself."""
_ASKS: dict[str, str] = {"DELETE": "delete", "PUT": "edit", "PATCH": "edit"}
"""What a method that no operation has asks for."""
_DOES: dict[str, str] = {"POST": "create", "GET": "get"}
"""What another method may do at a path."""
_NOUNS = {prefix: noun for noun, prefix in ids.PREFIXES.items()}
_ALL = "Call GET /llms.txt, which names every operation in a line."


def unknown_path(
    path: str, query: bytes, method: str, near: RouteMatch | None, operations: Iterable[Operation]
) -> Refusal:
    """404 that names the operation nearest to what the path asks for, or `/llms.txt`. Of a path
    that asks for operations the query says for which."""
    slash = ", which ends with a slash" if path.endswith("/") else ""
    message = f"Nothing exists at this path{slash}."
    asked = _words_in(path)
    words = words_of(asked)
    own = own_list(words, _agent_in(path)) if method == "GET" else None
    by_name = near is None or ((method == "DELETE" or does(asked)) and not slash)
    reads_near = method == "GET" and near is not None and method in near.methods
    if own:
        recovery = own
    elif method not in _ASKS and not slash and (known := known_as(asked, _DOES.get(method, ""))):
        recovery = f"Call {_named(known, path)}, which does that here."
    elif wish := wished(_words_of(path, method)):
        recovery = not_granted(wish)
    elif words and words[-1] in _OF_ITSELF:
        recovery = _operations(query, operations)
    elif (
        by_name
        and (named := _meant(path, method, operations))
        and not (reads_near and named.writes)
    ):
        recovery = f"Call {_named(named, path)}, which has the nearest name."
    elif near is None:
        recovery = _ALL
    else:
        operation = near.methods.get(method) or next(iter(near.methods.values()))
        recovery = f"Call {_named(operation, path)}, which has the nearest path."
    return Refusal("not_found", message, recovery=recovery)


def _meant(path: str, method: str, operations: Iterable[Operation]) -> Operation | None:
    """The operation that a path may mean: of this method if there is one, and one that needs as
    many ids as the path has."""
    given = sum(ids.prefix_of(part) is not None for part in path[:_PATH_CHARS].split("/"))
    deed = "delete/" if method == "DELETE" else ""
    found = meant(deed + _words_in(path), operations)
    found.sort(key=lambda one: (one.method != method, abs(len(one.path_fields) - given)))
    return found[0] if found else None


def _operations(query: bytes, operations: Iterable[Operation]) -> str:
    """The operations that a query may mean, or where all are."""
    given = parse_qsl(query[:_PATH_CHARS].decode("latin-1"))
    words = [word for _, value in given for word in words_of(value) if not says_little(word)]
    if wish := wished(words):
        return not_granted(wish)
    named = " ".join(words)
    known = known_as(named)
    found = [known] if known else meant(named, operations)
    if not found:
        return _ALL
    calls = " or ".join(map(_named, found))
    return f"Call {calls}: GET /llms.txt names every operation in a line."


def not_granted(wish: Wish) -> str:
    """Why what is asked for is not granted, and what comes nearest."""
    return f"Call {_named(TABLE[wish.nearest])} {wish.to}: {wish.because}."


def _words_of(path: str, method: str) -> list[str]:
    return words_of(f"{_ASKS.get(method, '')} {_words_in(path)}")


def _agent_in(path: str) -> str:
    """The id of an agent that a path has."""
    parts = path[:_PATH_CHARS].split("/")
    return next((part for part in parts if ids.prefix_of(part) == "ag"), "")


def _words_in(path: str) -> str:
    """The path without its ids."""
    return "/".join(part for part in path[:_PATH_CHARS].split("/") if _IS_WORDS.fullmatch(part))


def wrong_method(
    found: RouteMatch, path: str, method: str, operations: Iterable[Operation]
) -> Refusal:
    """405 that names the methods of the path, and the operations that they stand for or what comes
    nearest to what the method asks for. Where an id belongs may stand what is to be done."""
    methods = found.methods
    allowed = [*methods, "HEAD", "OPTIONS"] if "GET" in methods else [*methods, "OPTIONS"]
    wish = wished(_words_of(path, method))
    known = known_as(_words_in(path), _DOES.get(method, ""))
    calls = " or ".join(_named(operation, path) for operation in methods.values())
    name = path.rpartition("/")[2]
    by_name = name in found.values and _IS_WORDS.fullmatch(name)
    named = _meant(path, method, operations) if by_name else None
    if named and (named.method == method or does(name)):
        calls = _named(named, path)
    if known:
        calls = _named(known, path)
    return method_not_allowed(allowed, not_granted(wish) if wish else f"Call {calls}.")


def _named(operation: Operation, asked: str = "") -> str:
    """The operation's tool, method and path, in which the ids of the path stand that was asked."""
    path = operation.path
    for part in asked[:_PATH_CHARS].split("/"):
        if prefix := ids.prefix_of(part):
            path = path.replace(f"{{{_NOUNS[prefix]}Id}}", part)
    call = f"{operation.method} {path}"
    return f"`{operation.tool}` ({call})" if operation.tool else call
