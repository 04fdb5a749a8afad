"""JWT access tokens of configured issuers; nothing about how to check one comes from the token.

``MOSS_JWT_ISSUERS`` is a JSON list of objects: ``iss``, ``jwks_uri``, ``algs`` (asymmetric ones),
``aud``, and ``tenant_claim`` or a fixed ``tenant``; optional ``principal_claim`` (sub), ``leeway``
(seconds, 60), ``typ`` (such as at+jwt: then required), ``rights_claim`` (a list of our rights, or
a string of them), ``source_ceiling`` (user_explicit). A token is bound to its issuer by ``iss``,
then by its signature; instants are compared with the one handed in.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, get_args
from urllib.parse import urlsplit

import jwt

from moss_memory.api.caller import text_member
from moss_memory.api.jwks import Jwks, fetch_jwks
from moss_memory.core.access import RIGHTS, Caller, is_id
from moss_memory.core.fact import Source

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
MAX_TOKEN: Final = 8 * 1024
MAX_LEEWAY: Final = 300  # seconds
_REQUIRED: Final = ("iss", "jwks_uri", "algs", "aud")
_OPTIONAL: Final = {
    "tenant_claim", "tenant", "principal_claim", "leeway", "typ", "rights_claim", "source_ceiling",
}  # fmt: skip
_KEY_OF_ITS_OWN: Final = ("jwk", "jku", "x5u")  # a token that brings one is no token of ours
_ID_TOKEN: Final = ("nonce", "at_hash", "c_hash")  # claims of OpenID Connect's ID tokens only
_HOST_ALLOWED_PLAIN: Final = {"127.0.0.1", "::1", "localhost"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuer:
    """One issuer as configured; ``tenant`` is fixed where ``tenant_claim`` is None."""

    iss: str
    jwks_uri: str
    algs: frozenset[str]
    aud: str
    tenant_claim: str | None
    tenant: str | None
    principal_claim: str = "sub"
    leeway: int = 60
    typ: str | None = None
    rights_claim: str | None = None
    source_ceiling: Source = "user_explicit"


class JwtIssuers:
    """The configured issuers, each with its keys.

    Raises:
        ValueError: the setting is malformed; the message names the member.
    """

    def __init__(self, setting: str, fetch: Callable[[str], bytes] = fetch_jwks) -> None:
        issuers = read_issuers(setting)
        self._issuers = {issuer.iss: (issuer, Jwks(issuer.jwks_uri, fetch)) for issuer in issuers}

    def caller(self, credential: str, now: datetime, /) -> Caller | None:
        """Return whom a token speaks for at ``now``, None where any check fails."""
        if len(credential) > MAX_TOKEN or credential.count(".") != 2:  # noqa: PLR2004
            return None
        try:
            return self._checked(credential, now)
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
            return None  # the library meets hostile text here; every failure is the same 401

    def _checked(self, token: str, now: datetime) -> Caller | None:
        header = jwt.get_unverified_header(token)
        unverified = jwt.decode(token, options={"verify_signature": False})
        issuer, keys = self._issuers.get(str(unverified.get("iss")), (None, None))
        if issuer is None or keys is None or not _plausible(header, issuer):
            return None
        key = keys.key(header["kid"], now)
        if key is None or key.alg not in {None, header["alg"]}:
            return None
        claims = jwt.decode(
            token,
            key=key.key,
            algorithms=[header["alg"]],
            audience=issuer.aud,
            issuer=issuer.iss,
            options={
                "require": ["exp", "iss", "aud"],
                "verify_exp": False,  # these three read a clock of their own
                "verify_nbf": False,
                "verify_iat": False,
            },
        )
        return _caller(claims, issuer) if _timely(claims, issuer.leeway, now) else None


def read_issuers(setting: str) -> tuple[Issuer, ...]:
    """Read ``MOSS_JWT_ISSUERS``.

    Raises:
        ValueError: it is malformed; the message names the member and no value.
    """
    try:
        listed = json.loads(setting)
    except ValueError as error:
        raise ValueError("MOSS_JWT_ISSUERS is a JSON list of objects.") from error
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise ValueError("MOSS_JWT_ISSUERS is a JSON list of objects.")
    issuers = tuple(map(_issuer, listed))
    if len({issuer.iss for issuer in issuers}) < len(issuers):
        raise ValueError("MOSS_JWT_ISSUERS names one iss twice.")
    return issuers


def _issuer(entry: Mapping[str, Any]) -> Issuer:
    missing = [name for name in _REQUIRED if not entry.get(name)]
    unknown = entry.keys() - {*_REQUIRED, *_OPTIONAL}
    if missing or unknown:
        raise ValueError(f"MOSS_JWT_ISSUERS: needs {', '.join(_REQUIRED)}, and knows no others.")
    algs = entry["algs"]
    if not isinstance(algs, list) or not ALGORITHMS.issuperset(map(str, algs)):
        raise ValueError(f"MOSS_JWT_ISSUERS: algs is a list of {', '.join(sorted(ALGORITHMS))}.")
    if bool(entry.get("tenant_claim")) == bool(entry.get("tenant")):
        raise ValueError("MOSS_JWT_ISSUERS: give either tenant_claim or tenant.")
    if entry.get("tenant") and not is_id(entry["tenant"]):
        raise ValueError("MOSS_JWT_ISSUERS: tenant is no id.")
    _refuse_address(str(entry["jwks_uri"]))
    return Issuer(
        iss=str(entry["iss"]),
        jwks_uri=str(entry["jwks_uri"]),
        algs=frozenset(map(str, algs)),
        aud=str(entry["aud"]),
        tenant_claim=text_member(entry, "tenant_claim"),
        tenant=text_member(entry, "tenant"),
        principal_claim=text_member(entry, "principal_claim") or "sub",
        leeway=_leeway(entry.get("leeway", 60)),
        typ=text_member(entry, "typ"),
        rights_claim=text_member(entry, "rights_claim"),
        source_ceiling=_ceiling(entry.get("source_ceiling", "user_explicit")),
    )


def _refuse_address(uri: str) -> None:
    parts = urlsplit(uri)
    plain = parts.scheme == "http" and parts.hostname in _HOST_ALLOWED_PLAIN
    if not (parts.hostname and (parts.scheme == "https" or plain)):
        raise ValueError("MOSS_JWT_ISSUERS: jwks_uri is an https address.")


def _leeway(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_LEEWAY:
        raise ValueError(f"MOSS_JWT_ISSUERS: leeway is 0 to {MAX_LEEWAY} seconds.")
    return value


def _ceiling(value: object) -> Source:
    for source in get_args(Source):
        if value == source:
            named: Source = source
            return named
    raise ValueError("MOSS_JWT_ISSUERS: source_ceiling is no source.")


def _plausible(header: Mapping[str, Any], issuer: Issuer) -> bool:
    """Check the header against the configuration, before any key is looked for."""
    if header.get("alg") not in issuer.algs or not isinstance(header.get("kid"), str):
        return False
    if "crit" in header or any(name in header for name in _KEY_OF_ITS_OWN):
        return False
    kind = str(header.get("typ", "")).lower().removeprefix("application/")
    return issuer.typ is None or kind == issuer.typ.lower()


def _timely(claims: Mapping[str, Any], leeway: int, now: datetime) -> bool:
    at = now.timestamp()
    expires, begins = claims["exp"], claims.get("nbf", at)
    issued = claims.get("iat", at)
    if not all(isinstance(value, int | float) for value in (expires, begins, issued)):
        return False
    return bool(at < expires + leeway and begins <= at + leeway and issued <= at + leeway)


def _caller(claims: Mapping[str, Any], issuer: Issuer) -> Caller | None:
    tenant = issuer.tenant if issuer.tenant_claim is None else claims.get(issuer.tenant_claim)
    principal = claims.get(issuer.principal_claim)
    if any(name in claims for name in _ID_TOKEN) or not is_id(tenant) or not is_id(principal):
        return None
    return Caller(
        tenant_id=str(tenant),
        principal_id=str(principal),
        rights=_rights(claims, issuer.rights_claim),
        source_ceiling=issuer.source_ceiling,
    )


def _rights(claims: Mapping[str, Any], name: str | None) -> frozenset[str]:
    """Return the rights that we know among those the claim lists."""
    listed = claims.get(name) if name else None
    if isinstance(listed, str):
        listed = listed.split()
    return RIGHTS.intersection(map(str, listed)) if isinstance(listed, list) else frozenset()
