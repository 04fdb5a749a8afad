"""Row-level security on PostgreSQL: a transaction sees the tenant that it bound, or nothing.

FORCE, because an owner is exempt otherwise. The service works as ``moss_app``, which owns nothing
and cannot bypass; a stronger login switches to it in every transaction. SQLite has no such thing
and serves one tenant unless a setting says so.
"""

from alembic import context, op

revision = "0004_row_security"
down_revision = "0003_guards"
branch_labels = None
depends_on = None

ADDED_TO = ("memory_revision", "commit_log", "decision")
CHANGED = (
    "space", "payload", "memory_head", "occurrence", "search", "event", "waiver",
    "decision_memory", "pending_outcome", "idempotency", "chat_history", "scope", "grant",
    "principal", "api_key", "erasure",
)  # fmt: skip
BOUND = "tenant_id = nullif(current_setting('moss.tenant_id', true), '')"
KEY = "key_id = nullif(current_setting('moss.key_id', true), '')"
CREATE_ROLE = """
    DO $$ BEGIN
        CREATE ROLE moss_app NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;  -- of another database
    END $$
"""
# From PostgreSQL 16 on whoever creates a role may grant it, but not yet switch to it.
JOIN_ROLE = """
    DO $$ BEGIN
        IF NOT pg_has_role(session_user, 'moss_app', CASE
            WHEN current_setting('server_version_num')::int >= 160000 THEN 'SET' ELSE 'MEMBER' END)
        THEN
            EXECUTE format('GRANT moss_app TO %I', session_user);
        END IF;
    END $$
"""


def upgrade() -> None:
    """Create the role, its rights and the policies."""
    if op.get_bind().dialect.name == "sqlite":
        return
    op.execute(CREATE_ROLE)
    op.execute(JOIN_ROLE)
    if login := context.config.attributes.get("grant_to"):
        op.execute("GRANT moss_app TO {}".format('"' + login.replace('"', '""') + '"'))
    op.execute(
        "DO $$ BEGIN EXECUTE format('GRANT USAGE ON SCHEMA %I TO moss_app', current_schema());"
        " END $$"
    )
    op.execute("GRANT SELECT ON alembic_version TO moss_app")
    for table in (*ADDED_TO, *CHANGED):
        rights = "SELECT, INSERT" if table in ADDED_TO else "SELECT, INSERT, UPDATE, DELETE"
        op.execute(f'GRANT {rights} ON "{table}" TO moss_app')
        op.execute(f'ALTER TABLE "{table}" ENABLE ROW LEVEL SECURITY')
        op.execute(f'ALTER TABLE "{table}" FORCE ROW LEVEL SECURITY')
        op.execute(f'CREATE POLICY tenant ON "{table}" USING ({BOUND}) WITH CHECK ({BOUND})')
    op.execute(f"CREATE POLICY key_lookup ON api_key FOR SELECT USING ({KEY})")
    # Whoever owns the tables may count the tenants: sweeps and audits go through them all.
    op.execute("CREATE POLICY owner_lists ON space FOR SELECT TO CURRENT_USER USING (true)")


def downgrade() -> None:
    """Drop the policies and the rights; the role may serve other databases."""
    if op.get_bind().dialect.name == "sqlite":
        return
    op.execute("DROP POLICY owner_lists ON space")
    op.execute("DROP POLICY key_lookup ON api_key")
    for table in (*ADDED_TO, *CHANGED):
        op.execute(f'DROP POLICY tenant ON "{table}"')
        op.execute(f'ALTER TABLE "{table}" NO FORCE ROW LEVEL SECURITY')
        op.execute(f'ALTER TABLE "{table}" DISABLE ROW LEVEL SECURITY')
        op.execute(f'REVOKE ALL ON "{table}" FROM moss_app')
    op.execute("REVOKE SELECT ON alembic_version FROM moss_app")
