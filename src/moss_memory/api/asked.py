"""One request as its route sees it: who asks, around what, and how the answer goes out."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Depends, Request
from starlette.responses import Response

from moss_memory.api import views
from moss_memory.api.answer import JsonAnswer
from moss_memory.api.circumstances import CallerDep, HouseDep, circumstances, revision_check
from moss_memory.api.told import told
from moss_memory.api.view_shapes import MemoryShape
from moss_memory.core.access import Caller
from moss_memory.core.errors import NotAdmittedError
from moss_memory.core.fact import Memory
from moss_memory.flow.ports import House, Record
from moss_memory.flow.records import micros
from moss_memory.flow.requests import Answer, Circumstances, RevisionCheck, VerdictView

REPLAYED: Final = {"Idempotency-Replayed": "true"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What a route needs besides its body."""

    request: Request
    house: House
    caller: Caller

    def around(self, timezone: str | None = None, locale: str | None = None) -> Circumstances:
        """Return the request's id, idempotency key, zone and language."""
        return circumstances(self.request, timezone, locale)

    def check(self, expected: int | None) -> RevisionCheck:
        """Return which revision the caller has seen."""
        return revision_check(self.request, expected)

    def memories(self, kept: Iterable[Memory]) -> list[MemoryShape]:
        """Show memories as they stand now."""
        now = self.house.clock()
        return [self._shown(memory, now) for memory in kept]

    def told(self, kept: Iterable[Record]) -> list[Any]:
        """Spell the records of a list as they stand now, each a ``MemoryShape`` as ready JSON."""
        now, kind = micros(self.house.clock()), self.house.policy.ontology.predicate
        return [told(each, kind(each.domain, each.predicate).memory_type, now) for each in kept]

    def memory(self, kept: Memory, headers: dict[str, str] | None = None) -> JsonAnswer:
        """Answer with one memory and its entity tag."""
        tag = {"ETag": f'"{kept.revision}"'}
        (view,) = self.memories([kept])
        return JsonAnswer(view, headers={**tag, **(headers or {})})

    def answer(self, given: Answer) -> JsonAnswer:
        """Answer a proposal.

        Raises:
            NotAdmittedError: the rules refuse it.
        """
        if given.http_status == HTTPStatus.UNPROCESSABLE_ENTITY:
            raise NotAdmittedError(verdict=given.verdict)
        self.judged(given.status, given.verdict)
        view = views.answer(given, self.memories(given.facts), self.memories(given.superseded))
        return JsonAnswer(view, given.http_status, _again(given))

    def changed(self, given: Answer) -> JsonAnswer:
        """Answer a change of one memory: the memory, or the question that it now raises."""
        if given.http_status != HTTPStatus.OK:
            return self.answer(given)
        (kept,) = given.facts or given.superseded
        return self.memory(kept, _again(given))

    def settled(self, given: Answer) -> JsonAnswer:
        """Answer a confirmation."""
        self.judged(given.status, given.verdict)
        view = views.settled(given, self.memories(given.facts), self.memories(given.superseded))
        return JsonAnswer(view, given.http_status, _again(given))

    def gone(self, again: bool) -> Response:  # noqa: FBT001 - what was answered before
        """Answer a removal."""
        return Response(status_code=HTTPStatus.NO_CONTENT, headers=REPLAYED if again else None)

    def judged(self, status: str, verdict: VerdictView | None) -> None:
        """Count a verdict for whoever watches the service."""
        rules = [finding.rule_id for finding in verdict.findings] if verdict else []
        self.request.app.state.meter.judged(status, rules)

    def _shown(self, memory: Memory, now: datetime) -> MemoryShape:
        return views.memory(memory, self.house.policy.ontology.memory_type(memory.fact), now)


def _again(given: Answer) -> dict[str, str]:
    return REPLAYED if given.replayed else {}


async def _asked(request: Request, house: HouseDep, caller: CallerDep) -> Asked:
    return Asked(request, house, caller)


AskedDep = Annotated[Asked, Depends(_asked)]
