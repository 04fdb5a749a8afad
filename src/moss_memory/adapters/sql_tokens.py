"""Own tokens of an active memory, one row each: what a context looks words up in.

Tokens are those of ``core.relevance.terms``. The empty one stands for the memory itself, one with
a colon for its kind; no word is either. All is found by equality: an index serves that on both
engines, under row-level security too.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sqlalchemy import bindparam, text

from moss_memory.adapters.sql_call import Call, Statement
from moss_memory.adapters.sql_open import TENANT
from moss_memory.adapters.sql_types import Words, canonical
from moss_memory.core.relevance import words_of

ANY: Final = ""
MOST: Final = 200  # tokens of a memory; a value may be 16 KiB of JSON
LONGEST: Final = 64  # characters of a token; an entry of a PostgreSQL index holds 2,704 bytes

_INSERT: Final = "INSERT INTO search (tenant_id, scope_id, token, memory_id, domain) SELECT"
_BINDS: Final = (TENANT, bindparam("rows", type_=Words))
TOKENS: Final = Statement(
    adds=True,
    sqlite=text(f"""{_INSERT} :tenant_id, json_extract(value, '$[0]'), json_extract(value, '$[1]'),
        json_extract(value, '$[2]'), json_extract(value, '$[3]') FROM json_each(:rows)
    """).bindparams(*_BINDS),
    postgresql=text(f"""{_INSERT} CAST(:tenant_id AS text), made->>0, made->>1, made->>2, made->>3
        FROM json_array_elements(CAST(:rows AS json)) AS made
    """).bindparams(*_BINDS),
)


def token_calls(tenant_id: str, heads: Iterable[Mapping[str, Any]]) -> list[Call]:
    """Return the one insert of all rows of these heads, none where no head is active."""
    rows = [row for head in heads if head["active"] for row in token_rows(head)]
    return [Call(TOKENS, {"tenant_id": tenant_id, "rows": canonical(rows)})] if rows else []


def token_rows(head: Mapping[str, Any]) -> Iterator[list[str]]:
    """Yield scope, token, memory and domain of each row of an active head."""
    words = (cut(word) for word in words_of(head["subject"], head["object_value"])[:MOST])
    for token in dict.fromkeys((ANY, kind(head["predicate"]), *words)):
        yield [head["scope_id"], token, head["memory_id"], head["domain"]]


def kind(predicate: str) -> str:
    """Return the token of a kind."""
    return f":{predicate}"


def cut(word: str) -> str:
    """Cut a word to what is stored of it."""
    return word[:LONGEST]
