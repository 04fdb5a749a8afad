"""Screening of JSON text that has to come back as it was: escapes hide nothing, bytes stay.

The text is judged decoded, as a whole, so that ``"password": "..."`` is one thing to see. Where
nothing needs a mask the text itself is returned and not another spelling of it.
"""

import json
from typing import Any

from moss_memory.core.screening import Mask, Screened, screen


def screen_json(text: str, *, field: str) -> Screened:
    """Return JSON ``text`` as it may be stored; text that is no JSON is screened as words.

    Masks are set in strings and in member names; their spans are of the string they stand in.

    Raises:
        TextRefusedError: as ``screen``.
    """
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return screen(text, field=field)
    whole = screen(json.dumps(value, ensure_ascii=False), field=field)
    masks: list[Mask] = []
    masked = _masked(value, field, masks)
    if not masks:
        return Screened(text, (), whole.flags)
    return Screened(json.dumps(masked, ensure_ascii=False), tuple(masks), whole.flags)


def _masked(value: Any, field: str, masks: list[Mask]) -> Any:
    if isinstance(value, str):
        screened = screen(value, field=field)
        masks.extend(screened.masks)
        return screened.text
    if isinstance(value, list):
        return [_masked(item, field, masks) for item in value]
    if isinstance(value, dict):
        return {
            _masked(name, field, masks): _masked(item, field, masks) for name, item in value.items()
        }
    return value
