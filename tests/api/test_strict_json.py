"""One meaning for every body: what two JSON readers could understand differently is refused."""

import base64
import json
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from moss_memory.api.strict_json import MAX_DEPTH, MalformedBodyError, parse

ROOT = Path(__file__).resolve().parents[2]
BODIES = ROOT.parent / "shared" / "data" / "raw_bodies.jsonl"

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**18), 10**18)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc"), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b'{"text": "a"}}',
        b'{"text": "a"} {"text": "b"}',
        b"\xef\xbb\xbf{}",
        '{"text": "a"}'.encode("utf-16"),
        '{"text": "a"}'.encode("utf-16-le"),
        '{"text": "a"}'.encode("utf-32"),
        b'{"text": "\xc0\xaf"}',
        b'{"text": "\xff"}',
        b'{"text": "\xed\xa0\x80"}',
        b'{"text": "\\ud800"}',
        b'{"text": "\\udc00\\ud800"}',
        b'{"\\ud800": 1}',
        b'{"text": "a\\u0000b"}',
        b'{"te\\u0000xt": "a"}',
        b'{"text": "a\x00b"}',
        b'{"text": "a\nb"}',
        b'{"text": NaN}',
        b'{"text": Infinity}',
        b'{"text": -Infinity}',
        b"{'text': 'a'}",
        b'{"text": "a",}',
        b'{"text": 01}',
        b'{"text": "a", "text": "b"}',
        b'{"text": "a", "\\u0074ext": "b"}',
        b'{"when": {"date": "2026-07-17", "date": "2026-07-18"}}',
        b"[" * 60_000,
        b"[" * 100_000 + b"]" * 100_000,
    ],
)
def test_body_that_is_not_plain_json_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedBodyError):
        parse(body)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_depth_is_allowed_up_to_its_limit(opening: str) -> None:
    closing = "]" if opening == "[" else "}"

    def nested(depth: int) -> bytes:
        return (opening * depth + "1" + closing * depth).encode()

    parse(nested(MAX_DEPTH))
    with pytest.raises(MalformedBodyError):
        parse(nested(MAX_DEPTH + 1))


@pytest.mark.parametrize("number", ["1" * 20, "1" * 5_000, "-" + "1" * 5_000, "1e400"])
def test_number_beyond_every_field_is_read_as_one_that_none_admits(number: str) -> None:
    read = parse(b'{"limit": %s}' % number.encode())["limit"]

    assert isinstance(read, float)


def test_surrogate_pair_is_one_character() -> None:
    assert parse(b'"\\ud83c\\udf34"') == "\N{PALM TREE}"


@given(JSON)
@example({"a": [1, 2.5, None, True, "휴가", {"b": "\N{PALM TREE}"}]})
def test_plain_json_reads_as_it_was_written(value: object) -> None:
    assert parse(json.dumps(value).encode()) == value
    assert parse(json.dumps(value, ensure_ascii=False).encode()) == value


@pytest.mark.skipif(not BODIES.exists(), reason="the shared corpus is not beside this checkout")
def test_every_oddity_of_the_shared_bodies_is_judged_as_labelled() -> None:
    rows = [json.loads(line) for line in BODIES.read_text().splitlines()]
    refused = set()
    for row in rows:
        try:
            parse(base64.b64decode(row["body_b64"]))
        except MalformedBodyError:
            refused.add(row["name"])

    assert refused == {row["name"] for row in rows if row["expect"] == 400}
