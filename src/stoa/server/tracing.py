"""Spans of OpenTelemetry for answers, where the extra `telemetry` is installed and asked for.

A span has the name of an operation, the status and the id of the request: no path, no header and no
body. Traces of clients are not continued.
"""

from typing import TYPE_CHECKING

from stoa import __version__
from stoa.http.request import REQUEST, HttpRequest
from stoa.http.wire import Application, Message, Receive, Scope, Send
from stoa.metrics import UNKNOWN
from stoa.settings import Settings, SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer

_TRACES = "/v1/traces"
_FAILED = 500


def new_provider(settings: Settings) -> "TracerProvider | None":
    """What makes spans of this process and sends them to `STOA_TELEMETRY`, None without that.

    Its thread is of this process: make it after a fork. Raises SettingsError without the extra.
    """
    if not settings.telemetry:
        return None
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ModuleNotFoundError:
        raise SettingsError(
            "STOA_TELEMETRY needs more packages: pip install '.[server,telemetry]' in the folder "
            "of the source brings them"
        ) from None
    resource = Resource({"service.name": "stoa", "service.version": __version__})
    provider = TracerProvider(resource=resource, shutdown_on_exit=False)
    exporter = OTLPSpanExporter(f"{settings.telemetry.rstrip('/')}{_TRACES}")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    return provider


def traced(app: Application, tracer: "Tracer") -> Application:
    """The application, each of whose answers is a span."""
    from opentelemetry.trace import SpanKind, Status, StatusCode

    async def answering(scope: Scope, receive: Receive, send: Send) -> None:
        with tracer.start_as_current_span(UNKNOWN, kind=SpanKind.SERVER) as span:

            async def sending(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= _FAILED:
                        span.set_status(Status(StatusCode.ERROR))
                await send(message)

            await app(scope, receive, sending)
            request: HttpRequest | None = scope.get(REQUEST)
            if request:
                span.update_name(request.operation)
                span.set_attribute("stoa.request_id", request.id)

    return answering
