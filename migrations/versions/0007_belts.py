"""Belts: a vacation is kept apart from meetings, and an erasure from new spaces.

The guard of ``occurrence`` can tell already: windows of one guard and another lane exclude each
other. Vacations get the meetings' guard and a lane of their own, as ``sql_slots`` writes them.

Whoever makes the first space of a domain takes a lock that an erasure of its owner holds until its
end: else what was on its way would land behind it. SQLite has one writer and needs none.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from alembic import op

revision = "0007_belts"
down_revision = "0006_reach"
branch_labels = None
depends_on = None

MEETINGS, BESIDE = "94aae7a7aab2bd45101bec3fdc5c361a", "f62edd23f897408014eb5b483f7cbca7"
VACATIONS = """
    UPDATE occurrence SET {change} WHERE EXISTS (
        SELECT 1 FROM memory_head AS head
        WHERE head.tenant_id = occurrence.tenant_id AND head.memory_id = occurrence.memory_id
        AND head.domain = 'Schedule' AND head.predicate = 'vacation'
        AND head.transparency = 'busy' AND head.event_status <> 'cancelled'
    )
"""
PG_HOLD_BACK = """
    CREATE FUNCTION moss_new_space() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_advisory_xact_lock_shared(
            hashtextextended(NEW.tenant_id || '/' || NEW.owner, 0)
        );
        RETURN NULL;
    END $$
"""
PG_HELD_BACK = """
    CREATE TRIGGER space_held_back AFTER INSERT ON space
    FOR EACH ROW EXECUTE FUNCTION moss_new_space()
"""


def upgrade() -> None:
    """Mark the vacations, and create the trigger."""
    mark(f"guard = '{MEETINGS}', lane = '{BESIDE}'")
    if op.get_bind().dialect.name != "sqlite":
        op.execute(PG_HOLD_BACK)
        op.execute(PG_HELD_BACK)


def downgrade() -> None:
    """Undo both."""
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP TRIGGER space_held_back ON space")
        op.execute("DROP FUNCTION moss_new_space()")
    mark("guard = NULL, lane = NULL")


def mark(change: str) -> None:
    with of_all_tenants():
        op.execute(VACATIONS.format(change=change))


@contextmanager
def of_all_tenants() -> Iterator[None]:
    """Reach every tenant's rows as the owner of the tables, past the guard: nothing moves."""
    if op.get_bind().dialect.name == "sqlite":
        yield
        return
    tables = ("occurrence", "memory_head")
    op.execute("ALTER TABLE occurrence DISABLE TRIGGER occurrence_guard")
    for table in tables:
        op.execute(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
    yield
    for table in tables:
        op.execute(f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY")
    op.execute("ALTER TABLE occurrence ENABLE TRIGGER occurrence_guard")
