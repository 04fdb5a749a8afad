"""LangGraph's namespaces, keys and values as the service's subjects and JSON texts, and back.

A subject is the namespace's labels percent-encoded and joined by ``.``, then ``/`` and the key,
percent-encoded too: no label can be mistaken for two, no key for a label.
"""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote

from moss_memory.core.errors import TextRefusedError
from moss_memory.core.screening import screen

if TYPE_CHECKING:  # an import of items works without the package
    from langgraph.store.base import MatchCondition

Labels = tuple[str, ...]
_KEPT: Final = ""  # every character that is not a letter, a digit or one of _.-~ is encoded


def prefix_of(namespace: Sequence[str]) -> str:
    """Spell labels; every subject in or below the namespace starts like this."""
    return ".".join(_label(label) for label in namespace)


def subject_of(namespace: Sequence[str], key: str) -> str:
    """Spell the subject of a key in a namespace."""
    return f"{prefix_of(namespace)}/{quote(key, safe=_KEPT)}"


def kept_subject_of(namespace: Sequence[str], key: str) -> str:
    """Spell a subject that is written.

    Raises:
        ValueError: it holds what reads like a telephone or account number: the service masks those,
            and the item would be kept under another name.
    """
    subject = subject_of(namespace, key)
    try:
        kept = screen(subject, field="subject").text
    except TextRefusedError:
        kept = subject  # the service says so itself, under the rules that it has
    if kept != subject:
        raise ValueError("a key or label that reads like a contact's number is kept under no name")
    return subject


def name_of(subject: str) -> tuple[Labels, str] | None:
    """Read a subject back; None where it is not one of ours, by another adapter perhaps."""
    labels, slash, key = subject.rpartition("/")
    if not slash or "/" in labels:
        return None
    read = tuple(unquote(label) for label in labels.split("."))
    return (read, unquote(key)) if all(read) else None


def _label(label: str) -> str:
    return quote(label, safe=_KEPT).replace(".", "%2E")


def text_of(value: Mapping[str, Any]) -> str:
    """Write a value as JSON text.

    Raises:
        TypeError: it holds what JSON has not.
        ValueError: it holds NaN or an infinity, or a bare number that reads like a telephone or
            account number: the service masks those, and the masked text would be no JSON.
    """
    text = json.dumps(dict(value), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        value_of(screen(text, field="object_value").text)
    except TextRefusedError:
        pass  # the service says so itself, under the rules that it has
    except ValueError as error:
        raise ValueError("a number that reads like a contact's has to be a string") from error
    return text


def value_of(text: str) -> dict[str, Any]:
    """Read a value back.

    Raises:
        ValueError: the text is no JSON object.
    """
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - of the same kind as broken JSON
    return value


def begins(namespace: Labels, prefix: Sequence[str]) -> bool:
    """Tell whether a namespace lies in or below ``prefix``."""
    return namespace[: len(prefix)] == tuple(prefix)


def matches(namespace: Labels, condition: "MatchCondition") -> bool:
    """Tell whether a namespace begins or ends like a path, ``*`` being any one label."""
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    if condition.match_type == "prefix":
        part = namespace[: len(path)]
    elif condition.match_type == "suffix":
        part = namespace[len(namespace) - len(path) :]
    else:
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def known_prefix(conditions: Sequence["MatchCondition"]) -> str:
    """Return the longest spelled prefix that all conditions have in common with every match."""
    longest: Labels = ()
    for condition in conditions:
        if condition.match_type == "prefix":
            labels = tuple(condition.path)
            plain = labels[: labels.index("*")] if "*" in labels else labels
            longest = max(longest, plain, key=len)
    return prefix_of(longest)


def admits(wanted: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    """Tell whether a value passes a search filter."""
    return all(_fits(value.get(name), term) for name, term in (wanted or {}).items())


def _fits(held: Any, term: Any) -> bool:
    if isinstance(term, Mapping):
        if any(name.startswith("$") for name in term):
            return all(_compares(held, name, other) for name, other in term.items())
        return isinstance(held, Mapping) and admits(term, held)
    if isinstance(term, list | tuple):
        return (
            isinstance(held, list)
            and len(held) == len(term)
            and all(_fits(one, other) for one, other in zip(held, term, strict=True))
        )
    return bool(held == term)


def _compares(held: Any, operator: str, other: Any) -> bool:
    if operator == "$eq":
        return bool(held == other)
    if operator == "$ne":
        return bool(held != other)
    if operator not in _ORDERED:
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        return _ORDERED[operator](float(held), float(other))
    except (TypeError, ValueError):
        return False  # what is no number is neither greater nor less than one


_ORDERED: Final = {
    "$gt": float.__gt__,
    "$gte": float.__ge__,
    "$lt": float.__lt__,
    "$lte": float.__le__,
}
