"""What a Korean utterance wants: save, move, cancel, ask, or none of these."""

import re
from typing import Final

from moss_memory.language.sense import Act, Sense

EVENT: Final = (
    r"(?:회의|미팅|약속|면담|면접|회식|모임|행사|예약|진료|검진|치과|병원|미용실|세미나|워크숍|워크샵|교육|강의|수업|과외|스터디|시험|발표|보고|"
    r"통화|전화|콜|점심|저녁\s?식사|식사|데이트|생일|생신|결혼식|돌잔치|파티|여행|출장|공연|콘서트|영화|경기|운동|헬스|요가|필라테스|피티|알바|아르바이트|근무|"
    r"리뷰|스탠드업|원온원|싱크|워크|점검|배포|작업|마감|제출|기한|납부|상담|방문|면회|인터뷰|연습|레슨|학원|동창회|동기모임|소개팅|이사|수리|"
    r"설명회|오리엔테이션|오티|"
    r"회동|집회|송년회|시사회|전시|관람|촬영|녹화|훈련|예비군|졸업식|입학식|개강|총회|축제|만남|만나|픽업|기념일|제사|차례|성묘|등산|캠핑|"
    r"낚시|골프|축구|농구|야구|테니스|수영|봉사|"
    r"네일|마사지|볼링|풋살|쇼핑|장보기|세차|청소|이발|염색|예배|미사|법회|교회)"
)
CALENDAR: Final = r"(?:캘린더|캘런더|달력|일정|스케줄|스케쥴|약속|알람|알림|리마인더|플래너|다이어리|계획|예정|할\s?일)"
LEAVE: Final = (
    r"(?:휴가(?!지|철|비|나온)|연차|월차|반차|병가|휴무|휴직|쉬는\s?날|쉬(?:어|는|려고|기로|고|게|ㄹ|었|러|자|니까|거든|지\s)|"
    r"쉴(?:래|게|거|\s?거|\s?예정|\s?생각|까)|쉰다|쉽니다|쉬어요|쉬는|쉬었)"
)
_OTHER: Final = re.compile(
    r"날씨|기온|온도|습도|미세\s?먼지|비가?\s?(?:와|오|올|내리)|눈이?\s?(?:와|오|올|내리)|태풍|우산|메일|이메일|문자|카톡|"
    r"카카오톡|인스타|페이스북|페메|유튜브|왓츠앱|텔레그램|트위터|디엠|에스엔에스|어플|앱\b|"
    r"노래|음악|라디오|티비|텔레비전|채널|볼륨|영화\s?추천|드라마|뉴스|기사|주식|주가|환율|증권|택시|버스|지하철|교통|길\s?안내|내비|"
    r"비행기편|날아가|맛집|레시피|요리법|"
    r"보일러|에어컨|난방|가습기|제습기|공기청정기|세탁기|냉장고|청소기|환풍기|창문|불\s?(?:켜|꺼|끄)|전등|조명|커튼|도어락|현관문|농담|"
    r"번역|사전|검색해|비밀번호|와이파이|블루투스|배터리|아이폰|갤럭시|노트북|컴퓨터|사진\s?(?:찍|보)|동영상|"
    r"추천|농구\s?점수|축구\s?점수|경기\s?결과|개봉|구단|소속|멤버|가수|배우|대통령|수도가|인구|높이가|뜻이"
)
_STRONG: Final = re.compile(
    r"캘린더|캘런더|달력|일정|스케줄|스케쥴|약속|회의|미팅|예약|알람|알림|리마인더"
)
_REQUEST: Final = r"(?:해|하|해줘|할|헤|햐|되|된|돼|좀|부탁|가능|필요|원|바라|바랍|바람|시켜|드리|주|줄|달라|놔|둬|두|요청|$|\s)"
_CANCEL: Final = re.compile(
    rf"(?:취소|삭제|제거|철회|파기)\s*(?:좀\s*)?(?:를|을|가|만|도|로)?\s*{_REQUEST}|지워|지우|지웠으면|없애|"
    r"없던\s?(?:일|걸)로|빼\s?(?:줘|주|라|줄|도|요|버려|놔|세요|자|$)|비워\s?(?:줘|주|줄)|날려\s?(?:줘|버려)|"
    r"안\s?가(?:기로|게)|못\s?가(?:게|겠)|무르"
)
_CANCELLED: Final = re.compile(
    r"(?:취소|삭제|연기|변경)\s*(?:했|됐|되었|된\s?(?:거|게|건|것|일정|약속)|되\s?(?:니|나|는지|어)|시켰)|지웠(?:니|나|어\?|냐)"
)
_MOVE: Final = re.compile(
    r"옮[겨기길김]|미[뤄룰뤘루]|미뤄|늦[춰추출]|당[겨기길]|앞당|바[꿔꾸꿀꿨]|(?:변경|연기|조정|수정|이동)\s*(?:좀\s*)?(?:을|"
    rf"를|만|도)?\s*{_REQUEST}"
)
_SAVE: Final = re.compile(
    r"(?:등록|추가|저장|기록|입력|설정|표시|메모|작성|예약|생성|기재|기입|체크|세팅|공지|리마인드|알람|알림|통보|신청)\s*(?:좀\s*|"
    rf"하나\s*(?:만\s*)?(?:좀\s*)?|한\s*번\s*)?(?:을|를|도|만|으로|로|에|이)?\s*(?:좀\s*)?{_REQUEST}|"
    r"넣[어을는자기고으]|너어\s?줘|적어|적는|잡아\s?(?:줘|주|줄|놔|둬|라|달|놓|도)|잡아줘|잡[자을기는](?!\s?(?:마|말))|"
    r"만들어|맞춰|기억해|기억하|남겨|올려\s?(?:줘|주|놔)|박아|끼워|세워\s?(?:줘|주)|짜\s?줘|울려|깨워"
)
_REMIND: Final = re.compile(
    r"(?:다고|라고|하라고|자고|으라고|ㄴ다고|야\s?한다고|인\s?것|거|것)\s*(?:좀\s*|꼭\s*)?(?:미리\s*)?(?:알려|말해|"
    r"공지|알람|얘기해|귀띔)|(?:전|뒤|후|때)에?\s*(?:좀\s*|꼭\s*|다시\s*|미리\s*)?(?:알람|알려|깨워|말해|공지)|"
    r"잊지\s?(?:말|않)|까먹지\s?(?:말|않)|상기"
)
_ASKING: Final = re.compile(
    r"\?|뭐|뭔|무엇|무슨|언제|언젠|어디|어딘|몇|누구|누가|누굴|어떤|어떻게|어찌|왜|얼마|어느|궁금|알고\s?싶|알\s?수\s?(?:있|없)|물어봐|여쭤|"
    r"(?:알려|보여|말해|말씀해|읽어|찾아|확인해|확인\s?좀|확인하|검색해|요약|정리해|조회|브리핑|설명해|얘기해|가르쳐|체크해|봐)"
    r"\s?(?:줘|주|줄|달라|다오|봐|라|드|$|요)|요약해|보여|조회|"
    r"(?:니|냐|나|까|까요|나요|가요|은가|는가|던가|을까|ㄹ까|을까요|죠|지요|더라|더라고|는지|ㄴ지|건지|은지|대\?|래\?|지)"
    r"\s*[.!~]*$|(?:있|없|비|되|했|잡혔|남았)(?:어|어요|습니까|니|나|지|냐|을까)\s*[.~]*$|맞(?:아|지|나)|"
    r"아니\s*$|알아\s*$|알아요\s*$"
)
_PROHIBIT: Final = re.compile(
    r"[가-힣]지\s?(?:는|도|를|들|좀)?\s?(?:마(?!감|음|지|무|침|케)|말|맙|않(?:도록|게|기|았으면|으면|는\s?(?:게|것|"
    r"편|걸)|습니다|을게|아(?:줘|주)))|면\s?안\s?(?:돼|되|된|됩)|(?<![가-힣])안\s?(?:[가-힣]{1,8}?(?:았으면|"
    r"었으면|으면|면\s?(?:좋|해|하)|기로|는\s?게|는\s?것|도록|게\s?(?:해|하)|을래|시길|기를|셨으면|했으면|줬으면|아도|어도|"
    r"해도|는\s?걸로|게끔|는\s?쪽|는\s?편))|"
    r"자제|삼가(?=해|하|고|\s?주|줘|$)|피해\s?(?:줘|주|야|달|라|서)|피하|피했으면|보류|금지|하지마|관둬|그만\s?(?:둬|두|해|"
    r"하)|중단|멈춰|없이\s?(?:해|하|가|진행)|빼고\s|제외|건너뛰|아직은?\s?(?:안|하지)|말아|말고\s?(?:해|하|가)|거르|"
    r"안\s?돼(?:요|\s|$)|못\s?(?:하게|잡게|넣게)|절대\s?(?:로)?\s"
)
_NOT_PROHIBIT: Final = re.compile(
    r"(?:잊|까먹|빠뜨리|빼먹|놓치|늦|잊어버리)지?\s?(?:지\s?)?(?:는\s?)?(?:말|않|마)"
)
_HOW_TO_ANSWER: Final = re.compile(
    r"(?:앞으로|이제부터|항상|다음부터|언제나|매번|물으면|물어보면|질문하면).{0,40}(?:대답|답변|답해|말해|말투|반말|존댓말|불러|부르|"
    r"써\s?줘|응답)|(?:짧게|길게|간단히|간결하게|자세히|친절하게|영어로|한국어로|반말로|존댓말로)\s*(?:대답|답변|답해|말해|얘기해|"
    r"설명해)|우리\s?팀\s?규칙|규칙이니까|지시를?\s?(?:무시|따라)"
)
_RELAYED: Final = re.compile(
    r"[\"“'‘「『][^\"”'’」』]{4,}[\"”'’」』]\s*(?:라고|라는|이라고|라며|이라는|하고)|(?:문서|메일|기사|글|페이지|공지|"
    r"편지|문자|사이트|게시글)(?:에|에는|에서|가|이|은|는)\s.*(?:라고|다고|래|대|쓰여|적혀|나와)|(?:너|네가|당신|어시스턴트|비서)"
    r"(?:가|는|도)?\s.*(?:것\s?같다|좋아하는\s?것\s?같|라며|했잖아)"
)
_HEARSAY: Final = re.compile(
    r"(?:[ㄴ은는인간한린온운난]|휴가|연차|쉰|간|온|한)(?:대|래|다더라|다던데|대요|래요|다네|다고\s?(?:하|해|들))(?:요|\.|!|"
    r"~)*\s*$|래(?:요)?\s*[.!~]*$"
)
_OTHERS: Final = re.compile(
    r"^(?!나는|난|내가|저는|전\s|제가|나\s|저\s|우리|내일|오늘|모레|이번|다음|이\s?주|어제|그제|지난|저번|올해|내년|매주|매일|"
    r"매달|점심|저녁|아침|오전|오후|휴가|연차|반차|일정|회의|미팅|약속|예약|이틀|사흘|나흘|하루)"
    r"(?:우리\s)?(?:[가-힣]{2,4}(?:씨|님|이)?|[가-힣\s]{1,12}(?:님|씨|이형|언니|누나|오빠|동생|친구|엄마|아빠|남편|"
    r"아내|부장|팀장|과장|대리|사장))(?:은|는|이|가|도)\s"
)
_MINE: Final = re.compile(
    r"(?<![가-힣])(?:나|내|난|나는|내가|제|저|전|저는|제가|우리|울|나도|저도|나랑|저랑|나한테|내꺼|제\s거)(?=\s|[가-힣]?\s)|나의|저의|내\s"
)
_STATED: Final = re.compile(
    r"(?:야|이야|예요|이에요|에요|입니다|이다|임|음|다|있어|있어요|있습니다|있음|있다|거야|거예요|겁니다|게|게요|래|래요|려고|려고\s?해|"
    r"려고요|예정|예정이야|예정입니다|예정이에요|생겼어|잡혔어|어|아|해|했어|했음|요|됨|돼|네|거든|거든요|고|자|기로\s?했어|기로\s?함|"
    r"싶어)\s*[.!~ㅎㅋ^]*$"
)
_PAST: Final = re.compile(
    r"[았었했갔왔였웠겼됐렸냈셨쳤]\s?(?:어|다|음|습니다|어요|지|니|던|나|는|을|고|지요|죠)|이었|였"
)
LEAVE_WORD: Final = re.compile(LEAVE)
EVENT_WORD: Final = re.compile(EVENT)
_PERSONAL: Final = re.compile(
    r"기로\s?(?:했|한|하였|되)|해야|가야|사야|내야|끝내야|제출|마감|기한|완성|준비|예약|약속|회의|미팅|모임|만나|일정|스케줄|스케쥴|"
    r"납부|방문|진행|시작|출발|도착|픽업|출고|면접|시험|발표|잡힌|잡혀|예정|"
    r"만료|회원권|받는\s?날|[가-힣]야\s?(?:하|되|돼|할|될)|려고\s?(?:한|했|하)|할\s?(?:거|것|일)|가기로|계획|회식|생신|"
    r"생일|기념일|결혼|돌잔치|이사|여행|휴가|연차|출장|등록|접수|상영|데이트|졸업|입학|개강|수업|강의|과제|숙제|보고|행사|파티|잔치|동창회|"
    r"쉬는|쉬어|쉬나|비어|비니|비는|시간\s?(?:있|되|비|나|괜찮)|바빠|바쁘"
)


