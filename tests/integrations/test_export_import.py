"""Data out and in through the commands, against a running service."""

import gzip
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.store.memory import InMemoryStore

from moss_memory.cli.main import main
from moss_memory.integrations.client import MossClient
from moss_memory.integrations.entries import Entry, ImportStoppedError, Writing, rehearse
from moss_memory.integrations.foreign import UnknownShapeError, entries
from moss_memory.integrations.jsonl_export import export, last_mark
from moss_memory.integrations.langgraph_store import MossStore

LIKES = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
LIKES |= {"object_value": "bibimbap"}
LATER = "2099-01-01T00:00:00Z"


def meeting(title: str, day: int, hour: int = 3) -> dict[str, Any]:
    times = {
        "start": f"2027-07-{day:02}T{hour:02}:00:00Z",
        "end": f"2027-07-{day:02}T{hour:02}:30:00Z",
    }
    plain = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting"}
    return plain | {"object_value": title, "when": times}


def vacation(first: int, end: int) -> dict[str, Any]:
    days = {"date": f"2027-07-{first:02}", "end_date": f"2027-07-{end:02}"}
    plain = {"domain": "Schedule", "subject": "Calendar", "predicate": "vacation"}
    return plain | {"object_value": "Vacation", "when": days}


def entry(*facts: Any) -> Entry:
    return Entry("e", facts[0]["object_value"], facts)


def listed(client: MossClient, **narrowed: Any) -> list[str]:
    return sorted(memory["object_value"] for memory in client.memories(**narrowed))


