# ruff: noqa: ARG001, INP001, T201 - a script to run, not a package to import
"""A LangGraph agent that asks a person before it changes what somebody said.

Thread A writes a hard rule about Ann's diet into the long-term memory. Thread B, another
conversation, reads it there. When B wants to put something else in its place, the memory holds the
new value and the graph stops with ``interrupt``; the person's choice resumes it through
``/confirm``. Run a service first (``moss-memory serve``), then:

    pip install 'moss-memory[langgraph]' langgraph
    MOSS_API_KEY=dev:ann python examples/langgraph_approval.py
"""

import os
from typing import Any, TypedDict

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, interrupt

from moss_memory.integrations.langgraph_store import MossStore, StoreConflictError

PEOPLE = ("people", "ann")


class Turn(TypedDict, total=False):
    """One turn: what to write, what was known before, and the question that is open."""

    new: dict[str, Any]
    hard: bool
    known: dict[str, Any] | None
    question: dict[str, Any] | None
    outcome: str


def memory_of(runtime: Runtime) -> MossStore:
    """Return the store that the graph was compiled with."""
    assert isinstance(runtime.store, MossStore)
    return runtime.store


def read(state: Turn, runtime: Runtime) -> Turn:
    """Read what any thread of this principal has written."""
    item = memory_of(runtime).get(PEOPLE, "diet")
    return {"known": item.value if item else None, "question": None}


def write(state: Turn, runtime: Runtime) -> Turn:
    """Write; what conflicts is held by the service, and its question goes into the state."""
    try:
        memory_of(runtime).put(PEOPLE, "diet", state["new"], hard=state.get("hard", False))
    except StoreConflictError as conflict:
        return {
            "question": {
                "pending_id": conflict.pending["pending_id"],
                "why": [finding["summary"] for finding in conflict.verdict["findings"]],
                "choices": {each["action"]: each["label"] for each in conflict.actions},
            }
        }
    return {"outcome": "written"}


def ask(state: Turn, runtime: Runtime) -> Turn:
    """Stop for a person; the answer resumes here and settles the question by its id alone."""
    question = state["question"]
    assert question is not None
    action = interrupt(question)
    settled = memory_of(runtime).client.confirm(question["pending_id"], action)
    return {"outcome": settled["status"], "question": None}


def graph(store: MossStore) -> Any:
    """Compile the graph: read, write, and ask where the write is held."""
    builder = StateGraph(Turn)
    builder.add_node("read", read)
    builder.add_node("write", write)
    builder.add_node("ask", ask)
    builder.add_edge(START, "read")
    builder.add_edge("read", "write")
    builder.add_conditional_edges(
        "write", lambda state: "ask" if state.get("question") else END, ["ask", END]
    )
    builder.add_edge("ask", END)
    return builder.compile(checkpointer=InMemorySaver(), store=store)


def main(url: str, key: str, choice: str = "replace_old") -> list[str]:
    """Play both threads against a service and return what happened, line by line."""
    told = []
    with MossStore(url, key) as store:
        agent = graph(store)
        a: Any = {"configurable": {"thread_id": "A"}}
        b: Any = {"configurable": {"thread_id": "B"}}

        first = agent.invoke({"new": {"nuts": "never"}, "hard": True}, a)
        told.append(f"thread A: {first['outcome']}")

        stopped = agent.invoke({"new": {"nuts": "fine"}}, b)
        told.append(f"thread B read: {stopped['known']}")
        (asked,) = stopped["__interrupt__"]
        told.append(f"thread B asks: {', '.join(asked.value['choices'])}")

        resumed = agent.invoke(Command(resume=choice), b)
        told.append(f"thread B: {resumed['outcome']}")
        item = store.get(PEOPLE, "diet")
        told.append(f"now: {item.value if item else None}")
    return told


if __name__ == "__main__":
    service = os.environ.get("MOSS_URL", "http://127.0.0.1:8000")
    print("\n".join(main(service, os.environ["MOSS_API_KEY"])))
