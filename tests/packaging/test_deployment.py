"""The container files, read as an operator's checklist would read them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]


def instructions(name: str) -> list[str]:
    joined = re.sub(r"\\\n\s*", "", DOCKERFILE)
    return re.findall(rf"^{name} (.*)$", joined, re.MULTILINE)


def test_every_base_image_is_pinned_to_a_patch_release() -> None:
    images = [line.split(" AS ")[0] for line in instructions("FROM")]
    images += [service["image"] for service in SERVICES.values() if "build" not in service]

    assert len(images) == 4
    assert all(re.search(r":\d+\.\d+(\.\d+)?-", image) for image in images)


def test_build_and_run_are_two_stages() -> None:
    assert [line.partition(" AS ")[2] for line in instructions("FROM")] == ["build", ""]


def test_moss_m51_container_runs_as_nobody_in_particular() -> None:
    uid, gid = map(int, instructions("USER")[-1].split(":"))

    assert min(uid, gid) >= 10_000


def test_moss_m55_nothing_is_built_from_packages_that_are_not_pinned() -> None:
    assert not re.search(r"\b(npm|yarn|pnpm|curl|wget)\b", " ".join(instructions("RUN")))
    assert [*ROOT.glob("package.json"), *(ROOT / "src").rglob("package.json")] == []


def test_image_holds_no_secret_and_no_address_of_one() -> None:
    assigned = " ".join(instructions("ENV") + instructions("ARG"))

    assert not re.search(r"SECRET|PASSWORD|_KEY\b|TOKEN", assigned)


def test_image_is_safe_to_expose_by_default() -> None:
    assert "MOSS_AUTH=keys" in instructions("ENV")[-1]


def test_image_tells_whether_it_lives() -> None:
    (check,) = instructions("HEALTHCHECK")
    command = json.loads(check[check.index("[") :])

    assert "/livez" in command[-1]


def test_build_context_leaves_out_what_is_not_the_service() -> None:
    lines = (ROOT / ".dockerignore").read_text().split()

    assert lines[0] == "*"
    assert not {"!.env", "!secrets", "!tests", "!.git"} & set(lines)


def test_moss_m12_only_the_service_publishes_a_port() -> None:
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["service"]


@pytest.mark.parametrize("name", SERVICES)
def test_moss_m52_service_is_hardened(name: str) -> None:
    service = SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["pids_limit"] <= 256
    assert {"mem_limit", "cpus"} <= service.keys()
    assert not {"privileged", "cap_add", "network_mode"} & service.keys()


@pytest.mark.parametrize("name", SERVICES)
def test_secrets_are_files_and_never_values(name: str) -> None:
    for variable, value in SERVICES[name].get("environment", {}).items():
        if re.search(r"SECRET|PASSWORD|STATIC_KEYS|DATABASE_URL", variable):
            assert variable.endswith("_FILE")
            assert value.startswith("/run/secrets/")


def test_service_starts_in_keys_mode_after_the_migration() -> None:
    service = SERVICES["service"]

    assert service["environment"]["MOSS_AUTH"] == "keys"
    assert service["depends_on"]["migrate"] == {"condition": "service_completed_successfully"}
    assert service["depends_on"]["redis"] == {"condition": "service_healthy"}


def test_migration_runs_once() -> None:
    assert (SERVICES["migrate"]["command"], SERVICES["migrate"]["restart"]) == (["migrate"], "no")


def test_redis_keeps_open_questions_over_a_restart_and_never_evicts_them() -> None:
    command = SERVICES["redis"]["command"]
    options = dict(zip(command[1::2], command[2::2], strict=True))

    assert options["--maxmemory-policy"] == "noeviction"
    assert options["--appendonly"] == "yes"


def test_databases_cannot_be_reached_from_outside() -> None:
    assert COMPOSE["networks"]["inside"]["internal"] is True
    assert {*SERVICES["postgres"]["networks"], *SERVICES["redis"]["networks"]} == {"inside"}


def test_service_may_finish_what_is_in_flight() -> None:
    assert int(SERVICES["service"]["stop_grace_period"].removesuffix("s")) > 11


@pytest.mark.parametrize("script", ["scripts/run", "scripts/test", ".ci/run"])
def test_script_is_executable_and_stops_at_an_error(script: str) -> None:
    path = ROOT / script

    assert path.stat().st_mode & 0o111
    assert path.read_text().startswith("#!/usr/bin/env bash\n")
    assert "pipefail" in path.read_text()