def sense_of(text: str, *, timed: bool, clocked: bool) -> Sense:
    """Name what an utterance wants; ``timed`` says that it names a time, ``clocked`` an hour."""
    body = re.sub(r"\s+", " ", text).strip()
    past = bool(_PAST.search(body))
    barred = _barred(body)
    if barred is not None:
        return Sense(act="none", reason=barred, body=body, past=past)
    act, reason = _act(body, timed=timed, clocked=clocked)
    why = act == "ask" and bool(re.search(r"왜|이유|어째서|어쩌다|무슨\s?일로", body))
    return Sense(act=act, reason=reason, body=body, past=past, why=why)


def _barred(body: str) -> str | None:
    """Say why an utterance may write nothing at all."""
    if _HOW_TO_ANSWER.search(body):
        return "instruction"
    if _RELAYED.search(body):
        return "relayed"
    if _PROHIBIT.search(body) and not _NOT_PROHIBIT.search(body) and not _cancel_wish(body):
        return "prohibition"
    return None


def _cancel_wish(body: str) -> bool:
    return bool(re.search(r"(?:취소|삭제|지워|지우|없애)", body)) and not re.search(
        r"(?:취소|삭제|지우|없애)(?:하|시키)?지", body
    )


def _act(body: str, *, timed: bool, clocked: bool) -> tuple[Act, str]:
    strong = _STRONG.search(body) is not None
    if _OTHER.search(body) and not strong and not re.search(r"회의|미팅|약속|휴가|연차", body):
        return "none", "other_domain"
    about = strong or EVENT_WORD.search(body) is not None or LEAVE_WORD.search(body) is not None
    if _CANCELLED.search(body) and not re.search(r"(?:해|지워|취소)\s?(?:줘|주세요|줄래)", body):
        return ("ask", "was_it_cancelled") if about else ("none", "small_talk")
    for pattern, act in ((_CANCEL, "cancel"), (_MOVE, "move")):
        if pattern.search(body):
            return _changes(body, act, about=about, timed=timed)
    if re.search(
        r"(?:캘린더|달력|일정)에(?:다가?)?\s*(?:하나\s*)?(?:좀\s*)?(?:알려|말해|공지)", body
    ) and re.search(r"[다라]고", body):
        return "save", "remind"
    if _REMIND.search(body) and not re.search(r"뭐|언제|어디|몇|누구|어떤|무슨", body):
        return ("save", "remind") if about or timed else ("none", "nothing_to_save")
    if _saves(body):
        return ("save", "save_verb") if about or timed else ("none", "nothing_to_save")
    if _leave_said(body):
        return ("none", "another_person") if _another(body) else ("save", "leave_statement")
    if _ASKING.search(body):
        return _question(body, strong=strong, timed=timed, clocked=clocked)
    if (
        timed
        and about
        and not _another(body)
        and (clocked or not _STATED.search(body) or re.search(r"예정|거야|게요?$|잡혔|생겼", body))
    ):
        return "save", "event_statement"
    return "none", "small_talk"


