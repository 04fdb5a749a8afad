"""Everything a principal may see, with its history, as JSON lines: one memory a line.

The lines are a header, memories each with every revision up to the instant of the export, a mark
after each page, and an end. A file without its end is incomplete and is taken up at its last mark.
All pages are of one instant: the past is resolved once, to an epoch that each mark repeats.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from moss_memory.integrations import client_requests
from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import Instant, Memory

FORMAT: Final = "moss-memory.export/1"
_PAGE: Final = 100


@dataclass(frozen=True, slots=True)
class Mark:
    """Where an export stands: after ``memories`` memories, and ``size`` bytes of its file."""

    cursor: str | None
    known_epoch: str
    memories: int
    size: int = 0


def export(client: MossClient, as_of: Instant, mark: Mark | None = None) -> Iterator[str]:
    """Yield the lines of an export, or those after a mark; none ends in a line break.

    Args:
        client: whose memory.
        as_of: what was known at that instant.
        mark: the last mark of an export that broke off.
    """
    if mark is None:
        profile = client.me()
        header = {"format": FORMAT, "as_of": as_of}
        yield _line(header | {name: profile[name] for name in ("tenant_id", "principal_id")})
    elif mark.cursor is None:
        yield _line({"end": {"memories": mark.memories}})
        return
    count = mark.memories if mark else 0
    call: Any = client_requests.memories(status="all", limit=_PAGE, **_where(as_of, mark))
    while call is not None:
        page = client.send(call)
        for memory in page["items"]:
            yield _line({"memory": memory, "revisions": _history(client, memory)})
        count += len(page["items"])
        place = {"cursor": page["next_cursor"], "known_epoch": page["known_epoch"]}
        yield _line({"mark": place | {"memories": count}})
        call = call.after(page)
    yield _line({"end": {"memories": count}})


def _where(as_of: Instant, mark: Mark | None) -> Any:
    if mark is None:
        return {"known_at": as_of}
    return {"known_epoch": mark.known_epoch, "cursor": mark.cursor}


def _history(client: MossClient, memory: Memory) -> list[Memory]:
    """Return the revisions up to the one that was known; of a first revision it is the only one."""
    if memory["revision"] == 1:
        return [memory]
    revisions = client.revisions(memory["memory_id"])
    return [each for each in revisions if each["revision"] <= memory["revision"]]


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def last_mark(path: Path) -> tuple[Mark | None, Instant | None]:
    """Return where an export that broke off stands, and its instant; None where it has no mark."""
    mark, as_of, size = None, None, 0
    with path.open("rb") as lines:
        for line in lines:
            size += len(line)
            try:
                read = json.loads(line)
            except ValueError:
                break  # the line that it broke off in
            as_of = read.get("as_of", as_of)
            if "mark" in read:
                mark = Mark(**read["mark"], size=size)
    return mark, as_of
