"""The Python client: everything that a program needs, from one place.

``MossClient`` waits, ``AsyncMossClient`` is awaited; both have one method a route. Results are
typed dictionaries, refusals one exception a code.
"""

from moss_memory.integrations import client_problems as problems
from moss_memory.integrations.client_async import AsyncMossClient
from moss_memory.integrations.client_errors import (
    ConnectionFailedError,
    MossClientError,
    ProblemError,
    UnexpectedAnswerError,
)
from moss_memory.integrations.client_sync import MossClient
from moss_memory.integrations.client_values import Answer, Chat, FactIn, Memory, is_held

__all__ = [
    "Answer",
    "AsyncMossClient",
    "Chat",
    "ConnectionFailedError",
    "FactIn",
    "Memory",
    "MossClient",
    "MossClientError",
    "ProblemError",
    "UnexpectedAnswerError",
    "is_held",
    "problems",
]
