"""The MCP server spoken to by the protocol's own client: on standard input, and mounted."""

import asyncio
import sys
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from moss_memory.cli.main import main

VACATION = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "vacation",
    "object_value": "Vacation",
    "when": {"date": "2027-07-14", "end_date": "2027-07-19"},
}
MEETING = {
    "domain": "Schedule",
    "subject": "Calendar",
    "predicate": "meeting",
    "object_value": "Budget",
    "when": {"start": "2027-07-15T03:00:00Z", "end": "2027-07-15T04:00:00Z"},
}
LIKES = {"domain": "Preference", "subject": "food", "predicate": "prefers"}
LIKES |= {"object_value": "bibimbap"}
COMMAND = "import sys; from moss_memory.cli.main import main; sys.exit(main())"
Story = Callable[[Client], Awaitable[Any]]


@asynccontextmanager
async def spoken(url: str, headers: dict[str, str]) -> Any:
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


@pytest.fixture
def tell(service: Any) -> Callable[[Story], Any]:
    """Tell a story to the mounted server as a new principal."""

    async def told(story: Story) -> Any:
        headers = {"Authorization": f"Bearer dev:{service.principal()}"}
        async with spoken(service.url, headers) as client:
            return await story(client)

    return lambda story: asyncio.run(told(story))


def command(url: str, key: str) -> StdioServerParameters:
    environment = {"MOSS_URL": url, "MOSS_API_KEY": key}
    arguments = ["-c", COMMAND, "mcp"]
    return StdioServerParameters(command=sys.executable, args=arguments, env=environment)


