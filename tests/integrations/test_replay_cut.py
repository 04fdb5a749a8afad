"""An import that is cut off anywhere and run again ends as one that was not."""

import gzip
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from moss_memory.cli.main import main
from moss_memory.integrations.client import MossClient
from moss_memory.integrations.foreign import UnknownShapeError
from moss_memory.integrations.jsonl_export import export
from moss_memory.integrations.replay import Replay
from moss_memory.integrations.replay_steps import Steps

LATER = "2099-01-01T00:00:00Z"
MAIN = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
KEPT = (
    "object_value", "when", "valid_from", "valid_until", "status", "inactive_reason", "hard",
    "observed_at", "expires_at", "event_status", "transparency", "source", "confidence",
)  # fmt: skip


def event(predicate: str, title: str, **when: Any) -> dict[str, Any]:
    plain = {"domain": "Schedule", "subject": "Calendar", "predicate": predicate}
    return plain | {"object_value": title, "when": when}


def likes(value: str, **said: Any) -> Any:
    plain = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
    return plain | {"object_value": value, "source_ref": "the-same-for-all"} | said


def lives(place: str) -> Any:
    return {"domain": "Preference", "subject": "User", "predicate": "lives_in",
            "object_value": place}  # fmt: skip


def lived(client: MossClient) -> None:
    """Live through revisions, a change and back, a retirement, a restoration, a replacement."""
    told = client.remember(event("meeting", "A", start="2027-07-01T03:00:00Z"))["facts"][0]
    name = told["memory_id"]
    for number, title in enumerate(("B", "A", "C"), 1):
        client.revise(name, {"object_value": title}, expected_revision=number)
    client.remember(event("vacation", "Vacation", date="2027-07-05", end_date="2027-07-09"))
    held = client.remember(event("meeting", "Kept", start="2027-07-06T03:00:00Z"))
    assert held["pending"] is not None
    client.confirm(held["pending"]["pending_id"], "keep_both")
    client.remember([likes("bibimbap"), likes("tea", expires_at="2098-01-01T00:00:00Z")])
    tea = next(each for each in client.memories() if each["object_value"] == "tea")
    client.revise(tea["memory_id"], {"expires_at": None}, expected_revision=1)
    client.forget(tea["memory_id"], expected_revision=2)
    client.restore(tea["memory_id"], 1, expected_revision=3)
    client.remember(lives("Seoul"))
    client.remember(lives("Busan"))
    client.remember(event("meeting", "Gone", start="2027-08-02T03:00:00Z"))
    client.remember(event("vacation", "Vacation", date="2027-08-02"))


def history(client: MossClient) -> list[Any]:
    """What a principal has, with its revisions, whatever the ids and the instants of recording."""
    memories = client.memories(status="all", limit=100)
    return sorted(
        json.dumps([[each[name] for name in KEPT] for each in client.revisions(one["memory_id"])])
        for one in memories
    )


@pytest.fixture(scope="module")
def told(service: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, MossClient]:
    """An export, and the client of whom it is."""
    client = service.client()
    lived(client)
    path = tmp_path_factory.mktemp("export") / "ann.jsonl"
    path.write_text("".join(f"{line}\n" for line in export(client, LATER)))
    return path, client


class Cut(BaseException):
    """The power goes."""


class Cutting(httpx2.HTTPTransport):
    """Breaks off at the n-th request, before it is sent or after it was answered."""

    def __init__(self, number: int, *, answered: bool) -> None:
        super().__init__()
        self.left = number
        self.answered = answered

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.left -= 1
        if self.left < 0 and not self.answered:
            raise Cut
        response = super().handle_request(request)
        if self.left < 0:
            response.read()
            response.close()
            raise Cut
        return response


def replayed(client: MossClient, path: Path) -> list[str]:
    return [each.status for each in Replay(client, path, as_confirmed=True).run()]


def test_history_comes_back_whole(service: Any, told: tuple[Path, MossClient]):
    path, ann = told
    bob = service.client()

    assert set(replayed(bob, path)) <= {"SUCCESS", "SUCCESS_WITH_OVERWRITE", "NO_CHANGE"}
    assert history(bob) == history(ann)


def test_whole_history_told_again_changes_nothing(service: Any, told: tuple[Path, MossClient]):
    path, _ = told
    bob = service.client()
    replayed(bob, path)
    before = history(bob)

    assert set(replayed(bob, path)) == {"NO_CHANGE"}
    assert history(bob) == before


