"""An epoch is a word of this service's own; any other is refused, and never a fault of its."""

import base64

import pytest

from moss_memory.core.errors import InvalidValueError
from moss_memory.flow.reading import read_epoch, spell_epoch


def test_epoch_comes_back_as_it_was_spelled() -> None:
    epochs = {("ana", "Schedule"): 7, ("\ud300", "Store"): 2**63 - 1}

    assert read_epoch(spell_epoch(epochs)) == epochs


@pytest.mark.parametrize(
    "said",
    [
        '[["ana", "Schedule", 1e999]]',
        '[["ana", "Schedule", NaN]]',
        '[["ana", "Schedule", -1]]',
        '[["ana", "Schedule", 9223372036854775808]]',
        f'[["ana", "Schedule", {"9" * 5000}]]',
        '[["ana", "Schedule", "x"]]',
        '[["ana", "Schedule", null]]',
        '[["ana", "\\ud800", 1]]',
        '[["ana", 1]]',
        '{"ana": 1}',
        "7",
        "[" * 3000,
        "",
    ],
)
def test_epoch_that_nobody_gave_is_refused(said: str) -> None:
    with pytest.raises(InvalidValueError):
        read_epoch(base64.urlsafe_b64encode(said.encode()).decode().rstrip("="))
