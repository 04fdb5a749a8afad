"""Words that only agree, thank or greet: they say nothing that could be kept, and confirm nothing.

A confirmation is an id and a button. A model that reads "yes, thank you" as a preference, because
a page told it to wait for a yes, is not believed.
"""

import re
from typing import Final

_EN: Final = (
    r"y(?:es|ep|eah|up)|no(?:pe)?|ok(?:ay)?|sure|right|fine|great|cool|perfect|nice|done|agreed"
    r"|thanks?(?:\s(?:you|a\slot))?(?:\s(?:so|very)\smuch)?|got\sit|go\sahead|do\s(?:it|that|so)"
    r"|please(?:\sdo)?|sounds\sgood|approved?|confirm(?:ed)?|accept(?:ed)?|i\s(?:agree|approve|"
    r"confirm|accept)(?:\s(?:it|this|that))?|that'?s\s(?:fine|right|ok(?:ay)?|it)|of\scourse|hi|hello"
    r"|bye|and|then|it|all"
)
_KO: Final = (
    r"네+|넵|넹|예|응+|어|음|그래(?:요)?|좋아(?:요)?|좋습니다|오케이|오키|ㅇㅋ|ㅇㅇ|ㄱㅅ|ㅎㅎ+|ㅋㅋ+"
    r"|고마(?:워|워요|웠어|웠어요)|고맙(?:다|습니다)|감사(?:해|해요|합니다|드려요|드립니다)?"
    r"|(?:승인|확인|동의|수락|허락|진행|완료)(?:할게|할게요|해|해요|해줘|해주세요|했어|했어요|합니다|함|됨)?"
    r"|알겠(?:어|어요|습니다)|알았(?:어|어요)|맞아(?:요)?|맞습니다|아니(?:요|야)?|그렇게|해(?:줘|주세요)?"
    r"|수고(?:했어|했어요|하셨습니다)?|안녕(?:하세요)?|다음에|봐|정말|진짜|너무|아주"
)
_ONLY: Final = re.compile(rf"(?i)\W*(?:(?:{_EN}|{_KO})(?![A-Za-z가-힣])[\W_]*)+")


def only_assent(text: str) -> bool:
    """Tell whether ``text`` is nothing but agreement, thanks and greetings, in either language."""
    return _ONLY.fullmatch(text) is not None
