"""The revisions of an export in the order of their recording, with no more than their places kept.

An export is read once for its index, and each line again when its turn comes: an export larger than
memory can be replayed, and what a replay holds are numbers.
"""

import gzip
import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, BinaryIO, Final, Self, cast

from moss_memory.integrations.client_values import Memory
from moss_memory.integrations.foreign import UnknownShapeError

_GZIP: Final = b"\x1f\x8b"
_CACHED: Final = 64  # lines: revisions of a memory are often neighbours in time, too


@dataclass(frozen=True, slots=True, order=True)
class _Place:
    """Where a revision is; of one commit: what ended, then what began, then what was changed."""

    recorded_at: datetime
    rank: int
    offset: int
    number: int


class Steps:
    """The steps of a replay; ``principal`` is whose export it is. Use it with ``with``."""

    def __init__(self, path: Path) -> None:
        """Index a file.

        Raises:
            OSError: it cannot be read.
            UnknownShapeError: it is no export of this service, or not a whole one.
        """
        self.principal: str | None = None
        self._file = _plain(path)
        try:
            self._places = sorted(self._indexed())
        except BaseException:
            self._file.close()
            raise
        self._line = lru_cache(maxsize=_CACHED)(self._read)

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        self._file.close()

    def __iter__(self) -> Iterator[Memory]:
        """Yield the revisions, the earliest first."""
        for place in self._places:
            yield self._line(place.offset)[place.number]

    def _read(self, offset: int) -> list[Memory]:
        self._file.seek(offset)
        return cast("list[Memory]", json.loads(self._file.readline())["revisions"])

    def _indexed(self) -> Iterator[_Place]:
        offset, ended = 0, False
        for line in self._file:
            record = _object(line)
            if offset == 0 and "format" not in record:
                raise UnknownShapeError("the file is no export of moss-memory")
            self.principal = record.get("principal_id", self.principal)
            ended = ended or "end" in record
            for number, revision in enumerate(record.get("revisions", ())):
                moment = datetime.fromisoformat(revision["recorded_at"])
                yield _Place(moment, _rank(revision), offset, number)
            offset += len(line)
        if not ended:
            raise UnknownShapeError("the export is incomplete: finish it with export --resume")


def _rank(revision: Memory) -> int:
    if revision["status"] == "inactive":
        return 0
    return 1 if revision["revision"] == 1 else 2


def _object(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except ValueError as error:
        raise UnknownShapeError("the file is not JSON lines") from error
    if not isinstance(record, dict):
        raise UnknownShapeError("the file is no export of moss-memory")
    return record


def _plain(path: Path) -> BinaryIO:
    """Open a file for reading at any place; a compressed one is unpacked to disk first."""
    file = path.open("rb")
    if file.read(2) != _GZIP:
        file.seek(0)
        return file
    unpacked = tempfile.TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
    with file, gzip.open(path) as packed:
        try:
            shutil.copyfileobj(packed, unpacked)
        except (gzip.BadGzipFile, EOFError) as error:
            unpacked.close()
            raise UnknownShapeError("the archive is broken") from error
    unpacked.seek(0)
    return cast("BinaryIO", unpacked)
