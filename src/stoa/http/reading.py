"""Reads received bytes into plain values, and refuses those that cannot be read safely."""

import codecs
import json
from collections.abc import Iterable, Iterator
from decimal import Decimal
from operator import itemgetter, methodcaller
from typing import Any, cast
from urllib.parse import parse_qsl

from stoa.domain import limits
from stoa.domain.errors import InputIssue, Refusal, invalid_field
from stoa.http.answering import RequestRefusal
from stoa.http.wire import ArrivedBody, Headers, Receive
from stoa.schemas.validation import GivenTwice, Shape, Values

_QUERY_FIELDS = 100
_NAME_CHARS = 80
_CLOSE = (b"connection", b"close")
_JSON = b"application/json"


async def body_bytes(receive: Receive, headers: Headers, media_type: bytes = _JSON) -> bytes:
    """The whole body. 413 over 1 MiB, 408 when the connection says that it does not arrive in time,
    415 when it is encoded or of another type."""
    length = headers.get(b"content-length", b"0")
    if length.isdigit() and int(length[:20]) > limits.BODY_BYTES:
        raise RequestRefusal("payload_too_large", _CLOSE)
    body = receive.take() if isinstance(receive, ArrivedBody) else None
    if body is None:
        body = await _receive_all(receive)
    if len(body) > limits.BODY_BYTES:
        raise RequestRefusal("payload_too_large", _CLOSE)
    if body:
        _check_media_type(headers, media_type)
    return body


async def _receive_all(receive: Receive) -> bytes:
    """The whole body, or so much of it that it is too large."""
    chunks: list[bytes] = []
    size, more = 0, True
    while more and size <= limits.BODY_BYTES:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestRefusal("request_timeout", _CLOSE)
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        chunks.append(chunk)
        more = message.get("more_body", False)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _check_media_type(headers: Headers, wanted: bytes) -> None:
    given = headers.get(b"content-type", b"")
    if given == wanted and b"content-encoding" not in headers:
        return
    media_type, *parameters = given.lower().split(b";")
    if b"content-encoding" in headers or media_type.strip() != wanted:
        raise _wrong_media_type(wanted)
    for parameter in parameters:
        name, _, value = parameter.partition(b"=")
        if name.strip() == b"charset" and value.strip(b'" ') not in (b"utf-8", b"utf8"):
            raise _wrong_media_type(wanted)


def _wrong_media_type(wanted: bytes) -> Refusal:
    if wanted == _JSON:
        return Refusal("unsupported_media_type")
    return Refusal(
        "unsupported_media_type",
        "The request body is not declared as a plain form in UTF-8.",
        recovery="Send the call again with `Content-Type: application/x-www-form-urlencoded` and "
        "without `Content-Encoding`.",
    )


def parse_json(body: bytes, most: int = limits.JSON_VALUES) -> Any:
    """JSON as plain values, decimals exact.

    A byte order mark in front is skipped (RFC 8259, 8.1).
    400 for what is not JSON, duplicate keys, nesting over 32, more members and items than `most`,
    which any call has, NaN and Infinity, invalid UTF-8, lone surrogates and U+0000.
    """
    body = body.removeprefix(codecs.BOM_UTF8)
    brackets = body.count(b"{") + body.count(b"[")
    if len(body) > most and _is_crowded(body, brackets, most):
        raise invalid_field("", _TOO_MANY.format(most=most))
    try:
        text = body.decode()
        value = _read(text)
    except RecursionError:
        raise invalid_field("", _TOO_DEEP) from None
    except UnicodeDecodeError:
        raise invalid_field("", "Must be UTF-8, without bytes that break it.") from None
    except (ValueError, ArithmeticError) as error:
        raise invalid_field("", _json_problem(error)) from None
    if brackets > limits.JSON_DEPTH:
        _check_depth(body)
    if "\\u" in text:
        check_text(value)
    return value


_TOO_MANY = "Must hold at most {most:,} members and items: send less with one call."
_TOO_DEEP = f"Must not nest lists and objects more than {limits.JSON_DEPTH} deep."


_BROKEN = {
    "Expecting value": "a value is missing",
    "Expecting property name enclosed in double quotes": "a name in double quotes is missing",
    "Expecting ':' delimiter": "a colon is missing",
    "Expecting ',' delimiter": "a comma is missing",
    "Unterminated string starting at": "a text begins that does not end",
    "Extra data": "there is more after the end",
}
"""What is wrong, by the words of the parser."""
_UNREADABLE = "there is something that cannot be read"


