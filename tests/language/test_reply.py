"""What a model may return: inside the closed schema to the byte, or refused with a code."""

import json
import tomllib
from datetime import UTC, date, datetime
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import ModelBadOutputError
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.ontology import Ontology
from moss_memory.core.when import Days, Instant, Series, WallClock
from moss_memory.language.proposal import Parsed
from moss_memory.language.reply import read_reply

POLICY = files("moss_memory").joinpath("policy", "ontology.toml").read_text(encoding="utf-8")
ONTOLOGY = Ontology.from_data(tomllib.loads(POLICY))
THREE, FOUR = "2026-07-17T15:00:00+09:00", "2026-07-17T16:00:00+09:00"
FRIDAY = Days(date(2026, 7, 17), date(2026, 7, 18))
MEETING: dict[str, Any] = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "예산 회의",
    "time_text": "내일 3시",
    "window": {"start": THREE, "end": FOUR, "rrule": None},
    "polarity": "positive",
    "target": None,
}
VACATION = MEETING | {"predicate": "vacation", "object_value": "Vacation"}
DISLIKE = MEETING | {
    "domain": "Preference",
    "subject": "food",
    "predicate": "dislikes",
    "object_value": "cilantro",
    "time_text": None,
    "window": None,
    "polarity": "negative",
}

WARMTH = DISLIKE | {
    "domain": "SmartHome",
    "subject": "bedroom",
    "predicate": "target_temp",
    "polarity": "positive",
}


def reply(*facts: Any, **changes: Any) -> str:
    whole = {
        "intent": "WRITE",
        "operation": "create",
        "facts": list(facts),
        "question": None,
        "why": False,
    }
    return json.dumps(whole | changes)


def meeting(**changes: Any) -> str:
    return reply(MEETING | changes)


def at(start: Any, end: Any = None, **more: Any) -> str:
    return meeting(window={"start": start, "end": end} | more)


def read(text: str, locale: str = "ko") -> Parsed:
    return read_reply(text, ONTOLOGY, zone="Asia/Seoul", locale=locale)


def reason(text: str) -> object:
    with pytest.raises(ModelBadOutputError) as refused:
        read(text)
    return refused.value.members["reason"]


def test_fact_is_proposed_with_the_words_of_its_time() -> None:
    parsed = read(meeting())

    assert (parsed.intent, parsed.operation, parsed.question) == ("WRITE", "create", None)
    (fact,) = parsed.facts
    assert (fact.domain, fact.subject, fact.predicate) == ("Schedule", "Calendar", "meeting")
    assert (fact.object_value, fact.time_text) == ("예산 회의", "내일 3시")


@pytest.mark.parametrize(
    ("start", "end", "when"),
    [
        (THREE, FOUR, WallClock(datetime(2026, 7, 17, 15), datetime(2026, 7, 17, 16))),  # noqa: DTZ001
        (THREE, None, WallClock(datetime(2026, 7, 17, 15))),  # noqa: DTZ001
        ("2026-07-17T06:00Z", None, Instant(datetime(2026, 7, 17, 6, tzinfo=UTC))),
        (
            "2026-07-17T00:00+09:00",
            "2026-07-18T00:00+09:00",
            Days(date(2026, 7, 17), date(2026, 7, 18)),
        ),
        ("2026-07-16T15:00Z", "2026-07-17T15:00Z", Days(date(2026, 7, 17), date(2026, 7, 18))),
    ],
)
def test_window_becomes_the_time_that_the_words_would_give(
    start: str, end: str | None, when: object
) -> None:
    assert read(at(start, end)).facts[0].when == when


def test_recurrence_rides_on_its_window() -> None:
    parsed = read(at(THREE, FOUR, rrule="FREQ=WEEKLY;COUNT=3"))

    assert parsed.facts[0].when is not None
    assert parsed.facts[0].when.series == Series("FREQ=WEEKLY;COUNT=3")


def test_dislike_is_kept_when_it_is_negative_by_nature() -> None:
    assert read(reply(DISLIKE)).facts[0].predicate == "dislikes"


def test_only_value_of_a_predicate_is_filled_in() -> None:
    assert read(reply(VACATION | {"object_value": None})).facts[0].object_value == "Vacation"


@pytest.mark.parametrize("value", ["22", "22.5 °C", "72F"])
def test_number_is_kept_as_said(value: str) -> None:
    assert read(reply(WARMTH | {"object_value": value})).facts[0].object_value == value


@pytest.mark.parametrize("fact", [MEETING, VACATION])
def test_what_is_forbidden_is_never_proposed(fact: dict[str, Any]) -> None:
    parsed = read(reply(fact | {"polarity": "negative"}))

    assert (parsed.intent, parsed.facts, parsed.notes) == ("UNKNOWN", (), ("PROHIBITED",))


