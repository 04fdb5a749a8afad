"""A principal's own settings, and what a new zone does to the times that float with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from http import HTTPStatus
from typing import Literal

from moss_memory.core.access import Access, Caller, access_of
from moss_memory.core.errors import (
    PrincipalErasedError,
    StorageUnavailableError,
    VerdictChangedError,
)
from moss_memory.core.fact import Known, Memory, Pair, Proposal, Provenance, pair
from moss_memory.core.interval import overlap
from moss_memory.core.linter import Verdict, lint
from moss_memory.core.when import Days, Instant, WallClock
from moss_memory.core.zones import zone as check_zone
from moss_memory.flow import answers
from moss_memory.flow.framing import frame_of, known_of
from moss_memory.flow.placing import place
from moss_memory.flow.ports import (
    Change,
    Decision,
    Entry,
    Event,
    Frame,
    House,
    IdempotencyKey,
    Loaded,
    Opened,
    Query,
    Receipt,
    Space,
    Standing,
    Step,
)
from moss_memory.flow.replays import first_answer, under_key
from moss_memory.flow.requests import Circumstances

_PAGE = 100
_TRIES = 12  # while others write, what floats is listed anew this often


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """Who the caller is to this service. Zone and locale are those in force."""

    access: Access
    timezone: str
    locale: str
    replayed: bool = False


def me(house: House, caller: Caller) -> Profile:
    """Say who is calling, with which rights, zone and language."""
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    return _profile(house, caller, standing)


def _profile(house: House, caller: Caller, standing: Standing) -> Profile:
    return Profile(
        access=access_of(caller, standing.grants),
        timezone=standing.timezone or house.defaults.timezone,
        locale=standing.locale or house.defaults.locale,
    )


def settle_in(
    house: House,
    caller: Caller,
    *,
    given: Mapping[str, str | None],
    around: Circumstances,
) -> Profile:
    """Set zone, locale or both; what floats is placed and linted anew, or nothing changes.

    ``given`` holds ``timezone`` and ``locale``, those to be changed; None goes back to the
    service's own.

    Raises:
        UnknownZoneError: not an IANA zone.
        VerdictChangedError: in the new zone, memories would conflict that do not now.
        IdempotencyKeyReusedError: the key was used with another request.
        StorageUnavailableError: others wrote all the while; nothing was changed.
    """
    if (named := given.get("timezone")) is not None:
        check_zone(named)
    standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    if (receipt := under_key(house, caller, around)) is not None:
        return _as_first(caller, standing, receipt)
    for _ in range(_TRIES):
        move = _move(house, caller, standing, given, around.key)
        told = house.memory.transact(move.entry(around.request_id), move.frame, move.decide)
        if isinstance(told, Receipt):
            return _as_first(caller, standing, told)
        if isinstance(told, Verdict):
            raise _refusal(house, told, move, around)
        if told is None:
            return _profile(house, caller, move.wanted)
        standing = house.memory.standing(caller.tenant_id, caller.principal_id)
    raise StorageUnavailableError


def _move(
    house: House,
    caller: Caller,
    standing: Standing,
    given: Mapping[str, str | None],
    key: IdempotencyKey | None,
) -> "_Move":
    wanted = replace(
        standing,
        timezone=given.get("timezone", standing.timezone),
        locale=given.get("locale", standing.locale),
    )
    # a team may bear the name of a principal who may not write to it
    own = caller.principal_id in access_of(caller, standing.grants).writable
    moves = own and _zone_moves(house, standing, wanted)
    return _Move(house, caller, standing, wanted, _floating(house, caller) if moves else None, key)


def _refusal(
    house: House, verdict: Verdict, move: "_Move", around: Circumstances
) -> VerdictChangedError:
    tongue = answers.tongue_of(house, move.wanted, around)
    facts = tuple(memory.fact for memory in move.listed)
    view = answers.verdict_view(
        answers.verdict_data(verdict), answers.index(move.listed), facts, tongue
    )
    return VerdictChangedError(verdict=view)


def _as_first(caller: Caller, standing: Standing, receipt: Receipt) -> Profile:
    """Give the first answer again: zone and locale as they were set, access as it is now."""
    return Profile(
        access=access_of(caller, standing.grants),
        timezone=receipt.data["timezone"],
        locale=receipt.data["locale"],
        replayed=True,
    )


def _zone_moves(house: House, before: Standing, after: Standing) -> bool:
    default = house.defaults.timezone
    return (before.timezone or default) != (after.timezone or default)


@dataclass(frozen=True, slots=True)
class _Floating:
    """The caller's own active memories whose times follow the zone, as of the epochs at least."""

    memories: tuple[Memory, ...]
    epochs: Mapping[Space, int]


