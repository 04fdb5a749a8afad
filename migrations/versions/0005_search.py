"""Words to look for: one narrow row of every active memory, kept by the heads themselves.

Whatever moves a head (a write, a rebuild, an erasure) moves its row, so that no words outlive it.
"""

from alembic import op

revision = "0005_search"
down_revision = "0004_row_security"
branch_labels = None
depends_on = None

LONGEST = 400  # characters of words: an entry of a PostgreSQL index holds 2,704 bytes
COLUMNS = "(tenant_id, memory_id, scope_id, domain, tokens)"
VALUES = f"""NEW.tenant_id, NEW.memory_id, NEW.scope_id, NEW.domain,
    NEW.predicate || ' ' || substr(lower(NEW.subject || ' ' || NEW.object_value), 1, {LONGEST})"""
REMOVE = "DELETE FROM search WHERE tenant_id = OLD.tenant_id AND memory_id = OLD.memory_id"
ADD = f"INSERT INTO search {COLUMNS} SELECT {VALUES} WHERE NEW.active AND NOT NEW.erased"
FILL = ADD.replace(" WHERE", " FROM memory_head WHERE").replace("NEW.", "")
SQLITE = {"insert": ADD, "update": f"{REMOVE}; {ADD}", "delete": REMOVE}
PG_FUNCTION = f"""
    CREATE FUNCTION moss_search() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP <> 'INSERT' THEN
            {REMOVE};
        END IF;
        IF TG_OP <> 'DELETE' THEN
            {ADD};
        END IF;
        RETURN NULL;
    END $$
"""


def upgrade() -> None:
    """Create the triggers, and the rows of what is there."""
    if op.get_bind().dialect.name == "sqlite":
        for event, body in SQLITE.items():
            op.execute(
                f"CREATE TRIGGER search_{event} AFTER {event.upper()} ON memory_head"
                f" BEGIN {body}; END"
            )
    else:
        op.execute(PG_FUNCTION)
        op.execute(
            "CREATE TRIGGER search_follows AFTER INSERT OR UPDATE OR DELETE ON memory_head"
            " FOR EACH ROW EXECUTE FUNCTION moss_search()"
        )
    op.execute(FILL)


def downgrade() -> None:
    """Drop the triggers and empty the table."""
    if op.get_bind().dialect.name == "sqlite":
        for event in SQLITE:
            op.execute(f"DROP TRIGGER search_{event}")
    else:
        op.execute("DROP TRIGGER search_follows ON memory_head")
        op.execute("DROP FUNCTION moss_search()")
    op.execute("DELETE FROM search")