def test_denied_fact_goes_and_the_affirmed_one_stays() -> None:
    parsed = read(reply(MEETING | {"polarity": "negative"}, VACATION))

    assert [fact.predicate for fact in parsed.facts] == ["vacation"]
    assert parsed.notes == ("PROHIBITED",)


@pytest.mark.parametrize(
    "text",
    [
        reply(),
        meeting(object_value=None),
        meeting(window=None, time_text=None),
        reply(intent="WRITE", operation="retire"),
    ],
)
def test_write_that_lacks_something_is_a_question(text: str) -> None:
    parsed = read(text)

    assert parsed.question is not None
    assert parsed.question.code == "missing"


def test_question_is_asked_in_our_words_with_the_choices_as_they_are_sent() -> None:
    question = {"code": "half_day", "choices": ["금요일 오전 반차", "금요일 오후 반차"]}

    asked = read(meeting(), locale="en").question, read(reply(MEETING, question=question)).question

    assert asked[0] is None
    assert asked[1] is not None
    assert asked[1].text == "오전 반차인가요, 오후 반차인가요?"
    assert [(each.label, each.text) for each in asked[1].choices] == [
        ("금요일 오전 반차", "금요일 오전 반차"),
        ("금요일 오후 반차", "금요일 오후 반차"),
    ]


def test_retire_describes_its_target() -> None:
    target = {"predicate": "meeting", "words": ["예산"], "time_text": None, "window": None}
    parsed = read(reply(MEETING | {"target": target | {"anaphoric": True}}, operation="retire"))

    found = parsed.facts[0].target
    assert found is not None
    assert (found.predicate, found.words, found.window, found.anaphoric) == (
        "meeting",
        ("예산",),
        None,
        True,
    )


@pytest.mark.parametrize(
    ("operation", "words", "timed"), [("retire", ("예산", "회의"), True), ("revise", (), False)]
)
def test_fact_without_a_target_describes_itself(
    operation: str, words: tuple[str, ...], *, timed: bool
) -> None:
    target = read(reply(MEETING, operation=operation)).facts[0].target

    assert target is not None
    assert (target.predicate, target.words) == ("meeting", words)
    assert (target.window is not None) == timed


def test_query_narrows_by_what_it_names() -> None:
    parsed = read(reply(MEETING, DISLIKE, intent="QUERY", operation=None, why=True))

    assert parsed.domains == ("Schedule", "Preference")
    assert parsed.words == ("예산", "회의", "cilantro", "food")
    assert parsed.window == Interval(
        datetime(2026, 7, 17, 6, tzinfo=UTC), datetime(2026, 7, 17, 7, tzinfo=UTC)
    )
    assert parsed.why
    assert parsed.facts == ()


def test_open_window_of_a_query_has_no_end() -> None:
    parsed = read(reply(MEETING | {"window": {"start": THREE}}, intent="QUERY", operation=None))

    assert parsed.window is not None
    assert parsed.window.end == FOREVER


@pytest.mark.parametrize("key", ["operation", "question", "why"])
def test_absent_key_is_null(key: str) -> None:
    whole = json.loads(meeting())
    del whole[key]

    assert read(json.dumps(whole)) == read(meeting())


def test_ten_facts_are_read() -> None:
    assert len(read(reply(*[MEETING] * 10)).facts) == 10


