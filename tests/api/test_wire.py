"""Bodies are closed and strict, and malformed facts keep their own codes."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from moss_memory.api.views import instant as written
from moss_memory.api.wire import (
    BEGINNING,
    ChatBody,
    ConfirmBody,
    ContextBody,
    KnownEpoch,
    ProposeBody,
    ReviseBody,
    instant,
    window,
)
from moss_memory.core import errors
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.when import Days
from moss_memory.flow.reading import spell_epoch

FACT = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "vacation",
    "object_value": "Vacation",
}


@pytest.mark.parametrize(
    ("text", "utc"),
    [
        ("2026-07-17T10:00:00+09:00", datetime(2026, 7, 17, 1, tzinfo=UTC)),
        ("2026-07-17T01:00:00Z", datetime(2026, 7, 17, 1, tzinfo=UTC)),
        ("2026-07-17t01:00:00z", datetime(2026, 7, 17, 1, tzinfo=UTC)),
        ("2026-07-17T01:00:00.5-00:00", datetime(2026, 7, 17, 1, 0, 0, 500_000, tzinfo=UTC)),
        ("2026-07-17T01:00:00.123456789Z", datetime(2026, 7, 17, 1, 0, 0, 123_456, tzinfo=UTC)),
    ],
)
def test_instant_is_read_as_utc(text: str, utc: datetime) -> None:
    assert instant(text) == utc


@pytest.mark.parametrize("text", ["2026-07-17T10:00:00", "2026-07-17 10:00:00.5"])
def test_instant_without_an_offset_is_naive(text: str) -> None:
    with pytest.raises(errors.NaiveTimestampError):
        instant(text)


@pytest.mark.parametrize(
    "value",
    [
        "", "tomorrow", "2026-07-17", "2026-7-17T9:00:00Z", "2026-07-17T10:00Z", 1_784_000_000,
        "2026-07-17T10:00:00+0900", " 2026-07-17T10:00:00Z", "2026-07-17T10:00:00Z\n", None,
        "٢٠٢٦-07-17T10:00:00Z",
    ],
)  # fmt: skip
def test_what_is_not_rfc_3339_is_refused(value: object) -> None:
    with pytest.raises(errors.InvalidRequestError):
        instant(value)


@pytest.mark.parametrize(
    "text",
    ["2026-02-30T10:00:00Z", "2026-07-17T24:30:00Z", "2026-07-17T10:00:60Z",
     "0001-01-01T00:00:00+09:00", "9999-12-31T23:59:59-09:00", "9999-01-01T00:00:00Z",
     "2026-07-17T10:00:00+99:00"],
)  # fmt: skip
def test_instant_that_is_not_in_the_calendar_is_refused(text: str) -> None:
    with pytest.raises(errors.InvalidValueError):
        instant(text)


@given(st.timedeltas(timedelta(0), FOREVER - BEGINNING - timedelta(microseconds=1)))
@example(datetime(2026, 7, 17, tzinfo=UTC) - BEGINNING)
def test_instant_is_read_as_it_was_written(since: timedelta) -> None:
    at = BEGINNING + since

    assert instant(written(at)) == at


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"facts": [FACT] * 11}, "too_many_facts"),
        ({"facts": [FACT | {"observed_at": "2026-07-17T10:00:00"}]}, "naive_timestamp"),
        ({"facts": [FACT | {"when": {"start": "2026-07-17T10:00:00"}}]}, "naive_timestamp"),
        (
            {"facts": [FACT | {"when": {"date": "2026-07-17", "timezone": "Mars/X"}}]},
            "unknown_zone",
        ),
        ({"facts": [FACT | {"when": []}]}, "invalid_request"),
        ({"facts": [FACT | {"source_ref": "x" * 513}]}, "text_too_long"),
    ],
)
def test_malformed_fact_keeps_its_code(body: dict[str, Any], code: str) -> None:
    with pytest.raises(errors.MossError) as refused:
        ProposeBody.model_validate(body)

    assert refused.value.code == code


@pytest.mark.parametrize(
    "body",
    [
        {"facts": []},
        {"facts": FACT},
        {"facts": [FACT | {"tenant_id": "t"}]},
        {"facts": [FACT | {"confidence": "0.5"}]},
        {"facts": [FACT | {"confidence": 1.5}]},
        {"facts": [FACT | {"confidence": float("inf")}]},
        {"facts": [FACT | {"confidence": True}]},
        {"facts": [FACT | {"hard": 1}]},
        {"facts": [FACT | {"buffer_before": -1}]},
        {"facts": [FACT | {"buffer_before": 1.0}]},
        {"facts": [FACT | {"source": "boss"}]},
        {"facts": [FACT | {"status": "maybe"}]},
        {"facts": [FACT | {"object_value": ""}]},
        {"facts": [FACT | {"domain": 1}]},
        {"facts": [{**FACT, "predicate": None}]},
        {"facts": [FACT], "user_name": "alice"},
    ],
)
def test_field_is_taken_as_it_is_or_not_at_all(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ProposeBody.model_validate(body)


def test_null_reads_as_absent_in_a_new_fact() -> None:
    nothing = dict.fromkeys(("when", "source", "status", "confidence", "expires_at", "hard"))

    stated = ProposeBody.model_validate({"facts": [FACT | nothing]}).request()

    assert stated == ProposeBody.model_validate({"facts": [FACT]}).request()


def test_null_clears_in_a_revision_and_absence_does_not() -> None:
    body = ReviseBody.model_validate(
        {"when": {"date": "2026-07-17"}, "source_ref": None, "expected_revision": 2}
    )

    assert body.fields() == {"when": Days(date(2026, 7, 17)), "source_ref": None}


@pytest.mark.parametrize("revision", [0, -1, "1", 1.0, True, 2**31])
def test_revision_is_a_whole_number_from_one(revision: object) -> None:
    with pytest.raises(ValidationError):
        ReviseBody.model_validate({"expected_revision": revision})


def test_text_is_counted_in_code_points() -> None:
    text = "\N{PALM TREE}" * 4000

    assert ChatBody.model_validate({"text": text}).text == text
    with pytest.raises(errors.TextTooLongError):
        ChatBody.model_validate({"text": text + "."})


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u3000"])
def test_blank_text_is_refused(text: str) -> None:
    with pytest.raises(errors.InvalidRequestError):
        ChatBody.model_validate({"text": text})


@pytest.mark.parametrize(
    "body",
    [
        {"pending_id": "p", "action": "explode"},
        {"pending_id": "p", "action": "cancel", "pending_fact": FACT},
        {"pending_id": "p", "action": "cancel", "conflict_type": "VACATION_OVERLAP"},
        {"pending_id": 1, "action": "cancel"},
    ],
)
def test_confirmation_carries_an_id_and_an_action_only(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ConfirmBody.model_validate(body)


def test_open_window_has_no_end() -> None:
    start = datetime(2026, 7, 17, tzinfo=UTC)

    assert window(start, None) == Interval(start, FOREVER)


@pytest.mark.parametrize("end", ["2026-07-17T00:00:00Z", "2026-07-16T23:59:59Z"])
def test_empty_window_is_refused(end: str) -> None:
    body = ContextBody.model_validate({"window": {"start": "2026-07-17T00:00:00Z", "end": end}})
    with pytest.raises(errors.EmptyWindowError):
        body.request()


@pytest.mark.parametrize(
    "body",
    [
        {"sections": [{"priority": "P3", "label": "mine", "text": "x"}]},
        {"token_budget": -1},
        {"token_budget": "10"},
        {"window": {"end": "2026-07-17T00:00:00Z"}},
        {"session_id": "a b"},
    ],
)
def test_context_takes_no_block_that_is_memory_s_own_and_no_guess(body: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ContextBody.model_validate(body)


def test_zero_is_a_budget() -> None:
    assert ContextBody.model_validate({"token_budget": 0}).request().token_budget == 0


def test_epoch_of_forty_scopes_with_every_domain_may_be_given_back() -> None:
    scopes = [str(UUID(int=number)) for number in range(40)]
    domains = [f"Domain {letter}" for letter in "ABCDEFG"]
    word = spell_epoch({(scope, domain): 10**6 for scope in scopes for domain in domains})

    assert TypeAdapter(KnownEpoch).validate_python(word) == word
