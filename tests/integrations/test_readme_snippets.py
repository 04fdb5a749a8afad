"""The README's own lines, run as they stand against a running service."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PYTHON = re.findall(r"^```python\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_python_snippet_books_and_confirms(service: Any, someone: Any):
    (snippet,) = PYTHON
    here = snippet.replace("http://127.0.0.1:8000", service.url).replace(
        "dev:ann", f"dev:{someone.me()['principal_id']}"
    )
    names: dict[str, Any] = {}

    exec(compile(here, "README.md", "exec"), names)

    assert sorted(names["titles"]) == ["Budget", "Vacation"]
