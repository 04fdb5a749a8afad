"""What a payload says: the facts read off it, and the pairs that cannot both be true."""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from moss_memory.cli.compare_script import Turn
from moss_memory.core import render
from moss_memory.core.fact import Fact, Known, Memory, Proposal, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import lint
from moss_memory.core.rules import Policy
from moss_memory.core.when import Instant
from moss_memory.core.zones import zone as named_zone
from moss_memory.flow.placing import place
from moss_memory.language.understanding import understand

REPLY: Final = "assistant: OK."  # the shortest; a real assistant's words would cost the log more
_SAID: Final = re.compile(r"\[(?P<at>[^\]]+)\] user: (?P<text>.*)")
_APART: Final = frozenset({"conflicts", "supersedes"})


class Log:
    """The control's payload: every turn of the conversation so far, with its time."""

    def __init__(self, policy: Policy, zone: str, locale: str) -> None:
        self._policy = policy
        self._zone = zone
        self._locale = locale
        self._lines: list[str] = []
        self._stated: list[Proposal] = []
        self.contradictions = 0

    def hear(self, turn: Turn) -> None:
        """Add a turn. What is in a log stays in it, so only its own line has to be read."""
        if self._lines:
            self._lines.append(REPLY)
        at = turn.at.astimezone(named_zone(self._zone)).isoformat()
        self._lines.append(f"[{at}] user: {turn.text}")
        for proposal in self._read(self._lines[-1]):
            self.contradictions += _against(self._policy, proposal, self._stated)
            self._stated.append(proposal)

    def payload(self) -> str:
        """Return what would be sent with this turn."""
        return "\n".join(self._lines)

    def _read(self, line: str) -> Iterator[Proposal]:
        """Read the facts that a line of the payload states, as the offline parser does."""
        said = _SAID.fullmatch(line)
        if said is None:
            return
        at = datetime.fromisoformat(said["at"]).astimezone(UTC)
        parsed = understand(said["text"], reference=at, zone=self._zone, locale=self._locale)
        if parsed.intent != "WRITE" or parsed.operation != "create":
            return
        for each in parsed.facts:
            fact = Fact(
                domain=each.domain,
                subject=each.subject,
                predicate=each.predicate,
                object_value=each.object_value or "",
                scope_id="log",
                observed_at=at,
                when=each.when,
            )
            yield place(self._policy, fact, zone=self._zone, now=at)


def facts_of_context(policy: Policy, text: str, zone: str, at: datetime) -> list[Proposal]:
    """Read the facts off the lines of a governed payload, to the minute."""
    domains = {name: domain for domain, name in policy.ontology.predicates}
    found = []
    for each in map(render.read, text.splitlines()):
        if each is None or each.predicate not in domains:
            continue
        subjects = policy.ontology.predicate(domains[each.predicate], each.predicate).subjects
        spans = render.windows(each.time, zone)
        fact = Fact(
            domain=domains[each.predicate],
            subject=each.subject or (subjects[0] if subjects else ""),
            predicate=each.predicate,
            object_value=each.value,
            scope_id="log",
            observed_at=at,
            when=Instant(spans[0].start, None if spans[0].end == FOREVER else spans[0].end),
        )
        found.append(_placed(fact, spans))
    return found


def contradictions(policy: Policy, stated: Sequence[Proposal]) -> int:
    """Count the pairs that the rules call conflicting or superseding, in the order stated."""
    return sum(_against(policy, proposal, stated[:index]) for index, proposal in enumerate(stated))


def _against(policy: Policy, proposal: Proposal, earlier: Sequence[Proposal]) -> int:
    known = [Known(memory=_memory(each, str(index))) for index, each in enumerate(earlier)]
    return sum(1 for found in lint([proposal], known, policy).findings if found.relation in _APART)


def _placed(fact: Fact, spans: Sequence[Interval]) -> Proposal:
    return Proposal(
        fact=fact,
        owner=fact.scope_id,
        windows=tuple(spans),
        valid_from=spans[0].start,
        valid_until=spans[-1].end,
        open_ended=spans[-1].end == FOREVER,
    )


def _memory(stated: Proposal, name: str) -> Memory:
    """Dress a stated fact as a memory, so that the linter compares the two."""
    at = stated.fact.observed_at
    return Memory(
        memory_id=name,
        revision=1,
        tenant_id="default",
        principal_id=stated.owner,
        owner=stated.owner,
        fact=stated.fact,
        windows=stated.windows,
        valid_from=stated.valid_from,
        valid_until=stated.valid_until,
        open_ended=stated.open_ended,
        recorded_at=at,
        created_at=at,
        provenance=Provenance(decision_id=name),
    )
