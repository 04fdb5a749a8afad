"""What an utterance wants, before anybody looks at what exactly it says."""

from dataclasses import dataclass
from typing import Final, Literal

Act = Literal["save", "move", "cancel", "ask", "none"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sense:
    """The act of an utterance, and how it is said.

    ``past`` speaks of what has been. ``why`` asks for a reason. ``reason`` names the rule that
    decided, for the trace. Polite words and the name of an assistant are cut from ``body``.
    ``clause`` is the one that decided; ``others`` want another change, so that the speaker has
    to be asked which comes first.
    """

    act: Act
    reason: str
    body: str
    past: bool = False
    why: bool = False
    clause: str = ""
    others: tuple[str, ...] = ()


CHANGES: Final[frozenset[Act]] = frozenset({"save", "move", "cancel"})
