"""Every route by every verb by every identity by every kind of id, against one access matrix.

The probes come from the OpenAPI document, so that a new route is probed without being asked for;
a path member that the matrix does not know fails the test. Ids that must look alike are compared
by their whole answer, but for the request's id.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from moss_memory.adapters.sql_scopes import SqlScopes
from moss_memory.api.caller import Bearer
from moss_memory.api.static_keys import StaticKeys
from moss_memory.core.access import RIGHTS, Grant, Scope

TEAM = Scope(scope_id="team-a", kind="team")
VERBS = ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND")
OPEN = {"/livez", "/readyz", "/metrics", "/openapi.json", "/docs", "/console"}
STREAM = "/events"
ALL = "+".join(sorted(RIGHTS))
KEYS = {
    "kim": "default:kim",
    "lee": "default:lee",
    "ann": "default:ann",
    "max": "default:max",
    "root": f"default:root:{ALL}",
    "their-kim": "acme:kim",
    "their-eve": "acme:eve",
    "their-root": f"acme:root:{ALL}",
}
IDENTITIES = ("nobody", "forger", *KEYS)
ADMINS = {"root", "their-root"}
SEES = {
    "kim": {"kims", "retired", "kims question"},
    "lee": {"teams", "lees question"},
    "ann": {"teams"},
    "their-kim": {"theirs"},
}
WRITES = {"kim": {"kims", "retired"}, "lee": {"teams"}, "their-kim": {"theirs"}}
RIGHT_OF = {
    "/scopes": "scope:admin",
    "/keys": "key:admin",
    "/erasures": "erasure:admin",
    "/audit": "audit:read",
}
STALE = {"expected_revision": 999}
BODIES = {
    ("POST", "/chat"): {"text": "What is on?"},
    ("POST", "/confirm"): {"pending_id": "{pending_id}", "action": "approve"},
    ("POST", "/memories"): {"facts": [], "dry_run": True},
    ("POST", "/lint"): {"facts": []},
    ("POST", "/context"): {},
    ("PATCH", "/me"): {},
    ("PATCH", "/memories/{memory_id}"): {"object_value": "Changed", **STALE},
    ("POST", "/memories/{memory_id}/restore"): {"revision": 1, **STALE},
    ("PUT", "/scopes/{scope_id}"): {"kind": "team"},
    ("PUT", "/scopes/{scope_id}/grants/{principal_id}"): {"visible": True, "writable": False},
    ("POST", "/keys"): {"principal_id": "probe"},
    ("POST", "/erasures"): {"principal_id": "no-such-principal"},
}
NEVER = ("never", "seventeen", "shouted", "long", "dots", "quoted")


@dataclass(frozen=True)
class Probe:
    """One request, and what is wanted: statuses, or the answer that an unknown id gets."""

    who: str
    verb: str
    path: str
    body: Any
    wanted: frozenset[int] = field(default_factory=frozenset)
    alike: str = ""  # the path that must answer the same
    alike_body: Any = None


class World:
    """Two tenants with memories, a team and open questions."""

    def __init__(self, service: Any) -> None:
        self.service = service
        tenants = {"default": service.tenant, "acme": f"{service.tenant}-acme"}
        entries = ",".join(
            f"key-of-{who}:{tenants[tenant]}:{rest}"
            for who, (tenant, _, rest) in ((w, n.partition(":")) for w, n in KEYS.items())
        )
        service.app.state.authenticator = Bearer(StaticKeys(entries))
        never = "0198f3b2-4a1c-7d3e-9b61-0c5d2f7a8e90"
        kims = self.meeting("kim", "Dentist", "2030-07-17T10:00:00Z")
        self.ids = {
            "kims": kims["memory_id"],
            "retired": self.retired(),
            "teams": self.meeting("lee", "Retro", "2030-07-18T10:00:00Z", "team-a")["memory_id"],
            "theirs": self.meeting("their-kim", "Audit", "2030-07-17T10:00:00Z")["memory_id"],
            "never": never,
            "seventeen": "17",
            "shouted": kims["memory_id"].upper(),
            "long": "9" * 200,
            "dots": "..%2F..%2Fetc",
            "quoted": "1'%20OR%20'1'='1",
        }
        self.pendings = {
            "kims question": self.question("kim", None),
            "lees question": self.question("lee", "team-a"),
            "never": "no-such-question-0000",
        }
        self.decisions = {
            name: self.decision(name, who)
            for name, who in (("kims", "kim"), ("teams", "lee"), ("theirs", "their-kim"))
        }
        self.decisions["never"] = never

    @property
    def erases(self) -> bool:
        """Whether this service has a steward, without whom nothing is ever erased."""
        return getattr(self.service.app.state, "offices", None) is not None and (
            self.service.app.state.offices.steward is not None
        )

    def ask(self, who: str, verb: str, path: str, body: Any = None) -> Any:
        offered = {"nobody": None, "forger": "key-of-nobody"}.get(who, f"key-of-{who}")
        return self.service.call(verb, path, offered, json=body)

    def propose(self, who: str, **members: Any) -> Any:
        made = {"domain": "Schedule", "subject": "Calendar", "predicate": "meeting", **members}
        fact = {name: value for name, value in made.items() if value is not None}
        return self.ask(who, "POST", "/memories", {"facts": [fact]}).json()

    def meeting(self, who: str, title: str, start: str, scope: str | None = None) -> Any:
        answer = self.propose(who, object_value=title, when={"start": start}, scope_id=scope)
        return answer["facts"][0]

    def retired(self) -> str:
        memory_id: str = self.meeting("kim", "Gone", "2030-07-19T10:00:00Z")["memory_id"]
        self.ask("kim", "DELETE", f"/memories/{memory_id}?expected_revision=1")
        return memory_id

    def question(self, who: str, scope: str | None) -> str:
        day = {"when": {"date": "2030-08-01"}, "object_value": "Vacation", "scope_id": scope}
        self.propose(who, predicate="vacation", **day)
        at = {"start": "2030-08-01T10:00:00Z"}
        held = self.propose(who, object_value="Standup", when=at, scope_id=scope)
        pending_id: str = held["pending"]["pending_id"]
        return pending_id

    def decision(self, name: str, who: str) -> str:
        memory = self.ask(who, "GET", f"/memories/{self.ids[name]}").json()
        decision_id: str = memory["provenance"]["decision_id"]
        return decision_id


def probes(world: World, document: dict[str, Any]) -> Iterator[Probe]:
    """Make every probe."""
    for path, operations in document["paths"].items():
        if path in OPEN or (path == "/erasures" and not world.erases):
            continue
        for verb in VERBS:
            for who in IDENTITIES:
                if verb.lower() in operations:
                    yield from allowed_verb(world, path, verb, who)
                else:
                    yield Probe(who, verb, filled(path), {}, frozenset({405}))


def filled(path: str) -> str:
    """Return ``path`` with some id for each of its members."""
    for name in ("memory_id", "pending_id", "decision_id", "session_id", "scope_id"):
        path = path.replace(f"{{{name}}}", "0198f3b2-4a1c-7d3e-9b61-0c5d2f7a8e90")
    path = path.replace("{principal_id}", "probe").replace("{key_id}", "AAAAAAAAAAAA")
    assert "{" not in path, f"the matrix does not know a member of {path}"
    return path


def allowed_verb(world: World, path: str, verb: str, who: str) -> Iterator[Probe]:
    body = BODIES.get((verb, path))
    if who in {"nobody", "forger"}:
        yield Probe(who, verb, filled(path), body, frozenset({401}))
    elif any(path.startswith(prefix) for prefix in RIGHT_OF):
        yield administered(path, verb, who, body)
    elif "{memory_id}" in path or path == "/decisions":
        yield from of_memory(world, path, verb, who, body)
    elif "{pending_id}" in path or path == "/confirm":
        yield from of_question(world, path, verb, who)
    elif "{decision_id}" in path:
        yield from of_decision(world, path, verb, who)
    elif path != STREAM:  # an endless answer; journeys read it
        wanted = {204, 404} if "{" in path else {200, 422}
        yield Probe(who, verb, filled(path), body, frozenset(wanted))


def of_decision(world: World, path: str, verb: str, who: str) -> Iterator[Probe]:
    for name, known in world.decisions.items():
        wanted = {200} if name in SEES.get(who, ()) else {404}
        yield Probe(who, verb, path.format(decision_id=known), None, frozenset(wanted))


def administered(path: str, verb: str, who: str, body: Any) -> Probe:
    """Say that an administration route wants its right before anything else."""
    wanted = {200, 201, 204, 404} if who in ADMINS else {403}
    return Probe(who, verb, filled(path), body, frozenset(wanted))


def of_memory(world: World, path: str, verb: str, who: str, body: Any) -> Iterator[Probe]:
    def at(name: str) -> str:
        if path == "/decisions":
            return f"/decisions?memory_id={world.ids[name]}"
        suffix = "?expected_revision=999" if verb == "DELETE" else ""
        return path.format(memory_id=world.ids[name]) + suffix

    for name in world.ids:
        if name not in SEES.get(who, ()):
            yield Probe(who, verb, at(name), body, frozenset({404}), at("never"), body)
        elif verb != "GET" and name not in WRITES.get(who, ()):
            yield Probe(who, verb, at(name), body, frozenset({403}))
        else:
            yield Probe(who, verb, at(name), body, frozenset({200, 409}))


def of_question(world: World, path: str, verb: str, who: str) -> Iterator[Probe]:
    def asked(name: str) -> tuple[str, Any]:
        known = world.pendings[name]
        if path == "/confirm":
            return path, {"pending_id": known, "action": "approve"}
        return path.format(pending_id=known), None

    for name in world.pendings:
        where, body = asked(name)
        if name in SEES.get(who, ()):
            yield Probe(who, verb, where, body, frozenset({200, 422}))
        else:
            yield Probe(who, verb, where, body, frozenset({404}), *asked("never"))


@pytest.fixture
def world(service: Any) -> World:
    scopes = SqlScopes(service.url)
    scopes.put_scope(service.tenant, TEAM)
    scopes.put_grant(service.tenant, "lee", Grant(scope=TEAM, writable=True))
    scopes.put_grant(service.tenant, "ann", Grant(scope=TEAM))
    scopes.close()
    return World(service)


def told(answer: Any) -> tuple[int, Any]:
    """Return an answer without what may differ between two requests."""
    if not answer.headers.get("content-type", "").endswith("json"):
        return answer.status_code, answer.text
    body = answer.json()
    return answer.status_code, {**body, "request_id": ""} if isinstance(body, dict) else body


def fault(world: World, probe: Probe) -> str | None:
    """Say what is wrong with the answer to a probe, None where nothing is."""
    answer = world.ask(probe.who, probe.verb, probe.path, probe.body)
    asked = f"{probe.who} {probe.verb} {probe.path}"
    if answer.status_code not in probe.wanted:
        return f"{asked}: {answer.status_code} instead of {sorted(probe.wanted)}"
    if probe.alike and told(answer) != told(
        world.ask(probe.who, probe.verb, probe.alike, probe.alike_body)
    ):
        return f"{asked}: not the answer of what never existed"
    return None


def judged(world: World, chosen: list[Probe]) -> list[str]:
    return [wrong for probe in chosen if (wrong := fault(world, probe))]


def test_strangers_are_answered_as_the_matrix_says(world: World) -> None:
    document = world.service.call("GET", "/openapi.json", None).json()
    strangers = {"nobody", "max", "their-root"}
    chosen = [
        probe
        for probe in probes(world, document)
        if probe.who in strangers and probe.wanted != {405}
    ]

    assert len(chosen) > 150
    assert judged(world, chosen) == []


@pytest.mark.campaign
def test_everybody_is_answered_as_the_matrix_says(world: World) -> None:
    document = world.service.call("GET", "/openapi.json", None).json()
    chosen = list(probes(world, document))

    assert len(chosen) >= 2000
    assert judged(world, chosen) == []


@pytest.mark.parametrize(
    ("verb", "path"),
    [
        ("PUT", "/scopes/{scope_id}"),
        ("PUT", "/scopes/{scope_id}/grants/{principal_id}"),
        ("POST", "/keys"),
    ],
)
def test_missing_right_comes_before_a_malformed_body(world: World, verb: str, path: str) -> None:
    assert world.ask("max", verb, filled(path), {"nonsense": True}).status_code == 403


@pytest.mark.parametrize("verb", ["OPTIONS", "PROPFIND"])
def test_refused_verb_is_told_every_method_of_its_path(world: World, verb: str) -> None:
    document = world.service.call("GET", "/openapi.json", None).json()
    told, wanted = {}, {}
    for path, operations in document["paths"].items():
        known = {method.upper() for method in operations}
        wanted[path] = known | ({"HEAD"} if "GET" in known else set())
        told[path] = set(world.ask("kim", verb, filled(path)).headers["allow"].split(", "))

    assert told == wanted
