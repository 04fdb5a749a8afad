"""JWT access tokens against a scripted issuer on loopback: what must be refused, and that a good
one is not."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from moss_memory.api.jwt_issuers import JwtIssuers
from moss_memory.core.access import Caller

NOW = datetime(2026, 7, 16, 5, tzinfo=UTC)
ISS, AUD = "https://issuer.example", "moss-memory"
OURS = rsa.generate_private_key(public_exponent=65537, key_size=2048)
THEIRS = rsa.generate_private_key(public_exponent=65537, key_size=2048)
CURVE = ec.generate_private_key(ec.SECP256R1())


@dataclass
class IssuerHost:
    """A JWKS address that counts its requests and serves what the test says."""

    url: str
    keys: list[dict[str, Any]] = field(default_factory=list)
    status: int = 200
    body: bytes | None = None
    requests: list[str] = field(default_factory=list)


def jwk(key: Any, kid: str, **members: str) -> dict[str, Any]:
    algorithm = jwt.algorithms.get_default_algorithms()[
        "RS256" if isinstance(key, rsa.RSAPrivateKey) else "ES256"
    ]
    return {**algorithm.to_jwk(key.public_key(), as_dict=True), "kid": kid, "use": "sig", **members}


@pytest.fixture
def host() -> Iterator[IssuerHost]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.requests.append(self.path)
            body = served.body or json.dumps({"keys": served.keys}).encode()
            self.send_response(served.status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served = IssuerHost(f"http://127.0.0.1:{server.server_port}/jwks.json")
    served.keys = [jwk(OURS, "one"), jwk(CURVE, "curve", alg="ES256")]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield served
    server.shutdown()
    thread.join()
    server.server_close()


def setting(host: IssuerHost, **members: object) -> str:
    issuer = {
        "iss": ISS,
        "jwks_uri": host.url,
        "algs": ["RS256", "ES256"],
        "aud": AUD,
        "tenant_claim": "org",
        **members,
    }
    return json.dumps([{name: value for name, value in issuer.items() if value is not None}])


@pytest.fixture
def issuers(host: IssuerHost) -> JwtIssuers:
    return JwtIssuers(setting(host))


def claims(**changes: object) -> dict[str, object]:
    at = int(NOW.timestamp())
    made = {"iss": ISS, "aud": AUD, "sub": "kim", "org": "acme", "exp": at + 300, "iat": at}
    return {name: value for name, value in {**made, **changes}.items() if value is not None}


def token(
    key: Any = OURS,
    alg: str = "RS256",
    headers: dict[str, object] | None = None,
    **changes: object,
) -> str:
    return jwt.encode(
        claims(**changes), key, algorithm=alg, headers={"kid": "one"} | (headers or {})
    )


def raw(header: dict[str, object], body: dict[str, object], signature: bytes = b"") -> str:
    parts = [json.dumps(header).encode(), json.dumps(body).encode(), signature]
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)


def test_good_token_speaks_for_its_subject_in_its_tenant(issuers: JwtIssuers) -> None:
    assert issuers.caller(token(), NOW) == Caller(tenant_id="acme", principal_id="kim")


def test_good_token_of_another_configured_algorithm_is_taken(issuers: JwtIssuers) -> None:
    assert issuers.caller(token(CURVE, "ES256", {"kid": "curve"}), NOW)


# The fourteen.


@pytest.mark.parametrize("alg", ["none", "None", "NONE", "nOnE", ""])
def test_01_token_without_a_signature_is_refused(issuers: JwtIssuers, alg: str) -> None:
    assert issuers.caller(raw({"alg": alg, "kid": "one"}, claims()), NOW) is None


def test_02_hmac_under_the_public_key_is_refused(issuers: JwtIssuers) -> None:
    public = OURS.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    unsigned = raw({"alg": "HS256", "kid": "one"}, claims()).rstrip(".")
    signature = hmac.new(public, unsigned.encode(), hashlib.sha256).digest()
    forged = f"{unsigned}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"

    assert issuers.caller(forged, NOW) is None


@pytest.mark.parametrize("alg", ["RS384", "RS512", "PS256"])
def test_03_algorithm_of_the_family_outside_the_list_is_refused(
    issuers: JwtIssuers, alg: str
) -> None:
    assert issuers.caller(token(alg=alg), NOW) is None


def test_04_token_that_brings_its_own_key_is_refused(issuers: JwtIssuers) -> None:
    own = jwk(THEIRS, "one")

    assert issuers.caller(token(THEIRS, headers={"jwk": own}), NOW) is None
    assert issuers.caller(token(THEIRS, headers={"jwk": own, "kid": "mine"}), NOW) is None


@pytest.mark.parametrize("name", ["jku", "x5u"])
def test_05_address_in_the_token_is_never_asked(
    issuers: JwtIssuers, host: IssuerHost, name: str
) -> None:
    address = host.url.replace("jwks.json", "evil.json")

    assert issuers.caller(token(THEIRS, headers={name: address}), NOW) is None
    assert issuers.caller(token(headers={name: address}), NOW) is None
    assert [path for path in host.requests if "evil" in path] == []


@pytest.mark.parametrize("kid", ["../one", "../../etc/passwd", "one' OR '1'='1", "one\x00", ""])
def test_06_kid_is_a_name_and_nothing_else(issuers: JwtIssuers, host: IssuerHost, kid: str) -> None:
    assert issuers.caller(token(headers={"kid": kid}), NOW) is None
    assert set(host.requests) <= {"/jwks.json"}


def test_07_expired_token_is_refused_after_the_leeway(issuers: JwtIssuers) -> None:
    ends = int(NOW.timestamp())

    assert issuers.caller(token(exp=ends - 59), NOW)
    assert issuers.caller(token(exp=ends - 60), NOW) is None


def test_08_token_that_begins_in_61_seconds_is_refused(issuers: JwtIssuers) -> None:
    begins = int(NOW.timestamp())

    assert issuers.caller(token(nbf=begins + 60), NOW)
    assert issuers.caller(token(nbf=begins + 61), NOW) is None


@pytest.mark.parametrize("aud", ["another", ["another"], [], None, "moss"])
def test_09_token_for_another_audience_is_refused(issuers: JwtIssuers, aud: object) -> None:
    assert issuers.caller(token(aud=aud), NOW) is None


def test_10_token_for_us_and_another_is_taken(issuers: JwtIssuers) -> None:
    assert issuers.caller(token(aud=[AUD, "another"]), NOW)


@pytest.mark.parametrize("iss", ["https://evil.example", ISS + "/", None])
def test_11_wrong_issuer_is_refused_whoever_signed(issuers: JwtIssuers, iss: object) -> None:
    assert issuers.caller(token(iss=iss), NOW) is None


@pytest.mark.parametrize("claim", [{"nonce": "n"}, {"at_hash": "h"}, {"c_hash": "h"}])
def test_12_id_token_is_no_access_token(issuers: JwtIssuers, claim: dict[str, object]) -> None:
    assert issuers.caller(token(**claim), NOW) is None


def test_12_type_that_the_issuer_sets_is_required(host: IssuerHost) -> None:
    strict = JwtIssuers(setting(host, typ="at+jwt"))

    assert strict.caller(token(), NOW) is None
    assert strict.caller(token(headers={"typ": "at+jwt"}), NOW)
    assert strict.caller(token(headers={"typ": "application/AT+JWT"}), NOW)


def test_13_key_that_was_rotated_out_is_refused_within_minutes(
    issuers: JwtIssuers, host: IssuerHost
) -> None:
    assert issuers.caller(token(), NOW)
    host.keys = [jwk(THEIRS, "two")]
    later = NOW + timedelta(minutes=5)
    at = int(later.timestamp())

    assert issuers.caller(token(exp=at + 300), later) is None
    assert issuers.caller(token(THEIRS, headers={"kid": "two"}, exp=at + 300), later)


def test_14_thousand_unknown_kids_fetch_the_keys_once(
    issuers: JwtIssuers, host: IssuerHost
) -> None:
    made = [token(THEIRS, headers={"kid": f"k{number}"}) for number in range(20)]
    for number in range(1000):
        assert issuers.caller(made[number % 20], NOW + timedelta(milliseconds=number)) is None

    assert len(host.requests) == 1


# And what else a hostile token tries.


def test_unknown_kid_is_looked_for_again_after_a_minute(
    issuers: JwtIssuers, host: IssuerHost
) -> None:
    assert issuers.caller(token(THEIRS, headers={"kid": "two"}), NOW) is None
    host.keys.append(jwk(THEIRS, "two"))

    soon, later = NOW + timedelta(seconds=59), NOW + timedelta(seconds=60)
    assert issuers.caller(token(THEIRS, headers={"kid": "two"}), soon) is None
    assert issuers.caller(token(THEIRS, headers={"kid": "two"}), later)


@pytest.mark.parametrize(("hours", "takers"), [(23, 1), (24, 0)])
def test_last_good_keys_serve_for_a_day_while_the_issuer_is_down(
    issuers: JwtIssuers, host: IssuerHost, hours: int, takers: int
) -> None:
    issuers.caller(token(), NOW)
    host.status = 503
    later = NOW + timedelta(hours=hours)
    good = token(exp=int(later.timestamp()) + 60, iat=None)

    assert len(list(filter(None, [issuers.caller(good, later)]))) == takers


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"keys": 3}', b'{"keys": []}', b"[" * 9999])
def test_garbage_from_the_issuer_lets_nobody_in(
    issuers: JwtIssuers, host: IssuerHost, body: bytes
) -> None:
    host.body = body

    assert issuers.caller(token(), NOW) is None


def test_redirect_of_the_issuer_is_not_followed(issuers: JwtIssuers, host: IssuerHost) -> None:
    host.status = 302

    assert issuers.caller(token(), NOW) is None
    assert len(host.requests) == 1


def test_oversized_keys_are_not_read(issuers: JwtIssuers, host: IssuerHost) -> None:
    host.body = json.dumps({"keys": host.keys, "pad": "x" * 300_000}).encode()

    assert issuers.caller(token(), NOW) is None


def test_critical_extension_is_refused(issuers: JwtIssuers) -> None:
    assert issuers.caller(token(headers={"crit": ["exp"]}), NOW) is None


def test_token_over_eight_kibibytes_is_refused(issuers: JwtIssuers, host: IssuerHost) -> None:
    assert issuers.caller(token(pad="x" * 8192), NOW) is None
    assert host.requests == []


def test_key_for_encryption_signs_nothing(issuers: JwtIssuers, host: IssuerHost) -> None:
    host.keys = [jwk(OURS, "one", use="enc"), jwk(THEIRS, "two")]

    assert issuers.caller(token(), NOW) is None


def test_key_bound_to_one_algorithm_signs_with_no_other(host: IssuerHost) -> None:
    host.keys = [jwk(OURS, "one", alg="RS512")]

    assert JwtIssuers(setting(host)).caller(token(), NOW) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"org": None},
        {"org": 7},
        {"org": "a b"},
        {"sub": None},
        {"sub": ""},
        {"sub": "k" * 129},
        {"exp": None},
        {"iat": "now"},
        {"nbf": "now"},
    ],
)
def test_signed_token_with_unusable_claims_is_refused(
    issuers: JwtIssuers, changes: dict[str, object]
) -> None:
    assert issuers.caller(token(**changes), NOW) is None


@pytest.mark.parametrize(
    "text",
    ["", "..", "a.b.c", "a.b", "e30.e30.", "e30.e30.e30", "é.é.é", "W10.W10.W10", "bnVsbA.e30.e30"],
)
def test_text_that_is_no_token_is_refused(issuers: JwtIssuers, text: str) -> None:
    assert issuers.caller(text, NOW) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-2] + ("AA" if text[-2:] != "AA" else "BB"),
        lambda text: text.rsplit(".", 1)[0] + ".",
        lambda text: text.replace(".", ".A", 1),
    ],
)
def test_token_with_a_changed_byte_is_refused(
    issuers: JwtIssuers, change: Callable[[str], str]
) -> None:
    assert issuers.caller(change(token()), NOW) is None


def test_rights_come_from_the_configured_claim_and_only_those_we_know(host: IssuerHost) -> None:
    issuers = JwtIssuers(setting(host, rights_claim="perms", source_ceiling="task_result"))
    caller = issuers.caller(token(perms=["debug", "root"]), NOW)

    assert caller is not None
    assert (caller.rights, caller.source_ceiling) == (frozenset({"debug"}), "task_result")
    assert JwtIssuers(setting(host)).caller(token(perms=["debug"]), NOW) == Caller(
        tenant_id="acme", principal_id="kim"
    )


def test_tenant_may_be_fixed_by_the_configuration(host: IssuerHost) -> None:
    issuers = JwtIssuers(setting(host, tenant_claim=None, tenant="fixed"))
    caller = issuers.caller(token(org="acme"), NOW)

    assert caller is not None
    assert caller.tenant_id == "fixed"


@pytest.mark.parametrize(
    "changes",
    [
        {"algs": ["HS256"]},
        {"algs": ["none"]},
        {"algs": "RS256"},
        {"algs": []},
        {"aud": ""},
        {"tenant": "t"},
        {"tenant_claim": None},
        {"leeway": 301},
        {"leeway": True},
        {"jwks_uri": "http://issuer.example/jwks"},
        {"jwks_uri": "file:///etc/passwd"},
        {"source_ceiling": "king"},
        {"jku": "https://issuer.example"},
    ],
)
def test_unsafe_configuration_is_refused_at_start(
    host: IssuerHost, changes: dict[str, object]
) -> None:
    with pytest.raises(ValueError, match="MOSS_JWT_ISSUERS"):
        JwtIssuers(setting(host, **changes))
