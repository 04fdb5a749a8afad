"""What may be remembered: domains, predicates and what each of them means, as data.

Pure: the tables of a TOML file come in as mappings, frozen values go out. Everything that
other parts ask of a predicate (its type, slot, rule class, length, writers) is read from here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from moss_memory.core.errors import PolicyError, UnknownPredicateError
from moss_memory.core.fact import Fact, MemoryType, Source
from moss_memory.core.text import match_form
from moss_memory.core.values import ValueType, value_type

Card = Literal["single", "set"]
SlotPart = Literal["subject", "predicate"]
Slot = tuple[str, ...]
Sensitivity = Literal["normal", "personal"]

EVENT_DAYS: Final = 366  # one occurrence of an event lasts at most this


@dataclass(frozen=True, slots=True, kw_only=True)
class Predicate:
    """One predicate of a domain; the file's comments say what each entry means.

    ``subjects`` empty is any subject. ``minutes`` None with ``whole_day`` False is an open end.
    ``sources`` empty is every source. ``retention_days`` None keeps it until it is retired.
    """

    domain: str
    name: str
    memory_type: MemoryType
    rule_class: str
    value: ValueType
    subjects: tuple[str, ...] = ()
    slot: tuple[SlotPart, ...] = ()
    card: Card = "set"
    opposite: str | None = None
    minutes: int | None = None
    whole_day: bool = False
    sources: frozenset[Source] = frozenset()
    exclusive: bool = False
    apart_from: str | None = None
    max_subject: int = 128
    max_value: int = 500
    retention_days: int | None = None
    sensitivity: Sensitivity = "normal"

    @property
    def is_event(self) -> bool:
        """Tell whether it needs a time of its own."""
        return self.memory_type == "event"

    @property
    def ends_with_next(self) -> bool:
        """Tell whether a value without a stated end ends where the slot's next one begins."""
        return self.card == "single" and not self.is_event

    def subject_of(self, subject: str) -> str:
        """Return the subject as it is kept: the listed spelling of a closed one.

        Raises:
            UnknownPredicateError: not one of the subjects listed.
        """
        if not self.subjects:
            return subject
        for known in self.subjects:
            if match_form(known) == match_form(subject):
                return known
        raise UnknownPredicateError


@dataclass(frozen=True, slots=True)
class Ontology:
    """All predicates, by domain and name."""

    predicates: Mapping[tuple[str, str], Predicate] = field(default_factory=dict)

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> "Ontology":
        """Read the tables of an ontology file.

        Raises:
            PolicyError: the file is not an ontology; the message names the place and the fault.
        """
        predicates = {
            (domain, name): _predicate(domain, name, table)
            for domain, tables in data.items()
            for name, table in _table(tables, domain).items()
        }
        if not predicates:
            raise PolicyError("the ontology names no predicate")
        for predicate in predicates.values():
            _check_opposite(predicate, predicates)
            _check_apart(predicate, predicates)
        return cls(predicates)

    @property
    def domains(self) -> tuple[str, ...]:
        """The domains, in the order of the file."""
        return tuple(dict.fromkeys(domain for domain, _ in self.predicates))

    def predicate(self, domain: str, name: str) -> Predicate:
        """Return a predicate.

        Raises:
            UnknownPredicateError: the ontology has none of that name in that domain.
        """
        found = self.predicates.get((domain, name))
        if found is None:
            raise UnknownPredicateError
        return found

    def of(self, fact: Fact) -> Predicate:
        """Return a fact's predicate; raises as ``predicate`` does."""
        return self.predicate(fact.domain, fact.predicate)

    def memory_type(self, fact: Fact) -> MemoryType:
        """Return what kind of record a fact becomes; raises as ``predicate`` does."""
        return self.of(fact).memory_type

    def rule_class(self, fact: Fact) -> str:
        """Return which rows of the rule table judge a fact; raises as ``predicate`` does."""
        return self.of(fact).rule_class

    def slot(self, fact: Fact, owner: str) -> Slot:
        """Return what must be equal for two facts to meet: ``(owner, domain, ...)``.

        Raises:
            UnknownPredicateError: as ``predicate`` does.
        """
        return (owner, *slot_key(self.of(fact), fact.subject))


