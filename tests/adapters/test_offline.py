"""The offline parser behind the Parser port: no model, no tokens, always there."""

import asyncio
from datetime import datetime

import pytest

from moss_memory.adapters.offline import OfflineParser
from moss_memory.flow.ports import Parser, Utterance

AT = datetime.fromisoformat("2026-07-16T14:00:00+09:00")


def said(text: str, locale: str = "en") -> Utterance:
    return Utterance(text=text, reference=AT, zone="Asia/Seoul", locale=locale)


@pytest.mark.parametrize(
    ("text", "locale", "title"),
    [
        ("Schedule a dev team meeting for Friday at 10 AM", "en", "dev team meeting"),
        ("금요일 오전 10시에 개발팀 미팅 일정 예약해줘.", "ko", "개발팀 미팅"),
    ],
)
def test_an_utterance_becomes_a_proposal_without_a_model(
    text: str, locale: str, title: str
) -> None:
    parser: Parser = OfflineParser()

    parsed = asyncio.run(parser.parse(said(text, locale)))

    assert (parsed.parser, parsed.model) == (parser.name, None)
    assert (parsed.prompt_tokens, parsed.completion_tokens) == (0, 0)
    assert [fact.object_value for fact in parsed.facts] == [title]


def test_the_locale_of_the_request_decides_the_order_of_month_and_day() -> None:
    parser = OfflineParser()

    british = asyncio.run(parser.parse(said("Dentist on 8/9 at 9am", "en-GB")))
    american = asyncio.run(parser.parse(said("Dentist on 8/9 at 9am", "en-US")))

    assert british.facts[0].when != american.facts[0].when
