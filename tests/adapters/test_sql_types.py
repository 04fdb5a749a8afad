"""The one spelling that hashes and MACs are made over: it may never change."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moss_memory.adapters.sql_seal import digest
from moss_memory.adapters.sql_types import canonical

KEYS = st.text(max_size=5)
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20)
VALUES = st.recursive(
    PLAIN, lambda each: st.lists(each) | st.dictionaries(KEYS, each), max_leaves=9
)


@given(VALUES)
def test_value_is_spelled_as_json_spells_it_with_keys_in_order(value: Any):
    dumped = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == dumped


def test_drawn_value_is_spelled_so():
    said = {"b": [1.0, None, True], "a": 'é "한"\n\u2028'}
    assert canonical(said) == '{"a":"é \\"한\\"\\n\u2028","b":[1.0,null,true]}'


def test_value_that_json_has_no_word_for_is_refused():
    with pytest.raises(TypeError):
        canonical({1, 2})


def test_digest_of_a_row_is_what_it_always_was():
    row = {"b": b"\x01\xff", "a": datetime(2026, 7, 17, 10, tzinfo=UTC), "c": None}
    assert digest(row).hex() == "c9538a79140df53a4021a15c41376fdf4facf1041a9411930ea80d509e7328b1"
