"""No word of one tenant reaches another, by any route of the document.

Two tenants are driven in turn, on SQLite and on PostgreSQL with Valkey, each with the real Gemini
client before a scripted model; then answers, prompts, log, metrics and every value of Redis are
searched. Each word must be found where it belongs: a search that finds nothing proves nothing.
"""

import json
import secrets
from collections.abc import Callable
from typing import Any

import httpx2

from left_behind import SEOUL, Stage, item, meeting, said, taste

ID = "0198f3b2-4a1c-7d3e-9b61-0c5d2f7a8e90"


def words_of(name: str) -> str:
    return f"{name}{secrets.token_hex(5)}"


def drive(stage: Stage, http: httpx2.Client, word: str) -> list[str]:
    """Say ``word`` by every route of the document; return every answer."""
    document = httpx2.get(f"{stage.base}/openapi.json", verify=False).json()
    told = [planted(stage, http, word)]
    kept = http.get("/memories").json()["items"]
    pending = http.get("/pending").json()["items"]
    ids = {
        "memory_id": kept[0]["memory_id"],
        "pending_id": pending[0]["pending_id"],
        "decision_id": kept[0]["provenance"]["decision_id"],
        "session_id": word,
        "scope_id": f"team-{word}",
        "principal_id": f"someone-{word}",
        "key_id": "AAAAAAAAAAAA",
    }
    stage.server.steps = [said("QUERY"), {"text": f"You have {word} on Friday."}]
    for path, operations in document["paths"].items():
        if path in {"/events", "/erasures"}:  # endless; the end of everything
            continue
        for method in sorted(operations, reverse=True):  # puts before deletes
            body = BODIES.get((method, path), lambda _: {})(word)
            sent = {"json": body} if method in {"post", "put", "patch"} else {}
            told.append(http.request(method, path.format(**ids), **sent).text)
    return told


BODIES: dict[tuple[str, str], Callable[[str], Any]] = {
    ("post", "/chat"): lambda word: {"text": f"What about {word} on Friday?", **SEOUL},
    ("post", "/memories"): lambda word: {"facts": [taste(object_value=f"the {word}")]},
    ("post", "/lint"): lambda word: {"facts": [meeting(object_value=f"Rival {word}")]},
    ("post", "/context"): lambda word: {"query": word, "session_id": word},
    ("post", "/confirm"): lambda _: {"pending_id": ID, "action": "cancel"},
    ("put", "/scopes/{scope_id}"): lambda _: {"kind": "team"},
    ("put", "/scopes/{scope_id}/grants/{principal_id}"): lambda _: {
        "visible": True,
        "writable": True,
    },
    ("post", "/keys"): lambda word: {"principal_id": f"someone-{word}"},
    ("patch", "/memories/{memory_id}"): lambda word: {"object_value": f"Later {word}"},
}


def planted(stage: Stage, http: httpx2.Client, word: str) -> str:
    """Keep the word as a title, a subject and an item, in a question and in a session."""
    facts = [meeting(object_value=word), taste(subject=word), item(word, subject=f"{word}/b")]
    kept = http.post("/memories", json={"facts": facts})
    held = http.post("/memories", json={"facts": [meeting(object_value=f"Also {word}")]})
    stage.server.steps = [said(object_value=f"dinner {word}"), {"text": "Noted."}]
    text = f"Dinner {word} on Friday at 10 am"
    chat = http.post("/chat", json={"text": text, "session_id": word, **SEOUL})
    return kept.text + held.text + chat.text


def test_no_word_of_one_tenant_reaches_another(stage: Stage) -> None:
    words = {tenant: words_of(tenant) for tenant in ("walnut", "cherry")}
    told: dict[str, list[str]] = {tenant: [] for tenant in words}
    prompts: dict[str, str] = dict.fromkeys(words, "")
    for _ in range(2):  # interleaved, and each after the other has said everything
        for tenant, word in words.items():
            asked = len(stage.server.requests)
            told[tenant] += drive(stage, stage.meet("kim", tenant), word)
            prompts[tenant] += json.dumps(stage.server.requests[asked:], ensure_ascii=False)
    left = stage.left()

    for tenant, other in (("walnut", "cherry"), ("cherry", "walnut")):
        assert words[tenant] in "".join(told[tenant])
        assert words[tenant] in prompts[tenant]
        assert words[other] not in "".join(told[tenant]) + prompts[tenant]
        assert words[tenant].encode() not in left["log"] + left["metrics"]
        holding = [key for key, value in stage.desk().items() if words[tenant].encode() in value]
        assert not [key for key in holding if other in key]
    kept = b"".join(value for name, value in left.items() if name not in {"log", "metrics"})
    assert all(word.encode() in kept for word in words.values())


REPLIES: dict[str, Callable[[str], dict[str, Any]]] = {
    "prose": lambda word: {"text": f"Sure, {word}!"},
    "not json": lambda word: {"body": f"<html>{word}".encode()},
    "cut": lambda word: {"text": f'{{"intent": "{word}'},
    "unknown key": lambda word: {"text": json.dumps({"intent": "WRITE", word: word})},
    "unknown intent": lambda word: {"text": json.dumps({"intent": word})},
    "unknown predicate": lambda word: said(predicate=word),
    "made up": lambda word: said(object_value=word),
    "too long": lambda word: said(object_value=word * 100),
    "filtered": lambda word: {"text": word, "finish": "content_filter"},
    "refused": lambda word: {"status": 400, "error": {"message": word}},
    "broken": lambda word: {"status": 500, "error": {"message": word}},
    "answer": lambda word: {"text": word * 1000},
}


def test_moss_m36_reply_of_a_model_is_in_no_error_log_or_database(stage: Stage) -> None:
    http = stage.meet("kim")
    words = {}
    for name, reply in REPLIES.items():
        words[name] = words_of("ocelot")
        first = [said("QUERY")] if name == "answer" else []
        stage.server.steps = [*first, reply(words[name])]
        answer = http.post("/chat", json={"text": "Lunch on Friday at 10 am", **SEOUL})
        assert words[name] not in answer.text, name
    left = stage.left()

    for place, kept in left.items():
        assert [name for name, word in words.items() if word.encode() in kept] == [], place
