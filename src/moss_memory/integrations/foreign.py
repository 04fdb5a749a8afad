"""Memories of other systems as entries, by the shapes in which those give them out.

- moss-memory: the JSON lines of ``jsonl_export``; active memories only (see ``replay``).
- LangGraph: items as ``Item.dict()`` and its platform's API give them, ``{namespace, key, value}``,
  one a line, in a list, or in ``{"items": [...]}``. LangGraph has no export format of its own.
- mem0 (as 2.2.1 gives them): ``get_all()`` and ``search()``, ``{"results": [{id, memory, ...}]}``,
  a list of such, or one a line. What its platform calls an export has the shape that its user
  chose, and is not read.
- OpenMemory (mem0's own server): its backup, a zip with ``memories.jsonl.gz``, or that file alone:
  ``{id, content, state, ...}`` a line; deleted and archived ones are left out.

mem0's memories are sentences, not facts: they are kept as items of the Store under ``mem0``, where
LangGraph's interface and a context find them, and nothing in them is guessed.
"""

import gzip
import io
import json
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from moss_memory.integrations.client_values import FactIn, Memory
from moss_memory.integrations.entries import Entry
from moss_memory.integrations.langgraph_names import kept_subject_of, text_of

_ZIP: Final = b"PK\x03\x04"
_GZIP: Final = b"\x1f\x8b"
_SAID: Final = (
    "domain", "subject", "predicate", "object_value", "transparency", "buffer_before",
    "buffer_after", "source", "confidence", "source_ref", "observed_at", "expires_at", "hard",
)  # fmt: skip
_KEPT: Final = (
    "metadata", "categories", "user_id", "agent_id", "run_id", "actor_id", "role", "app",
    "created_at",
)  # fmt: skip


class UnknownShapeError(ValueError):
    """The file is of none of the shapes that are read."""


def entries(path: Path) -> Iterator[Entry]:
    """Yield what a file holds, line by line where it has lines.

    Raises:
        UnknownShapeError: it is of none of the known shapes, or breaks off.
    """
    principal: str | None = None
    for number, record in enumerate(records(path), 1):
        if "format" in record:
            principal = record.get("principal_id")
        elif isinstance(record.get("memory"), Mapping):
            if record["memory"]["status"] == "active":
                yield _ours(record["memory"], principal)
        elif "mark" not in record and "end" not in record:
            yield from _theirs(record, number)


def records(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the JSON objects of a file: one a line, of a list, or of a list within an object.

    Raises:
        UnknownShapeError: it holds no JSON objects.
    """
    with path.open("rb") as file:
        try:
            for lines in _unpacked(file):
                yield from _objects(lines)
        except (zipfile.BadZipFile, gzip.BadGzipFile, zlib.error, EOFError) as error:
            raise UnknownShapeError("the archive is broken") from error


def _unpacked(file: BinaryIO) -> Iterator[BinaryIO]:
    start = file.read(4)
    file.seek(0)
    if start == _ZIP:
        with zipfile.ZipFile(file) as archive:
            for name in archive.namelist():
                if name.rsplit("/", 1)[-1] == "memories.jsonl.gz":
                    yield gzip.GzipFile(fileobj=io.BytesIO(archive.read(name)))  # type: ignore[misc]
    elif start[:2] == _GZIP:
        yield gzip.GzipFile(fileobj=file)  # type: ignore[misc]
    else:
        yield file


def _objects(lines: BinaryIO) -> Iterator[dict[str, Any]]:
    first = lines.readline()
    try:
        head = json.loads(first)
    except ValueError:
        head = None
    rest = lines if isinstance(head, dict) else None
    if rest is None:
        head = _loaded(first + lines.read())
    yield from _listed(head)
    for line in rest or ():
        if line.strip():
            yield from _listed(_loaded(line))


def _loaded(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UnknownShapeError("the file is neither JSON nor JSON lines") from error


def _listed(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, Mapping):
        inner = next((value[name] for name in ("items", "results") if name in value), None)
        value = [value] if inner is None or "namespace" in value else inner
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        raise UnknownShapeError("the file holds no JSON objects")
    yield from value


def stated(memory: Memory, principal: str | None) -> FactIn:
    """Return the fact that a memory says, true from when it was; the writer's scope is dropped."""
    told: Any = {name: memory[name] for name in _SAID if memory[name] is not None}
    told["status"] = memory["event_status"]
    told["when"] = memory["when"] or {"start": memory["valid_from"], "end": memory["valid_until"]}
    if memory["scope_id"] != principal:
        told["scope_id"] = memory["scope_id"]
    fact: FactIn = told
    return fact


def _ours(memory: Memory, principal: str | None) -> Entry:
    return Entry(memory["memory_id"], memory["object_value"], (stated(memory, principal),))


def _theirs(record: Mapping[str, Any], number: int) -> Iterator[Entry]:
    if {"namespace", "key", "value"} <= record.keys():
        yield _item(
            tuple(map(str, record["namespace"])), str(record["key"]), record["value"], record
        )
    elif isinstance(record.get("memory"), str) and "id" in record:
        yield _sentence(record, record["memory"])
    elif isinstance(record.get("content"), str) and "id" in record:
        if record.get("state", "active") in {"active", "paused"}:
            yield _sentence(record, record["content"])
    else:
        raise UnknownShapeError(f"record {number} is of no known shape")


def _sentence(record: Mapping[str, Any], text: str) -> Entry:
    value = {"memory": text} | {name: record[name] for name in _KEPT if record.get(name)}
    return _item(("mem0",), str(record["id"]), value, record)


def _item(namespace: tuple[str, ...], key: str, value: Any, record: Mapping[str, Any]) -> Entry:
    name = f"{'/'.join(namespace)}/{key}"
    if not namespace or not all(namespace):
        return Entry(name, key, fault="the namespace has an empty label, or none")
    if not isinstance(value, Mapping):
        return Entry(name, key, fault="the value is no object")
    try:
        subject, text = kept_subject_of(namespace, key), text_of(value)
    except (TypeError, ValueError) as error:
        return Entry(name, key, fault=str(error))
    fact: FactIn = {
        "domain": "Store",
        "subject": subject,
        "predicate": "item",
        "object_value": text,
    }
    if observed := _instant(record.get("updated_at") or record.get("created_at")):
        fact["observed_at"] = observed
    return Entry(name, key, (fact,))


def _instant(told: Any) -> datetime | None:
    """Read an instant; None where there is none, or it does not say in which zone."""
    try:
        moment = datetime.fromisoformat(told)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else None