def slot_key(predicate: Predicate, subject: str) -> Slot:
    """Return a slot without its owner: ``(domain, ...)``. Exact values have exact subjects."""
    if not predicate.slot:
        return (predicate.domain,)
    said = subject if predicate.value.kind == "exact" else match_form(subject)
    parts = {"subject": said, "predicate": predicate.name}
    return (predicate.domain, *(parts[part] for part in predicate.slot))


_KEYS: Final = frozenset({
    "type", "class", "subjects", "slot", "card", "opposite", "value", "length", "sources",
    "exclusive", "apart_from", "retention_days", "sensitivity", "max_subject", "max_value",
})  # fmt: skip


def _table(data: object, where: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise PolicyError(f"{where}: expected a table")
    return data


def _predicate(domain: str, name: str, data: object) -> Predicate:
    where = f"{domain}.{name}"
    table = _table(data, where)
    if unknown := table.keys() - _KEYS:
        raise PolicyError(f"{where}: does not know {', '.join(sorted(unknown))}")
    if not isinstance(table.get("class"), str):
        raise PolicyError(f"{where}: needs a class")
    length = table.get("length")
    return Predicate(
        domain=domain,
        name=name,
        memory_type=_one(table, "type", get_args(MemoryType), where),
        rule_class=table["class"],
        value=value_type(table.get("value"), where),
        subjects=_texts(table, "subjects", where),
        slot=_some(table, "slot", get_args(SlotPart), where),
        card=_one(table, "card", get_args(Card), where),
        opposite=_text(table, "opposite", where),
        minutes=None if length in {None, "day"} else _whole(table, "length", where),
        whole_day=length == "day",
        sources=frozenset(_some(table, "sources", get_args(Source), where)),
        exclusive=_flag(table, "exclusive", where),
        apart_from=_text(table, "apart_from", where),
        max_subject=_whole(table, "max_subject", where) or 128,
        max_value=_whole(table, "max_value", where) or 500,
        retention_days=_whole(table, "retention_days", where),
        sensitivity=_one({"sensitivity": "normal"} | dict(table), "sensitivity",
                         get_args(Sensitivity), where),
    )  # fmt: skip


def _check_opposite(predicate: Predicate, all_: Mapping[tuple[str, str], Predicate]) -> None:
    if predicate.opposite is None:
        return
    other = all_.get((predicate.domain, predicate.opposite))
    if other is None or other.opposite != predicate.name or other.slot != predicate.slot:
        raise PolicyError(
            f"{predicate.domain}.{predicate.name}: its opposite has to name it back, in its slot"
        )


def _check_apart(predicate: Predicate, all_: Mapping[tuple[str, str], Predicate]) -> None:
    if predicate.apart_from is None:
        return
    other = all_.get((predicate.domain, predicate.apart_from))
    if (
        other is None
        or not (other.is_event and other.exclusive and other.slot == predicate.slot)
        or not predicate.is_event
        or predicate.exclusive
    ):
        raise PolicyError(
            f"{predicate.domain}.{predicate.name}: apart_from names an exclusive event of its slot,"
            " and is of one that is not"
        )


def _one(table: Mapping[str, Any], key: str, allowed: tuple[Any, ...], where: str) -> Any:
    if table.get(key) not in allowed:
        raise PolicyError(f"{where}: {key} is one of {', '.join(allowed)}")
    return table[key]


def _some(table: Mapping[str, Any], key: str, allowed: tuple[Any, ...], where: str) -> Any:
    values = _texts(table, key, where)
    if not set(values) <= set(allowed):
        raise PolicyError(f"{where}: {key} are of {', '.join(allowed)}")
    return values


def _texts(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    values = table.get(key, [])
    if not isinstance(values, list) or not all(isinstance(v, str) and v for v in values):
        raise PolicyError(f"{where}: {key} is a list of texts")
    return tuple(values)


def _text(table: Mapping[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is not None and not isinstance(value, str):
        raise PolicyError(f"{where}: {key} is a text")
    return value


def _whole(table: Mapping[str, Any], key: str, where: str) -> int | None:
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _MOST:
        raise PolicyError(f"{where}: {key} is a whole number from 1 to {_MOST}")
    return value


_MOST: Final = 1_000_000


def _flag(table: Mapping[str, Any], key: str, where: str) -> bool:
    value = table.get(key, False)
    if not isinstance(value, bool):
        raise PolicyError(f"{where}: {key} is true or false")
    return value
