"""Which memory is meant? What it could be is offered, each as words that mean it alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from moss_memory.core.access import Access
from moss_memory.core.fact import Memory
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.text import match_form
from moss_memory.flow import answers, targets
from moss_memory.flow.ports import House, Query, Session
from moss_memory.language import wording
from moss_memory.language.proposal import Choice, Operation, ProposedFact, Question

_MOST: Final = 5  # nobody reads a longer list of buttons
_LOOKED: Final = 100  # memories among which the near ones are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """Who is asked which of their memories a change means; ``said_at`` is when it was said."""

    house: House
    access: Access
    session: Session | None
    scope_id: str
    tongue: answers.Tongue
    said_at: datetime

    def which(
        self, operation: Operation, proposed: ProposedFact, found: Sequence[Memory]
    ) -> Question:
        """Ask which of several memories is meant, each a choice."""
        text = wording.ask_target(found, self.tongue.zone, self.tongue.locale)
        return self._asking(text, operation, proposed, found)

    def nothing(self, operation: Operation, proposed: ProposedFact) -> Question:
        """Say that none was found; what comes near is a choice."""
        text = wording.nothing_found(self.tongue.locale)
        return self._asking(text, operation, proposed, self._near(proposed))

    def unsaid(
        self, question: Question, operation: Operation, proposed: ProposedFact | None
    ) -> Question:
        """Add to a question for words that name no memory what comes next in the calendar."""
        if proposed is None or question.choices:
            return question
        return self._asking(question.text, operation, proposed, self._near(proposed))

    def _asking(
        self,
        text: str,
        operation: Operation,
        proposed: ProposedFact,
        found: Sequence[Memory],
    ) -> Question:
        choices = (self._choice(operation, proposed, each) for each in found[:_MOST])
        return Question("target", text, tuple(one for one in choices if one is not None))

    def _choice(
        self, operation: Operation, proposed: ProposedFact, memory: Memory
    ) -> Choice | None:
        """Offer a memory, unless the words for it would be asked about again or mean another."""
        from moss_memory.language.respoken import respoken  # noqa: PLC0415 - no part of a start
        from moss_memory.language.understanding import understand  # noqa: PLC0415

        zone, locale = self.tongue.zone, self.tongue.locale
        said = respoken(memory, operation, proposed, zone=zone, locale=locale)
        if said is None:
            return None
        heard = understand(said, reference=self.said_at, zone=zone, locale=locale)
        if heard.operation != operation or heard.question is not None:
            return None
        meant = [one for fact in heard.facts for one in self._found(fact)]
        if [one.memory_id for one in meant] != [memory.memory_id]:
            return None
        return Choice(wording.summary(memory, zone, locale), said)

    def _found(self, proposed: ProposedFact) -> tuple[Memory, ...]:
        return targets.find(self.house, self.access, self.session, self.scope_id, proposed)

    def _near(self, proposed: ProposedFact) -> tuple[Memory, ...]:
        """Return what shares a word, else the time, else the kind; earliest first."""
        target = proposed.target
        if target is None:
            return ()
        query = Query(
            scopes=(self.scope_id,),
            now=self.house.clock(),
            domains=(proposed.domain,),
            overlaps=Interval(self.said_at, FOREVER),
            limit=_LOOKED,
        )
        items = self.house.memory.page(self.access.caller.tenant_id, query).items
        inside = target.window
        likeness = (
            [one for one in items if _shares(one, target.words)],
            [one for one in items if inside and inside.start <= one.valid_from < inside.end],
            [one for one in items if target.predicate in (None, one.fact.predicate)],
        )
        near = next((one for one in likeness if one), [])
        return tuple(sorted(near, key=lambda one: (one.valid_from, one.memory_id)))


def _shares(memory: Memory, said: Sequence[str]) -> bool:
    value = match_form(memory.fact.object_value)
    return any(match_form(word) in value for words in said for word in words.split())
