"""Whose fact is it? Only what people say of themselves is theirs."""

import re
from typing import Final

from moss_memory.language.preferences import preference_facts
from moss_memory.language.proposal import ProposedFact

_EN_SELF: Final = re.compile(r"\b(?:i|i'm|i've|i'll|my|me|we|our)\b", re.IGNORECASE)
_EN_KIN: Final = (
    r"\bmy\s+(?:\w+\s+)?(?:son|daughter|wife|husband|partner|brother|sister|mother|"
    r"father|mom|dad|mum|boss|manager|friend|colleague|"
    r"neighbou?r|girlfriend|boyfriend|cousin|uncle|aunt|teacher|doctor|dentist|kid|"
    r"child|baby|dog|cat|team|company|parents?|grand\w+|user|client|customer)\b"
)
_KO_SELF: Final = re.compile(
    r"(?<![가-힣])(?:나|난|나는|내|내가|저|전|저는|제|제가|우리)(?=\s|[가-힣])",
)
_KO_KIN: Final = (
    r"(?:아들|딸|아내|남편|동생|형|누나|언니|오빠|엄마|아빠|어머니|아버지|부모님|친구|"
    r"상사|팀장|부장|사장|동료|이웃|여자친구|남자친구|선생님|"
    r"강아지|고양이|아이|조카|할머니|할아버지|삼촌|이모|고모)"
)


def told_of_oneself(fact: ProposedFact, text: str, *, hangul: bool) -> bool:
    """Whether the words say this of the speaker: by rule, or in a clause in the first person."""
    own = preference_facts(text, hangul=hangul)
    if any((one.predicate, one.object_value) == (fact.predicate, fact.object_value) for one in own):
        return True
    value = fact.object_value or ""
    self_words, kin = (_KO_SELF, _KO_KIN) if hangul else (_EN_SELF, _EN_KIN)
    for clause in re.split(r"[,.;!?]|\band\b|\bbut\b|(?<=이고)\s|(?<=고)\s", text):
        if value.lower() in clause.lower():
            return bool(self_words.search(clause)) and not re.search(kin, clause, re.IGNORECASE)
    return False
