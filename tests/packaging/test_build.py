"""What the build takes from outside: named, bounded, and no second package manager."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RUNTIME = [
    *PROJECT["dependencies"],
    *(
        one
        for extra, named in PROJECT["optional-dependencies"].items()
        if extra != "test"
        for one in named
    ),
]
BUILDS = [ROOT / "Dockerfile", *ROOT.glob("scripts/*"), *ROOT.glob(".ci/*")]


@pytest.mark.parametrize("requirement", RUNTIME)
def test_moss_m55_dependency_stops_before_the_next_breaking_version(requirement: str) -> None:
    dated = requirement.startswith("tzdata")  # data, whose newest is always wanted

    assert "<" in requirement or dated


def test_moss_m55_images_are_named_to_the_patch() -> None:
    images = re.findall(r"^FROM (\S+)", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)

    assert images
    assert [one for one in images if not re.search(r":\d+\.\d+\.\d+", one)] == []


def test_moss_m55_console_needs_no_build_and_no_package_of_npm() -> None:
    listed = [path for path in ROOT.rglob("package*.json") if ".venv" not in path.parts]
    told = " ".join(path.read_text("utf-8") for path in BUILDS if path.is_file())

    assert listed == []
    assert not re.search(r"\b(?:npm|npx|yarn|pnpm)\b", told)
