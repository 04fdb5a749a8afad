"""Tenants at once over one small pool: each connection serves whoever takes it, bound anew."""

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from moss_memory.adapters.sql_memory import SqlMemory
from moss_memory.core.errors import MossError
from moss_memory.flow.ports import Query

NOW = datetime(2026, 7, 17, 10, tzinfo=UTC)
TENANTS = ("one", "two", "three")


def test_c51_no_row_is_seen_or_written_under_another_tenant(
    open_memory: Callable[..., SqlMemory], scribe_on: Callable[..., Any]
):
    memory = open_memory(pool_size=2)
    seen: list[tuple[str, str]] = []
    faults: list[Exception] = []

    def live(tenant: str) -> None:
        scribe = scribe_on(memory)  # the same ids and scopes in every tenant
        try:
            for round_ in range(15):
                scope = f"p{round_}"
                draft = scribe.draft(scribe.fact(tenant, scope=scope), tenant=tenant)
                scribe.create(draft)
                if round_ % 5 == 0:  # a transaction that fails leaves no tenant behind
                    faults.extend(failed(scribe, tenant))
                page = memory.page(tenant, Query(scopes=(scope,), now=NOW))
                seen.extend((tenant, each.fact.object_value) for each in page.items)
        except MossError as error:
            faults.append(error)

    threads = [threading.Thread(target=live, args=(tenant,)) for tenant in TENANTS]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert faults == []
    assert sorted(seen) == sorted((tenant, tenant) for tenant in TENANTS for _ in range(15))
    assert [memory.verify(tenant).checked for tenant in TENANTS] == [15] * 3


def failed(scribe: Any, tenant: str) -> list[Exception]:
    """Fail within a transaction; return what was raised but should not have been."""
    draft = scribe.draft(scribe.fact(), tenant=tenant)
    try:
        scribe.create(draft, writes=frozenset({("x", "Schedule")}), lint=False)
    except ValueError:
        return []
    return [AssertionError("written outside of what it claimed")]