async def call(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    return result.structured_content


async def refused(client: Client, tool: str, **arguments: Any) -> str:
    result = await client.call_tool(tool, arguments)
    assert result.is_error
    return result.content[0].text.partition(": ")[2]  # after what the package puts before it


def test_model_is_offered_six_tools(tell: Callable[[Story], Any]):
    async def story(client: Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert tell(story) == {"remember", "recall", "lint", "confirm", "why", "forget"}


def test_every_tool_describes_itself_and_its_arguments(tell: Callable[[Story], Any]):
    async def story(client: Client) -> list[Any]:
        return (await client.list_tools()).tools

    for tool in tell(story):
        assert tool.description
        assert tool.annotations
        assert "ctx" not in tool.input_schema["properties"]


def test_what_is_remembered_is_recalled(tell: Callable[[Story], Any]):
    async def story(client: Client) -> tuple[str, str]:
        written = await call(client, "remember", facts=[LIKES])
        recalled = await call(client, "recall", query="what food does she like")
        return written["status"], recalled["text"]

    status, text = tell(story)
    assert status == "SUCCESS"
    assert "bibimbap" in text


def test_words_are_understood_by_the_service(tell: Callable[[Story], Any]):
    async def story(client: Client) -> dict[str, Any]:
        return await call(
            client,
            "remember",
            text="I am on vacation from July 14 to July 18, 2027",
            reference_time="2027-06-01T00:00:00Z",
        )

    written = tell(story)
    assert written["status"] == "SUCCESS"
    assert written["facts"][0]["when"] == {"date": "2027-07-14", "end_date": "2027-07-19"}


def test_conflict_waits_for_the_persons_choice(tell: Callable[[Story], Any]):
    async def story(client: Client) -> tuple[Any, ...]:
        await call(client, "remember", facts=[VACATION])
        held = await call(client, "remember", facts=[MEETING])
        pending = held["pending"]["pending_id"]
        settled = await call(client, "confirm", pending_id=pending, action="keep_both")
        offered = [button["action"] for button in held["actions"]]
        return held["status"], offered, settled["status"]

    assert tell(story) == ("CONFIRM_REQUIRED", ["keep_both", "cancel"], "SUCCESS")


def test_rules_are_asked_without_writing(tell: Callable[[Story], Any]):
    async def story(client: Client) -> tuple[str, int]:
        await call(client, "remember", facts=[VACATION])
        verdict = await call(client, "lint", facts=[MEETING])
        context = await call(client, "recall", domains=["Schedule"])
        return verdict["status"], len(context["included"])

    assert tell(story)[0] == "CONFIRM_REQUIRED"


def test_memory_is_explained_and_forgotten(tell: Callable[[Story], Any]):
    async def story(client: Client) -> tuple[Any, ...]:
        memory = (await call(client, "remember", facts=[LIKES]))["facts"][0]
        why = await call(client, "why", memory_id=memory["memory_id"])
        gone = await call(
            client, "forget", memory_id=memory["memory_id"], expected_revision=memory["revision"]
        )
        left = await call(client, "recall", query="food")
        return why["sentences"], gone["status"], left["text"]

    sentences, status, text = tell(story)
    assert sentences
    assert status == "inactive"
    assert "bibimbap" not in text


def test_refusal_names_its_code_and_what_helps(tell: Callable[[Story], Any]):
    async def story(client: Client) -> str:
        memory = (await call(client, "remember", facts=[LIKES]))["facts"][0]
        await call(client, "forget", memory_id=memory["memory_id"], expected_revision=1)
        fresh = (await call(client, "remember", facts=[LIKES]))["facts"][0]
        return await refused(client, "forget", memory_id=fresh["memory_id"], expected_revision=7)

    said = tell(story)
    assert said.startswith("revision_conflict: ")
    assert '"current_revision": 1' in said


@pytest.mark.parametrize("arguments", [{}, {"text": "I like tea", "facts": [LIKES]}])
def test_remember_wants_words_or_facts(tell: Callable[[Story], Any], arguments: dict[str, Any]):
    async def story(client: Client) -> str:
        return await refused(client, "remember", **arguments)

    assert "text or facts" in tell(story)


def test_argument_outside_its_schema_is_refused(tell: Callable[[Story], Any]):
    async def story(client: Client) -> bool:
        arguments = {"pending_id": "p", "action": "overwrite"}
        return (await client.call_tool("confirm", arguments)).is_error

    assert tell(story)


def test_command_serves_the_same_tools_on_standard_input(service: Any):
    async def story() -> tuple[Any, ...]:
        async with Client(command(service.url, f"dev:{service.principal()}")) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            await call(client, "remember", facts=[VACATION])
            held = await call(client, "remember", facts=[MEETING])
            pending = held["pending"]["pending_id"]
            settled = await call(client, "confirm", pending_id=pending, action="cancel")
            said = await refused(client, "why", memory_id="nothing")
            return tools, held["status"], settled["status"], said

    tools, held, settled, said = asyncio.run(story())
    assert tools == {"remember", "recall", "lint", "confirm", "why", "forget"}
    assert (held, settled) == ("CONFIRM_REQUIRED", "CANCELLED")
    assert said.startswith("not_found: ")


def test_service_out_of_reach_is_said_so():
    async def story() -> str:
        async with Client(command("http://127.0.0.1:9", "dev:ann")) as client:
            return await refused(client, "recall")

    assert asyncio.run(story()).startswith("unreachable: ")


def test_command_without_a_key_says_what_to_set(capsys: pytest.CaptureFixture[str]):
    assert main(["mcp"]) == 2
    assert "MOSS_API_KEY" in capsys.readouterr().err


INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
INITIALIZE |= {
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


def post(url: str, headers: dict[str, str]) -> httpx2.Response:
    return httpx2.post(f"{url}/mcp", json=INITIALIZE, headers=ACCEPT | headers, timeout=60)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nobody"}])
def test_request_without_a_valid_credential_is_refused(service: Any, headers: dict[str, str]):
    answer = post(service.url, headers)

    assert (answer.status_code, answer.json()["code"]) == (401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_request_of_a_web_page_is_refused(service: Any):
    headers = {"Authorization": "Bearer dev:ann", "Origin": "http://rebound.example"}

    assert post(service.url, headers).status_code == 403


def test_older_protocol_is_spoken_without_a_session(service: Any):
    answer = post(service.url, {"Authorization": "Bearer dev:ann"})

    assert answer.json()["result"]["serverInfo"]["name"] == "moss-memory"
    assert "mcp-session-id" not in answer.headers


def test_two_callers_of_one_server_do_not_see_each_other(service: Any):
    async def story() -> tuple[str, str]:
        mine, theirs = ({"Authorization": f"Bearer dev:{service.principal()}"} for _ in "ab")
        async with spoken(service.url, mine) as ann, spoken(service.url, theirs) as bob:
            await call(ann, "remember", facts=[LIKES])
            seen = [(await call(who, "recall", query="food"))["text"] for who in (ann, bob)]
            return seen[0], seen[1]

    ann, bob = asyncio.run(story())
    assert "bibimbap" in ann
    assert "bibimbap" not in bob