def cut_and_resumed(service: Any, path: Path, number: int, *, answered: bool) -> list[Any] | None:
    """Cut at a request and go on; the history then, None where there was nothing left to cut."""
    principal = service.principal()
    transport = Cutting(number, answered=answered)
    with MossClient(service.url, f"dev:{principal}", transport=transport) as broken:
        try:
            replayed(broken, path)
        except Cut:
            pass
        else:
            return None
    client = service.client(principal)
    replayed(client, path)
    return history(client)


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", [3, 8, 12, 16])
def test_history_that_broke_off_goes_on_where_it_was(
    service: Any, told: tuple[Path, MossClient], number: int, *, answered: bool
):
    path, ann = told

    assert cut_and_resumed(service, path, number, answered=answered) == history(ann)


@pytest.mark.campaign
def test_history_that_breaks_off_at_any_request_goes_on(
    service: Any, told: tuple[Path, MossClient], record_property: Callable[[str, object], None]
):
    path, ann = told
    whole, cuts = history(ann), 0
    for answered in (False, True):
        for number in itertools.count():
            found = cut_and_resumed(service, path, number, answered=answered)
            if found is None:
                break
            assert found == whole, (number, answered)
            cuts += 1

    record_property("cuts", cuts)
    assert cuts > 30


def test_conflict_of_a_history_is_not_written_unless_as_confirmed(
    service: Any, told: tuple[Path, MossClient]
):
    path, _ = told
    bob = service.client()

    statuses = [each.status for each in Replay(bob, path).run()]

    assert statuses.count("CONFIRM_REQUIRED") == 1
    assert "Kept" not in {each["object_value"] for each in bob.memories(status="all")}
    assert list(bob.pendings()) == []


Command = Callable[..., int]


@pytest.fixture
def command(service: Any, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run a command as a principal."""

    def run(principal: str, *words: str) -> int:
        monkeypatch.setenv("MOSS_URL", service.url)
        monkeypatch.setenv("MOSS_API_KEY", f"dev:{principal}")
        return main(list(words))

    return run


def test_killed_import_is_finished_by_another_run(
    service: Any, told: tuple[Path, MossClient], command: Command
):
    path, ann = told
    bob = service.principal()
    words = ["import", "--jsonl", str(path), "--history", "--as-confirmed"]
    environment = os.environ | {"MOSS_URL": service.url, "MOSS_API_KEY": f"dev:{bob}"}
    process = subprocess.Popen(
        [sys.executable, "-c", MAIN, *words],
        env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    for _ in range(6):
        process.stdout.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)

    assert command(bob, *words) == 0
    assert history(service.client(bob)) == history(ann)


def test_what_was_kept_side_by_side_is_imported_so_where_asked(
    service: Any, told: tuple[Path, MossClient], command: Command
):
    path, ann = told
    bob = service.principal()
    words = ["import", "--jsonl", str(path)]
    active = sorted(each["object_value"] for each in ann.memories())

    assert command(bob, *words) == 1
    assert list(service.client(bob).memories(status="all")) == []
    assert command(bob, *words, "--as-confirmed") == 0
    assert command(bob, *words, "--as-confirmed") == 0

    assert sorted(each["object_value"] for each in service.client(bob).memories()) == active


def test_packed_export_is_replayed_like_a_plain_one(told: tuple[Path, MossClient], tmp_path: Path):
    path, _ = told
    packed = tmp_path / "ann.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))

    with Steps(path) as plain, Steps(packed) as unpacked:
        assert list(plain) == list(unpacked)


def test_steps_are_in_the_order_of_their_recording(told: tuple[Path, MossClient]):
    path, ann = told
    with Steps(path) as steps:
        told_ = list(steps)

    assert steps.principal == ann.me()["principal_id"]
    assert [each["recorded_at"] for each in told_] == sorted(each["recorded_at"] for each in told_)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "incomplete"),
        (b"hello", "JSON lines"),
        (b"[1]\n", "no export"),
        (b'{"memory": {}}\n', "no export"),
        (b'{"format": "x", "principal_id": "ann"}\n', "incomplete"),
        (b"\x1f\x8brest", "broken"),
    ],
)
def test_what_is_no_whole_export_is_not_replayed(tmp_path: Path, content: bytes, reason: str):
    path = tmp_path / "file"
    path.write_bytes(content)

    with pytest.raises(UnknownShapeError, match=reason):
        Steps(path)
