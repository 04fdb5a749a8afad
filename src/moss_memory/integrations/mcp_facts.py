"""What a model may state through MCP, with the schema that it is shown."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from moss_memory.core.fact import EventStatus, Source
from moss_memory.integrations.client_values import FactIn

WHEN = (
    "One of {start, end?} (instants with an offset), {local_start, local_end? or minutes?, "
    "timezone?} (a wall clock; without timezone it floats with the person) and {date, end_date?} "
    "(whole days, the end exclusive); each may have rrule, exdates and overrides. Events need one."
)


class StatedFact(BaseModel):
    """One thing to remember, in the words of the ontology."""

    model_config = ConfigDict(extra="forbid")

    domain: Annotated[
        str, Field(description="Schedule, SmartHome, Preference, Recommendation, Task, Service")
    ]
    subject: Annotated[
        str, Field(description="What it is about: Calendar, a device, a topic, User, a task")
    ]
    predicate: Annotated[
        str,
        Field(
            description="vacation, meeting or note; light_status, target_temp, lock or heater; "
            "prefers, dislikes, lives_in, works_at, name or speaks; accepted_choice; "
            "task_summary; service_context"
        ),
    ]
    object_value: Annotated[str, Field(description='The value; of a vacation always "Vacation"')]
    scope_id: Annotated[
        str | None, Field(description="A shared scope; the caller's own where absent")
    ] = None
    when: Annotated[dict[str, Any] | None, Field(description=WHEN)] = None
    status: EventStatus | None = None
    source: Annotated[
        Source | None,
        Field(description="Who says so. Never user_explicit for what you concluded yourself."),
    ] = None
    confidence: Annotated[
        float | None, Field(ge=0, le=1, description="Required for vision and model_inferred")
    ] = None
    source_ref: Annotated[str | None, Field(max_length=512)] = None
    expires_at: Annotated[str | None, Field(description="An instant with an offset")] = None
    hard: Annotated[
        bool | None, Field(description="A constraint that nothing replaces without a person")
    ] = None

    def fact(self) -> FactIn:
        """Return what the service is told: what was said, and nothing else."""
        told: Any = self.model_dump(exclude_none=True)
        fact: FactIn = told
        return fact


Facts = Annotated[
    list[StatedFact],
    Field(min_length=1, max_length=10, description="Written, held or refused together"),
]
ActionWord = Literal["approve", "replace_old", "keep_both", "cancel"]
