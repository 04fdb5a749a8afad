"""OpenTelemetry traces of requests: route, method, status and time, and nothing that was said.

The usual instrumentation records addresses with their queries and exceptions with their texts;
this middleware writes its spans itself, so that neither can get in. Switched on by the package's
own variable, OTEL_EXPORTER_OTLP_ENDPOINT, with the ``otel`` extra installed.
"""

import os
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
_ERRORS_FROM: Final = 500


def provider() -> Any | None:
    """Return a tracer provider that exports over OTLP; None where traces are not asked for."""
    if not os.environ.get(ENDPOINT) or find_spec("opentelemetry.sdk") is None:
        return None
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    named = {"service.name": "moss-memory", "service.version": version("moss-memory")}
    made = TracerProvider(resource=Resource.create(named))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return made


class Traced:
    """One span a request, a child of the caller's where it sends ``traceparent``."""

    def __init__(self, app: ASGIApp, *, provider: Any) -> None:
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._app = app
        self._tracer = provider.get_tracer("moss_memory")
        self._propagator = TraceContextTextMapPropagator()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Take one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        from opentelemetry.trace import SpanKind, StatusCode

        carried = {name.decode("latin-1"): value.decode("latin-1")
                   for name, value in scope["headers"]}  # fmt: skip
        parent = self._propagator.extract(carried)
        with self._tracer.start_as_current_span(
            scope["method"],
            context=parent,
            kind=SpanKind.SERVER,
            record_exception=False,  # its text may hold what a user said
            set_status_on_exception=False,
        ) as span:

            async def seen(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                    if message["status"] >= _ERRORS_FROM:
                        span.set_status(StatusCode.ERROR)
                await send(message)

            try:
                await self._app(scope, receive, seen)
            finally:
                route = getattr(scope.get("route"), "path", None)
                span.set_attribute("http.request.method", scope["method"])
                if route is not None:
                    span.update_name(f"{scope['method']} {route}")
                    span.set_attribute("http.route", route)