def _changes(body: str, act: str, *, about: bool, timed: bool) -> tuple[Act, str]:
    if act == "cancel" and re.search(r"참석자|참가자|위치|장소|알람\s?시간", body):
        act = "move"  # a detail goes, the event stays
    pronoun = re.search(r"그거|그것|이거|이것|저거|방금|그\s?일정|아까|그건|이건|그걸", body)
    if about or timed or pronoun:
        return act, f"{act}_verb"  # type: ignore[return-value]
    return "none", "nothing_to_change"


def _saves(body: str) -> bool:
    """A saving verb that is not asked about ("뭐 넣었지", "언제로 잡혔니")."""
    if not _SAVE.search(body):
        return False
    asked = re.search(
        r"뭐|뭔|언제|언젠|어디|어딘|몇|누구|누가|어떤|무슨|어떻게|어찌|왜|궁금|알고\s?싶|중에", body
    )
    said = re.search(
        r"(?:추가|등록|넣어|입력|저장|기록|설정|잡아|예약|메모|적어|표시)\s?(?:해|하|좀|줘|주|부탁|드|놔|둬|라|달)[^?]*$",
        body,
    )
    told = re.search(r"(?:알려|보여|말해|확인|찾아|요약)\s?(?:해\s?)?(?:줘|주|줄|봐)", body)
    asks_only = re.search(
        r"(?:일정|예약|약속|회의|미팅|스케줄|알람|알림).{0,12}(?:있[니나어지냐]|없[니나어지냐]|되어\s?있|돼\s?있|했[니나지냐])",
        body,
    )
    if asked and not said:
        return False
    if told and not re.search(
        r"(?:추가|등록|넣어|입력|저장|알람|알림|설정|표시|메모|적어|공지)\s?(?:하나\s?)?(?:좀\s?)?(?:해|줘|주|부탁|으로|로)",
        body,
    ):
        return False
    return not (asks_only and not said)


