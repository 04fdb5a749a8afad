"""Request bodies, closed and strict: no field that the contract lacks, no type that is guessed.

A validator may raise a ``MossError``: pydantic lets it pass, so a naive instant or an eleventh
fact keeps its own code. What a time means is ``core/when``'s to read, not the wire's.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
)

from moss_memory.api.wire_schemas import INSTANT_SCHEMA, WHEN_SCHEMA
from moss_memory.core.errors import (
    EmptyWindowError,
    InvalidRequestError,
    InvalidValueError,
    NaiveTimestampError,
    TextTooLongError,
    TooManyFactsError,
)
from moss_memory.core.fact import EventStatus, Source, Transparency
from moss_memory.core.interval import FOREVER, Interval
from moss_memory.core.linter import ActionName
from moss_memory.core.screening import screen
from moss_memory.core.when import When, from_json
from moss_memory.core.zones import zone
from moss_memory.flow.requests import (
    ChatRequest,
    ContextRequest,
    FactIn,
    ProposeRequest,
    SectionIn,
)

BEGINNING: Final = datetime(1, 1, 2, tzinfo=UTC)  # datetime.min overflows on a zone shift
MAX_FACTS: Final = 10
MAX_TEXT: Final = 4000  # code points of an utterance
MAX_SOURCE_REF: Final = 512
_DIGITS: Final = re.compile(r"[0-9]{1,10}")
_RFC3339: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?P<offset>[Zz]|[+-]\d\d:\d\d)?"
)


def instant(value: object) -> datetime:
    """Read an RFC 3339 instant as UTC, digits beyond the microsecond dropped.

    Raises:
        NaiveTimestampError: there is no offset.
        InvalidValueError: no such instant, or it is outside the years 1 to 9998 in UTC.
    """
    match = _RFC3339.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise InvalidRequestError("An instant is written as in RFC 3339.")
    if match["offset"] is None:
        raise NaiveTimestampError
    try:
        read = datetime.fromisoformat(match[0].upper()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise InvalidValueError("There is no such instant.") from error
    if read >= FOREVER:
        raise InvalidValueError("An instant lies before the year 9999.")
    return read


def _when(value: object) -> When:
    if not isinstance(value, Mapping):
        raise InvalidRequestError("A time is a JSON object.")
    return from_json(value)


def _few(value: object) -> object:
    if isinstance(value, list) and len(value) > MAX_FACTS:
        raise TooManyFactsError
    return value


def _utterance(value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_TEXT:
        raise TextTooLongError(field="text", length=len(value))
    if isinstance(value, str) and not value.strip():
        raise InvalidRequestError("The text is empty.")
    return value


def _source_ref(value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_SOURCE_REF:
        raise TextTooLongError(field="source_ref", length=len(value))
    return value


def _zone(name: str) -> str:
    zone(name)
    return name


Instant = Annotated[datetime, PlainValidator(instant), WithJsonSchema(INSTANT_SCHEMA)]
WhenField = Annotated[When, PlainValidator(_when), WithJsonSchema(WHEN_SCHEMA)]
Text = Annotated[str, BeforeValidator(_utterance)]
Name = Annotated[str, Field(min_length=1)]  # what it may be, and how long, is the ontology's


def _no_credential(session_id: str) -> str:
    """Take an id as it is, unless it is a credential: it is stored, and shown in answers."""
    screen(session_id, field="session_id")
    return session_id


Words = Annotated[str, Field(min_length=1)]
SourceRef = Annotated[str, BeforeValidator(_source_ref)]
Id = Annotated[str, Field(max_length=128, min_length=1)]
SessionId = Annotated[
    str, Field(pattern=r"^[A-Za-z0-9._%@+-]{1,128}$"), AfterValidator(_no_credential)
]
Zone = Annotated[str, AfterValidator(_zone)]
Locale = Annotated[str, Field(pattern=r"^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})*$", max_length=35)]
Minutes = Annotated[int, Field(ge=0, le=7 * 24 * 60)]
Confidence = Annotated[float, Field(ge=0, le=1)]
Revision = Annotated[int, Field(ge=1, le=2**31 - 1)]
KnownEpoch = Annotated[str, Field(max_length=24_576, min_length=1)]  # some 320 spaces


def _never_null(value: object) -> object:
    if value is None:
        raise InvalidRequestError("An object_value cannot be cleared.")
    return value


def _whole(value: object) -> object:
    """Refuse what only Python takes for a whole number: 1_0, +1, a leading blank."""
    if isinstance(value, str) and not _DIGITS.fullmatch(value):
        raise InvalidRequestError("A number is written in digits.")
    return value


def _expected(value: object) -> object:
    return None if value == "*" else _whole(value)  # any revision is no revision: 428


LimitQuery = Annotated[int, BeforeValidator(_whole), Field(ge=1, le=100)]
ExpectedQuery = Annotated[
    Annotated[int, Field(ge=1, le=2**31 - 1)] | None, BeforeValidator(_expected)
]


class Body(BaseModel):
    """A JSON object of the contract: exactly these fields, exactly these types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    def given(self) -> dict[str, Any]:
        """Return the fields that were sent with a value."""
        return {
            name: value
            for name in self.model_fields_set
            if (value := getattr(self, name)) is not None
        }


