"""Dev mode: whoever can reach loopback is whoever they say they are."""

import re
from datetime import datetime
from typing import Final, get_args

from moss_memory.core.access import Caller, Right
from moss_memory.core.errors import UnauthenticatedError

_DEV: Final = re.compile(
    r"Bearer +dev:(?:(?P<tenant>[A-Za-z0-9._%@+-]{1,128}):)?(?P<principal>[A-Za-z0-9._%@+-]{1,128})",
    re.IGNORECASE,
)


class DevAuthenticator:
    """Read ``Bearer dev:<principal>`` and ``Bearer dev:<tenant>:<principal>``: all rights."""

    def authenticate(self, authorization: str, _now: datetime) -> Caller:
        """Return the caller that the header names."""
        match = _DEV.fullmatch(authorization)
        if match is None:
            raise UnauthenticatedError
        return Caller(
            tenant_id=match["tenant"] or "default",
            principal_id=match["principal"],
            rights=frozenset(get_args(Right)),
        )
