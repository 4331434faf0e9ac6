"""Declares a call once for both clients: `Stoa` carries it out, `AsyncStoa` is awaited."""

from collections.abc import Callable, Coroutine
from functools import update_wrapper
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from stoa.client.aio import AsyncConnection, AsyncRows
from stoa.client.protocol import Steps
from stoa.client.source import Source
from stoa.client.sync import Connection, Rows

P = ParamSpec("P")
V = TypeVar("V")


class call(Generic[P, V]):  # noqa: N801 - read as a decorator
    """Makes of a method that returns the steps of a call the call itself, in either client."""

    def __init__(self, steps: Callable[Concatenate[Any, P], Steps[V]]) -> None:
        def carried_out(client: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
            return client.carry_out(steps(client, *args, **kwargs))

        self._method = update_wrapper(carried_out, steps)

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: Connection, owner: type) -> Callable[P, V]: ...
    @overload
    def __get__(
        self, client: AsyncConnection, owner: type
    ) -> Callable[P, Coroutine[Any, Any, V]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        return self._method if client is None else MethodType(self._method, client)


class rows(Generic[P, V]):  # noqa: N801 - read as a decorator
    """Makes of a method that returns a source of rows an iterator over them, in either client."""

    def __init__(self, source: Callable[Concatenate[Any, P], Source[V]]) -> None:
        def iterated(client: Any, *args: P.args, **kwargs: P.kwargs) -> Any:
            return client.rows_of(source(client, *args, **kwargs))

        self._method = update_wrapper(iterated, source)

    @overload
    def __get__(self, client: None, owner: type) -> Callable[..., Any]: ...
    @overload
    def __get__(self, client: Connection, owner: type) -> Callable[P, Rows[V]]: ...
    @overload
    def __get__(self, client: AsyncConnection, owner: type) -> Callable[P, AsyncRows[V]]: ...
    def __get__(self, client: Any, owner: type) -> Any:
        return self._method if client is None else MethodType(self._method, client)
