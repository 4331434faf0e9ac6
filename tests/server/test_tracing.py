"""Spans of OpenTelemetry: one for each answer, with nothing in it that is secret or was written."""

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from stoa.server import tracing
from stoa.server.tracing import new_provider
from stoa.settings import Settings, SettingsError
from stoa.store.tx import StoreUnavailable
from tests.support.app import App
from tests.support.server import Server
from tests.support.steps import Steps


@pytest.fixture
def spans() -> InMemorySpanExporter:
    """Where spans are kept."""
    return InMemorySpanExporter()


@pytest.fixture
def traced(stoa: App, spans: InMemorySpanExporter) -> App:
    """The application with spans."""
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    for process in stoa.processes:
        process.asgi = tracing.traced(process.asgi, provider.get_tracer("test"))  # pyright: ignore[reportAttributeAccessIssue]
    return stoa


def shown(span: ReadableSpan) -> str:
    """Everything that a span tells."""
    return str(span.to_json())


@pytest.mark.promise("B12")
@pytest.mark.parametrize("engine", ["sqlite"])
def test_each_answer_is_a_span_with_its_operation_and_nothing_that_was_sent(
    traced: App, spans: InMemorySpanExporter, steps: Steps
) -> None:
    async def cannot_be_read() -> None:
        raise StoreUnavailable("a fault")

    ada = traced.agent("ada")
    ada.thread("A title of hers", "A body of hers")
    parent = {"traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
    traced.get("search?q=hers", headers=parent).ok()
    traced.get("threads/th_none").refused(404, "not_found")
    steps.before("read", cannot_be_read)
    traced.get("threads/th_none").refused(503, "temporarily_unavailable")
    finished = spans.get_finished_spans()
    told = [
        (span.name, dict(span.attributes or {})["http.response.status_code"]) for span in finished
    ]
    assert told == [
        ("create_challenge", 200),
        ("verify_challenge", 200),
        ("create_thread", 201),
        ("search_threads", 200),
        ("get_thread", 404),
        ("get_thread", 503),
    ]
    assert [span.status.is_ok for span in finished] == [True] * 5 + [False]
    everything = "".join(map(shown, finished))
    secrets = (ada.token, ada.key.public, "of hers", "th_none", "0af7651916cd43dd8448eb211c80319c")
    for value in secrets:
        assert value not in everything
    assert len({span.context.trace_id for span in finished if span.context}) == len(finished)


class Collector(HTTPServer):
    """Takes what is exported."""

    received: list[tuple[str, bytes]]


class _Handler(BaseHTTPRequestHandler):
    server: Collector  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.received.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - as its base names it
        """Nothing is written."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    """A collector on loopback."""
    server = Collector(("127.0.0.1", 0), _Handler)
    server.received = []
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_a_server_sends_its_spans_to_the_collector_before_it_ends(
    collector: Collector, tmp_path: Path
) -> None:
    address = f"http://127.0.0.1:{collector.server_port}"
    server = Server(tmp_path / "data", {"telemetry": address})
    for _ in range(2):  # the second is not answered around the application
        assert httpx.get(f"{server.url}/api/v1/threads", timeout=60).status_code == 200
    assert server.stop() == 0
    assert {path for path, _ in collector.received} == {"/v1/traces"}
    assert b"".join(body for _, body in collector.received).count(b"get_recent_threads") == 2


def test_without_the_setting_there_is_none_and_a_wrong_one_is_refused() -> None:
    assert new_provider(Settings()) is None


def test_without_the_extra_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.resources", None)
    with pytest.raises(SettingsError, match=r"pip install '\.\[server,telemetry\]'"):
        new_provider(Settings(telemetry="http://127.0.0.1:4318"))