class FactBody(Body):
    """A fact as a client states it; null reads as absent."""

    domain: Name
    subject: Name
    predicate: Name
    object_value: Words
    scope_id: Id | None = None
    when: WhenField | None = None
    status: EventStatus | None = None
    transparency: Transparency | None = None
    buffer_before: Minutes | None = None
    buffer_after: Minutes | None = None
    source: Source | None = None
    confidence: Confidence | None = None
    source_ref: SourceRef | None = None
    observed_at: Instant | None = None
    expires_at: Instant | None = None
    hard: bool | None = None

    def fact(self) -> FactIn:
        """Return what the flow is asked."""
        return FactIn(**self.given())


Facts = Annotated[list[FactBody], BeforeValidator(_few), Field(min_length=1, max_length=MAX_FACTS)]


class ProposeBody(Body):
    """``POST /memories``."""

    facts: Facts
    dry_run: bool | None = None

    def request(self) -> ProposeRequest:
        """Return what the flow is asked."""
        return ProposeRequest(
            facts=tuple(body.fact() for body in self.facts), dry_run=self.dry_run or False
        )


class LintBody(Body):
    """``POST /lint``."""

    facts: Facts

    def stated(self) -> tuple[FactIn, ...]:
        """Return what the flow is asked."""
        return tuple(body.fact() for body in self.facts)


class ReviseBody(Body):
    """``PATCH /memories/{id}``: absent is unchanged, null clears, ``when`` is replaced whole."""

    domain: Name | None = None
    subject: Name | None = None
    predicate: Name | None = None
    scope_id: Id | None = None
    object_value: Annotated[Words | None, BeforeValidator(_never_null)] = None
    when: WhenField | None = None
    status: EventStatus | None = None
    transparency: Transparency | None = None
    buffer_before: Minutes | None = None
    buffer_after: Minutes | None = None
    source: Source | None = None
    confidence: Confidence | None = None
    source_ref: SourceRef | None = None
    observed_at: Instant | None = None
    expires_at: Instant | None = None
    hard: bool | None = None
    expected_revision: Revision | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields that were sent, null as None."""
        names = self.model_fields_set - {"expected_revision"}
        return {name: getattr(self, name) for name in names}


class RestoreBody(Body):
    """``POST /memories/{id}/restore``."""

    revision: Revision
    expected_revision: Revision | None = None


class ChatBody(Body):
    """``POST /chat``."""

    text: Text
    session_id: SessionId | None = None
    timezone: Zone | None = None
    reference_time: Instant | None = None
    locale: Locale | None = None
    scope_id: Id | None = None
    debug: bool | None = None

    def request(self) -> ChatRequest:
        """Return what the flow is asked."""
        return ChatRequest(
            text=self.text,
            session_id=self.session_id,
            reference_time=self.reference_time,
            scope_id=self.scope_id,
            debug=self.debug or False,
        )


class ConfirmBody(Body):
    """``POST /confirm``: it never carries a fact."""

    pending_id: Id
    action: ActionName


class WindowBody(Body):
    """A half-open window; an ``end`` of null is open."""

    start: Instant
    end: Instant | None = None

    def interval(self) -> Interval:
        """Return the window, refused where it is empty."""
        return window(self.start, self.end)


class SectionBody(Body):
    """A block of the caller's own for the context."""

    priority: Literal["P0", "P1", "P2", "P4", "P5"]
    label: Annotated[str, Field(max_length=128)]
    text: Annotated[str, Field(max_length=64 * 1024)]

    def section(self) -> SectionIn:
        """Return what the flow is asked."""
        return SectionIn(priority=self.priority, label=self.label, text=self.text)


class ContextBody(Body):
    """``POST /context``."""

    query: Annotated[str, Field(max_length=MAX_TEXT)] | None = None
    token_budget: Annotated[int, Field(ge=0, le=1_000_000)] | None = None
    window: WindowBody | None = None
    domains: Annotated[list[Name], Field(max_length=32)] | None = None
    current: Annotated[list[FactBody], BeforeValidator(_few)] | None = None
    sections: Annotated[list[SectionBody], Field(max_length=32)] | None = None
    session_id: SessionId | None = None
    reference_time: Instant | None = None
    timezone: Zone | None = None
    locale: Locale | None = None
    known_at: Instant | None = None
    known_epoch: KnownEpoch | None = None

    def request(self) -> ContextRequest:
        """Return what the flow is asked."""
        return ContextRequest(
            query=self.query,
            token_budget=1024 if self.token_budget is None else self.token_budget,
            window=self.window.interval() if self.window else None,
            domains=tuple(self.domains or ()),
            current=tuple(body.fact() for body in self.current or ()),
            sections=tuple(body.section() for body in self.sections or ()),
            session_id=self.session_id,
            reference_time=self.reference_time,
            known_at=self.known_at,
            known_epoch=self.known_epoch,
        )


class ProfileBody(Body):
    """``PATCH /me``: null goes back to the service's own."""

    timezone: Zone | None = None
    locale: Locale | None = None


def window(start: datetime, end: datetime | None) -> Interval:
    """Return ``[start, end)``, open where ``end`` is None.

    Raises:
        EmptyWindowError: it ends before or when it starts.
    """
    if end is not None and end <= start:
        raise EmptyWindowError
    return Interval(start, FOREVER if end is None else end)