def _leave_said(body: str) -> bool:
    if not LEAVE_WORD.search(body):
        return False
    if re.search(r"\?|왜|언제|며칠|몇|있[니나냐지]|알려|보여|확인|궁금|누구|어디|남았|뭐", body):
        return False
    return bool(
        _STATED.search(body) or re.search(r"(?:휴가|연차|반차|월차|병가|휴무)\s*[.!~]*$", body)
    )


def _another(body: str) -> bool:
    return bool(_HEARSAY.search(body)) or bool(
        _OTHERS.match(body)
        and not re.search(r"(?<![가-힣])(?:나|내|저|제|우리)(?:는|가|랑|도|\s)", body)
    )


def _question(body: str, *, strong: bool, timed: bool, clocked: bool) -> tuple[Act, str]:
    if (
        not re.search(r"\?", body)
        and clocked
        and re.search(r"있(?:어|어요|습니다|음|다)\s*[.!~]*$", body)
        and not re.search(r"뭐|언제|어디|몇|무슨|어떤|왜", body)
    ):
        return "save", "event_statement"
    if re.search(
        r"내가\s?어디\s?(?:살|사)|나\s?어디\s?(?:살|사)|내\s?이름|내가\s?뭘?\s?(?:좋아|싫어)|"
        r"나(?:는)?\s?뭘?\s?(?:좋아|싫어)|내\s?직장|어디서?\s?일하|무슨\s?언어|(?:불|등)\s?켜져|문\s?잠",
        body,
    ):
        return "ask", "memory_question"
    if strong or (
        _PERSONAL.search(body) and (timed or _MINE.search(body) or re.search(r"중에|중\s", body))
    ):
        return "ask", "calendar_question"
    if timed and (
        re.search(
            r"뭐\s?(?:있|하|해|할)|시간\s?(?:있|되|비|돼)|바빠|바쁘|한가|비어|쉬[어나니는]", body
        )
        or _PERSONAL.search(body)
    ):
        return "ask", "day_question"
    if _MINE.search(body) and _PERSONAL.search(body):
        return "ask", "calendar_question"
    return "none", "other_question"
