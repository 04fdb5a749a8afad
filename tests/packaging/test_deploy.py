"""What is deployed elsewhere: manifests that lock down, a dashboard of series that exist."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from moss_memory.api.metrics import Meter

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


def test_dashboard_asks_for_series_that_the_service_has():
    dashboard = json.loads((DEPLOY / "grafana-dashboard.json").read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"moss_[a-z_]+", target["expr"])
    }
    known = {
        name
        for family in Meter().registry.collect()
        for name in (family.name, f"{family.name}_total", f"{family.name}_count",
                     f"{family.name}_bucket")
    }  # fmt: skip

    assert asked <= known