@pytest.fixture
def command(service: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Run a command as a principal."""

    def run(principal: str, *words: str) -> int:
        monkeypatch.setenv("MOSS_URL", service.url)
        monkeypatch.setenv("MOSS_API_KEY", f"dev:{principal}")
        return main(list(words))

    return run


def test_clean_entries_pass_and_nothing_is_written(someone: MossClient):
    judged = list(rehearse(someone, [entry(meeting("A", 1)), entry(LIKES)]))

    assert [each.status for each in judged] == ["SUCCESS", "SUCCESS"]
    assert listed(someone) == []


def test_verdict_is_of_the_entry_that_conflicts(someone: MossClient):
    someone.remember(vacation(10, 14))

    judged = list(rehearse(someone, [entry(meeting("A", 9)), entry(meeting("B", 11))]))

    assert [each.status for each in judged] == ["SUCCESS", "CONFIRM_REQUIRED"]
    assert judged[1].reason


def test_entries_that_conflict_with_each_other_are_seen(someone: MossClient):
    judged = list(rehearse(someone, [entry(meeting("A", 9)), entry(meeting("B", 9))]))

    assert not all(each.clean for each in judged)


def test_malformed_entry_spoils_no_other(someone: MossClient):
    broken = entry(meeting("B", 2) | {"predicate": "wedding"})

    judged = list(rehearse(someone, [entry(meeting("A", 1)), broken, entry(meeting("C", 3))]))

    assert [each.status for each in judged] == ["SUCCESS", "REFUSED", "SUCCESS"]
    assert judged[1].reason.startswith("unknown_predicate: ")


def test_more_entries_than_a_request_holds_are_judged(someone: MossClient):
    many = [entry(meeting(str(day), day)) for day in range(1, 24)]

    assert [each.status for each in rehearse(someone, many)] == ["SUCCESS"] * 23


def test_what_was_written_is_taken_back_when_an_entry_fails(someone: MossClient):
    someone.remember(vacation(10, 14))
    writing = Writing(someone)
    writing.write(entry(meeting("A", 1)))
    with pytest.raises(ImportStoppedError):
        writing.write(entry(meeting("B", 11)))

    assert writing.take_back() == 1
    assert listed(someone) == ["Vacation"]
    assert list(someone.pendings()) == []


def test_what_was_superseded_is_there_again_after_taking_back(someone: MossClient):
    someone.remember(meeting("A", 11))
    writing = Writing(someone)
    assert writing.write(entry(vacation(10, 14))).status == "SUCCESS_WITH_OVERWRITE"

    writing.take_back()

    assert listed(someone) == ["A"]


ICS = """BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//test//EN
BEGIN:VEVENT
UID:one
DTSTAMP:20260701T000000Z
DTSTART;TZID=Asia/Seoul:20270701T100000
DURATION:PT1H
RRULE:FREQ=WEEKLY;COUNT=3
SUMMARY:Standup
LOCATION:Room 3
END:VEVENT
BEGIN:VEVENT
UID:two
DTSTAMP:20260701T000000Z
DTSTART:20270711T030000Z
DTEND:20270711T040000Z
SUMMARY:Budget
END:VEVENT
END:VCALENDAR
"""


@pytest.fixture
def ics(tmp_path: Path) -> str:
    path = tmp_path / "calendar.ics"
    path.write_bytes(ICS.replace("\n", "\r\n").encode())
    return str(path)


def test_calendar_is_imported_once(service: Any, command: Callable[..., int], ics: str):
    ann = service.principal()

    assert command(ann, "import", "--ics", ics) == 0
    assert command(ann, "import", "--ics", ics) == 0

    assert listed(service.client(ann)) == ["Budget", "Standup"]


def test_dry_run_says_the_verdicts_and_writes_nothing(
    service: Any, command: Callable[..., int], ics: str, capsys: pytest.CaptureFixture[str]
):
    ann = service.principal()
    client = service.client(ann)
    client.remember(vacation(10, 14))

    assert command(ann, "import", "--ics", ics, "--dry-run", "--json") == 1

    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["status"] for each in told] == ["SUCCESS", "CONFIRM_REQUIRED"]
    assert told[0]["left_out"] == ["LOCATION"]
    assert listed(client) == ["Vacation"]


def test_calendar_with_a_conflict_is_not_imported(
    service: Any, command: Callable[..., int], ics: str
):
    ann = service.principal()
    client = service.client(ann)
    client.remember(vacation(10, 14))

    assert command(ann, "import", "--ics", ics) == 1

    assert listed(client) == ["Vacation"]
    assert list(client.pendings()) == []


def test_conflicts_are_skipped_or_held_where_asked(
    service: Any, command: Callable[..., int], ics: str
):
    ann = service.principal()
    client = service.client(ann)
    client.remember(vacation(10, 14))

    assert command(ann, "import", "--ics", ics, "--skip-conflicts") == 0
    assert listed(client) == ["Standup", "Vacation"]
    assert command(ann, "import", "--ics", ics, "--hold-conflicts") == 0

    assert [each["facts"][0]["object_value"] for each in client.pendings()] == ["Budget"]


def test_what_replaces_something_is_written_only_where_asked(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, path = service.principal(), tmp_path / "items.jsonl"
    with MossStore(client=service.client(ann)) as store:
        store.put(("users", "dev"), "k", {"n": 0}, observed_at="2026-01-01T00:00:00Z")
        path.write_text(json.dumps(ITEM))

        assert command(ann, "import", "--jsonl", str(path)) == 1
        before = store.get(("users", "dev"), "k")
        assert command(ann, "import", "--jsonl", str(path), "--overwrite") == 0
        after = store.get(("users", "dev"), "k")

    assert before is not None
    assert after is not None
    assert (before.value, after.value) == ({"n": 0}, {"n": 1})


@pytest.mark.parametrize("words", [("--ics", "none.ics"), ("--jsonl", "none.jsonl")])
def test_missing_file_is_said_so(
    command: Callable[..., int], words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    assert command("ann", "import", *words) == 2
    assert "none." in capsys.readouterr().err


def test_exported_calendar_is_imported_by_another(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, bob = service.principal(), service.principal()
    out = str(tmp_path / "out.ics")
    service.client(ann).remember([vacation(10, 14), meeting("Budget", 1)])

    assert command(ann, "export", "--ics", "-o", out) == 0
    assert command(bob, "import", "--ics", out) == 0

    assert listed(service.client(bob)) == ["Budget", "Vacation"]


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_export_holds_every_revision(service: Any, command: Callable[..., int], tmp_path: Path):
    ann, out = service.principal(), tmp_path / "out.jsonl"
    client = service.client(ann)
    memory = client.remember(meeting("A", 1))["facts"][0]
    client.revise(memory["memory_id"], {"object_value": "B"}, expected_revision=1)
    client.forget(memory["memory_id"], expected_revision=2)

    assert command(ann, "export", "--jsonl", "-o", str(out)) == 0

    header, line, _mark, end = written(out)
    assert header["principal_id"] == ann
    assert [each["object_value"] for each in line["revisions"]] == ["A", "B", "B"]
    assert line["memory"]["inactive_reason"] == "retired"
    assert end == {"end": {"memories": 1}}


def test_export_of_the_past_knows_nothing_of_later(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, out = service.principal(), tmp_path / "out.jsonl"
    client = service.client(ann)
    memory = client.remember(meeting("A", 1))["facts"][0]
    client.revise(memory["memory_id"], {"object_value": "B"}, expected_revision=1)
    client.remember(LIKES)

    words = ["--jsonl", "-o", str(out), "--as-of", memory["recorded_at"]]
    assert command(ann, "export", *words) == 0

    (line,) = [each for each in written(out) if "memory" in each]
    assert [each["object_value"] for each in line["revisions"]] == ["A"]


def test_export_that_broke_off_is_taken_up_again(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, out = service.principal(), tmp_path / "out.jsonl"
    client = service.client(ann)
    with MossStore(client=service.client(ann)) as store:
        for number in range(103):
            store.put(("n",), str(number), {"n": number})
    whole = list(export(client, LATER))
    cut = whole.index(next(line for line in whole if line.startswith('{"mark"'))) + 1
    part = out.with_name("out.jsonl.part")
    part.write_text("".join(f"{line}\n" for line in whole[:cut]) + '{"memory": {"br')

    assert command(ann, "export", "--jsonl", "-o", str(out), "--resume") == 0

    assert out.read_text().splitlines() == whole
    assert not part.exists()


def test_export_without_a_mark_starts_again(tmp_path: Path):
    part = tmp_path / "p"
    part.write_text('{"format":"moss-memory.export/1","as_of":"2099-01-01T00:00:00Z"}\n{"mem')

    assert last_mark(part) == (None, LATER)


def test_active_memories_are_imported_once(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, bob, out = service.principal(), service.principal(), tmp_path / "out.jsonl"
    client = service.client(ann)
    gone = client.remember(meeting("Gone", 2))["facts"][0]
    client.forget(gone["memory_id"], expected_revision=1)
    client.remember([meeting("A", 1), LIKES])
    command(ann, "export", "--jsonl", "-o", str(out))

    assert command(bob, "import", "--jsonl", str(out)) == 0
    assert command(bob, "import", "--jsonl", str(out)) == 0

    assert listed(service.client(bob), status="all") == ["A", "bibimbap"]


def test_imported_memory_is_true_since_it_was(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, bob, out = service.principal(), service.principal(), tmp_path / "out.jsonl"
    told = service.client(ann).remember(LIKES)["facts"][0]
    command(ann, "export", "--jsonl", "-o", str(out))

    command(bob, "import", "--jsonl", str(out))

    (memory,) = service.client(bob).memories()
    for name in ("valid_from", "valid_until", "observed_at"):
        assert memory[name] == told[name]


def test_history_is_lived_through_again_once(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, bob, out = service.principal(), service.principal(), tmp_path / "out.jsonl"
    client = service.client(ann)
    memory = client.remember(meeting("A", 1))["facts"][0]
    client.revise(memory["memory_id"], {"object_value": "B"}, expected_revision=1)
    client.remember(vacation(1, 3))
    gone = client.remember(LIKES)["facts"][0]
    client.forget(gone["memory_id"], expected_revision=1)
    command(ann, "export", "--jsonl", "-o", str(out))

    assert command(bob, "import", "--jsonl", str(out), "--history") == 0
    assert command(bob, "import", "--jsonl", str(out), "--history") == 0

    other = service.client(bob)
    assert listed(other, status="all") == listed(client, status="all")
    assert listed(other) == listed(client) == ["Vacation"]
    (moved,) = [each for each in other.memories(status="all") if each["object_value"] == "B"]
    told = [(each["object_value"], each["status"]) for each in other.revisions(moved["memory_id"])]
    assert told == [("A", "active"), ("B", "active"), ("B", "inactive")]


MEM0 = {  # every field that get_all() of mem0 2.2.1 gives
    "id": "m-1",
    "memory": "Dev works at TechCorp",
    "hash": "x",
    "metadata": {"type": "professional"},
    "created_at": "2026-01-01T00:00:00.759977-07:00",
    "updated_at": "2026-01-01T00:00:00.759977-07:00",
    "user_id": "dev",
    "agent_id": "a-1",
    "role": "user",
}
FOUND = MEM0 | {"metadata": None, "score": 0.89, "updated_at": None}  # as search() gives it
OPENMEMORY = [
    {"id": "o-1", "content": "likes tea", "state": "active", "metadata": {}, "app": "chat"},
    {"id": "o-2", "content": "likes rum", "state": "deleted", "metadata": {}, "app": "chat"},
]
ITEM = {
    "namespace": ["users", "dev"],
    "key": "k",
    "value": {"n": 1},
    "created_at": "2026-01-01T00:00:00+00:00",
    "updated_at": "2026-01-02T00:00:00+00:00",
}


def zipped(lines: bytes, path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("memories.json", "{}")
        archive.writestr("memories.jsonl.gz", gzip.compress(lines))


SHAPES = {
    "mem0 results": (json.dumps({"count": 1, "results": [MEM0]}).encode(), ["mem0/m-1"]),
    "mem0 search": (json.dumps({"results": [FOUND]}).encode(), ["mem0/m-1"]),
    "mem0 pretty": (json.dumps({"results": [MEM0]}, indent=2).encode(), ["mem0/m-1"]),
    "mem0 list": (json.dumps([MEM0]).encode(), ["mem0/m-1"]),
    "mem0 lines": (json.dumps(MEM0).encode() + b"\n", ["mem0/m-1"]),
    "openmemory lines": ("\n".join(map(json.dumps, OPENMEMORY)).encode(), ["mem0/o-1"]),
    "langgraph lines": (json.dumps(ITEM).encode() + b"\n\n", ["users/dev/k"]),
    "langgraph items": (json.dumps({"items": [ITEM]}).encode(), ["users/dev/k"]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("packed", ["plain", "gzip", "zip"])
def test_shape_of_another_system_is_read(tmp_path: Path, shape: str, packed: str):
    content, names = SHAPES[shape]
    path = tmp_path / "file"
    if packed == "zip":
        zipped(content, path)
    else:
        path.write_bytes(gzip.compress(content) if packed == "gzip" else content)

    found = list(entries(path))

    assert [each.name for each in found] == names
    assert all(each.fault is None for each in found)


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"[1, 2]", b'{"id": 1}', b'{"a": 1}\n{"b', b"PK\x03\x04rest", b"\x1f\x8brest"],
)
def test_file_of_no_known_shape_is_refused(tmp_path: Path, content: bytes):
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(UnknownShapeError):
        list(entries(path))


def test_sentences_of_mem0_are_items_of_the_store(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    ann, path = service.principal(), tmp_path / "mem0.json"
    path.write_text(json.dumps({"results": [MEM0]}))

    assert command(ann, "import", "--jsonl", str(path)) == 0

    with MossStore(client=service.client(ann)) as store:
        item = store.get(("mem0",), "m-1")
    assert item is not None
    assert item.value == {
        name: MEM0[name]
        for name in ("memory", "metadata", "user_id", "agent_id", "role", "created_at")
    }


def test_items_of_langgraph_s_own_store_come_over_by_its_own_spelling(
    service: Any, command: Callable[..., int], tmp_path: Path
):
    theirs, ann, path = InMemoryStore(), service.principal(), tmp_path / "items.jsonl"
    for number in range(13):
        theirs.put(("users", f"u{number % 3}", "notes"), f"n{number}", {"n": number, "t": "차"})
    theirs.put(("users", "u0", "notes"), "n0", {"n": "changed"})
    items = theirs.search((), limit=100)
    path.write_text("".join(f"{json.dumps(item.dict())}\n" for item in items))

    assert command(ann, "import", "--jsonl", str(path)) == 0
    assert command(ann, "import", "--jsonl", str(path)) == 0

    with MossStore(client=service.client(ann)) as store:
        found = store.search((), limit=100)
        spaces = store.list_namespaces()
    assert {(item.namespace, item.key): item.value for item in found} == {
        (item.namespace, item.key): item.value for item in items
    }
    assert sorted(spaces) == sorted(theirs.list_namespaces())


def test_command_without_a_service_fails_plainly(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setenv("MOSS_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("MOSS_API_KEY", "dev:ann")

    assert main(["export", "--jsonl"]) == 1
    assert "no answer" in capsys.readouterr().err
