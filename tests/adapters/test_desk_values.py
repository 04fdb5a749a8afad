"""Desk values survive the way through JSON whole, whatever a fact can hold."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.adapters.desk_values import dump, load
from moss_memory.core.fact import Fact, Memory, Provenance
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days, Instant, Series, WallClock, When
from moss_memory.flow.ports import Pending, ReferenceFacts, Session

NOON = datetime(2026, 7, 16, 12, tzinfo=UTC)
SERIES = Series(
    "FREQ=WEEKLY;COUNT=4",
    exdates=(datetime(2026, 7, 24, 9),),  # noqa: DTZ001 - a wall clock reads no zone
    overrides=((datetime(2026, 7, 31, 9), None), (datetime(2026, 8, 7, 9), Days(date(2026, 8, 9)))),  # noqa: DTZ001
)
FACT = Fact(
    domain="Schedule",
    subject="Calendar",
    predicate="vacation",
    object_value='휴가 "Vacation"\n',
    scope_id="mina",
    observed_at=NOON,
    when=WallClock(datetime(2026, 7, 17, 9), minutes=60, zone="Asia/Seoul", fold=1, series=SERIES),  # noqa: DTZ001
    source="model_inferred",
    confidence=0.1,
    expires_at=NOON + timedelta(microseconds=1),
)
MEMORY = Memory(
    memory_id="m1",
    revision=2,
    tenant_id="default",
    principal_id="mina",
    owner="mina",
    fact=FACT,
    windows=(Interval(NOON, NOON + timedelta(hours=1)), Interval(NOON + timedelta(days=7))),
    valid_from=NOON,
    valid_until=FOREVER,
    inactive_reason="superseded",
    recorded_at=NOON,
    created_at=NOON,
    provenance=Provenance(decision_id="d1", model="gemini-flash"),
)
PENDING = Pending(
    pending_id="p1",
    tenant_id="default",
    principal_id="mina",
    scope_ids=("mina", "team"),
    operation="create",
    facts=(FACT,),
    targets=(("m2", 3),),
    shown=(("m1", 2),),
    actions=("keep_both", "cancel"),
    decision_id="d2",
    expires_at=NOON + timedelta(minutes=30),
    fingerprint="same",
    rules_version="r1",
    timezone="Asia/Seoul",
    locale="ko",
    data={"notes": ["STORED_SOFT"], "depth": {"n": 1, "none": None}},
)
SESSION = Session(
    session_id="s1",
    tenant_id="default",
    principal_id="mina",
    dialog_state={"last": ["m1", 2]},
    pending_ids=("p1",),
    expires_at=NOON,
)
REFERENCE = ReferenceFacts(
    space=("mina", "Schedule"),
    epoch=7,
    rules_version="r1",
    grants_hash="g1",
    read_at=NOON,
    memories=(MEMORY, replace(MEMORY, memory_id="m2")),
)

texts = st.text(max_size=12)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | texts | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=5,
)
objects = st.dictionaries(texts, plain, max_size=3)
instants = st.datetimes(timezones=st.just(UTC))
walls = st.datetimes()
identified = instants | walls | st.dates()


def whens(series: st.SearchStrategy[Series | None]) -> st.SearchStrategy[When]:
    ends = st.none() | walls
    return st.one_of(
        st.builds(Instant, instants, st.none() | instants, series),
        st.builds(WallClock, walls, ends, st.none() | st.integers(), zone=texts, series=series),
        st.builds(Days, st.dates(), st.none() | st.dates(), series=series),
    )


overrides = st.tuples(identified, st.none() | whens(st.none()))
series = st.builds(
    Series,
    texts,
    st.lists(identified, max_size=2).map(tuple),
    st.lists(overrides, max_size=2).map(tuple),
)
facts = st.builds(
    Fact,
    observed_at=instants,
    expires_at=st.none() | instants,
    when=st.none() | whens(st.none() | series),
    confidence=st.floats(0, 1),
)
windows = (
    st.lists(instants, min_size=2, max_size=2, unique=True)
    .map(sorted)
    .map(lambda ends: Interval(*ends))
)
memories = st.builds(
    Memory,
    fact=facts,
    windows=st.lists(windows, max_size=3).map(tuple),
    valid_from=instants,
    valid_until=instants,
    recorded_at=instants,
    created_at=instants,
)
pendings = st.builds(
    Pending, facts=st.lists(facts, max_size=2).map(tuple), expires_at=instants, data=objects
)
references = st.builds(
    ReferenceFacts, read_at=instants, memories=st.lists(memories, max_size=2).map(tuple)
)
sessions = st.builds(Session, dialog_state=objects, expires_at=instants)


@pytest.mark.parametrize("value", [PENDING, SESSION, REFERENCE])
def test_value_reads_back_equal_when_written(
    value: Pending | Session | ReferenceFacts,
) -> None:
    assert load(type(value), dump(value)) == value


@settings(max_examples=100, deadline=None)
@given(pendings | sessions | references)
def test_any_value_reads_back_equal_when_written(
    value: Pending | Session | ReferenceFacts,
) -> None:
    assert load(type(value), dump(value)) == value


@pytest.mark.parametrize("spelled", ["", "{", "[]", "{}", "null", '{"session_id": 1}'])
def test_value_is_refused_when_it_is_no_session(spelled: str) -> None:
    with pytest.raises(ValueError, match=r"Session|Expecting"):
        load(Session, spelled)
