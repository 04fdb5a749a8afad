"""What the routes of administration need besides the house: keys, scopes, the steward."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Request

from moss_memory.core.errors import NotFoundError
from moss_memory.flow.keys import Keyring
from moss_memory.flow.ports_access import ScopeStore
from moss_memory.flow.ports_steward import StewardStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Offices:
    """The stores of administration. ``keyring`` None: this service keeps no keys of its own."""

    scopes: ScopeStore
    steward: StewardStore | None = None
    keyring: Keyring | None = None


def _offices(request: Request) -> Offices:
    offices: Offices | None = getattr(request.app.state, "offices", None)
    if offices is None:
        raise NotFoundError
    return offices


def _steward(request: Request) -> StewardStore:
    """Return the steward's store."""
    steward = _offices(request).steward
    if steward is None:
        raise NotFoundError
    return steward


def _keyring(request: Request) -> Keyring:
    """Return the keyring; without a pepper there is none, and so no such thing as a key."""
    ring = _offices(request).keyring
    if ring is None:
        raise NotFoundError
    return ring


OfficesDep = Annotated[Offices, Depends(_offices)]
KeyringDep = Annotated[Keyring, Depends(_keyring)]
StewardDep = Annotated[StewardStore, Depends(_steward)]
