"""Any server that speaks ``/v1/chat/completions`` with ``response_format: json_schema``.

Ollama, vLLM, llama.cpp and the like. What comes back is read key by key: servers differ in all
but the few keys that are used here.
"""

import json
from typing import Any, Final

import httpx2

from moss_memory.adapters.model_call import DEADLINE, Answer, BadReplyError
from moss_memory.adapters.model_http import MAX_REPLY_BYTES, Clients, refusal, unreachable

MAX_OUTPUT_TOKENS: Final = 4_096
OK: Final = 200


class OpenAICompatible:
    """One model of such a server; errors of ``ask`` as ``Model`` says.

    ``base_url`` may end in ``/v1`` or not. ``api_key`` None sends none. ``seconds`` bounds one
    silence of the server; ``ModelCalls`` bounds the whole.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str,
        api_key: str | None = None,
        seconds: float = DEADLINE,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
    ) -> None:
        self._model, self._max_output_tokens = model, max_output_tokens
        root = base_url.rstrip("/")
        self._url = f"{root if root.endswith('/v1') else root + '/v1'}/chat/completions"
        self._headers = {} if api_key is None else {"Authorization": f"Bearer {api_key}"}
        self._clients = Clients(seconds=seconds, cap=max_reply_bytes)

    @property
    def name(self) -> str:
        """The provenance word."""
        return f"openai:{self._model}"

    @property
    def model_id(self) -> str:
        """The model's own name."""
        return self._model

    async def ask(
        self, system: str, words: tuple[str, ...], schema: dict[str, object] | None
    ) -> Answer:
        """Ask once."""
        body = self._body(system, words, schema)
        try:
            client = await self._clients.here()
            reply = await client.post(self._url, json=body, headers=self._headers)
        except httpx2.TransportError as exc:
            raise unreachable(exc) from None
        except httpx2.RequestError:
            raise BadReplyError("not_http") from None
        if reply.status_code != OK:
            raise refusal(reply.status_code, reply.headers.get("Retry-After"))
        try:
            return _answer(json.loads(reply.content))
        except (ValueError, RecursionError, KeyError, TypeError, IndexError, AttributeError):
            raise BadReplyError("not_json") from None

    async def aclose(self) -> None:
        """Close this event loop's connections."""
        await self._clients.aclose()

    def _body(
        self, system: str, words: tuple[str, ...], schema: dict[str, object] | None
    ) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": "\n\n".join(words)},
            ],
            "temperature": 0,
            "max_tokens": self._max_output_tokens,
            "stream": False,
        }
        if schema is not None:
            named = {"name": "reply", "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body


def _answer(reply: Any) -> Answer:
    """Read a whole answer: one choice that stopped by itself, with text.

    Raises:
        BadReplyError: blocked, truncated or empty.
        KeyError, TypeError, IndexError, AttributeError: no such reply.
    """
    usage = reply.get("usage") or {}
    tokens = {name: _count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens")}
    choice = reply["choices"][0]
    message = choice["message"]
    if choice.get("finish_reason") != "stop" or message.get("refusal"):
        cut = choice.get("finish_reason") == "length"
        raise BadReplyError("truncated" if cut else "blocked", **tokens)
    text = message["content"]
    if not isinstance(text, str) or not text:
        raise BadReplyError("empty", **tokens)
    model = reply.get("model")
    return Answer(text=text, model=model if isinstance(model, str) else None, **tokens)


def _count(tokens: object) -> int:
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) and tokens > 0 else 0
