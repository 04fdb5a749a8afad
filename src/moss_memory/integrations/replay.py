"""An export lived through again: every revision of every memory, in the order of their recording.

What the service recorded then it records anew, so the history is there with the instants of the
replay; ``observed_at`` keeps when things were said. What rules did of themselves (superseding,
expiry) is left to them.

A replay may break off anywhere. Told again it goes on: a memory that an earlier run began is known
by its ``source_ref`` and its first revision, and each revision that is here already, by what it
says, is passed over. So nothing is written twice, and the end is that of one run without a break.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from moss_memory.core.linter import ActionName
from moss_memory.integrations.client_errors import ProblemError
from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import Answer, Memory, Settled, is_held
from moss_memory.integrations.entries import Entry, Judged, Judgement
from moss_memory.integrations.foreign import stated
from moss_memory.integrations.replay_steps import Steps

_FIXED: Final = ("domain", "subject", "predicate", "scope_id")
_CLEARABLE: Final = ("expires_at",)
_SAYS: Final = (
    "object_value", "when", "valid_from", "valid_until", "event_status", "transparency",
    "buffer_before", "buffer_after", "source", "confidence", "observed_at", "expires_at", "hard",
)  # fmt: skip
_GONE: Final = "gone"  # the print of an inactive revision: how it ended is the rules' business
_PAGE: Final = 100


@dataclass(slots=True)
class _Here:
    """A memory of the export as it is here.

    ``prints`` are its revisions, oldest first; of these ``told`` have had their turn. ``ended``
    says that the export's own was replaced by now.
    """

    memory_id: str
    prints: list[str]
    told: int = 1
    ended: bool = False


class Replay:
    """The replay of one export.

    ``as_confirmed`` answers a question as the export shows that it was answered: the old one was
    replaced, or both were kept. Otherwise what conflicts is not written.
    """

    def __init__(self, client: MossClient, path: Path, *, as_confirmed: bool = False) -> None:
        self._client = client
        self._path = path
        self._as_confirmed = as_confirmed
        self._told: dict[str, _Here] = {}  # by the export's id
        self._here: dict[str, _Here] = {}  # by the id here
        self._refs: dict[str, list[str]] = {}  # source_ref -> ids here that no memory has claimed
        self._principal: str | None = None

    def run(self) -> Iterator[Judged]:
        """Replay, and yield what became of each revision.

        Raises:
            UnknownShapeError: the file is no export, or not a whole one.
        """
        with Steps(self._path) as steps:
            self._principal = steps.principal
            for held in self._client.memories(status="all", limit=_PAGE):
                if held["source_ref"]:
                    self._refs.setdefault(held["source_ref"], []).append(held["memory_id"])
            for revision in steps:
                yield self._judged(revision)

    def _judged(self, revision: Memory) -> Judged:
        name = f"{revision['memory_id']}:{revision['revision']}"
        entry = Entry(name, revision["object_value"])
        try:
            return Judged(entry, *self._step(revision))
        except ProblemError as error:
            return Judged(entry, "REFUSED", f"{error.code}: {error.detail}")

    def _step(self, revision: Memory) -> tuple[Judgement, str]:
        if revision["revision"] == 1:
            return self._first(revision)
        here = self._told.get(revision["memory_id"])
        if here is None:
            return "REFUSED", "its first revision was not written"
        if self._passed(here, revision):
            return "NO_CHANGE", ""
        if revision["status"] == "inactive":
            return self._end(revision, here)
        if here.prints[-1] == _GONE:
            return self._restore(revision, here)
        return self._change(revision, here)

    def _passed(self, here: _Here, revision: Memory) -> bool:
        """Say whether a revision is here already: the next of an earlier run, or nothing new."""
        print_ = _print(revision)
        if here.told < len(here.prints) and here.prints[here.told] == print_:
            here.told += 1
            return True
        return here.prints[here.told - 1] == print_

    def _first(self, revision: Memory) -> tuple[Judgement, str]:
        known = self._claimed(revision)
        if known is not None:
            self._track(revision["memory_id"], known)
            return "NO_CHANGE", ""
        answer = self._client.remember(self._fact(revision))
        return self._written(revision, answer)

    def _claimed(self, revision: Memory) -> _Here | None:
        """Return the memory that an earlier run of the same replay began for this one."""
        for memory_id in (candidates := self._refs.get(_ref(revision), [])):
            prints = [_print(each) for each in self._client.revisions(memory_id)]
            if prints[0] == _print(revision):
                candidates.remove(memory_id)
                return _Here(memory_id, prints)
        return None

    def _written(self, revision: Memory, answer: Answer) -> tuple[Judgement, str]:
        """Keep what became of a proposal, after its question where it raised one."""
        settled: Answer | Settled = answer
        if answer["pending"] is not None:
            action = self._choice(answer)
            settled = self._client.confirm(answer["pending"]["pending_id"], action)
            if settled["status"] == "CANCELLED":
                return "CONFIRM_REQUIRED", answer["conflict_type"]
        for memory in settled["facts"]:
            self._saw(revision["memory_id"], memory)
        self._ruled(settled["superseded"])
        return cast("Judgement", settled["status"]), ""

    def _choice(self, answer: Answer) -> ActionName:
        """Return how the question was answered when the export's own was asked."""
        offered = {action["action"] for action in answer["actions"]}
        against = [self._here.get(found["memory_id"] or "") for found in answer["findings"]]
        replaced = any(each is not None and each.ended for each in against)
        wanted: ActionName = "replace_old" if replaced else "keep_both"
        return wanted if self._as_confirmed and wanted in offered else "cancel"

    def _track(self, old: str, here: _Here) -> None:
        self._told[old] = self._here[here.memory_id] = here

    def _saw(self, old: str, memory: Memory) -> None:
        """Keep a revision that was just written for the export's memory ``old``."""
        here = self._told.get(old)
        if here is None or here.memory_id != memory["memory_id"]:
            here = _Here(memory["memory_id"], [])
            self._track(old, here)
        if len(here.prints) < memory["revision"]:
            here.prints += [_GONE] * (memory["revision"] - 1 - len(here.prints))
            here.prints.append(_print(memory))
        here.told = len(here.prints)

    def _ruled(self, superseded: Sequence[Memory]) -> None:
        """Keep what the rules did to memories of this replay: each has a revision more."""
        for memory in superseded:
            if here := self._here.get(memory["memory_id"]):
                here.prints.append(_print(memory))

    def _fact(self, revision: Memory) -> Any:
        return {**stated(revision, self._principal), "source_ref": _ref(revision)}

    def _change(self, revision: Memory, here: _Here) -> tuple[Judgement, str]:
        fact = self._fact(revision) | {name: cast("Any", revision)[name] for name in _CLEARABLE}
        changes = cast("Any", {name: fact[name] for name in fact if name not in _FIXED})
        answer = self._client.revise(here.memory_id, changes, expected_revision=len(here.prints))
        return self._revised(revision, answer)

    def _restore(self, revision: Memory, here: _Here) -> tuple[Judgement, str]:
        """Bring back the latest revision that says the same, or the last that said anything."""
        numbers = [n for n, print_ in enumerate(here.prints, 1) if print_ != _GONE]
        same = [n for n in numbers if here.prints[n - 1] == _print(revision)]
        back = (same or numbers)[-1]
        answer = self._client.restore(here.memory_id, back, expected_revision=len(here.prints))
        judged = self._revised(revision, answer)
        if same or judged[0] == "CONFIRM_REQUIRED":
            return judged
        return self._change(revision, here)

    def _revised(self, revision: Memory, answer: Memory | Answer) -> tuple[Judgement, str]:
        if is_held(answer):
            return self._written(revision, answer)
        before = len(self._told[revision["memory_id"]].prints)
        self._saw(revision["memory_id"], answer)
        return ("NO_CHANGE" if answer["revision"] == before else "SUCCESS"), ""

    def _end(self, revision: Memory, here: _Here) -> tuple[Judgement, str]:
        if revision["inactive_reason"] != "retired":
            here.ended = True
            return "NO_CHANGE", "left to the rules"
        gone = self._client.forget(here.memory_id, expected_revision=len(here.prints))
        self._saw(revision["memory_id"], gone)
        return "SUCCESS", ""


def _ref(revision: Memory) -> str:
    return revision["source_ref"] or f"moss-memory:{revision['memory_id']}"


def _print(revision: Memory) -> str:
    """Return what a revision says, as a digest: the words themselves need not be kept."""
    if revision["status"] == "inactive":
        return _GONE
    told: Mapping[str, Any] = cast("Any", revision)
    said = json.dumps({name: told[name] for name in _SAYS}, sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()
