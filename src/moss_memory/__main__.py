"""``python -m moss_memory``: the command, where its script is not on the path."""

import sys

from moss_memory.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
