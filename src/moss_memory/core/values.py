"""What an object_value may be: text, exact text, a number with a unit, or one of a few words.

Each kind says what is kept (``clean``) and when two values are the same (``match``).
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

from moss_memory.core.errors import InvalidValueError, PolicyError
from moss_memory.core.text import match_form

Kind = Literal["text", "exact", "number", "choice"]
KINDS: Final[tuple[Kind, ...]] = ("text", "exact", "number", "choice")

_NUMBER: Final = re.compile(r"([+-]?\d{1,12}(?:\.\d{1,9})?)\s*(\S.*)?", re.ASCII)
_DIGITS: Final = re.compile(r"[+-]?\d{1,9}(/\d{1,9})?(\.\d{1,9})?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit and the words for it; ``value * factor + offset`` is the value in the first unit."""

    name: str
    also: tuple[str, ...] = ()
    factor: Fraction = Fraction(1)
    offset: Fraction = Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """What a predicate's value may be.

    ``choices`` are the words allowed, in the spelling kept. ``units`` are those of a number, the
    first meant where none is said; ``low`` and ``high`` bound it in that one, both included.
    """

    kind: Kind
    choices: tuple[str, ...] = ()
    units: tuple[Unit, ...] = ()
    low: Fraction | None = None
    high: Fraction | None = None
    _spellings: Mapping[str, str | Unit] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        words: dict[str, str | Unit] = {match_form(choice): choice for choice in self.choices}
        for unit in self.units:
            words |= {match_form(word): unit for word in (unit.name, *unit.also)}
        object.__setattr__(self, "_spellings", words)

    def clean(self, text: str) -> str:
        """Return the spelling that is kept: ``ON`` is ``on``, ``22C`` is ``22 °C``.

        Raises:
            InvalidValueError: no such choice, no number, an unknown unit, or out of bounds.
        """
        if self.kind == "choice":
            choice = self._spellings.get(match_form(text))
            if not isinstance(choice, str):
                raise InvalidValueError("The value is none of this predicate's choices.")
            return choice
        if self.kind == "number":
            number, unit = self._number(text)
            return f"{_plain(number)} {unit.name}" if unit else _plain(number)
        return text

    def match(self, text: str) -> str:
        """Return what is equal for two values exactly when they are the same.

        Total: a value stored under an earlier ontology, which this one would refuse, is a text.
        """
        if self.kind == "exact":
            return _canonical(text)
        if self.kind == "number":
            try:
                return str(_in_first(*self._read(text)))
            except InvalidValueError:
                return match_form(text)
        return match_form(text)

    def _number(self, text: str) -> tuple[Decimal, Unit | None]:
        number, unit = self._read(text)
        value = _in_first(number, unit)
        if (self.low is not None and value < self.low) or (
            self.high is not None and value > self.high
        ):
            raise InvalidValueError("The number is outside its predicate's bounds.")
        return number, unit

    def _read(self, text: str) -> tuple[Decimal, Unit | None]:
        found = _NUMBER.fullmatch(text.strip())
        if not found:
            raise InvalidValueError("The value is no number.")
        return Decimal(found[1]), self._unit(found[2])

    def _unit(self, word: str | None) -> Unit | None:
        if word is None:
            return self.units[0] if self.units else None
        unit = self._spellings.get(match_form(word))
        if not isinstance(unit, Unit):
            raise InvalidValueError("The number has a unit that its predicate does not know.")
        return unit


def _canonical(text: str) -> str:
    """Spell JSON one way, members in order and no spaces; what is no JSON stays as it is."""
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, sort_keys=True)
    except (ValueError, RecursionError):
        return text


def _in_first(number: Decimal, unit: Unit | None) -> Fraction:
    return Fraction(number) * unit.factor + unit.offset if unit else Fraction(number)


def _plain(number: Decimal) -> str:
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in {"-0", "+0"} else text.removeprefix("+")


def value_type(data: object, where: str) -> ValueType:
    """Read a predicate's ``value`` table.

    Raises:
        PolicyError: an unknown kind or key, or what does not fit the kind.
    """
    if not isinstance(data, Mapping) or data.get("kind") not in KINDS:
        raise PolicyError(f"{where}: value needs a kind out of {', '.join(KINDS)}")
    allowed = {"number": {"min", "max", "units"}, "choice": {"choices"}}.get(data["kind"], set())
    if unknown := data.keys() - allowed - {"kind"}:
        raise PolicyError(f"{where}: value does not know {', '.join(sorted(unknown))}")
    choices = data.get("choices", [])
    if data["kind"] == "choice" and not (choices and _are_texts(choices)):
        raise PolicyError(f"{where}: a choice needs choices, a list of texts")
    return ValueType(
        kind=data["kind"],
        choices=tuple(choices),
        units=tuple(_read_unit(unit, where) for unit in data.get("units", [])),
        low=_fraction(data.get("min"), where),
        high=_fraction(data.get("max"), where),
    )


def _read_unit(data: Any, where: str) -> Unit:
    shaped = isinstance(data, Mapping) and data.keys() <= {"name", "also", "factor", "offset"}
    if not shaped or not _are_texts([data.get("name"), *data.get("also", [])]):
        raise PolicyError(f"{where}: a unit has a name, other words for it, a factor, an offset")
    return Unit(
        name=data["name"],
        also=tuple(data.get("also", [])),
        factor=_fraction(data.get("factor"), where) or Fraction(1),
        offset=_fraction(data.get("offset"), where) or Fraction(0),
    )


def _fraction(text: object, where: str) -> Fraction | None:
    if text is None:
        return None
    if not isinstance(text, str) or not _DIGITS.fullmatch(text) or "/0" in text:
        raise PolicyError(f'{where}: numbers are written as texts, as in "21.5" or "5/9"')
    return Fraction(text)


def _are_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(v, str) and v for v in values)