def _floating(house: House, caller: Caller) -> _Floating:
    found: list[Memory] = []
    epochs: Mapping[Space, int] | None = None
    cursor: tuple[datetime, str] | None = None
    while True:
        page = house.memory.page(
            caller.tenant_id,
            Query(scopes=(caller.principal_id,), now=house.clock(), cursor=cursor, limit=_PAGE),
        )
        if epochs is None:
            epochs = page.known_epoch or {}
        found += [memory for memory in page.items if _floats(memory)]
        if not page.more:
            return _Floating(tuple(found), epochs)
        cursor = (page.items[-1].recorded_at, page.items[-1].memory_id)


def _floats(memory: Memory) -> bool:
    match memory.fact.when:
        case WallClock(zone=None) | Days(zone=None):
            return True
        case Instant(series=series):
            return series is not None  # an instant repeats in its owner's zone
        case _:
            return False


class _Move:
    """The two functions of a change of zone."""

    def __init__(
        self,
        house: House,
        caller: Caller,
        standing: Standing,
        wanted: Standing,
        floating: _Floating | None,
        key: IdempotencyKey | None,
    ) -> None:
        self.wanted = wanted
        self.listed = floating.memories if floating else ()
        self._house = house
        self._caller = caller
        self._key = key
        self._standing = standing
        self._epochs = floating.epochs if floating else None
        self._moving: list[Memory] = []
        self._placed: tuple[Proposal, ...] = ()

    def entry(self, request_id: str) -> Entry:
        """Claim every space of the caller's own if the zone moves: a time may come to any."""
        own = self._caller.principal_id
        domains = ("Schedule",) if self._epochs is None else self._house.policy.ontology.domains
        claimed = {(own, domain) for domain in domains}
        return Entry(
            tenant_id=self._caller.tenant_id,
            principal_id=own,
            request_id=request_id,
            writes=frozenset(claimed | {(each.owner, each.fact.domain) for each in self.listed}),
            memory_ids=tuple(memory.memory_id for memory in self.listed),
            idempotency=self._key,
        )

    def frame(self, opened: Opened) -> Frame:
        """Place what floats in the new zone; what changed meanwhile is taken as it is now."""
        if opened.standing.erased:
            raise PrincipalErasedError
        zone = self.wanted.timezone or self._house.defaults.timezone
        names = [memory.memory_id for memory in self.listed]
        found = [opened.memories[name] for name in names if name in opened.memories]
        self._moving = [memory for memory in found if memory.active]
        self._placed = tuple(
            place(self._house.policy, memory.fact, zone=zone, now=opened.recorded_at)
            for memory in self._moving
        )
        access = access_of(self._caller, opened.standing.grants)
        return frame_of(self._house, access, self._placed)

    def decide(
        self, opened: Opened, loaded: Loaded
    ) -> Step[Verdict | Receipt | Literal["outdated"] | None]:
        """Write all of it, or answer with the verdict that forbids it, or as the first time.

        Outdated: something was written after what floats was listed, maybe a time that floats,
        or the settings were changed after they were read.
        """
        if (first := first_answer(opened.replay, self._key)) is not None:
            return Step(first)
        if self._outdated(opened):
            return Step("outdated")
        access = access_of(self._caller, opened.standing.grants)
        moving = {memory.memory_id for memory in self._moving}
        known = known_of(access, loaded, opened.recorded_at)
        still = [each for each in known if each.memory.memory_id not in moving]
        allowed: list[Pair] = []
        revisions = self._revisions(opened)
        for number in range(len(self._placed)):
            refusal = self._judge(number, still, loaded, revisions, allowed)
            refusal = refusal or self._among(number, loaded, revisions, allowed)
            if refusal:
                return Step(refusal)
        allowed += self._kept_waivers(still, loaded, revisions)
        return Step(None, self._change(opened, revisions, allowed))

    def _change(
        self, opened: Opened, revisions: Sequence[Memory], allowed: Sequence[Pair]
    ) -> Change:
        decision = Decision(
            decision_id=self._house.ids(),
            outcome="SETTINGS",
            rules_version=self._house.policy.rules_version,
            actor=self._caller.principal_id,
            memories=tuple(answers.reference(memory) for memory in revisions),
            recorded_at=opened.recorded_at,
        )
        revised = tuple(
            replace(memory, provenance=replace(memory.provenance, decision_id=decision.decision_id))
            for memory in revisions
        )
        events = tuple(
            Event(
                kind="memory.written",
                scope_id=memory.owner,
                ids=(memory.memory_id,),
                revision=memory.revision,
                status="active",
            )
            for memory in revised
        )
        return Change(
            operation="settings",
            decision=decision,
            revisions=revised,
            waivers=tuple(dict.fromkeys(allowed)),
            receipt=self._receipt(decision.decision_id),
            events=events,
            standing=self.wanted,
        )

    def _outdated(self, opened: Opened) -> bool:
        read, now, seen = self._standing, opened.standing, self._epochs
        if (read.timezone, read.locale) != (now.timezone, now.locale):
            return True
        return seen is not None and any(
            epoch != seen.get(space, 0) + 1 for space, epoch in opened.epochs.items()
        )

    def _receipt(self, decision_id: str) -> Receipt:
        """Keep what was set, as it is in force."""
        told = _profile(self._house, self._caller, self.wanted)
        return Receipt(
            kind="profile",
            http_status=HTTPStatus.OK,
            decision_id=decision_id,
            data={"timezone": told.timezone, "locale": told.locale},
        )

    def _revisions(self, opened: Opened) -> list[Memory]:
        return [
            replace(
                memory,
                revision=memory.revision + 1,
                windows=placed.windows,
                valid_from=placed.valid_from,
                valid_until=placed.valid_until,
                zone=placed.zone,
                epoch=opened.epochs[(memory.owner, memory.fact.domain)],
                recorded_at=opened.recorded_at,
                provenance=Provenance(
                    decision_id="",
                    created_by_chat_id=memory.provenance.created_by_chat_id,
                    parser=memory.provenance.parser,
                    model=memory.provenance.model,
                ),
            )
            for memory, placed in zip(self._moving, self._placed, strict=True)
        ]

    def _judge(
        self,
        number: int,
        still: Sequence[Known],
        loaded: Loaded,
        revisions: Sequence[Memory],
        allowed: list[Pair],
    ) -> Verdict | None:
        """Judge one moved memory against those that stay; a waived pair stays waived.

        Two that have become the same stand beside each other: nobody asked to lose one.
        """
        memory, proposal = self._moving[number], self._placed[number]
        judged = [each for each in still if pair(memory, each.memory) not in loaded.waived]
        verdict = lint([proposal], judged, self._house.policy, exclude=memory.memory_id)
        same = {found.memory_id for found in verdict.findings if found.verdict == "NO_CHANGE"}
        allowed += [
            pair(revisions[number], each.memory) for each in judged if each.memory.memory_id in same
        ]
        return verdict if verdict.status not in {"SUCCESS", "NO_CHANGE"} else None

    def _among(
        self, number: int, loaded: Loaded, revisions: Sequence[Memory], allowed: list[Pair]
    ) -> Verdict | None:
        """Judge one moved memory against the ones moved before it."""
        for other in range(number):
            if pair(self._moving[number], self._moving[other]) in loaded.waived:
                allowed.append(pair(revisions[number], revisions[other]))
                continue
            verdict = lint([self._placed[number]], [Known(revisions[other])], self._house.policy)
            if verdict.status == "NO_CHANGE":
                allowed.append(pair(revisions[number], revisions[other]))
            if verdict.status not in {"SUCCESS", "NO_CHANGE"} and not _overlapped(
                self._moving[number], self._moving[other]
            ):
                return verdict
        return None

    def _kept_waivers(
        self, still: Sequence[Known], loaded: Loaded, revisions: Sequence[Memory]
    ) -> list[Pair]:
        return [
            pair(revision, each.memory)
            for before, revision in zip(self._moving, revisions, strict=True)
            for each in still
            if pair(before, each.memory) in loaded.waived
        ]


def _overlapped(a: Memory, b: Memory) -> bool:
    return any(overlap(x, y) for x in a.windows for y in b.windows)
