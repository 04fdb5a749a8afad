"""Gemini over google-genai, the only module that imports it, and not before a model is made.

The client's own retries and its ``.parsed`` are not used: the one waits beyond any deadline, the
other is silently None on a broken reply.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import httpx2

from moss_memory.adapters.model_call import DEADLINE, Answer, BadReplyError
from moss_memory.adapters.model_http import MAX_REPLY_BYTES, Clients, refusal, tls, unreachable

if TYPE_CHECKING:
    from google import genai
    from google.genai.types import GenerateContentResponse

MAX_OUTPUT_TOKENS: Final = 4_096  # a thinking model's thoughts count too


class Gemini:
    """One Gemini model; ``base_url`` None is Google's. Errors of ``ask`` as ``Model`` says.

    ``seconds`` bounds one silence of the server; ``ModelCalls`` bounds the whole.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: str,
        base_url: str | None = None,
        seconds: float = DEADLINE,
        max_reply_bytes: int = MAX_REPLY_BYTES,
        max_output_tokens: int = MAX_OUTPUT_TOKENS,
    ) -> None:
        from google import genai  # noqa: PLC0415 - seconds that offline use saves
        from google.genai import errors, types  # noqa: PLC0415

        self._genai, self._errors, self._types = genai, errors, types
        self._model, self._api_key, self._base_url = model, api_key, base_url
        self._seconds, self._max_output_tokens = seconds, max_output_tokens
        self._clients = Clients(seconds=seconds, cap=max_reply_bytes)
        self._unused = httpx2.Client(verify=tls())  # or the library makes one, with its own TLS
        self._made_for: httpx2.AsyncClient | None = None
        self._client: genai.Client | None = None

    @property
    def name(self) -> str:
        """The provenance word."""
        return f"gemini:{self._model}"

    @property
    def model_id(self) -> str:
        """The model's own name."""
        return self._model

    async def ask(
        self, system: str, words: tuple[str, ...], schema: dict[str, object] | None
    ) -> Answer:
        """Ask once."""
        types = self._types
        config = types.GenerateContentConfig(
            system_instruction=system,
            temperature=0,
            candidate_count=1,
            max_output_tokens=self._max_output_tokens,
            response_mime_type=None if schema is None else "application/json",
            response_json_schema=schema,
        )
        contents = types.Content(role="user", parts=[types.Part(text=word) for word in words])
        try:
            client = await self._here()
            reply = await client.aio.models.generate_content(
                model=self._model, contents=contents, config=config
            )
        except (BadReplyError, TimeoutError):
            raise
        except self._errors.APIError as exc:
            raise refusal(exc.code, _retry_after(exc)) from None
        except httpx2.TransportError as exc:
            raise unreachable(exc) from None
        except Exception as exc:
            raise BadReplyError("not_json") from exc
        return _answer(reply)

    async def aclose(self) -> None:
        """Close this event loop's connections."""
        self._client = self._made_for = None
        await self._clients.aclose()

    async def _here(self) -> "genai.Client":
        """Return this event loop's client."""
        types, http = self._types, await self._clients.here()
        if self._client is None or self._made_for is not http:
            options = types.HttpOptions(
                base_url=self._base_url,
                timeout=int(self._seconds * 1000),
                retry_options=types.HttpRetryOptions(attempts=1),
                httpx_client=self._unused,
                httpx_async_client=http,
                async_client_args={"ssl": tls()},  # for its web sockets, which nobody opens here
            )
            self._client = self._genai.Client(
                api_key=self._api_key, vertexai=False, http_options=options
            )
            self._made_for = http
        return self._client


def _answer(reply: "GenerateContentResponse") -> Answer:
    """Read a whole answer: one candidate that stopped by itself, with text."""
    usage = reply.usage_metadata
    prompt = (usage and usage.prompt_token_count) or 0
    completion = (usage and usage.candidates_token_count) or 0
    completion += (usage and usage.thoughts_token_count) or 0
    fault = _fault(reply)
    if fault is not None:
        raise BadReplyError(fault, prompt_tokens=prompt, completion_tokens=completion)
    return Answer(
        text=_text(reply),
        prompt_tokens=prompt,
        completion_tokens=completion,
        model=reply.model_version,
    )


def _fault(reply: "GenerateContentResponse") -> str | None:
    if reply.prompt_feedback is not None and reply.prompt_feedback.block_reason is not None:
        return "blocked"
    if not reply.candidates:
        return "empty"
    reason = reply.candidates[0].finish_reason
    if reason is None or reason.value != "STOP":
        return "truncated" if reason is not None and reason.value == "MAX_TOKENS" else "blocked"
    return None if _text(reply) else "empty"


def _text(reply: "GenerateContentResponse") -> str:
    """Join the text parts of the first candidate, without its thoughts."""
    content = reply.candidates[0].content if reply.candidates else None
    parts = (content and content.parts) or []
    return "".join(part.text for part in parts if part.text and not part.thought)


def _retry_after(exc: Any) -> str | None:
    """Find how long the server wants to be left alone: in a header, or in the error's details."""
    headers = getattr(exc.response, "headers", None) or {}
    if said := headers.get("retry-after"):
        return str(said)
    error = exc.details.get("error") if isinstance(exc.details, dict) else None
    details: Sequence[Any] = (error or {}).get("details") or ()
    delays = [each.get("retryDelay") for each in details if isinstance(each, dict)]
    return next((str(delay) for delay in delays if delay), None)
