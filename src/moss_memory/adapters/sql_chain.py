"""Walking the hash chains: every commit of every space, with its decision and its revisions.

What is checked: epochs without a gap up to the space's own; each commit's hash over its row, its
decision (with the memories it names and the waivers it gave) and its revisions; each revision's
hash and its place behind the one before; the words against their MAC, where they are still kept;
and that a head says what its newest revision says. A row that nothing refers to is found as well.

A space is read a stretch of epochs at a time, in the order of its chain: what is held in memory
does not grow with what is stored, and the first place that does not fit ends the walk.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import Any, Final

from moss_memory.adapters.sql_call import Call
from moss_memory.adapters.sql_chain_rows import (
    COMMITS,
    DECISIONS,
    HEADS,
    NAMED,
    PLACES,
    REVISIONS,
    SPACES,
    STRAY_DECISIONS,
    STRAY_HEADS,
    STRAY_WAIVERS,
    Listing,
)
from moss_memory.adapters.sql_chain_rows import WAIVED as GIVEN
from moss_memory.adapters.sql_seal import (
    GENESIS,
    commit_hash,
    decision_hash,
    mac,
    revision_hash,
)
from moss_memory.adapters.sql_session import Session
from moss_memory.flow.ports import ChainReport

STRETCH: Final = 500  # commits that are held at a time
PAGE: Final = 5000  # keys that are looked up at a time
_LAST: Final = 2**62

Row = Mapping[str, Any]
Place = tuple[str, int]  # space id, epoch


@dataclass(frozen=True, slots=True)
class _Reader:
    """Reads rows of one tenant within one snapshot."""

    session: Session
    tenant_id: str
    stretch: int

    def rows(self, *asked: tuple[Listing, Mapping[str, Any]]) -> list[list[Row]]:
        """Return the rows of each listing, all in one flight."""
        calls = [
            Call(listing.statement, {**params, "tenant_id": self.tenant_id})
            for listing, params in asked
        ]
        return [
            [dict(zip(listing.names, row, strict=True)) for row in result.rows]
            for (listing, _), result in zip(asked, self.session.run(*calls), strict=True)
        ]

    def pages(self, listing: Listing) -> Iterator[list[Row]]:
        """Yield all of a listing, by its key."""
        after: Mapping[str, Any] = dict(listing.first)
        while True:
            (found,) = self.rows((listing, {**after, "limit": PAGE}))
            yield found
            if len(found) < PAGE:
                return
            after = {name: found[-1][name] for name in listing.first}


def verify_chains(session: Session, tenant_id: str, *, stretch: int = STRETCH) -> ChainReport:
    """Walk every chain of a tenant; ``first_bad`` is the least bad place by space and epoch.

    ``checked`` counts commits, up to the stretch of the first bad one where there is one.
    """
    reader = _Reader(session, tenant_id, stretch)
    checked, bad = 0, list(_strays(reader))
    for its_space in (row for page in reader.pages(SPACES) for row in page):
        count, place = _walk(reader, its_space)
        checked += count
        if place is not None:
            bad.append(place)
            break  # spaces are in order
    first = min(bad, default=None)
    return ChainReport(ok=first is None, checked=checked, first_bad=first)


@dataclass(slots=True)
class _Link:
    """Where a chain stands: the hash that the next commit follows, its epoch, the last instant."""

    before: bytes = GENESIS
    due: int = 1
    last: int = -_LAST


def _walk(reader: _Reader, its_space: Row) -> tuple[int, Place | None]:
    """Return how many commits of a space were checked, and the first place that is bad."""
    identity, link, after, checked = its_space["space_id"], _Link(), 0, 0
    bad: set[Place] = set()
    while True:
        asked = {"space_id": identity, "after": after}
        (commits,) = reader.rows((COMMITS, {**asked, "limit": reader.stretch}))
        whole = len(commits) < reader.stretch
        until = _LAST if whole else commits[-1]["epoch"]
        bad |= set(_stretch(reader, commits, {**asked, "until": until}, link))
        checked += len(commits)
        if bad and min(bad) <= (identity, until):  # a head may name a place that is yet to come
            return checked, min(bad)
        if whole:
            break
        after = until
    return checked, None if link.due == its_space["epoch"] + 1 else (identity, link.due)


def _stretch(
    reader: _Reader, commits: Sequence[Row], asked: Mapping[str, Any], link: _Link
) -> Iterator[Place]:
    """Yield the bad places of a stretch, and move ``link`` on to its end."""
    ids = {"decision_ids": sorted({row["decision_id"] for row in commits})}
    revisions, decisions, named, given = reader.rows(
        (REVISIONS, asked), (DECISIONS, ids), (NAMED, ids), (GIVEN, ids)
    )
    decided = _decided(decisions, _by(named, "decision_id"), _by(given, "decision_id"))
    yield from _bad_chain(asked["space_id"], commits, decided, _by(revisions, "epoch"), link)
    yield from (_place(row) for row in revisions if not _is_sealed(row))
    newest = [row for row in revisions if row["is_newest"]]
    (heads,) = reader.rows((HEADS, {"memory_ids": [row["memory_id"] for row in newest]}))
    by_id = {head["memory_id"]: head for head in heads}
    for row in newest:
        head = by_id.get(row["memory_id"])
        if head is None or not _head_fits(head, row):
            yield _place(head or row)


def _by(rows: Sequence[Row], name: str) -> Mapping[Any, list[Row]]:
    grouped: dict[Any, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row[name]].append(row)
    return grouped


def _place(row: Row) -> Place:
    return row["space_id"], row["epoch"]


def _bad_chain(
    identity: str,
    commits: Sequence[Row],
    decided: Mapping[str, bytes],
    revisions: Mapping[int, Sequence[Row]],
    link: _Link,
) -> Iterator[Place]:
    """Yield the first commit that does not follow on, or the one that is missing."""
    for row in commits:
        inside = [bytes(each["hash"]) for each in revisions.get(link.due, [])]
        fits = (
            row["epoch"] == link.due
            and bytes(row["prev_hash"]) == link.before
            and row["recorded_at"] > link.last
            and row["hash"] == commit_hash(row, decided.get(row["decision_id"], b""), inside)
        )
        if not fits:
            yield identity, link.due
            return
        link.before, link.last = bytes(row["hash"]), row["recorded_at"]
        link.due += 1


def _decided(
    decisions: Sequence[Row],
    named: Mapping[str, Sequence[Row]],
    given: Mapping[str, Sequence[Row]],
) -> Mapping[str, bytes]:
    return {
        row["decision_id"]: decision_hash(
            row,
            [(each["memory_id"], each["revision"]) for each in named.get(row["decision_id"], ())],
            [
                (each["a"], each["a_revision"], each["b"], each["b_revision"])
                for each in given.get(row["decision_id"], ())
            ],
        )
        for row in decisions
    }


def _is_sealed(row: Row) -> bool:
    """Tell whether a revision is as it was written, behind the one before, with its words."""
    first = row["revision"] == 1
    before = GENESIS if first else row["before"]
    return (
        row["revision"] >= 1
        and before is not None
        and bytes(row["prev_hash"]) == bytes(before)
        and bytes(row["hash"]) == revision_hash(row)
        and _words_fit(row)
    )


def _words_fit(row: Row) -> bool:
    if row["salt"] is None:  # erased, or swept as old: nothing to compare
        return True
    salt = bytes(row["salt"])
    slot = None if row["slot_mac"] is None else mac(salt, [row["said"]])
    stored = None if row["slot_mac"] is None else bytes(row["slot_mac"])
    spoken = mac(salt, [row["said"], row["object_value"], row["source_ref"]])
    return spoken == bytes(row["payload_mac"]) and slot == stored


def _head_fits(head: Row, row: Row) -> bool:
    if row["salt"] is None or head["erased"]:
        return row["salt"] is None and bool(head["erased"])
    subject = row["subject"] if row["subject"] is not None else row["said"]
    spoken = {**row, "subject": subject, "erased": head["erased"]}
    return head.items() <= spoken.items()


def _strays(reader: _Reader) -> Iterator[Place]:
    """Yield what no commit carries: decisions, heads, and waivers that no decision gave."""
    for listing in (STRAY_DECISIONS, STRAY_HEADS):
        for page in reader.pages(listing):
            yield from (_place(row) for row in page if row["astray"])
    for page in reader.pages(STRAY_WAIVERS):
        for row in page:
            if row["astray"]:
                yield from _allowed_with(reader, row)


def _allowed_with(reader: _Reader, row: Row) -> Iterator[Place]:
    """Yield the place of the later of the two revisions that a waiver names."""
    pairs = ((row["a"], row["a_revision"]), (row["b"], row["b_revision"]))
    found = reader.rows(*(
        (PLACES, {"memory_id": memory_id, "revision": revision}) for memory_id, revision in pairs
    ))  # fmt: skip
    places = [_place(each) for rows in found for each in rows]
    yield from sorted(places, key=itemgetter(1))[-1:]
