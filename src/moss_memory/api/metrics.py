"""``GET /metrics``: what an operator watches, for Prometheus. Labels are closed words, no ids.

One registry an application: with several workers each scrape meets one of them, as a counter of
one process that the scraper sums by itself. Routes are counted one by one and timed by kind: a
histogram for each route would be thousands of series, where all of them together stay under 500.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from time import perf_counter
from typing import Any, Final

from fastapi import APIRouter, Request
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.responses import Response

from moss_memory.api.envelope import Log

router = APIRouter(tags=["operations"])

CONTENT_TYPE: Final = "text/plain; version=1.0.0; charset=utf-8"
_BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
_LAG_SECONDS: Final = 0.5
_METHODS: Final = frozenset({"GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
_UNKNOWN: Final = "none"  # a path that is no route: its name is the caller's, not ours
_KINDS: Final = {
    "/chat": "chat",
    "/confirm": "confirm",
    "/context": "context",
    "/lint": "lint",
    **dict.fromkeys(("/livez", "/readyz", "/metrics", "/events"), "operations"),
}
# without it every counter has a second series, of when it was first counted
disable_created_metrics()  # type: ignore[no-untyped-call]


@dataclass(frozen=True, slots=True)
class Reading:
    """Numbers that others keep, read at each scrape: by the value of the one label.

    ``counter`` says that they only grow; the name then has no ``_total`` of its own.
    """

    name: str
    told: str
    label: str
    read: Callable[[], Mapping[str, float]]
    counter: bool = False


class _Readings(Collector):
    def __init__(self, readings: Iterable[Reading]) -> None:
        self._readings = tuple(readings)

    def collect(self) -> Iterator[Metric]:
        """Read what others keep."""
        for reading in self._readings:
            kind = CounterMetricFamily if reading.counter else GaugeMetricFamily
            family = kind(reading.name, reading.told, labels=[reading.label])
            for value, number in reading.read().items():
                family.add_metric([value], number)
            yield family


class Meter:
    """The counters of one application."""

    def __init__(self, readings: Iterable[Reading] = ()) -> None:
        self.registry = CollectorRegistry()
        self.registry.register(_Readings(readings))
        self._requests = Counter(
            "moss_requests",
            "Requests answered, by route template.",
            ["method", "route", "status"],
            registry=self.registry,
        )
        self._seconds = Histogram(
            "moss_request_seconds",
            "Time to answer, by kind of request.",
            ["kind"],
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._problems = Counter(
            "moss_problems", "Refusals and failures, by code.", ["code"], registry=self.registry
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
        self._of = cache(self._look_up)  # a few words of ours each: it cannot grow

    def answered(
        self, method: str, route: str | None, status: int, seconds: float, *, code: str | None
    ) -> None:
        """Count one request; ``code`` is its problem's, None where there was none."""
        counter, timer = self._of(method if method in _METHODS else "other", route, status // 100)
        counter.inc()
        timer.observe(seconds)
        if code is not None:
            self._problems.labels(code).inc()

    def _look_up(self, verb: str, route: str | None, hundreds: int) -> tuple[Counter, Histogram]:
        kind = _KINDS.get(route or "", "read" if verb == "GET" else "write")
        counter = self._requests.labels(verb, route or _UNKNOWN, f"{hundreds}xx")
        return counter, self._seconds.labels(kind)

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
                fields["method"],
                fields["route"],
                fields["status"],
                fields["ms"] / 1000,
                code=fields.get("code"),
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
