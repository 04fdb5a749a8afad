"""``moss-memory eval context``: does the context hold what answers a question?

Recall of a question is the share of the facts it needs that stand in its context, at several
budgets, beside the same lines ordered newest first. The set is the project's own; half of its
questions were opened only when the scorer was done, and are reported apart.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final

from moss_memory.cli.eval_context_questions import QUESTIONS
from moss_memory.cli.eval_context_set import AT, ZONE, Entry, entries
from moss_memory.core.fact import Memory, Provenance
from moss_memory.core.interval import Interval
from moss_memory.core.relevance import Question
from moss_memory.core.rules import Policy
from moss_memory.core.zones import to_utc
from moss_memory.core.zones import zone as named_zone
from moss_memory.flow.composing import Choice, Setting, choose, compose
from moss_memory.flow.placing import place
from moss_memory.flow.seeking import question_of
from moss_memory.language.wording import locale_of
from moss_memory.policy import load

BUDGETS: Final = (128, 256, 512, 1024, 2048)
TARGET: Final = 0.90  # recall at 1,024 tokens
AT_BUDGET: Final = 1024
SHIFT: Final = 211  # coprime to the number of facts: recorded in an order that says nothing


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the ids that it takes to answer it, and whether it was kept shut."""

    text: str
    needed: frozenset[str]
    shut: bool

    @property
    def language(self) -> str:
        """``ko`` or ``en``."""
        return locale_of(self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """What one question got at one budget, by relevance and by newest first."""

    case: Case
    budget: int
    recall: float
    newest: float


def add_parser(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add ``eval context``."""
    command = commands.add_parser("context", help="recall of contexts against newest first")
    command.add_argument("--json", action="store_true", help="one JSON object on stdout, no more")
    command.add_argument("--half", choices=("open", "shut", "both"), default="both")
    command.add_argument("--misses", action="store_true", help="name what was missed at 1,024")


def run(args: argparse.Namespace) -> int:
    """Print the figures; 0 where every target holds, 1 where one does not."""
    policy = load()
    memories = memories_of(policy)
    chosen = [case for case in cases(memories) if args.half in {"both", _half(case)}]
    marks = list(measure(policy, chosen, memories))
    figures = summary(marks, facts=len(memories))
    print(json.dumps(figures, ensure_ascii=False) if args.json else table(figures))
    if args.misses:
        print("\n".join(_misses(marks)))
    return 0 if figures["holds"] else 1


def memories_of(policy: Policy) -> tuple[Memory, ...]:
    """Place every fact of the set, recorded in an order that has nothing to do with it."""
    made = entries()
    return tuple(
        _memory(policy, entry, AT - timedelta(hours=1 + index * SHIFT % len(made)))
        for index, entry in enumerate(made)
    )


def cases(memories: Sequence[Memory]) -> tuple[Case, ...]:
    """Read the questions, with the ids of the memories that they name."""
    return tuple(
        Case(text, frozenset(_needed(keys, memories)), shut=number % 2 == 1)
        for number, (text, keys) in enumerate(QUESTIONS)
    )


def measure(policy: Policy, chosen: Sequence[Case], memories: Sequence[Memory]) -> Iterator[Mark]:
    """Build every question's context at every budget, both ways."""
    events = frozenset(m.memory_id for m in memories if policy.ontology.of(m.fact).is_event)
    for case in chosen:
        asked = question_of(policy, case.text, at=AT, zone=ZONE, locale=case.language, window=None)
        setting = Setting(
            question=asked, zone=ZONE, reader="jiwoo", now=AT, budget=0, events=events
        )
        scored = choose(memories, setting)
        newest = _newest_first(memories, setting)
        for budget in BUDGETS:
            yield Mark(
                case,
                budget,
                _recall(case, scored, setting, budget),
                _recall(case, newest, setting, budget),
            )


def summary(marks: Sequence[Mark], *, facts: int) -> dict[str, Any]:
    """Average recalls by budget, with their standard error."""
    by_budget = [_averages(marks, budget) for budget in BUDGETS]
    at = next(each for each in by_budget if each["budget"] == AT_BUDGET)
    return {
        "facts": facts,
        "questions": len({mark.case.text for mark in marks}),
        "by_budget": by_budget,
        "by_language": _groups(marks, lambda mark: mark.case.language),
        "by_half": _groups(marks, lambda mark: _half(mark.case)),
        "holds": at["recall"] >= TARGET
        and all(each["recall"] > each["newest_first"] for each in by_budget),
    }


def table(figures: dict[str, Any]) -> str:
    """Lay the figures out for a terminal."""
    lines = [
        f"{figures['questions']} questions over {figures['facts']} facts",
        f"{'tokens':>7}  {'recall':>7}  {'+-':>5}  {'newest first':>12}",
    ]
    lines += [
        f"{each['budget']:>7}  {each['recall']:>7.3f}  {each['error']:>5.3f}"
        f"  {each['newest_first']:>12.3f}"
        for each in figures["by_budget"]
    ]
    for name in ("by_language", "by_half"):
        parts = (f"{group} {value:.3f}" for group, value in figures[name].items())
        lines.append(f"at {AT_BUDGET} tokens {name.replace('_', ' ')}: {', '.join(parts)}")
    verdict = "holds" if figures["holds"] else "MISSED"
    lines.append(f"recall >= {TARGET:.2f} at {AT_BUDGET} and above newest first: {verdict}")
    return "\n".join(lines)


def _averages(marks: Sequence[Mark], budget: int) -> dict[str, Any]:
    here = [mark for mark in marks if mark.budget == budget]
    recalls = [mark.recall for mark in here]
    mean = sum(recalls) / len(recalls)
    spread = sum((each - mean) ** 2 for each in recalls) / max(len(recalls) - 1, 1)
    return {
        "budget": budget,
        "recall": round(mean, 4),
        "error": round(math.sqrt(spread / len(recalls)), 4),
        "newest_first": round(sum(mark.newest for mark in here) / len(here), 4),
    }


def _groups(marks: Sequence[Mark], key: Callable[[Mark], str]) -> dict[str, float]:
    here = sorted((mark for mark in marks if mark.budget == AT_BUDGET), key=key)
    grouped = {name: [mark.recall for mark in group] for name, group in groupby(here, key)}
    return {name: round(sum(values) / len(values), 4) for name, values in grouped.items()}


def _misses(marks: Sequence[Mark]) -> Iterator[str]:
    for mark in marks:
        if mark.budget == AT_BUDGET and mark.recall < 1:
            yield f"{mark.recall:.2f}  {mark.case.text}"


def _half(case: Case) -> str:
    return "shut" if case.shut else "open"


def _recall(case: Case, choice: Choice, setting: Setting, budget: int) -> float:
    built = compose(choice, replace(setting, budget=budget))
    found = case.needed & {line.memory_id for line in built.included}
    return len(found) / len(case.needed)


def _newest_first(memories: Sequence[Memory], setting: Setting) -> Choice:
    """Order the same lines by nothing but when they were recorded."""
    scored = choose(memories, replace(setting, question=Question(at=setting.question.at)))
    by_time = sorted(scored.ranked, key=lambda one: one[0].recorded_at, reverse=True)
    return Choice(tuple(by_time), scored.left, scored.scores)


def _needed(keys: str, memories: Sequence[Memory]) -> Iterator[str]:
    """Resolve what a question needs.

    Raises:
        ValueError: a key names no fact.
    """
    for key in keys.split("|"):
        named = [memory.memory_id for memory in memories if _is_meant(key, memory)]
        if not named:
            raise ValueError(f"no fact is called {key}")
        yield from named


def _is_meant(key: str, memory: Memory) -> bool:
    if key.startswith("@"):
        return _happens_in(memory, _window(key[1:]))
    if key.startswith("*"):
        return key[1:] == f"{memory.fact.predicate}/{memory.fact.subject}"
    return key == memory.memory_id


def _happens_in(memory: Memory, window: Interval) -> bool:
    if memory.fact.domain != "Schedule":
        return False
    return any(one.start < window.end and window.start < one.end for one in memory.windows)


def _window(spelled: str) -> Interval:
    """Read ``2026-07-20`` as that day and ``2026-07-20/10`` as that hour, in the set's zone."""
    day, _, hour = spelled.partition("/")
    wall = datetime.fromisoformat(day) + timedelta(hours=int(hour or 0))
    start, _ = to_utc(wall, named_zone(ZONE))
    return Interval(start, start + (timedelta(hours=1) if hour else timedelta(days=1)))


def _memory(policy: Policy, entry: Entry, recorded_at: datetime) -> Memory:
    placed = place(policy, entry.fact, zone=ZONE, now=AT)
    return Memory(
        memory_id=entry.key,
        revision=1,
        tenant_id="default",
        principal_id="jiwoo",
        owner="jiwoo",
        fact=placed.fact,
        windows=placed.windows,
        valid_from=placed.valid_from,
        valid_until=placed.valid_until,
        open_ended=placed.open_ended,
        recorded_at=recorded_at,
        created_at=recorded_at,
        provenance=Provenance(decision_id=f"d:{entry.key}"),
        zone=ZONE,
    )
