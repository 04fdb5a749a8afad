"""Credential to Caller: one bearer credential, from the Authorization header alone.

Every failure is the same UnauthenticatedError, whatever its cause. Which kinds of credential
count is decided once, at start: dev names, or static keys, stored keys and JWTs.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Final, Protocol

from moss_memory.core.access import RIGHTS, Caller, is_id
from moss_memory.core.errors import TenantNotServedError, UnauthenticatedError

MAX_CREDENTIAL: Final = 8 * 1024  # characters
DEFAULT_TENANT: Final = "default"
_BEARER: Final = re.compile(r"[Bb][Ee][Aa][Rr][Ee][Rr] +([\x21-\x7e]+) *")


class Authenticator(Protocol):
    """Who a request's credential is."""

    def authenticate(self, authorization: str | None, now: datetime) -> Caller:
        """Return the caller behind an Authorization header's value; ``now`` is UTC.

        Raises:
            UnauthenticatedError: no valid credential, for whatever reason.
            TenantNotServedError: a valid one of a tenant that is not served here.
            StorageUnavailableError: keys cannot be looked up now.
        """
        ...


class Credentials(Protocol):
    """One kind of credential."""

    def caller(self, credential: str, now: datetime, /) -> Caller | None:
        """Return who ``credential`` is, None where it is not valid or of another kind."""
        ...


class Bearer:
    """An Authenticator over several kinds of credential, the first that knows it decides.

    ``tenant`` is the only one served, None serves all.
    """

    def __init__(self, *kinds: Credentials, tenant: str | None = None) -> None:
        self._kinds = kinds
        self._tenant = tenant

    def authenticate(self, authorization: str | None, now: datetime) -> Caller:
        """See ``Authenticator``."""
        credential = _credential(authorization)
        for kind in self._kinds:
            if (caller := kind.caller(credential, now)) is not None:
                break
        else:
            raise UnauthenticatedError
        if self._tenant is not None and caller.tenant_id != self._tenant:
            raise TenantNotServedError
        return caller


class DevNames:
    """``dev:<principal>`` and ``dev:<tenant>:<principal>``: anyone is anyone, with all rights.

    For loopback only; the settings refuse to serve it anywhere else.
    """

    def caller(self, credential: str, _now: datetime, /) -> Caller | None:
        """Return the principal named, in the tenant ``default`` where none is."""
        scheme, *named = credential.split(":")
        if scheme != "dev" or len(named) not in {1, 2} or not all(map(is_id, named)):
            return None
        tenant, principal = named if len(named) > 1 else (DEFAULT_TENANT, named[0])
        return Caller(tenant_id=tenant, principal_id=principal, rights=RIGHTS)


def is_dev_name(authorization: str | None) -> bool:
    """Tell whether a header names a principal of dev mode, which nothing has to be asked about."""
    match = None if authorization is None else _BEARER.fullmatch(authorization)
    return match is not None and match[1].startswith("dev:")


def text_member(values: Mapping[str, object], name: str) -> str | None:
    """Return a member where it is a string and not empty."""
    value = values.get(name)
    return value if isinstance(value, str) and value else None


def _credential(authorization: str | None) -> str:
    if authorization is None or len(authorization) > MAX_CREDENTIAL + len("Bearer "):
        raise UnauthenticatedError
    match = _BEARER.fullmatch(authorization)
    if match is None:
        raise UnauthenticatedError
    return match[1]
