"""Zones that English words name."""

import re
from typing import Final

from moss_memory.language.times.clue import Value, Zone
from moss_memory.language.times.lexer import Rule, Scene, rule

_ZONES: Final = {
    r"(?:new york|nyc|us eastern|eastern)(?:\s+(?:standard|daylight))?\s+time|"
        r"(?-i:E[SD]?T)": "America/New_York",
    r"(?:us central|central|chicago)(?:\s+(?:standard|daylight))?\s+time|(?-i:C[SD]T)":
        "America/Chicago",
    r"(?:us mountain|mountain|denver)(?:\s+(?:standard|daylight))?\s+time|(?-i:M[SD]T)":
        "America/Denver",
    r"(?:us pacific|pacific|los angeles|la|california|san francisco|seattle)"
        r"(?:\s+(?:standard|daylight))?\s+time|(?-i:P[SD]?T)":
        "America/Los_Angeles",
    r"(?:uk|london|british(?:\s+summer)?|united kingdom)\s+time|(?-i:BST)": "Europe/London",
    r"(?:paris|french)\s+time": "Europe/Paris",
    r"(?:berlin|german)\s+time": "Europe/Berlin",
    r"central european(?:\s+summer)?\s+time|(?-i:CES?T)": "Europe/Paris",
    r"(?:seoul|korean?)(?:\s+standard)?\s+time|(?-i:KST)": "Asia/Seoul",
    r"(?:tokyo|japan(?:ese)?)(?:\s+standard)?\s+time|(?-i:JST)": "Asia/Tokyo",
    r"(?:beijing|shanghai|chinese|china)(?:\s+standard)?\s+time": "Asia/Shanghai",
    r"(?:singapore)\s+time|(?-i:SGT)": "Asia/Singapore",
    r"(?:india|indian)(?:\s+standard)?\s+time|(?-i:IST)": "Asia/Kolkata",
    r"(?:sydney)\s+time|(?-i:AE[SD]T)": "Australia/Sydney",
    r"(?:dubai)\s+time": "Asia/Dubai",
    r"UTC|GMT|zulu|coordinated universal time|greenwich mean time": "UTC",
}  # fmt: skip
_ZONE_WORDS: Final = r"\b(?:in\s+)?(?:" + "|".join(p for p in _ZONES if "time" in p) + r")"


def _zone(match: "re.Match[str]", _: Scene) -> Value | None:
    word = re.sub(r"^in\s+", "", match.group().strip(), flags=re.IGNORECASE)
    for pattern, name in _ZONES.items():
        if re.fullmatch(pattern, word, re.IGNORECASE):
            return Zone(name)
    return None


NAMED_ZONE_RULES: Final[tuple[Rule, ...]] = (
    rule(_ZONE_WORDS + r"\b", _zone, r"time\b|UTC|GMT|(?-i:[A-Z]{2})"),
)
SHORT_ZONE_RULES: Final[tuple[Rule, ...]] = (
    rule(r"\b(?-i:UTC|GMT|E[SD]T|C[SD]T|M[SD]T|P[SD]T|KST|JST|BST|CES?T|SGT|IST|AE[SD]T)\b", _zone),
    rule(r"(?<=[\dmM.] )(?-i:ET|PT)\b", _zone),
)