def _json_problem(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"Must be JSON: at character {error.pos} {_BROKEN.get(error.msg, _UNREADABLE)}."
    return (
        str(error)
        if isinstance(error, _Unreadable)
        else "Must not hold a number that is too large to read, such as 1e999999999."
    )


class _Unreadable(ValueError):
    """JSON that has more than one reading."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _Unreadable("Must name each member of an object once: leave one of the two out.")
    return value


def _refuse_constant(name: str) -> Any:
    raise _Unreadable(f"Must not hold {name}, which is not JSON: use a number or null.")


_read = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Decimal, parse_constant=_refuse_constant
).decode


def _children(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        yield from value.values()
        yield from value
    elif isinstance(value, list):
        yield from value


_NO_TEXT = "Must not hold U+0000 or a lone surrogate such as U+D800: take it out."
_ALIKE = bytes.maketrans(b"{}", b"[]")
_NO_BRACKETS = bytes(set(range(256)) - set(b"{}[]"))


def _is_crowded(body: bytes, brackets: int, most: int) -> bool:
    """Whether a body has more members and items than `most`, found without making any of them. Each
    stands behind a comma or a bracket, and has two texts at most, of two quotes."""
    if body.count(b",") + brackets <= most:
        return False
    texts = _unescaped(body)
    if texts.count(b'"') > 4 * most:
        return True
    outside = _outside(texts)
    return outside.count(b",") + outside.count(b"[") + outside.count(b"{") > most


def _unescaped(body: bytes) -> bytes:
    """A body in which each quote begins or ends a text."""
    return body.replace(rb"\\", b"").replace(rb"\"", b"")


def _outside(texts: bytes) -> bytes:
    """What stands outside of texts."""
    return b"".join(texts.split(b'"')[::2])


def _check_depth(body: bytes) -> None:
    """400 for JSON that nests too deep. Each round takes the innermost brackets away."""
    brackets = _outside(_unescaped(body)).translate(_ALIKE, _NO_BRACKETS)
    for _ in range(limits.JSON_DEPTH):
        brackets = brackets.replace(b"[]", b"")
    if brackets:
        raise invalid_field("", _TOO_DEEP)


def check_text(value: Any, path: str = "") -> None:
    """400 when a text in `value` holds U+0000 or a lone surrogate."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            if _is_broken(item):
                raise invalid_field(_place_of_broken(value, path), _NO_TEXT)
        else:
            stack.extend(_children(item))


def _place_of_broken(value: Any, path: str) -> str:
    """The path of the first broken text in `value`, or of the object with a broken name."""
    if isinstance(value, str):
        return path
    is_object = isinstance(value, dict)
    named = (
        cast("dict[Any, Any]", value) if is_object else dict(enumerate(cast("list[Any]", value)))
    )
    if any(isinstance(name, str) and _is_broken(name) for name in named):
        return path
    name, inner = next((name, inner) for name, inner in named.items() if _holds_broken(inner))
    step = str(name)[:_NAME_CHARS]
    return _place_of_broken(inner, f"{path}.{step}" if path else step)


def _holds_broken(value: Any) -> bool:
    return (
        _is_broken(value) if isinstance(value, str) else any(map(_holds_broken, _children(value)))
    )


def _is_broken(text: str) -> bool:
    try:
        return b"\0" in text.encode()
    except UnicodeEncodeError:
        return True


_REPEATED = "Must be given once: leave one of the two out."
_REPEATED_LIST = "Must be given once: send several values with a comma between them, such as a,b."
_divided, _ends = methodcaller("partition", "="), itemgetter(0, 2)


def _pairs(query: str) -> Iterable[tuple[str, str]]:
    """The parameters in their order. Most queries have no escapes, and are only divided."""
    if "%" in query or "+" in query or query.count("&") >= _QUERY_FIELDS:
        return parse_qsl(
            query, keep_blank_values=True, errors="strict", max_num_fields=_QUERY_FIELDS
        )
    return map(_ends, map(_divided, filter(None, query.split("&"))))


def query_values(query: bytes, shapes: dict[str, Shape]) -> Values:
    """Query parameters as values of their fields' shapes; empty ones count as absent. 400 when they
    cannot be read, `GivenTwice` when only some of them cannot."""
    if not query:
        return {}
    try:
        text = query.decode("ascii")
        pairs = _pairs(text)
    except ValueError:
        raise invalid_field(
            "query", "Must be parameters in UTF-8 with %-escapes, at most 100, such as ?limit=20."
        ) from None
    values: Values = {}
    repeated: dict[str, InputIssue] = {}
    for name, value in pairs:
        if name in values:
            is_list = shapes.get(name.removesuffix("[]"), Shape.TEXT).is_list
            told = _REPEATED_LIST if is_list else _REPEATED
            repeated[name] = InputIssue(f"query.{name[:_NAME_CHARS]}", told)
        if not (pair_text := name + value).isascii() or "\0" in pair_text:
            check_text(name, "query")
            check_text(value, f"query.{name[:_NAME_CHARS]}")
        values[name] = shapes.get(name, Shape.TEXT).read(value)
    given = {name: value for name, value in values.items() if value != "" and name not in repeated}
    if repeated:
        raise GivenTwice(list(repeated.values()), given)
    return given
