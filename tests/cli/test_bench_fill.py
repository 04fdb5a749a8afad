"""A database that a bench filled is as real writes would have left it."""

from collections import Counter
from collections.abc import Iterator

import pytest
from pydantic import SecretStr
from sqlalchemy import text

from moss_memory.adapters.sql_audit import audit
from moss_memory.adapters.sql_tables import metadata
from moss_memory.app import build_house
from moss_memory.cli.bench_facts import in_one_slot, remembered
from moss_memory.cli.bench_fill import Filling
from moss_memory.core.access import Caller
from moss_memory.core.fact import Fact
from moss_memory.flow import record
from moss_memory.flow.ports import House
from moss_memory.flow.requests import Answer, Circumstances, FactIn, ProposeRequest
from moss_memory.settings import Settings

TENANT = "default"
# Made anew at each write, or made of what is: two writes of the same differ in these alone.
OWN = {
    "memory_id", "decision_id", "payload_id", "event_id", "ids", "recorded_at", "created_at",
    "observed_at", "payload_mac", "slot_mac", "salt", "hash", "prev_hash", "slot", "request_id",
}  # fmt: skip


@pytest.fixture(params=["sqlite", "postgres"])
def house(request: pytest.FixtureRequest) -> Iterator[House]:
    url = request.getfixturevalue(f"{request.param}_url")
    built = build_house(Settings(database_url=SecretStr(url), timezone="Asia/Seoul"))
    yield built.house
    for close in built.close:
        close()


def rows(house: House) -> Counter[str]:
    """Return every row of every table without what is its own, whoever wrote it."""
    found: Counter[str] = Counter()
    with house.memory.database.engine.connect() as connection:  # type: ignore[attr-defined]
        for table in metadata.sorted_tables:
            for row in connection.execute(text(f'SELECT * FROM "{table.name}"')).mappings():
                said = str({k: v for k, v in row.items() if k not in OWN})
                found[f"{table.name} {said.replace('filled', 'written')}"] += 1
    return found


def test_filled_database_verifies_and_breaks_no_invariant(house: House) -> None:
    filling = Filling(house)
    filling.fill("ann", 600, remembered)
    filling.fill("bob", 20, in_one_slot)
    filling.settle()

    report = house.memory.verify(TENANT)
    broken = audit(house.memory.database, TENANT)  # type: ignore[attr-defined]
    assert (report.ok, report.checked, set(broken.values())) == (True, 620, {0})


def test_filled_memory_leaves_the_rows_that_a_write_leaves(house: House) -> None:
    propose(house, "written", in_one_slot(7, "written", house.clock()))
    written = rows(house)
    Filling(house).fill("filled", 1, lambda _n, who, now: in_one_slot(7, who, now))

    assert rows(house) == written + written
    assert {each.split()[0] for each in written} == {
        "space", "commit_log", "memory_revision", "payload", "memory_head", "occurrence",
        "search", "decision", "decision_memory", "event",
    }  # fmt: skip


def test_write_after_a_filling_follows_on(house: House) -> None:
    Filling(house).fill("ann", 5, in_one_slot)

    answer = propose(house, "ann", in_one_slot(6, "ann", house.clock()))

    assert [memory.epoch for memory in answer.facts] == [6]
    assert house.memory.verify(TENANT).ok


def propose(house: House, who: str, fact: Fact) -> Answer:
    stated = FactIn(
        domain=fact.domain,
        subject=fact.subject,
        predicate=fact.predicate,
        object_value=fact.object_value,
        when=fact.when,
    )
    caller = Caller(tenant_id=TENANT, principal_id=who)
    asked = ProposeRequest(facts=(stated,))
    return record.propose(house, caller, asked, Circumstances(request_id="r"))
