"""Which kinds of credential this service takes, put together once at start."""

from collections.abc import Sequence
from typing import Literal

from moss_memory.api.caller import Authenticator, Bearer, Credentials, DevNames
from moss_memory.api.jwt_issuers import JwtIssuers
from moss_memory.api.static_keys import StaticKeys
from moss_memory.api.stored_keys import StoredKeys
from moss_memory.flow.ports_access import KeyStore


def authenticator(
    mode: Literal["dev", "keys"],
    *,
    store: KeyStore | None = None,
    peppers: Sequence[str] = (),
    static_keys: str = "",
    issuers: str = "",
    tenant: str | None = None,
) -> Authenticator:
    """Return who decides who speaks: ``MOSS_AUTH`` and the settings it needs.

    ``peppers`` is ``MOSS_SECRET_KEY``, with the one it replaces behind it while keys move over.
    ``static_keys`` and ``issuers`` are the settings' text, empty for none. ``tenant`` is the only
    one served (``default`` on SQLite), None serves all.

    Raises:
        ValueError: a setting is malformed, or in keys mode nothing could ever be let in; the
            message names the setting and never its value.
    """
    if mode == "dev":
        return Bearer(DevNames(), tenant=tenant)
    kinds: list[Credentials] = []
    if static_keys:
        kinds.append(StaticKeys(static_keys))
    if store is not None:
        kinds.append(StoredKeys(store, peppers))
    if issuers:
        kinds.append(JwtIssuers(issuers))
    if not kinds:
        raise ValueError("MOSS_AUTH=keys needs a key store, MOSS_STATIC_KEYS or MOSS_JWT_ISSUERS.")
    return Bearer(*kinds, tenant=tenant)