BAD = {
    "nothing": ("", "not_json"),
    "half of it": (meeting()[:-20], "not_json"),
    "a page": ("<html><body>Sorry</body></html>", "not_json"),
    "a fence around it": (f"```json\n{meeting()}\n```", "not_json"),
    "words after it": (meeting() + " Done!", "not_json"),
    "two of them": (meeting() + meeting(), "not_json"),
    "no number": (reply(MEETING, why=float("nan")), "not_json"),
    "a deep nest": ("[" * 100_000, "too_long"),
    "a nest just short enough": ("[" * 60_000, "not_json"),
    "a list": ("[]", "wrong_type"),
    "null": ("null", "wrong_type"),
    "facts twice": (meeting()[:-1] + ', "facts": []}', "duplicate_key"),
    "a fact's key twice": (
        meeting().replace('"polarity"', '"predicate": "note", "polarity"'),
        "duplicate_key",
    ),
    "an unknown key": (reply(MEETING, status="SUCCESS"), "unknown_key"),
    "a key in another case": (reply(MEETING, Facts=[]), "unknown_key"),
    "an unknown key of a fact": (meeting(confidence=1.0), "unknown_key"),
    "a tenant": (meeting(tenant_id="other"), "unknown_key"),
    "an unknown key of a window": (at(THREE, FOUR, zone="UTC"), "unknown_key"),
    "an unknown key of a target": (meeting(target={"id": "m1"}), "unknown_key"),
    "an unknown key of a question": (reply(question={"text": "?"}), "unknown_key"),
    "no intent": ('{"facts": []}', "intent"),
    "an intent in another case": (reply(MEETING, intent="write"), "intent"),
    "an intent of another type": (reply(MEETING, intent=["WRITE"]), "wrong_type"),
    "another operation": (reply(MEETING, operation="delete"), "operation"),
    "an operation of a query": (reply(intent="QUERY"), "operation"),
    "facts of no intent": (reply(MEETING, intent="UNKNOWN", operation=None), "facts"),
    "eleven facts": (reply(*[MEETING] * 11), "too_many_facts"),
    "facts in an object": (reply(facts={}), "wrong_type"),
    "a fact in a text": (reply("meeting"), "wrong_type"),
    "an unknown predicate": (meeting(predicate="lunch"), "predicate"),
    "a predicate in another case": (meeting(predicate="Meeting"), "predicate"),
    "a predicate in another script": (meeting(predicate="mееting"), "predicate"),
    "another domain's predicate": (meeting(domain="SmartHome"), "predicate"),
    "a predicate of programs": (meeting(domain="Task", predicate="task_summary"), "predicate"),
    "a predicate of adapters": (meeting(domain="Store", predicate="item"), "predicate"),
    "a predicate of another type": (meeting(predicate=1), "wrong_type"),
    "no predicate": (reply({"domain": "Schedule"}), "wrong_type"),
    "another subject": (meeting(subject="Someone"), "subject"),
    "no subject": (meeting(subject=None), "missing_key"),
    "a value in another case": (reply(VACATION | {"object_value": "vacation"}), "value"),
    "a number that is none": (reply(WARMTH | {"object_value": "warm"}), "value"),
    "a number out of bounds": (reply(WARMTH | {"object_value": "999"}), "value"),
    "a number for a value": (meeting(object_value=7), "wrong_type"),
    "an empty value": (meeting(object_value=" "), "text"),
    "a hidden character": (meeting(object_value="회의\u202e"), "text"),
    "half a surrogate": (meeting(object_value="\ud800"), "text"),
    "a long value": (meeting(object_value="가" * 501), "text"),
    "a naive start": (at("2026-07-17T15:00:00"), "naive_time"),
    "a date for a start": (at("2026-07-17"), "naive_time"),
    "a naive end": (at(THREE, "2026-07-17T16:00:00"), "naive_time"),
    "no start": (at(None, FOUR), "missing_key"),
    "a week for a start": (at("2026-W29-5T15:00Z"), "not_a_time"),
    "a day that is none": (at("2026-02-30T15:00Z"), "not_a_time"),
    "words for a start": (at("tomorrow"), "not_a_time"),
    "a number for a start": (at(1784268000), "wrong_type"),
    "a reversed window": (at(FOUR, THREE), "window"),
    "an empty window": (at(THREE, THREE), "window"),
    "a window of 367 days": (at("2026-07-17T00:30Z", "2027-07-19T00:30Z"), "range"),
    "a year too early": (at("1969-12-31T23:00Z"), "year"),
    "a year too late": (at("2101-01-01T00:00Z"), "year"),
    "a rule every hour": (at(THREE, FOUR, rrule="FREQ=HOURLY"), "rrule"),
    "a rule that is none": (at(THREE, FOUR, rrule="every week"), "rrule"),
    "a rule that never comes": (at(THREE, FOUR, rrule="FREQ=DAILY;UNTIL=20200101"), "rrule"),
    "another polarity": (meeting(polarity="none"), "polarity"),
    "a like that is negative": (
        reply(DISLIKE | {"predicate": "prefers"}),
        "polarity",
    ),
    "a dislike that is positive": (reply(DISLIKE | {"polarity": "positive"}), "polarity"),
    "a new fact with a target": (meeting(target={"words": []}), "target"),
    "many words of a target": (
        reply(MEETING | {"target": {"words": ["a"] * 11}}, operation="retire"),
        "too_many_words",
    ),
    "another question": (reply(question={"code": "password"}), "question"),
    "many choices": (reply(question={"code": "target", "choices": ["a"] * 5}), "too_many_words"),
    "a text for why": (reply(MEETING, why="yes"), "wrong_type"),
}


@pytest.mark.parametrize(("text", "code"), BAD.values(), ids=BAD)
def test_reply_outside_the_schema_is_refused_with_a_code(text: str, code: str) -> None:
    assert reason(text) == code


def test_refusal_repeats_nothing_of_the_reply() -> None:
    with pytest.raises(ModelBadOutputError) as refused:
        read(meeting(predicate="secret plan"))

    assert "secret" not in f"{refused.value} {refused.value.members}"


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_mutated_reply_is_read_or_refused_and_nothing_else(data: st.DataObject) -> None:
    text = meeting(object_value=data.draw(st.text(max_size=20)))
    cut = data.draw(st.integers(0, len(text)))
    tail = data.draw(st.sampled_from(["", text[cut:], text[cut + 1 :], "}", "null", "9" * 5000]))

    try:
        read(text[:cut] + tail)
    except ModelBadOutputError as refused:
        code = refused.members["reason"]
    else:
        code = "read"

    assert isinstance(code, str)
