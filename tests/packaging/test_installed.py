"""The package as a stranger installs it: not editable, used from an empty folder."""

import os
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Installed:
    """A fresh environment with the wheel in it, and an empty folder to work from."""

    bin: Path
    folder: Path
    env: dict[str, str]

    def run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        command = [str(self.bin / "moss-memory"), *words]
        return subprocess.run(
            command, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build the wheel, install it alone; the dependencies are lent by this environment."""
    folder = tmp_path_factory.mktemp("stranger")
    fresh = folder / "venv"
    venv.create(fresh, with_pip=False)
    python = fresh / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "wheel", "--no-deps", "-w", folder, ROOT], check=True)
    (wheel,) = folder.glob("moss_memory-*.whl")
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)
    purelib = next((fresh / "lib").glob("python*")) / "site-packages"
    (purelib / "lent.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    (folder / "empty").mkdir()
    env = {name: value for name, value in os.environ.items() if not name.startswith("MOSS_")}
    env.pop("PYTHONPATH", None)
    return Installed(fresh / "bin", folder / "empty", env)


@pytest.fixture(scope="module")
def serving(installed: Installed) -> Iterator[str]:
    """The base URL of the installed service, started in the empty folder."""
    migrated = installed.run("migrate")
    assert migrated.returncode == 0, migrated.stderr
    command = [str(installed.bin / "moss-memory"), "serve", "--port", "0"]
    with subprocess.Popen(
        command, cwd=installed.folder, env=installed.env, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[-1]
        server.terminate()


def test_it_is_the_wheel_that_runs(installed: Installed) -> None:
    program = "import moss_memory; print(moss_memory.__file__)"
    found = subprocess.run(
        [installed.bin / "python", "-c", program],
        cwd=installed.folder, env=installed.env, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert found.stdout.startswith(str(installed.bin.parent))


def test_installed_service_is_ready_and_keeps_a_vacation(serving: str) -> None:
    credential = {"Authorization": "Bearer dev:alice"}
    ready = httpx2.get(f"{serving}/readyz")
    told = httpx2.post(
        f"{serving}/chat", headers=credential, json={"text": "I'm on vacation tomorrow."}
    )

    assert ready.json()["status"] == "ready"
    assert (told.status_code, told.json()["status"]) == (200, "SUCCESS")


def test_installed_command_lists_itself(installed: Installed) -> None:
    listed = installed.run("--help")

    assert listed.returncode == 0
    assert "migrate" in listed.stdout
