"""What is said to the home: lights, temperature, locks, the heater."""

import re
from typing import Final

from moss_memory.language.proposal import ProposedFact

_EN_LIGHT: Final = re.compile(
    r"\b(?:turn|switch|put|shut|power|flip)\s+(?:(?P<way1>on|off|out)\s+)?(?:the\s+|"
    r"my\s+|all\s+)?(?P<room>(?:[a-z]+\s+){0,2}?)(?:lights?|lamps?)(?:\s+(?:in|of)"
    r"\s+the\s+(?P<room2>[a-z ]+?))?(?:\s+(?P<way2>on|off|out))?[.!]*$",
    re.IGNORECASE,
)
_EN_TEMP: Final = re.compile(
    r"\b(?:set|make|keep|turn|put)\s+(?:the\s+|my\s+)?(?P<room>(?:[a-z]+\s+){0,2}?)"
    r"(?:temperature|thermostat|heating|heat|ac|air\s+con(?:ditioner)?)\b.*?\b(?:to|"
    r"at)\s+(?P<n>\d{1,2}(?:\.\d)?)(?!\s*(?:am|pm|:))",
    re.IGNORECASE,
)
_EN_LOCK: Final = re.compile(
    r"^(?:please\s+|can\s+you\s+)?(?P<way>lock|unlock)\s+(?:the\s+|my\s+|"
    r"all\s+)?(?P<room>(?:[a-z]+\s+){0,2}?)(?:doors?|gate|lock)\b",
    re.IGNORECASE,
)
_EN_HEATER: Final = re.compile(
    r"\b(?:turn|switch)\s+(?:(?P<way1>on|off)\s+)?(?:the\s+|"
    r"my\s+)?(?P<room>(?:[a-z]+\s+){0,2}?)(?:heater|boiler|radiator)(?:\s+(?P<way2>on|"
    r"off))?[.!]*$",
    re.IGNORECASE,
)
_KO_LIGHT: Final = re.compile(
    r"(?P<room>(?:[가-힣]{1,10}\s?)?)(?:불|전등|조명|등)(?:을|를|도|만)?\s*(?:좀\s*|"
    r"다\s*)?(?P<way>켜|꺼|끄)"
    r"(?:줘|주|라(?!고)|\s?줘|\s?주세요|자|달|\s|$)",
)
_KO_TEMP: Final = re.compile(
    r"(?P<room>(?:[가-힣]{1,10}\s)?)(?:실내\s?)?(?:온도|난방|에어컨|보일러)(?:를|을|"
    r"는)?\s*(?P<n>\d{1,2})"
    r"\s*도(?:로|에)?\s*(?:좀\s*)?(?:맞춰|설정|올려|내려|해|유지)",
)
_KO_LOCK: Final = re.compile(
    r"(?P<room>(?:[가-힣]{1,10})?)(?:문|도어락)(?:을|를|도)?\s*(?:좀\s*)?(?P<way>잠가|잠궈|"
    r"잠그|열어)(?:줘|주|라(?!고)|\s?줘|\s?주세요)",
)
_KO_HEATER: Final = re.compile(
    r"(?P<room>(?:[가-힣]{1,10}\s)?)(?:히터|보일러|난로|난방)(?:을|"
    r"를)?\s*(?:좀\s*)?(?P<way>켜|꺼|끄|틀어)"
    r"(?:줘|주|라(?!고)|\s?줘|\s?주세요|$)",
)


def home_facts(text: str, *, hangul: bool) -> tuple[ProposedFact, ...]:
    """Read a state of the home; empty where the words command none. A question commands nothing."""
    if "?" in text and not re.search(
        r"\b(?:can|could|will|would)\s+you\b|줄래|줄\s?수",
        text,
        re.IGNORECASE,
    ):
        return ()
    fact = _korean(text.strip()) if hangul else _english(text.strip().rstrip("?"))
    return (fact,) if fact is not None else ()


def _english(text: str) -> ProposedFact | None:
    found = _EN_LIGHT.search(text)
    if found and (found["way1"] or found["way2"]):
        way = (found["way1"] or found["way2"]).lower()
        return _fact(
            "light_status",
            "on" if way == "on" else "off",
            found["room2"] or found["room"],
            "light",
        )
    found = _EN_HEATER.search(text)
    if found and (found["way1"] or found["way2"]):
        return _fact("heater", (found["way1"] or found["way2"]).lower(), found["room"], "heater")
    found = _EN_TEMP.search(text)
    if found:
        return _fact("target_temp", found["n"], found["room"], "thermostat")
    found = _EN_LOCK.search(text)
    if found:
        return _fact(
            "lock",
            "locked" if found["way"].lower() == "lock" else "unlocked",
            found["room"],
            "door",
        )
    return None


def _korean(text: str) -> ProposedFact | None:
    found = _KO_TEMP.search(text)
    if found:
        return _fact("target_temp", found["n"], found["room"], "온도")
    found = _KO_HEATER.search(text)
    if found:
        return _fact("heater", "off" if found["way"] in "꺼끄" else "on", found["room"], "히터")
    found = _KO_LIGHT.search(text)
    if found:
        return _fact("light_status", "on" if found["way"] == "켜" else "off", found["room"], "불")
    found = _KO_LOCK.search(text)
    if found and found["room"] not in ("질", "주", "논", "창"):
        return _fact(
            "lock",
            "unlocked" if found["way"] == "열어" else "locked",
            found["room"],
            "문",
        )
    return None


def _fact(predicate: str, value: str, room: str | None, device: str) -> ProposedFact:
    place = re.sub(r"\b(?:the|my|all)\b", "", (room or "")).strip()
    subject = f"{place} {device}".strip()
    return ProposedFact(
        domain="SmartHome",
        subject=subject,
        predicate=predicate,
        object_value=value,
    )
