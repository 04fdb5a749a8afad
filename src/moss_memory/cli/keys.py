"""``moss-memory keys``: create, list and revoke API keys at the machine, without a credential.

``create`` prints the key alone on standard output, so that a script can take it; it is shown
this once. What is to be known besides goes to standard error.
"""

import argparse
import json
import secrets
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

from moss_memory.api.caller import DEFAULT_TENANT
from moss_memory.app import clock, revealed
from moss_memory.core.access import RIGHTS, Caller, ReadMode, WriteMode
from moss_memory.core.fact import Source
from moss_memory.flow.keys import Keyring, NewKey, first_key, list_keys, revoke_key
from moss_memory.flow.ports_access import KeyRecord, KeyStore
from moss_memory.settings import Settings, SettingsError, load_settings


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser("keys", description=__doc__)
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    create = actions.add_parser("create", help="make a key and print it, once")
    create.add_argument("principal", help="whom it speaks for")
    create.add_argument(
        "--right", action="append", default=[], choices=sorted(RIGHTS), help="may be repeated"
    )
    create.add_argument("--all-rights", action="store_true", help="for a first administrator")
    create.add_argument("--ceiling", choices=get_args(Source), default="user_explicit")
    create.add_argument("--read-mode", choices=get_args(ReadMode), default="visible_scopes")
    create.add_argument("--write-mode", choices=get_args(WriteMode), default="writable_scopes")
    create.add_argument("--days", type=int, help="how long it is good; default: until revoked")
    listing = actions.add_parser("list", help="show keys, never their secrets")
    revoke = actions.add_parser("revoke", help="end a key; workers follow within five seconds")
    revoke.add_argument("key_id")
    for action in (create, listing, revoke):
        action.add_argument("--tenant", default=DEFAULT_TENANT)
        action.add_argument("--json", action="store_true", help="print JSON, an object a line")


def run(
    args: argparse.Namespace,
    open_store: Callable[[Settings], KeyStore] | None = None,
    settings: Settings | None = None,
) -> int:
    """Do what was asked, in the store of the settings or in the one that ``open_store`` gives.

    Raises:
        SettingsError: there is no MOSS_SECRET_KEY to make a key under.
        MossError: the flow refuses, as over HTTP.
    """
    settings = settings or load_settings()
    store = (open_store or _sql_store)(settings)
    operator = Caller(tenant_id=args.tenant, principal_id="operator", rights=RIGHTS)
    if args.action == "create":
        return _create(args, settings, store)
    if args.action == "revoke":
        revoke_key(store, operator, args.key_id, now=clock())
        print(json.dumps({"revoked": args.key_id}) if args.json else f"revoked {args.key_id}")
        return 0
    return _list(store, operator, _shape if args.json else _line)


def _create(args: argparse.Namespace, settings: Settings, store: KeyStore) -> int:
    pepper = revealed(settings.secret_key)
    if not pepper:
        raise SettingsError("Keys are kept under MOSS_SECRET_KEY: set it first.")
    now = clock()
    asked = NewKey(
        principal_id=args.principal,
        rights=RIGHTS if args.all_rights else frozenset(args.right),
        source_ceiling=args.ceiling,
        read_mode=args.read_mode,
        write_mode=args.write_mode,
        expires_at=None if args.days is None else now + timedelta(days=args.days),
    )
    made = first_key(Keyring(store, pepper, secrets.token_bytes), args.tenant, asked, now=now)
    print(json.dumps({"key_id": made.key_id, "key": made.key}) if args.json else made.key)
    print(f"key {made.key_id} of {args.principal}: shown this once", file=sys.stderr)
    return 0


def _list(store: KeyStore, operator: Caller, spelled: Callable[[KeyRecord, datetime], str]) -> int:
    now = clock()
    page = list_keys(store, operator)
    while page:
        for record in page:
            print(spelled(record, now))
        page = list_keys(store, operator, before=(page[-1].created_at, page[-1].key_id))
    return 0


def _line(record: KeyRecord, now: datetime) -> str:
    ends = record.expires_at.astimezone(UTC).isoformat() if record.expires_at else "-"
    used = record.last_used_day.isoformat() if record.last_used_day else "-"
    state = _state(record, now)
    rights = "+".join(sorted(record.rights)) or "-"
    parts = (record.key_id, state, record.principal_id, record.source_ceiling, rights, ends, used)
    return "\t".join(parts)


def _shape(record: KeyRecord, now: datetime) -> str:
    ends, used = record.expires_at, record.last_used_day
    told = {
        "key_id": record.key_id,
        "state": _state(record, now),
        "principal_id": record.principal_id,
        "source_ceiling": record.source_ceiling,
        "rights": sorted(record.rights),
        "expires_at": ends and ends.astimezone(UTC).isoformat(),
        "last_used_day": used and used.isoformat(),
    }
    return json.dumps(told)


def _state(record: KeyRecord, now: datetime) -> str:
    return "revoked" if record.revoked_at else "live" if record.live(now) else "expired"


def _sql_store(settings: Settings) -> KeyStore:
    from moss_memory.adapters.sql_keys import SqlKeys

    return SqlKeys(revealed(settings.database_url), pgbouncer=settings.pgbouncer)
