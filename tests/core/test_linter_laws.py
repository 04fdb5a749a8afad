"""Laws of the linter, each over drawn worlds, beside a second linter that is plain and slow.

A world lives on twelve hours. The plain linter looks at sets of hours and at the rows of the
rules file, one by one; it shares no code with the one under test but the values.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import MossError
from moss_memory.core.fact import Fact, Known, Memory, Proposal, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import Finding, Verdict, lint
from moss_memory.core.revise import plan
from moss_memory.core.rules import Policy
from moss_memory.core.when import Days, Instant, Series
from moss_memory.policy import load, read_toml, shipped

POLICY = load()
RULES = read_toml(shipped("rules.toml"))
BASE = datetime(2026, 7, 17, tzinfo=UTC)
HOURS = 12
RANK = {"user_explicit": 5, "user_selection": 4, "user_feedback": 4, "vision": 3, "task_result": 3,
        "model_inferred": 1}  # fmt: skip
ORDER = ["NO_CHANGE", "ALLOW", "SUPERSEDE", "CONFIRM", "BLOCK"]
STATUS = ["NO_CHANGE", "SUCCESS", "SUCCESS_WITH_OVERWRITE", "CONFIRM_REQUIRED", "BLOCKED"]

# predicate -> (domain, subject, rule class, slot, card, values, open-ended)
WORLD: dict[str, tuple[str, str, str, str, str, list[str], bool]] = {
    "vacation": ("Schedule", "Calendar", "vacation", "calendar", "set", ["Vacation"], False),
    "meeting": ("Schedule", "Calendar", "meeting", "calendar", "set", ["A", "B"], False),
    "note": ("Schedule", "Calendar", "note", "calendar", "set", ["A", "B"], False),
    "prefers": ("Preference", "food", "prefers", "food", "set", ["A", "B"], False),
    "dislikes": ("Preference", "food", "dislikes", "food", "set", ["A", "B"], False),
    "lives_in": ("Preference", "User", "prefers", "home", "single", ["A", "B"], True),
    "light_status": ("SmartHome", "lamp", "state", "light", "single", ["on", "off"], True),
    "lock": ("SmartHome", "door", "safety_state", "lock", "single", ["locked", "unlocked"], True),
}
OPPOSITE = {"prefers": "dislikes", "dislikes": "prefers"}
GROUPS = [["vacation", "meeting", "note"], ["prefers", "dislikes"], ["lives_in"], ["light_status"],
          ["lock"]]  # fmt: skip


@dataclass(frozen=True)
class Said:
    """A fact on the hours of the world; ``end`` None is open."""

    predicate: str
    value: str
    start: int
    end: int | None
    source: str = "user_explicit"
    confidence: float = 1.0
    observed: int = 0
    hard: bool = False
    free: bool = False
    cancelled: bool = False
    buffer: int = 0


@dataclass(frozen=True)
class Kept:
    """A memory of the world."""

    name: str
    said: Said
    writable: bool = True
    visible: bool = True
    active: bool = True


@st.composite
def said(draw: st.DrawFn, predicates: list[str]) -> Said:
    predicate = draw(st.sampled_from(predicates))
    start = draw(st.integers(2, HOURS - 4))
    length = draw(st.integers(1, 3))
    return Said(
        predicate=predicate,
        value=draw(st.sampled_from(WORLD[predicate][5])),
        start=start,
        end=None if WORLD[predicate][6] and draw(st.booleans()) else start + length,
        source=draw(st.sampled_from([*RANK, "user_explicit", "user_explicit"])),
        confidence=draw(st.sampled_from([0.5, 0.6, 0.89, 0.9, 1.0, 1.0])),
        observed=draw(st.integers(0, 4)),
        hard=draw(st.integers(0, 3)) == 0,
        free=draw(st.integers(0, 4)) == 0,
        cancelled=draw(st.integers(0, 9)) == 0,
        buffer=draw(st.sampled_from([0, 0, 0, 1])),
    )


@st.composite
def worlds(draw: st.DrawFn, *, hidden: bool = True, most: int = 4) -> tuple[Said, list[Kept]]:
    """Draw a new fact, and memories that mostly share its slot."""
    group = draw(st.sampled_from(GROUPS))
    new = draw(said(group))
    olds = draw(st.lists(said(group), max_size=most))
    kept = [
        Kept(
            f"m{number}", old,
            writable=draw(st.integers(0, 3)) > 0,
            visible=not hidden or draw(st.integers(0, 4)) > 0,
            active=draw(st.integers(0, 6)) > 0,
        )
        for number, old in enumerate(olds)
    ]  # fmt: skip
    return new, kept


def at(hour: int) -> datetime:
    return BASE + timedelta(hours=hour)


def fact_of(one: Said) -> Fact:
    domain, subject = WORLD[one.predicate][:2]
    return Fact(
        domain=domain, subject=subject, predicate=one.predicate, object_value=one.value,
        scope_id="ada", observed_at=at(one.observed),
        when=Instant(at(one.start), at(one.end) if one.end is not None else None),
        status="cancelled" if one.cancelled else "confirmed",
        transparency="free" if one.free else "busy",
        buffer_before=60 * one.buffer, buffer_after=60 * one.buffer,
        source=one.source, confidence=one.confidence, hard=one.hard,  # type: ignore[arg-type]
    )  # fmt: skip


def proposal_of(one: Said) -> Proposal:
    window = Interval(at(one.start), FOREVER if one.end is None else at(one.end))
    return Proposal(
        fact_of(one), "ada", (window,), window.start, window.end, open_ended=one.end is None
    )


def known_of(kept: Kept) -> Known:
    placed = proposal_of(kept.said)
    memory = Memory(
        memory_id=kept.name, revision=1, tenant_id="default", principal_id="ada", owner="ada",
        fact=placed.fact, windows=placed.windows, valid_from=placed.valid_from,
        valid_until=placed.valid_until, open_ended=placed.open_ended, active=kept.active,
        recorded_at=BASE, created_at=BASE, provenance=Provenance(decision_id="d"),
    )  # fmt: skip
    return Known(memory, writable=kept.writable, visible=kept.visible)


def judged(new: Said, kept: list[Kept], **said_too: Any) -> Verdict:
    return lint([proposal_of(new)], [known_of(k) for k in kept], POLICY, **said_too)


# ---- the plain linter


def hours(one: Said) -> set[int]:
    """Return the hours that a fact takes up, buffers included; open goes far beyond the world."""
    end = 5 * HOURS if one.end is None else one.end + one.buffer
    return set(range(one.start - one.buffer, end))


def meeting_of(a: set[int], b: set[int]) -> str:
    if not a & b:
        return "DISJOINT"
    if a == b:
        return "EQ"
    return "INSIDE" if a < b else "CONTAINS" if a > b else "PARTIAL"


def time_of(new: Said, old: Said) -> str:
    still_so = new.end is None and old.end is None and new.start == new.observed
    found = meeting_of(hours(new), hours(old))
    return "EQ" if found == "INSIDE" and still_so else found


def situation(new: Said, old: Kept) -> dict[str, str]:
    ahead = RANK[new.source] - RANK[old.said.source]
    value = "DIFF" if new.value != old.said.value else "SAME"
    if value == "SAME" and OPPOSITE.get(new.predicate) == old.said.predicate:
        value = "NEGATES"
    busy = [not one.free and not one.cancelled for one in (new, old.said)]
    return {
        "new": WORLD[new.predicate][2], "old": WORLD[old.said.predicate][2],
        "time": time_of(new, old.said), "value": value, "new_src": new.source,
        "src": "HIGHER" if ahead > 0 else "EQUAL" if ahead == 0 else "LOWER",
        "conf": "high" if new.confidence >= 0.9 else "mid" if new.confidence >= 0.6 else "low",
        "obs": "OLDER" if new.observed < old.said.observed else "NEWER",
        "busy": ["NEITHER", "ONE", "BOTH"][sum(busy)],
        "writable": "yes" if old.writable else "no", "hard": "yes" if old.said.hard else "no",
        "card": WORLD[new.predicate][4],
    }  # fmt: skip


def row_for(domain: str, facts: dict[str, str]) -> dict[str, Any]:
    def covers(row: dict[str, Any]) -> bool:
        spelled = (
            (k, RULES["macros"][v] if isinstance(v, str) else v) for k, v in row["when"].items()
        )
        return all(facts[name] in values for name, values in spelled)

    return min(filter(covers, RULES["domains"][domain]["rules"]), key=lambda row: row["prio"])


def plain_lint(new: Said, kept: list[Kept]) -> tuple[str, set[tuple[str, str, str]]]:
    """Return the status and ``(memory or HIDDEN or gate, rule id, status)`` of each finding."""
    kept = [k for k in kept if k.active and not k.said.cancelled]
    slot = [k for k in kept if WORLD[k.said.predicate][3] == WORLD[new.predicate][3]]
    if new.end is None:
        later = [k.said.start for k in slot if k.visible and k.said.start > new.start]
        new = replace(new, end=min(later)) if later else new
    found = set()
    if new.source == "model_inferred":
        low = new.confidence < 0.6
        found.add(("gate", "G-01" if low else "G-02", "BLOCKED" if low else "CONFIRM_REQUIRED"))
    for old in [] if new.cancelled else slot:
        facts = situation(new, old)
        row = row_for(WORLD[new.predicate][0], facts)
        if facts["time"] == "DISJOINT":
            continue
        if not old.visible:
            found |= {("HIDDEN", "HIDDEN", "BLOCKED")} if row["verdict"] != "ALLOW" else set()
            continue
        status = STATUS[ORDER.index(row["verdict"])]
        left = set(row.get("options", [])) - (set() if old.writable else {"replace_old"})
        found.add((old.name, row["id"], "BLOCKED" if left == {"cancel"} else status))
    return plain_status(new, found, {k.name: k for k in slot}), found


def plain_status(new: Said, found: set[tuple[str, str, str]], olds: dict[str, Kept]) -> str:
    statuses = {status for _, _, status in found}
    if "BLOCKED" in statuses or "NO_CHANGE" in statuses:
        return "BLOCKED" if "BLOCKED" in statuses else "NO_CHANGE"
    if "CONFIRM_REQUIRED" not in statuses:
        return "SUCCESS_WITH_OVERWRITE" if "SUCCESS_WITH_OVERWRITE" in statuses else "SUCCESS"
    rows = {r["id"]: r for d in RULES["domains"].values() for r in d["rules"]}
    rows |= {gate["id"]: gate for gate in RULES["gates"]}
    asking = [(name, rows[rule]["options"]) for name, rule, s in found if s == "CONFIRM_REQUIRED"]
    replacing = [name for name, options in asking if "replace_old" in options]
    can_replace = (
        bool(replacing)
        and all("replace_old" in o or "keep_both" in o for _, o in asking)
        and all(olds[name].writable for name in replacing)
    )
    shared = set.intersection(*(set(options) for _, options in asking)) & {"approve", "keep_both"}
    return "CONFIRM_REQUIRED" if can_replace or shared else "BLOCKED"


def spelled(verdict: Verdict) -> set[tuple[str, str, str]]:
    return {(name_of(f), f.rule_id, f.verdict) for f in verdict.findings}


def name_of(finding: Finding) -> str:
    if finding.memory_id is not None:
        return finding.memory_id
    return "HIDDEN" if finding.reason == "HIDDEN_CONFLICT" else "gate"


def severity(verdict: Verdict) -> int:
    return STATUS.index(verdict.status)


MEETING = Said("meeting", "A", 4, 6)
VACATION = Said("vacation", "Vacation", 2, 8)
LAWFUL = settings(deadline=None, max_examples=40)
THOROUGH = settings(deadline=None, max_examples=150)


@THOROUGH
@given(world=worlds())
def test_both_linters_agree(world: tuple[Said, list[Kept]]) -> None:
    verdict = judged(*world)

    assert (verdict.status, spelled(verdict)) == plain_lint(*world)


def test_both_linters_agree_on_a_meeting_over_a_vacation() -> None:
    world = MEETING, [Kept("v", VACATION)]

    assert spelled(judged(*world)) == plain_lint(*world)[1] == {("v", "SCH-10", "CONFIRM_REQUIRED")}


@LAWFUL
@given(world=worlds(), seed=st.randoms())
def test_order_of_the_memories_does_not_matter(world: tuple[Said, list[Kept]], seed: Any) -> None:
    """Property 1."""

    new, kept = world
    shuffled = seed.sample(kept, len(kept))

    assert judged(new, shuffled) == judged(new, kept)


def test_order_does_not_matter_for_a_meeting_over_two() -> None:
    kept = [Kept("v", VACATION), Kept("m", replace(MEETING, value="B"))]

    assert judged(MEETING, kept) == judged(MEETING, kept[::-1])


@LAWFUL
@given(world=worlds(), hours_on=st.integers(-10_000, 10_000))
def test_shifting_all_times_changes_no_decision(
    world: tuple[Said, list[Kept]], hours_on: int
) -> None:
    """Property 3."""

    def moved(one: Said) -> Said:
        end = one.end + hours_on if one.end is not None else None
        return replace(one, start=one.start + hours_on, end=end, observed=one.observed + hours_on)

    new, kept = world
    later = judged(moved(new), [replace(k, said=moved(k.said)) for k in kept])
    assert (later.status, spelled(later)) == (judged(*world).status, spelled(judged(*world)))


def test_the_same_clash_a_year_later_asks_as_well() -> None:
    later = (
        replace(MEETING, start=8764, end=8766),
        [Kept("v", replace(VACATION, start=8762, end=8768))],
    )

    assert judged(*later).status == "CONFIRM_REQUIRED"


@LAWFUL
@given(world=worlds(hidden=False), extra=st.data())
def test_one_more_memory_never_lowers_severity_but_to_no_change(
    world: tuple[Said, list[Kept]], extra: st.DataObject
) -> None:
    """Property 5."""

    new, kept = world
    more = Kept("more", extra.draw(said([new.predicate])))
    before, after = judged(new, kept), judged(new, [*kept, more])

    closed = (
        new.end is None and more.said.start > new.start
    )  # then less is asked of a shorter fact, rightly
    assert after.status == "NO_CHANGE" or closed or severity(after) >= severity(before)


def test_duplicate_beside_a_conflict_ends_the_matter() -> None:
    kept = [Kept("v", VACATION), Kept("same", MEETING)]

    assert judged(MEETING, kept).status == "NO_CHANGE"


@LAWFUL
@given(world=worlds(), extra=st.data())
def test_memory_that_does_not_matter_changes_nothing(
    world: tuple[Said, list[Kept]], extra: st.DataObject
) -> None:
    """Property 6."""

    new, kept = world
    group = next(g for g in GROUPS if new.predicate in g)
    others = [p for p in WORLD if p not in group]
    idle = extra.draw(
        st.one_of(
            said(others).map(lambda s: Kept("idle", s)),
            said(group).map(lambda s: Kept("idle", s, active=False)),
            said(group).map(lambda s: Kept("idle", replace(s, cancelled=True))),
            said(group).map(lambda s: Kept("idle", replace(s, start=-90, end=-80))),
        )
    )

    assert judged(new, [*kept, idle]) == judged(new, kept)


def test_meeting_that_was_cancelled_stands_in_no_way() -> None:
    assert judged(MEETING, [Kept("m", replace(MEETING, cancelled=True))]).findings == ()


@LAWFUL
@given(world=worlds(), cut=st.integers(0, 2))
def test_shorter_fact_meets_no_memory_that_the_longer_did_not(
    world: tuple[Said, list[Kept]], cut: int
) -> None:
    """Property 7."""

    new, kept = world
    longer = replace(new, end=new.end or HOURS)
    shorter = replace(longer, end=max((longer.end or 0) - cut, new.start + 1))

    met = {f.memory_id for f in judged(longer, kept).findings}
    assert {f.memory_id for f in judged(shorter, kept).findings} <= met


def test_meeting_that_ends_before_the_next_begins_is_free() -> None:
    assert (
        judged(replace(MEETING, end=5), [Kept("m", replace(MEETING, start=5))]).status == "SUCCESS"
    )


DOUBTS: list[Callable[[Said], Said]] = [
    lambda one: replace(one, confidence=0.5),
    lambda one: replace(one, confidence=min(one.confidence, 0.7)),
    lambda one: replace(one, observed=one.observed - 3),
    lambda one: replace(one, source="model_inferred"),
    lambda one: replace(one, source="vision") if RANK[one.source] > 3 else one,
    lambda one: replace(one, source="user_feedback") if RANK[one.source] > 4 else one,
]


@LAWFUL
@given(world=worlds(), doubt=st.sampled_from(DOUBTS))
def test_more_doubtful_fact_is_never_judged_more_mildly(
    world: tuple[Said, list[Kept]], doubt: Callable[[Said], Said]
) -> None:
    """Property 8."""

    new, kept = world

    assert severity(judged(doubt(new), kept)) >= severity(judged(new, kept))


def test_unsure_vacation_asks_where_a_sure_one_replaces() -> None:
    kept = [Kept("m", MEETING)]

    assert judged(VACATION, kept).status == "SUCCESS_WITH_OVERWRITE"
    assert judged(replace(VACATION, confidence=0.5), kept).status == "CONFIRM_REQUIRED"


@LAWFUL
@given(world=worlds())
def test_only_writable_soft_active_memories_are_replaced(world: tuple[Said, list[Kept]]) -> None:
    """Property 10."""

    new, kept = world
    replaced = {
        f.memory_id for f in judged(new, kept).findings if f.verdict == "SUCCESS_WITH_OVERWRITE"
    }

    assert all(
        k.writable and k.active and k.visible and not k.said.hard
        for k in kept
        if k.name in replaced
    )


def test_hard_meeting_is_not_replaced_by_a_vacation() -> None:
    assert judged(VACATION, [Kept("m", replace(MEETING, hard=True))]).status == "CONFIRM_REQUIRED"


@LAWFUL
@given(world=worlds())
def test_inference_never_writes_by_itself_and_is_never_hard(
    world: tuple[Said, list[Kept]],
) -> None:
    """Property 12."""

    new, kept = world
    verdict = judged(replace(new, source="model_inferred", hard=True), kept)

    assert verdict.status in {"CONFIRM_REQUIRED", "BLOCKED", "NO_CHANGE"}
    assert not verdict.placed[0].fact.hard


def test_sure_inference_asks_to_be_approved() -> None:
    assert judged(replace(MEETING, source="model_inferred"), []).actions == ("approve", "cancel")


@LAWFUL
@given(new=said(["prefers"]), old=said(["dislikes"]))
def test_negative_turns_positive_by_explicit_sure_newer_words_only(new: Said, old: Said) -> None:
    """Property 11."""

    old = replace(old, cancelled=False, value=new.value)
    new = replace(new, cancelled=False, start=old.start, end=old.end)
    verdict = judged(new, [Kept("d", old)])
    earned = (
        new.source == "user_explicit" and new.confidence >= 0.9 and new.observed >= old.observed
        and not old.hard
    )  # fmt: skip

    assert (verdict.status == "SUCCESS_WITH_OVERWRITE") == earned
    assert verdict.status != "SUCCESS"


LIKES = Said("prefers", "A", 2, 9)
DISLIKES = Said("dislikes", "A", 2, 9)


def test_click_does_not_turn_a_dislike_into_a_like() -> None:
    click = replace(LIKES, source="user_feedback")

    assert judged(click, [Kept("d", DISLIKES)]).conflict_type == "NEGATIVE_GUARD"


@LAWFUL
@given(new=said(["lives_in"]), old=said(["lives_in"]))
def test_older_word_never_replaces_a_newer_single_preference(new: Said, old: Said) -> None:
    """Property 13."""

    new = replace(new, observed=old.observed - 1)

    assert judged(new, [Kept("h", old)]).status != "SUCCESS_WITH_OVERWRITE"


def test_older_word_about_home_is_refused_as_stale() -> None:
    old, new = (
        Said("lives_in", "A", 2, None, observed=2),
        Said("lives_in", "B", 3, None, observed=1),
    )

    assert judged(new, [Kept("h", old)]).conflict_type == "STALE_OBSERVATION"


@LAWFUL
@given(world=worlds())
def test_memory_is_never_in_the_way_of_its_own_update(world: tuple[Said, list[Kept]]) -> None:
    """Property 34."""

    new, kept = world
    mine = Kept("mine", replace(new, start=new.start - 1))

    assert judged(new, [*kept, mine], exclude="mine") == judged(new, kept)


def test_meeting_moved_by_an_hour_does_not_clash_with_itself() -> None:
    assert judged(replace(MEETING, end=7), [Kept("m", MEETING)], exclude="m").status == "SUCCESS"


@LAWFUL
@given(world=worlds(hidden=False))
def test_saying_an_existing_fact_again_changes_nothing(world: tuple[Said, list[Kept]]) -> None:
    """Property 35."""

    new, kept = world
    new = replace(new, cancelled=False, source="user_explicit", confidence=1.0)
    same = Kept("same", new)
    again = judged(new, [*kept, same])

    later = new.end is None and any(
        k.active and not k.said.cancelled and k.said.start > new.start for k in kept
    )
    assert later or again.status in {"NO_CHANGE", "BLOCKED"}


def test_same_meeting_said_twice_is_kept_once() -> None:
    assert judged(MEETING, [Kept("m", MEETING)]).status == "NO_CHANGE"


@LAWFUL
@given(world=worlds())
def test_hidden_memory_is_not_named_and_not_counted(world: tuple[Said, list[Kept]]) -> None:
    """Property 39."""

    new, kept = world
    secret = {k.name for k in kept if not k.visible}
    verdict = judged(new, kept)
    hidden = [f for f in verdict.findings if f.reason == "HIDDEN_CONFLICT"]

    assert not secret & {f.memory_id for f in verdict.findings}
    assert hidden in (
        [],
        [
            Finding(
                fact_index=0, verdict="BLOCKED", rule_id="HIDDEN", reason="HIDDEN_CONFLICT",
                relation="conflicts", time_relation=None, actions=("cancel",),
            )
        ],
    )  # fmt: skip


def test_two_hidden_meetings_look_like_one() -> None:
    kept = [Kept("m", MEETING, visible=False), Kept("n", VACATION, visible=False)]

    assert judged(MEETING, kept) == judged(MEETING, kept[:1])


@LAWFUL
@given(world=worlds(hidden=False, most=3))
def test_several_memories_are_as_severe_as_the_severest(world: tuple[Said, list[Kept]]) -> None:
    """Property 42."""

    new, kept = world
    new = replace(new, end=new.end or HOURS)
    alone = [judged(new, [k]) for k in kept] or [judged(new, [])]
    together = judged(new, kept)

    if "NO_CHANGE" in {v.status for v in alone}:
        assert together.status in {"NO_CHANGE", "BLOCKED"}
    else:
        most = max(map(severity, alone))
        assert severity(together) == most or (  # two questions may have no answer in common
            together.status == "BLOCKED" and STATUS[most] == "CONFIRM_REQUIRED"
        )


@LAWFUL
@given(
    world=worlds(hidden=False), starts=st.sets(st.integers(2, HOURS - 4), min_size=1, max_size=4)
)
def test_series_is_judged_as_severely_as_its_severest_occurrence(
    world: tuple[Said, list[Kept]], starts: set[int]
) -> None:
    """Property 18; a series is known only where all of it is, so there a duplicate is no end."""
    new, kept = world
    each = [replace(new, start=start, end=start + 1) for start in sorted(starts)]
    whole = together(each)
    series = lint([whole], [known_of(k) for k in kept], POLICY)
    alone = [judged(one, kept) for one in each]

    if all(verdict.status != "NO_CHANGE" for verdict in alone):
        assert series.status == max(alone, key=severity).status
        assert {f.memory_id for f in series.findings} == {
            f.memory_id for verdict in alone for f in verdict.findings
        }


def together(each: list[Said]) -> Proposal:
    """Make one series of facts that differ in their hours alone."""
    placed = [proposal_of(one) for one in each]
    windows = tuple(one.windows[0] for one in placed)
    return replace(placed[0], windows=windows, valid_until=windows[-1].end)


def test_weekly_meeting_that_clashes_once_asks() -> None:
    series = together([MEETING, replace(MEETING, start=9, end=10)])
    clash = known_of(Kept("v", replace(VACATION, start=9, end=12)))

    assert lint([series], [clash], POLICY).status == "CONFIRM_REQUIRED"


def test_meeting_over_a_note_and_a_vacation_asks_like_over_the_vacation() -> None:
    kept = [Kept("n", Said("note", "A", 4, 6)), Kept("v", VACATION)]

    assert judged(MEETING, kept).status == judged(MEETING, kept[1:]).status == "CONFIRM_REQUIRED"


@LAWFUL
@given(world=worlds())
def test_judging_twice_gives_the_same_and_changes_no_input(
    world: tuple[Said, list[Kept]],
) -> None:
    """Property 2."""

    new, kept = world
    proposals, known = [proposal_of(new)], [known_of(k) for k in kept]
    first = lint(proposals, known, POLICY)

    assert first == lint(proposals, known, POLICY)
    assert proposals == [proposal_of(new)]
    assert known == [known_of(k) for k in kept]


@pytest.mark.parametrize("offset", ["+00:00", "+09:00", "-07:00", "+05:45"])
def test_same_instant_in_another_offset_is_judged_the_same(
    offset: str, policy: Policy, fact: Any, propose: Any, remember: Any
) -> None:
    """Property 4."""

    old = remember("m", fact("meeting", "Review", {"start": "2026-07-17T01:00Z"}))
    zone = datetime.fromisoformat(f"2026-01-01T00:00{offset}").tzinfo
    start = datetime(2026, 7, 17, 1, 30, tzinfo=UTC).astimezone(zone)
    new = propose(fact("meeting", "Retro", {"start": start.isoformat()}))

    assert lint([new], [old], policy).conflict_type == "MEETING_OVERLAP"


MOMENTS = st.integers(-1_100_000, 1_500_000).map(at)  # from the edge of the years to the other
SERIES = st.sampled_from([None, None, Series("FREQ=DAILY;COUNT=3"), Series("FREQ=WEEKLY")])
TIMES = st.one_of(
    st.builds(Instant, MOMENTS, st.none(), SERIES),
    st.builds(Days, st.dates(date(1890, 1, 1), date(2210, 1, 1)), st.none(), st.none(), SERIES),
    st.builds(
        lambda start, hours, series: Instant(start, start + timedelta(hours=hours), series),
        MOMENTS, st.integers(1, 500_000), SERIES,
    ),
)  # fmt: skip


@settings(deadline=None, max_examples=40)
@given(times=st.tuples(TIMES, TIMES), predicate=st.sampled_from(["lock", "meeting", "lives_in"]))
def test_whatever_can_be_placed_can_be_judged(
    times: tuple[Any, Any], predicate: str, policy: Policy, fact: Any, propose: Any, remember: Any
) -> None:
    values = {"lock": ("locked", "unlocked"), "meeting": ("A", "B"), "lives_in": ("Oslo", "Rome")}
    try:
        new, old = (fact(predicate, v, w) for v, w in zip(values[predicate], times, strict=True))
        proposal, known = propose(new), [remember("old", old)]
    except MossError:
        return
    verdict = lint([proposal], known, policy)

    action = next((a for a in verdict.actions if a != "cancel"), None)
    assert verdict.status == "BLOCKED" or plan(verdict, [proposal], known, action).writes
