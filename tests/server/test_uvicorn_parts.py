"""The parts of uvicorn that Stoa uses or overrides: an upgrade that changes one fails here."""

import asyncio
import inspect
import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import (
    STATUS_LINE,
    HttpToolsProtocol,
    RequestResponseCycle,
)
from uvicorn.server import ServerState

from stoa.http.wire import Receive, Scope, Send
from stoa.server import protocol
from stoa.server.protocol import HttpConnection
from stoa.server.server import Server

SIGNATURES: dict[type, dict[str, str]] = {
    HttpToolsProtocol: {
        "__init__": "(config, server_state, app_state, _loop)",
        "connection_made": "(transport)",
        "connection_lost": "(exc)",
        "data_received": "(data)",
        "eof_received": "()",
        "shutdown": "()",
        "on_message_begin": "()",
        "on_url": "(url)",
        "on_header": "(name, value)",
        "on_headers_complete": "()",
        "on_body": "(body)",
        "on_message_complete": "()",
        "on_response_complete": "()",
        "_start_asgi_task": "(cycle, app)",
    },
    RequestResponseCycle: {
        "__init__": "(scope, transport, flow, logger, access_logger, access_log, default_headers, "
        "message_event, expect_100_continue, keep_alive, on_response)",
        "receive": "()",
        "run_asgi": "(app)",
        "send": "(message)",
    },
    FlowControl: {"__init__": "(transport)", "resume_reading": "()"},
    uvicorn.Server: {
        "__init__": "(config)",
        "capture_signals": "()",
        "on_tick": "(counter)",
        "serve": "(sockets)",
        "shutdown": "(sockets)",
    },
}

OVERRIDDEN: dict[type, set[str]] = {
    HttpConnection: {
        "__init__",
        "_start_asgi_task",
        "connection_lost",
        "connection_made",
        "data_received",
        "eof_received",
        "on_body",
        "on_headers_complete",
        "on_message_begin",
        "on_message_complete",
        "on_response_complete",
        "shutdown",
    },
    Server: {"__init__", "capture_signals", "on_tick", "shutdown"},
}

PROTOCOL = {
    "app",
    "client",
    "cycle",
    "expect_100_continue",
    "flow",
    "headers",
    "loop",
    "parser",
    "pipeline",
    "scope",
    "server_state",
    "transport",
    "url",
}
CYCLE = {
    "body",
    "default_headers",
    "disconnected",
    "flow",
    "keep_alive",
    "message_event",
    "more_body",
    "on_response",
    "response_complete",
    "response_started",
    "scope",
    "transport",
    "waiting_for_100_continue",
}


@pytest.mark.parametrize(
    ("owner", "name"), [(owner, name) for owner, names in SIGNATURES.items() for name in names]
)
def test_a_method_of_uvicorn_has_the_known_parameters(owner: type, name: str):
    assert parameters(getattr(owner, name)) == SIGNATURES[owner][name]


def parameters(method: Callable[..., Any]) -> str:
    """The names of the parameters of a method, without `self`."""
    return f"({', '.join(list(inspect.signature(method).parameters)[1:])})"


@pytest.mark.parametrize("kind", OVERRIDDEN, ids=lambda kind: kind.__name__)
def test_stoa_overrides_these_methods_of_uvicorn_and_no_others(kind: type):
    (base,) = kind.__bases__
    shared = {name for name in vars(kind) if callable(getattr(kind, name)) and hasattr(base, name)}
    assert shared - set(vars(object)) | {"__init__"} == OVERRIDDEN[kind]
    assert OVERRIDDEN[kind] <= set(SIGNATURES[base])


def test_the_objects_of_uvicorn_have_the_attributes_that_stoa_uses():
    config = uvicorn.Config(nothing, log_config=None, lifespan="off", ws="none")
    state, flow = ServerState(), FlowControl(asyncio.Transport())
    arguments: Any = dict.fromkeys(inspect.signature(RequestResponseCycle).parameters)
    with closing(asyncio.new_event_loop()) as loop:
        connection = HttpToolsProtocol(config, state, {}, loop)
    assert set(vars(connection)) >= PROTOCOL - {"url"}
    assert set(vars(RequestResponseCycle(**arguments))) >= CYCLE
    assert set(vars(state)) >= {"connections", "default_headers", "total_requests"}
    assert set(vars(flow)) >= {"read_paused", "write_paused"}
    assert set(vars(uvicorn.Server(config))) >= {"force_exit", "server_state"}


async def nothing(_scope: Scope, _receive: Receive, _send: Send) -> None:
    """An application that is never called."""


def test_the_list_names_every_attribute_that_a_connection_takes_from_uvicorn():
    source = Path(protocol.__file__).read_text("utf-8").split("class _LingeringTransport")[0]
    used = set(re.findall(r"\bself\.([a-z]\w*)", source))
    assert used - set(vars(HttpConnection)) == PROTOCOL


def test_a_protocol_sets_its_url_at_the_begin_of_each_message():
    assert "self.url" in inspect.getsource(HttpToolsProtocol.on_message_begin)


def test_a_server_keeps_its_listeners_in_servers():
    assert "self.servers" in inspect.getsource(uvicorn.Server.startup)


def test_a_status_line_is_complete_with_its_line_end():
    assert STATUS_LINE[200] == b"HTTP/1.1 200 OK\r\n"
