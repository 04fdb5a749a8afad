"""The newest revision, read off the migrations without Alembic."""

from moss_memory.adapters import sql_migrate, sql_revision


def test_newest_revision_is_the_one_that_alembic_names():
    assert sql_revision.head() == sql_migrate.head()
