"""An export lived through again: every revision of every memory, in the order of their recording.

What the service recorded then it records anew, so the history is there with the instants of the
replay; ``observed_at`` keeps when things were said. What rules did of themselves (superseding,
expiry) is left to them. A replay that broke off is told again: what is there already is found by
its ``source_ref`` and not written twice.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from moss_memory.integrations.client_errors import ProblemError
from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import FactChanges, Memory, is_held
from moss_memory.integrations.entries import Entry, Judged, Judgement
from moss_memory.integrations.foreign import records, stated

_FIXED: Final = ("domain", "subject", "predicate", "scope_id")


@dataclass(slots=True)
class _Again:
    """A memory of the export as it is here now; ``skip`` revisions were replayed before."""

    memory_id: str
    revision: int
    skip: int = 0


class Replay:
    """The replay of one export."""

    def __init__(self, client: MossClient, path: Path) -> None:
        self._client = client
        self._path = path
        self._here: dict[str, _Again] = {}
        self._principal: str | None = None

    def run(self) -> Iterator[Judged]:
        """Replay, and yield what became of each revision.

        Raises:
            UnknownShapeError: the file is no export.
        """
        for revision in self._revisions():
            entry = Entry(
                f"{revision['memory_id']}:{revision['revision']}", revision["object_value"]
            )
            try:
                yield Judged(entry, *self._step(revision))
            except ProblemError as error:
                yield Judged(entry, "REFUSED", f"{error.code}: {error.detail}")

    def _revisions(self) -> list[Memory]:
        found: list[Memory] = []
        for record in records(self._path):
            self._principal = record.get("principal_id", self._principal)
            found += record.get("revisions", [])
        return sorted(found, key=lambda each: (each["recorded_at"], each["status"] == "active"))

    def _step(self, revision: Memory) -> tuple[Judgement, str]:
        old = revision["memory_id"]
        if revision["revision"] == 1:
            return self._first(revision)
        again = self._here.get(old)
        if again is None:
            return "REFUSED", "its first revision was not written"
        if revision["revision"] <= again.skip:
            return "NO_CHANGE", ""
        if revision["status"] == "inactive":
            return self._end(revision, again)
        return self._change(revision, again)

    def _first(self, revision: Memory) -> tuple[Judgement, str]:
        known = self._known(revision)
        if known is not None:
            skip = known["revision"]
            self._here[revision["memory_id"]] = _Again(known["memory_id"], skip, skip)
            return "NO_CHANGE", ""
        answer = self._client.remember(self._fact(revision))
        if answer["pending"] is not None:
            self._client.confirm(answer["pending"]["pending_id"], "cancel")
            return "CONFIRM_REQUIRED", answer["conflict_type"]
        for memory in answer["facts"]:
            again = _Again(memory["memory_id"], memory["revision"])
            self._here[revision["memory_id"]] = again
        return answer["status"], ""

    def _known(self, revision: Memory) -> Memory | None:
        """Return the memory that an earlier run of the same replay wrote for this one."""
        named = _ref(revision)
        held = self._client.memories(
            domain=revision["domain"],
            predicate=revision["predicate"],
            subject=revision["subject"],
            status="all",
        )
        return next((each for each in held if each["source_ref"] == named), None)

    def _fact(self, revision: Memory) -> Any:
        return {**stated(revision, self._principal), "source_ref": _ref(revision)}

    def _change(self, revision: Memory, again: _Again) -> tuple[Judgement, str]:
        fact = self._fact(revision)
        changes: Any = {name: fact[name] for name in fact if name not in _FIXED}
        told: FactChanges = changes
        answer = self._client.revise(again.memory_id, told, expected_revision=again.revision)
        if is_held(answer):
            assert answer["pending"] is not None
            self._client.confirm(answer["pending"]["pending_id"], "cancel")
            return "CONFIRM_REQUIRED", answer["conflict_type"]
        same = answer["revision"] == again.revision
        again.revision = answer["revision"]
        return ("NO_CHANGE" if same else "SUCCESS"), ""

    def _end(self, revision: Memory, again: _Again) -> tuple[Judgement, str]:
        if revision["inactive_reason"] != "retired":
            return "NO_CHANGE", "left to the rules"
        gone = self._client.forget(again.memory_id, expected_revision=again.revision)
        again.revision = gone["revision"]
        return "SUCCESS", ""


def _ref(revision: Memory) -> str:
    return revision["source_ref"] or f"moss-memory:{revision['memory_id']}"
