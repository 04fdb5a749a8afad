"""Values: what is kept, what is the same, and what is refused."""

from typing import Any

import pytest

from moss_memory.core.errors import InvalidValueError, PolicyError
from moss_memory.core.rules import Policy
from moss_memory.core.values import ValueType, value_type

TEMPERATURE: dict[str, Any] = {
    "kind": "number", "min": "-30", "max": "120",
    "units": [{"name": "°C", "also": ["C", "도"]},
              {"name": "°F", "also": ["F"], "factor": "5/9", "offset": "-160/9"}],
}  # fmt: skip


@pytest.fixture
def temperature() -> ValueType:
    return value_type(TEMPERATURE, "here")


@pytest.fixture
def switch() -> ValueType:
    return value_type({"kind": "choice", "choices": ["on", "off"]}, "here")


@pytest.mark.parametrize(
    ("said", "kept"),
    [("22", "22 °C"), ("22°C", "22 °C"), ("22 C", "22 °C"), ("22.50 c", "22.5 °C"),
     ("22도", "22 °C"),
     ("+22", "22 °C"), ("-0", "0 °C"), ("100", "100 °C"), ("72 F", "72 °F"), ("-4.5", "-4.5 °C")],
)  # fmt: skip
def test_number_is_kept_in_one_spelling(temperature: ValueType, said: str, kept: str) -> None:
    assert temperature.clean(said) == kept


@pytest.mark.parametrize(("a", "b"), [("22", "22.0 °C"), ("50 °F", "10 °C"), ("-40 F", "-40 C")])
def test_equal_numbers_match_whatever_their_unit(temperature: ValueType, a: str, b: str) -> None:
    assert temperature.match(a) == temperature.match(b)


@pytest.mark.parametrize("stored", ["22 K", "warm", "999 °C"])
def test_value_of_an_earlier_ontology_matches_itself(temperature: ValueType, stored: str) -> None:
    assert temperature.match(stored) == temperature.match(stored.upper())


def test_other_numbers_do_not_match(temperature: ValueType) -> None:
    assert temperature.match("22 °C") != temperature.match("22 °F")


@pytest.mark.parametrize(
    "said",
    ["", "warm", "22 K", "22 on", "NaN", "inf", "1e3", "22,5", "0x16", "٢٢", "22 °C °C",
     "121", "-31",
     "-40 °F", "1" * 13, "22.0000000001"],
)  # fmt: skip
def test_value_that_is_no_such_number_is_refused(temperature: ValueType, said: str) -> None:
    with pytest.raises(InvalidValueError):
        temperature.clean(said)


@pytest.mark.parametrize("edge", ["-30", "120", "248 °F"])
def test_number_on_its_bound_is_kept(temperature: ValueType, edge: str) -> None:
    assert temperature.clean(edge)


def test_number_without_units_is_kept_bare() -> None:
    assert value_type({"kind": "number"}, "here").clean("7.0") == "7"


def test_number_without_units_takes_none() -> None:
    with pytest.raises(InvalidValueError):
        value_type({"kind": "number"}, "here").clean("7 km")


@pytest.mark.parametrize("said", ["on", "ON", " on ", "ＯＮ"])
def test_choice_is_kept_as_it_is_listed(switch: ValueType, said: str) -> None:
    assert switch.clean(said) == "on"


@pytest.mark.parametrize("said", ["", "dimmed", "o n", "on!"])
def test_word_that_is_no_choice_is_refused(switch: ValueType, said: str) -> None:
    with pytest.raises(InvalidValueError):
        switch.clean(said)


def test_texts_match_whatever_their_case_and_spacing() -> None:
    text = value_type({"kind": "text"}, "here")

    assert text.match("Sichuan  Food") == text.match("sichuan food ")
    assert text.clean("Sichuan  Food") == "Sichuan  Food"


def test_exact_values_match_to_the_letter_only() -> None:
    exact = value_type({"kind": "exact"}, "here")

    assert exact.match('{"a": 1}') != exact.match('{"A": 1}')


@pytest.mark.parametrize(
    ("table", "fault"),
    [
        (None, "kind"), ({}, "kind"), ({"kind": "date"}, "kind"), ({"kind": "choice"}, "choices"),
        ({"kind": "choice", "choices": []}, "choices"),
        ({"kind": "choice", "choices": [1]}, "choices"),
        ({"kind": "choice", "choices": [""]}, "choices"),
        ({"kind": "text", "choices": ["on"]}, "does not know choices"),
        ({"kind": "choice", "choices": ["on"], "min": "1"}, "does not know min"),
        ({"kind": "number", "min": 3}, "numbers are written"),
        ({"kind": "number", "max": "1/0"}, "numbers are written"),
        ({"kind": "number", "units": ["°C"]}, "unit"),
        ({"kind": "number", "units": [{"name": "°C", "symbol": "C"}]}, "unit"),
        ({"kind": "number", "units": [{"also": ["C"]}]}, "unit"),
        ({"kind": "number", "units": [{"name": "°C", "also": [1]}]}, "unit"),
    ],
)  # fmt: skip
def test_broken_value_table_says_where_and_what(table: object, fault: str) -> None:
    with pytest.raises(PolicyError, match=f"Home.light.*{fault}"):
        value_type(table, "Home.light")


def test_shipped_temperatures_know_the_words_people_use(policy: Policy) -> None:
    target = policy.ontology.predicate("SmartHome", "target_temp").value

    assert {target.clean(w) for w in ("22", "22 degrees", "22도", "22℃", "22 Celsius")} == {"22 °C"}
