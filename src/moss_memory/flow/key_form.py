"""The form of an API key: ``moss_live_<12 id>_<32 secret><6 check>``, base62.

The id is public and indexed. The check is the CRC-32 of the secret, as GitHub's tokens have it,
so that a mistyped key and a random string are refused without a look-up. The secret carries 190
bits, which needs no slow hash: what is stored is its HMAC-SHA256 under the service's pepper.
"""

import hashlib
import hmac
import re
import zlib
from collections.abc import Callable
from typing import Final, NamedTuple

PREFIX: Final = "moss_live_"
_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_ID, _SECRET, _CHECK = 12, 32, 6  # characters
_FORM: Final = re.compile(rf"{PREFIX}([0-9A-Za-z]{{12}})_([0-9A-Za-z]{{32}})([0-9A-Za-z]{{6}})")
_ENTROPY: Final = 32  # bytes drawn for each part; the remainder's bias is below 2**-60


class KeyText(NamedTuple):
    """The two parts of a key that mean something."""

    key_id: str
    secret: str

    def __str__(self) -> str:
        return f"{PREFIX}{self.key_id}_{self.secret}{_check(self.secret)}"


def draw_key(draw: Callable[[int], bytes]) -> KeyText:
    """Make a key from ``draw``, which returns that many unpredictable bytes."""
    return KeyText(_drawn(draw, _ID), _drawn(draw, _SECRET))


def read_key(text: str) -> KeyText | None:
    """Read a key, None where the form or the check does not hold."""
    match = _FORM.fullmatch(text)
    if match is None or match[3] != _check(match[2]):
        return None
    return KeyText(match[1], match[2])


def digest_of(secret: str, pepper: str) -> str:
    """Return what is stored of a secret: HMAC-SHA256 under ``pepper``, hexadecimal."""
    return hmac.new(pepper.encode(), secret.encode(), hashlib.sha256).hexdigest()


def _check(secret: str) -> str:
    return _base62(zlib.crc32(secret.encode()), _CHECK)


def _drawn(draw: Callable[[int], bytes], length: int) -> str:
    return _base62(int.from_bytes(draw(_ENTROPY), "big"), length)


def _base62(number: int, length: int) -> str:
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 62)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))
