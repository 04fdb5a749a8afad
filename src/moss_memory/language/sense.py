"""What an utterance wants, before anybody looks at what exactly it says."""

from dataclasses import dataclass
from typing import Literal

Act = Literal["save", "move", "cancel", "ask", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense:
    """The act of an utterance, and how it is said.

    ``past`` speaks of what has been. ``why`` asks for a reason. ``reason`` names the rule that
    decided, for the trace. ``vacation`` marks leave of the speaker's own; ``polite`` words and
    the name of an assistant are already cut from ``body``.
    """

    act: Act
    reason: str
    body: str
    past: bool = False
    why: bool = False
