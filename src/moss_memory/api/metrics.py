"""``GET /metrics``: what an operator watches, for Prometheus. Labels are closed words, no ids.

One registry an application: with several workers each scrape meets one of them, as a counter of
one process that the scraper sums by itself.
"""

import asyncio
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any, Final

from fastapi import APIRouter, Request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.responses import Response

from moss_memory.api.envelope import Log

router = APIRouter(tags=["operations"])

CONTENT_TYPE: Final = "text/plain; version=1.0.0; charset=utf-8"
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_LAG_SECONDS: Final = 0.5
_METHODS: Final = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
_UNKNOWN: Final = "none"  # a path that is no route: its name is the caller's, not ours


class Meter:
    """The counters of one application."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._seconds = Histogram(
            "moss_request_seconds",
            "Time to answer, by route template.",
            ["method", "route", "status"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._verdicts = Counter(
            "moss_verdicts", "Verdicts given.", ["status"], registry=self.registry
        )
        self._rules = Counter("moss_rules", "Findings by rule.", ["rule"], registry=self.registry)
        self._tokens = Counter(
            "moss_model_tokens", "Tokens of model calls.", ["kind"], registry=self.registry
        )
        self._refused = Counter(
            "moss_model_answers_refused",
            "Worded answers that said what is not in the context.",
            registry=self.registry,
        )
        self._lag = Gauge(
            "moss_loop_lag_seconds", "How late the event loop woke last.", registry=self.registry
        )
        self._state = Gauge(
            "moss_up", "1 where a part is ok, 0 where not.", ["part"], registry=self.registry
        )

    def answered(self, method: str, route: str | None, status: int, seconds: float) -> None:
        """Count one request."""
        verb = method if method in _METHODS else "other"
        labels = (verb, route or _UNKNOWN, f"{status // 100}xx")
        self._seconds.labels(*labels).observe(seconds)

    def judged(self, status: str, rule_ids: Iterable[str]) -> None:
        """Count one verdict and the rules behind it."""
        self._verdicts.labels(status).inc()
        for rule_id in rule_ids:
            self._rules.labels(rule_id).inc()

    def spent(self, prompt: int, completion: int) -> None:
        """Count the tokens of one turn's model calls."""
        self._tokens.labels("prompt").inc(prompt)
        self._tokens.labels("completion").inc(completion)

    def refused(self) -> None:
        """Count a model's answer that was thrown away."""
        self._refused.inc()

    def seen(self, checks: Mapping[str, str]) -> None:
        """Set which parts are up."""
        for part, state in checks.items():
            self._state.labels(part).set(1 if state == "ok" else 0)

    async def watch_loop(self) -> None:
        """Measure the event loop's lag until cancelled."""
        while True:
            began = perf_counter()
            await asyncio.sleep(_LAG_SECONDS)
            self._lag.set(max(0.0, perf_counter() - began - _LAG_SECONDS))


class MeteredLog:
    """A log whose request lines are counted as well."""

    def __init__(self, log: Log, meter: Meter) -> None:
        self._log = log
        self._meter = meter

    def info(self, event: str, **fields: Any) -> object:
        """Write one line; count it where it is a request's."""
        if event == "request" and fields.get("status") is not None:
            self._meter.answered(
                fields["method"], fields["route"], fields["status"], fields["ms"] / 1000
            )
        return self._log.info(event, **fields)

    def error(self, event: str, **fields: object) -> object:
        """Write one line."""
        return self._log.error(event, **fields)


@router.get("/metrics", operation_id="metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Give the counters in the text format of Prometheus."""
    meter: Meter = request.app.state.meter
    return Response(generate_latest(meter.registry), media_type=CONTENT_TYPE)
