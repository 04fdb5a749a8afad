"""A list is one parameter, whatever its texts hold."""

from typing import Any

import pytest

from moss_memory.adapters.sql_memory import SqlMemory

TENANT = "default"


@pytest.mark.parametrize("odd", ["", '"', "\\", '","', '\\"', "a,b", "{}", "NULL", "회의"])
def test_a_memory_is_found_among_any_other_texts(odd: str, memory: SqlMemory, scribe: Any):
    kept = scribe.create(scribe.draft(scribe.fact("pistachio")))
    assert set(memory.newest(TENANT, [odd, kept.memory_id, odd])) == {kept.memory_id}
