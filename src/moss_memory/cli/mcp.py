"""``moss-memory mcp``: give a model the memory as tools, over MCP on standard input and output.

The key comes from MOSS_API_KEY (or the file that MOSS_API_KEY_FILE names), the service from
--url or MOSS_URL. Example of a client's configuration:

  {"mcpServers": {"memory": {"command": "moss-memory", "args": ["mcp"],
                             "env": {"MOSS_URL": "http://127.0.0.1:8000", "MOSS_API_KEY": "..."}}}}
"""

import argparse
from typing import Any

from moss_memory.cli.reaching import add_service, service_of
from moss_memory.integrations.mcp_server import stdio


def add_parser(subparsers: Any) -> None:
    """Add the subcommand."""
    parser = subparsers.add_parser(
        "mcp", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add_service(parser)


def run(args: argparse.Namespace) -> int:
    """Serve until the input ends; everything but the protocol goes to standard error."""
    url, key = service_of(args)
    stdio(url, key).run("stdio")
    return 0
