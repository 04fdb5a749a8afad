"""Nine in ten small faults of the pure core are noticed by its tests; some minutes a module.

``pytest -m campaign tests/campaigns``; the faults are made by ``mutate_core.py`` beside this.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

MUTATE = Path(__file__).with_name("mutate_core.py")
NOTICED = 0.9


@pytest.mark.campaign
@pytest.mark.parametrize(
    "module", ["interval", "linter", "pairing", "revise", "rules", "boxes", "verify", "placing"]
)
def test_nine_in_ten_faults_are_noticed(module: str) -> None:
    run = subprocess.run([sys.executable, MUTATE, module], capture_output=True, check=True)
    told = json.loads(run.stdout)

    assert len(told["survivors"]) <= (1 - NOTICED) * told["tried"], told["survivors"]
