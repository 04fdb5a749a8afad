"""JSON values are screened decoded and stored as they were written."""

import json

import pytest

from moss_memory.core.errors import TextRefusedError
from moss_memory.core.screened_json import screen_json


def kept(text: str) -> str:
    return screen_json(text, field="object_value").text


@pytest.mark.parametrize(
    "text",
    ['{"a":  1.0, "b": "\\u00e9"}', '"Budget"', "[]", "null", '{"a": {"b": ["c", true]}}'],
)
def test_harmless_json_is_kept_to_the_byte(text: str) -> None:
    assert kept(text) == text


@pytest.mark.parametrize(
    "value",
    [
        {"pass" + "word": "hunter22"},
        {"api_" + "key": "9aF3kLm2Qx8Zt7Vb"},
        {"a": [{"b": "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"}]},
        {"주민" + "번호": "010203-1000" + "114"},
        {"card": 4242424242424242},
        {"gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6": 1},
    ],
)
def test_secret_is_refused_however_it_is_escaped(value: object) -> None:
    escaped = "".join(
        f"\\u{ord(char):04x}" if char.isalnum() and not char.isascii() else char
        for char in json.dumps(value, ensure_ascii=False)
    )

    for text in (json.dumps(value, ensure_ascii=False), json.dumps(value), escaped):
        with pytest.raises(TextRefusedError):
            kept(text)


def test_escaped_ascii_hides_no_secret() -> None:
    token = "gh" + "p_" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6"
    escaped = "".join(f"\\u{ord(char):04x}" for char in token)

    with pytest.raises(TextRefusedError):
        kept(f'"{escaped}"')


def test_contact_is_masked_inside_its_string() -> None:
    text = json.dumps({"who": ["lee@example.org", "Lee"], "at": 10})

    assert json.loads(kept(text)) == {"who": ["[email#1]", "Lee"], "at": 10}


def test_text_that_is_no_json_is_screened_as_words() -> None:
    assert kept("[lee@example.org") == "[[email#1]"
