"""Stories that users of memory systems reported, where something happens between two steps."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import pytest

from moss_memory.adapters.offline import OfflineParser
from moss_memory.adapters.sql_erasure import SqlErasures
from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.access import Caller
from moss_memory.core.errors import PrincipalErasedError
from moss_memory.flow import converse
from moss_memory.flow.ports import House, Query, Utterance
from moss_memory.flow.requests import ChatRequest, Circumstances
from moss_memory.language.proposal import Parsed

WORDS = "Schedule a dev team meeting for Friday at 10 AM."
AROUND = Circumstances(request_id="r", timezone="Asia/Seoul")


@dataclass
class SlowParser:
    """A parser during whose work something happens."""

    meanwhile: Callable[[], object]
    name: str = "slow"

    async def parse(self, utterance: Utterance) -> Parsed:
        self.meanwhile()
        return await OfflineParser().parse(utterance)


def said(house: House, who: Caller) -> None:
    asyncio.run(converse.chat(house, who, ChatRequest(text=WORDS), AROUND))


def test_c41_extraction_that_runs_during_an_erasure_brings_nothing_back(
    make_house: Callable[..., House], ann: Caller
) -> None:
    house = make_house()
    assert isinstance(house.memory, SqlMemory)
    erasures = SqlErasures(house.memory.database)
    slow = make_house(
        parser=SlowParser(lambda: erasures.erase("default", "ann", erasure_id="e", by="ann"))
    )

    with pytest.raises(PrincipalErasedError):
        said(slow, ann)
    with pytest.raises(PrincipalErasedError):
        said(make_house(parser=OfflineParser()), ann)
    everything = Query(scopes=("ann",), now=datetime(2026, 7, 16, tzinfo=UTC), state="all")
    assert house.memory.page("default", everything).items == ()
