"""What an import brings: entries, each judged by the rules before any is written.

Nothing is half imported: facts of an entry are written together, and what was written is taken
back where a later entry does not pass.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Literal

from moss_memory.integrations.client_errors import ProblemError
from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import Answer, FactIn, Lint, Settled, VerdictStatus

MAX_FACTS: Final = 10  # a request
_SEVERITY: Final[tuple[VerdictStatus, ...]] = (
    "NO_CHANGE",
    "SUCCESS",
    "SUCCESS_WITH_OVERWRITE",
    "CONFIRM_REQUIRED",
    "BLOCKED",
)
Judgement = VerdictStatus | Literal["REFUSED"]


@dataclass(frozen=True, slots=True)
class Entry:
    """Facts that belong together; ``fault`` says why there are none.

    ``left_out`` names what a memory has no place for.
    """

    name: str
    title: str
    facts: tuple[FactIn, ...] = ()
    fault: str | None = None
    left_out: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Judged:
    """What the rules say of an entry, and why; REFUSED is a faulty one."""

    entry: Entry
    status: Judgement
    reason: str = ""

    @property
    def clean(self) -> bool:
        """Whether it can be written unasked, and nothing else changes by that."""
        return self.status in {"SUCCESS", "NO_CHANGE"}


class ImportStoppedError(Exception):
    """An entry did not pass when it was written, though it did before."""

    def __init__(self, judged: Judged) -> None:
        super().__init__(f"{judged.entry.name}: {judged.status} {judged.reason}")
        self.judged = judged


def rehearse(client: MossClient, entries: Iterable[Entry]) -> Iterator[Judged]:
    """Ask the rules about entries, ten facts a request; nothing is written."""
    waiting = iter(entries)
    chunk: list[Entry] = []
    for entry in waiting:
        if entry.fault is not None or not 0 < len(entry.facts) <= MAX_FACTS:
            yield from _judge(client, chunk)
            chunk = []
            fault = entry.fault or f"{len(entry.facts)} facts, of at most {MAX_FACTS}"
            yield Judged(entry, "REFUSED", fault)
            continue
        if sum(len(each.facts) for each in chunk) + len(entry.facts) > MAX_FACTS:
            yield from _judge(client, chunk)
            chunk = []
        chunk.append(entry)
    yield from _judge(client, chunk)


def _judge(client: MossClient, chunk: list[Entry]) -> Iterator[Judged]:
    if not chunk:
        return
    try:
        verdict = client.lint([fact for entry in chunk for fact in entry.facts])
    except ProblemError as error:
        if len(chunk) == 1:
            yield Judged(chunk[0], "REFUSED", f"{error.code}: {error.detail}")
            return
        for entry in chunk:
            yield from _judge(client, [entry])
        return
    first = 0
    for entry in chunk:
        yield _judged(entry, verdict, range(first, first + len(entry.facts)))
        first += len(entry.facts)


def _judged(entry: Entry, verdict: Lint, numbers: range) -> Judged:
    """Take what concerns an entry out of the verdict on several."""
    alone = [verdict["verdicts"][number] for number in numbers]
    found = [each for each in verdict["findings"] if each["fact_index"] in numbers]
    among = [each["verdict"] for each in found if each["memory_id"] is None]
    status = max([*alone, *among], key=_SEVERITY.index)
    reasons = [each["summary"] for each in found if each["verdict"] == status and each["reason"]]
    return Judged(entry, status, "; ".join(islice(reasons, 3)))


@dataclass(frozen=True, slots=True)
class _Done:
    """What one entry changed, by ids alone: an import may be larger than memory."""

    pending_id: str | None
    written: tuple[tuple[str, int], ...] = ()
    superseded: tuple[tuple[str, int], ...] = ()


class Writing:
    """The writing of entries, which can be taken back.

    ``hold`` leaves what conflicts as open questions, ``keep`` answers them with keep_both, instead
    of stopping there.
    """

    def __init__(self, client: MossClient, *, hold: bool = False, keep: bool = False) -> None:
        self._client = client
        self._hold = hold
        self._keep = keep
        self._done: list[_Done] = []

    def write(self, entry: Entry) -> Judged:
        """Write an entry; NO_CHANGE where it is known already.

        Raises:
            ImportStoppedError: it conflicts or is refused; of it nothing is written or held.
        """
        try:
            answer = self._client.remember(list(entry.facts))
        except ProblemError as error:
            reason = f"{error.code}: {error.detail}"
            raise ImportStoppedError(Judged(entry, "REFUSED", reason)) from error
        reasons = [each["summary"] for each in answer["findings"] if each["reason"]]
        judged = Judged(entry, answer["status"], "; ".join(reasons[:3]))
        if answer["pending"] is None:
            self._note(answer)
        else:
            judged = self._asked(judged, answer, answer["pending"]["pending_id"])
        return judged

    def _asked(self, judged: Judged, answer: Answer, pending_id: str) -> Judged:
        if self._hold:
            self._done.append(_Done(pending_id))
            return judged
        kept = self._keep and any(each["action"] == "keep_both" for each in answer["actions"])
        settled = self._client.confirm(pending_id, "keep_both" if kept else "cancel")
        if not kept or settled["status"] == "CANCELLED":
            raise ImportStoppedError(judged)
        self._note(settled)
        return Judged(judged.entry, settled["status"], judged.reason)

    def _note(self, answer: Answer | Settled) -> None:
        if answer["status"] != "NO_CHANGE":
            written, old = (
                [(each["memory_id"], each["revision"]) for each in answer[part]]
                for part in ("facts", "superseded")
            )
            self._done.append(_Done(None, tuple(written), tuple(old)))

    def take_back(self) -> int:
        """Undo what was written, the last first; return how many memories are gone again.

        Raises:
            RevisionConflictError: somebody changed one of them meanwhile; those before it stay.
        """
        gone = 0
        while self._done:
            gone += self._undo(self._done.pop())
        return gone

    def _undo(self, done: _Done) -> int:
        if done.pending_id is not None:
            self._client.confirm(done.pending_id, "cancel")
            return 0
        for memory_id, revision in done.written:
            self._client.forget(memory_id, expected_revision=revision)
        for memory_id, revision in done.superseded:
            self._client.restore(memory_id, revision - 1, expected_revision=revision)
        return len(done.written)
