"""What is deployed elsewhere: manifests that lock down, a dashboard of series that exist."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import SecretStr

from moss_memory.app import create_app
from moss_memory.cli.listening import STOP_SECONDS
from moss_memory.cli.main import available, whole_parser
from moss_memory.settings import Settings, unknown

DEPLOY = Path(__file__).parents[2] / "deploy"
MANIFESTS = yaml.safe_load((DEPLOY / "kubernetes.yaml").read_text())["items"]


def pods() -> Iterator[Any]:
    for manifest in MANIFESTS:
        spec = manifest.get("spec", {})
        if manifest["kind"] == "CronJob":
            spec = spec["jobTemplate"]["spec"]
        if "template" in spec:
            yield pytest.param(spec["template"]["spec"], id=manifest["metadata"]["name"])


@pytest.mark.parametrize("pod", list(pods()))
def test_pod_runs_without_root_and_without_a_writable_disk(pod: dict[str, Any]):
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert container["resources"]["limits"]["memory"]


def test_secrets_come_from_files_and_none_is_in_the_manifests():
    (settings,) = [each["data"] for each in MANIFESTS if each["kind"] == "ConfigMap"]

    secret = {name for name in settings if re.search("URL|KEY", name)}
    assert all(name.endswith("_FILE") for name in secret)
    assert not [each for each in MANIFESTS if each["kind"] == "Secret"]


def test_probes_ask_the_routes_that_are_there():
    (deployment,) = [each for each in MANIFESTS if each["kind"] == "Deployment"]
    (container,) = deployment["spec"]["template"]["spec"]["containers"]

    assert container["livenessProbe"]["httpGet"]["path"] == "/livez"
    assert container["readinessProbe"]["httpGet"]["path"] == "/readyz"


def test_dashboard_asks_for_series_that_the_service_has(sqlite_url: str):
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"moss_[a-z_]+", target["expr"])
    }
    app = create_app(Settings(database_url=SecretStr(sqlite_url)), lines=io.StringIO())
    known = {
        name
        for family in app.state.meter.registry.collect()
        for name in (family.name, f"{family.name}_total", f"{family.name}_count",
                     f"{family.name}_bucket")
    }  # fmt: skip

    assert asked
    assert asked <= known


class Layered(yaml.SafeLoader):
    """Reads what compose lays over another file, where ``!override`` replaces a list."""


Layered.add_constructor("!override", lambda loader, node: loader.construct_sequence(node))
REPLICAS = yaml.load((DEPLOY / "compose.replicas.yaml").read_text(), Layered)
COMPOSE = yaml.safe_load((DEPLOY.parent / "docker-compose.yml").read_text())


def assigned() -> Iterator[Any]:
    """Every group of environment variables that is given to the service."""
    for manifest in MANIFESTS:
        if manifest["kind"] == "ConfigMap":
            yield pytest.param(manifest["data"], id="kubernetes")
    for name, source in {"compose": COMPOSE, "replicas": REPLICAS}.items():
        for service, told in source["services"].items():
            if service in {"service", "migrate"}:
                yield pytest.param(told.get("environment", {}), id=f"{name}-{service}")


@pytest.mark.parametrize("variables", list(assigned()))
def test_only_settings_that_exist_are_given(variables: dict[str, str]):
    assert variables
    assert unknown(variables) == []


def test_service_of_kubernetes_reaches_the_port_that_the_settings_listen_on():
    (deployment,) = [each for each in MANIFESTS if each["kind"] == "Deployment"]
    (service,) = [each for each in MANIFESTS if each["kind"] == "Service"]
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    (port,) = container["ports"]

    assert port["containerPort"] == Settings().port
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    assert service["spec"]["selector"] == pod["metadata"]["labels"]
    assert int(pod["metadata"]["annotations"]["prometheus.io/port"]) == port["containerPort"]


def test_process_is_granted_the_drain_and_what_is_in_flight():
    (deployment,) = [each for each in MANIFESTS if each["kind"] == "Deployment"]
    (settings,) = [each["data"] for each in MANIFESTS if each["kind"] == "ConfigMap"]
    grace = deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]

    assert grace > float(settings["MOSS_DRAIN_SECONDS"]) + STOP_SECONDS
    compose = int(COMPOSE["services"]["service"]["stop_grace_period"].removesuffix("s"))
    assert compose > Settings().drain_seconds + STOP_SECONDS


def test_every_command_that_is_deployed_exists():
    arguments = [container["args"] for pod in pods() for container in pod.values[0]["containers"]]
    arguments += [told["command"] for name, told in COMPOSE["services"].items()
                  if name in {"service", "migrate"}]  # fmt: skip

    for words in arguments:
        assert whole_parser().parse_args(words).command in available()


def test_replicas_go_through_the_pooler_and_the_migration_around_it():
    services = REPLICAS["services"]

    assert services["service"]["environment"]["MOSS_PGBOUNCER"] == "true"
    assert services["service"]["deploy"]["replicas"] == 2
    assert services["pgbouncer"]["environment"]["POOL_MODE"] == "transaction"
    assert "MOSS_MIGRATION_DATABASE_URL_FILE" in services["migrate"]["environment"]


def test_every_secret_that_is_used_is_declared():
    for told in ({**COMPOSE, "services": COMPOSE["services"]}, REPLICAS):
        declared = COMPOSE["secrets"].keys() | told.get("secrets", {}).keys()
        for service in told["services"].values():
            assert set(service.get("secrets", [])) <= declared
