"""Stores in memory for the access tests, and a clock that stands still."""

import importlib.util
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest


def _stores() -> ModuleType:
    path = Path(__file__).parents[1] / "adapters" / "access_stores.py"
    spec = importlib.util.spec_from_file_location("access_stores", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def key_store() -> Any:
    """An empty KeyStore in memory; ``found`` counts look-ups."""
    return _stores().MemoryKeys()


@pytest.fixture
def scope_store() -> Any:
    """An empty ScopeStore in memory."""
    return _stores().MemoryScopes()


@pytest.fixture
def now() -> datetime:
    """The instant of the test."""
    return datetime(2026, 7, 16, 5, tzinfo=UTC)
