"""Own tokens of an active memory, one row each: what a context looks words up in.

Tokens are those of ``core.relevance.terms``. The empty one stands for the memory itself, one with
a colon for its kind; no word is either. All is found by equality: an index serves that on both
engines, under row-level security too.
"""

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy import BindParameter, bindparam, text

from moss_memory.adapters.sql_call import Listed, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_types import Words
from moss_memory.core.relevance import words_of

ANY: Final = ""
MOST: Final = 200  # tokens of a memory; a value may be 16 KiB of JSON
LONGEST: Final = 64  # characters of a token; an entry of a PostgreSQL index holds 2,704 bytes

_BINDS: Final[tuple[BindParameter[Any], ...]] = (
    TENANT,
    *(bindparam(name, type_=Words) for name in ("scope_id", "memory_id", "domain")),
    bindparam("tokens", type_=Listed()),
)
_INSERT: Final = """
    INSERT INTO search (tenant_id, scope_id, token, memory_id, domain)
    SELECT CAST(:tenant_id AS text), CAST(:scope_id AS text), token, CAST(:memory_id AS text),
        CAST(:domain AS text)
"""
TOKENS: Final = Statement(
    adds=True,
    sqlite=text(f"{_INSERT} FROM (SELECT value AS token FROM json_each(:tokens))").bindparams(
        *_BINDS
    ),
    postgresql=text(f"{_INSERT} FROM unnest(CAST(:tokens AS text[])) AS token").bindparams(*_BINDS),
)


def token_rows(head: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of ``TOKENS`` for an active head."""
    words = (cut(word) for word in words_of(head["subject"], head["object_value"])[:MOST])
    tokens = dict.fromkeys((ANY, kind(head["predicate"]), *words))
    named = {name: head[name] for name in ("tenant_id", "scope_id", "memory_id", "domain")}
    return named | {"tokens": list(tokens)}


def kind(predicate: str) -> str:
    """Return the token of a kind."""
    return f":{predicate}"


def cut(word: str) -> str:
    """Cut a word to what is stored of it."""
    return word[:LONGEST]
