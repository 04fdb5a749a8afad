"""Five hundred made-up facts and the questions that some of them answer, from compact lists.

Everything is computed from the lists below by arithmetic: the same set on every machine. Even
questions are for working with, odd ones were kept shut until the scorer was done.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from moss_memory.core.fact import Fact
from moss_memory.core.when import Days, Instant

AT: Final = datetime(2026, 7, 16, 5, tzinfo=UTC)  # Thursday, 14:00 in Seoul
ZONE: Final = "Asia/Seoul"

_EN: Final = (
    "budget", "design", "roadmap", "hiring", "security", "onboarding", "release", "marketing",
    "sales", "legal", "pipeline", "mobile app", "payment", "support", "brand", "warehouse",
    "pricing", "research", "compliance", "website",
)  # fmt: skip
_KO: Final = (
    "예산", "디자인", "로드맵", "채용", "보안", "온보딩", "배포", "마케팅", "영업", "법무",
    "데이터", "모바일 앱", "결제", "고객 지원", "브랜드", "물류", "가격", "연구", "감사",
    "홈페이지",
)  # fmt: skip
_FORMS_EN: Final = ("review", "planning", "sync with {who}", "workshop", "retrospective")
_FORMS_KO: Final = ("검토 회의", "기획 미팅", "점검, {who} 님과", "워크숍", "회고")
_WHO_EN: Final = ("Kim", "Sara", "Tom", "Anna", "Raj", "Mina", "Paul")
_WHO_KO: Final = ("민수", "지영", "서연", "현우", "은지", "태호", "수빈")
_VISITS: Final = (
    "dentist", "eye doctor", "haircut", "car inspection", "parent teacher night", "piano lesson",
    "plumber visit", "bank appointment", "flu shot", "vet visit for the cat", "gym trial",
    "choir rehearsal", "flat viewing", "tax advisor", "passport office", "book club",
    "치과", "안과", "미용실", "자동차 검사", "학부모 상담", "피아노 레슨", "배관 수리", "은행 상담",
    "독감 접종", "고양이 동물병원", "헬스장 체험", "합창 연습", "집 구경", "세무 상담", "여권 발급",
    "독서 모임",
)  # fmt: skip
_NOTES: Final = (
    "water the plants", "renew the car insurance", "return the library books", "buy a gift for mum",
    "pick up the dry cleaning", "order printer ink", "cancel the streaming trial", "back up photos",
    "pay the electricity bill", "send the signed lease", "change the smoke alarm battery",
    "collect the parcel", "book train tickets to Busan", "write the thank you card",
    "descale the kettle", "sharpen the kitchen knives", "update the emergency contact",
    "replace the bicycle tyre", "reply to the landlord", "register for the marathon",
    "print boarding passes", "submit the expense report", "clean the balcony", "feed the sourdough",
    "bring the projector adapter", "vacuum the car", "call the piano tuner", "rotate the mattress",
    "scan the warranty", "label the moving boxes",
    "화분에 물 주기", "자동차 보험 갱신", "도서관 책 반납", "엄마 선물 사기", "세탁소 옷 찾기",
    "프린터 잉크 주문", "구독 체험 해지", "사진 백업", "전기 요금 납부", "서명한 계약서 보내기",
    "화재경보기 건전지 교체", "택배 찾기", "부산행 기차표 예매", "감사 카드 쓰기",
    "주전자 석회 제거",
    "부엌칼 갈기", "비상 연락처 수정", "자전거 타이어 교체", "집주인에게 답장", "마라톤 신청",
    "탑승권 출력", "경비 보고서 제출", "베란다 청소", "빵 반죽 챙기기", "빔프로젝터 어댑터 챙기기",
    "세차하기", "피아노 조율사 부르기", "매트리스 돌리기", "보증서 스캔",
    "이삿짐 상자에 이름 붙이기",
)  # fmt: skip
_LIKES: Final = (
    ("food", "sushi, pad thai, sourdough bread, goat cheese, mango, dark chocolate, figs"),
    ("food", "lentil soup, roast pumpkin, kimchi stew, blueberries, poached eggs, cardamom buns"),
    ("music", "baroque violin, bossa nova, synth pop, gospel choirs, film scores, flamenco guitar"),
    ("drink", "oat milk latte, ginger tea, sparkling water, barley tea, tomato juice"),
    ("hobby", "bouldering, watercolour painting, birdwatching, chess problems, pottery, sailing"),
    ("travel", "night trains, window seats, small hotels, island hopping"),
    ("음식", "평양냉면, 갈비찜, 순두부찌개, 감자전, 초밥, 망고빙수, 흑임자떡"),
    ("음식", "들깨칼국수, 오이소박이, 호박죽, 참외"),
    ("음악", "재즈 피아노, 판소리, 첼로 독주, 인디 밴드, 영화 음악"),
    ("취미", "실내 암벽등반, 수채화, 탐조, 바둑, 도자기 공예"),
    ("여행", "야간열차, 창가 자리, 한옥 숙소"),
)  # fmt: skip
_DISLIKES: Final = (
    ("food", "cilantro, blue cheese, raw onions, liver, licorice, oysters, anchovies"),
    ("drink", "energy drinks, instant coffee"),
    ("general", "early flights, open plan offices, loud restaurants, crowded trains"),
    ("음식", "고수, 번데기, 생굴, 가지무침, 청국장, 홍어"),
    ("일반", "새벽 비행기, 시끄러운 식당, 만원 지하철"),
)
_ROOMS: Final = (
    "living room", "bedroom", "kitchen", "hallway", "study", "garage", "거실", "침실", "주방",
    "현관", "서재", "창고", "attic", "다락",
)  # fmt: skip
_STATES: Final = (
    ("light_status", "on", "off"), ("target_temp", "21", "24"), ("lock", "locked", "unlocked"),
    ("heater", "on", "off"),
)  # fmt: skip
_USER: Final = (
    ("lives_in", "Mapo, Seoul"), ("works_at", "Haneul Robotics"), ("name", "Jiwoo Han"),
    ("speaks", "Korean"), ("speaks", "English"), ("speaks", "Portuguese"),
)  # fmt: skip
_CHOICES: Final = (
    ("laptop", "14 inch with the matte screen"), ("hotel", "the guesthouse near the harbour"),
    ("insurance", "plan B without dental"), ("bicycle", "the folding one in green"),
    ("course", "evening statistics course"), ("headphones", "open back model"),
    ("phone", "the small one with 256 GB"), ("sofa", "two seater in grey wool"),
    ("charity", "the river clean-up fund"), ("camera", "used rangefinder"),
    ("desk", "standing desk in oak"), ("printer", "laser without scanner"),
    ("노트북", "무광 화면 14인치"), ("숙소", "항구 근처 게스트하우스"), ("보험", "치과 없는 B형"),
    ("자전거", "초록색 접이식"), ("강좌", "야간 통계학 강좌"), ("이어폰", "오픈형 모델"),
    ("휴대폰", "256기가 작은 모델"), ("소파", "회색 2인용"), ("기부", "강 살리기 기금"),
    ("카메라", "중고 레인지파인더"), ("책상", "참나무 스탠딩 책상"),
    ("프린터", "스캐너 없는 레이저"),
)  # fmt: skip
_TASKS: Final = (
    ("travel booking", "booked two seats to Lisbon, refundable until August"),
    ("inbox triage", "archived 214 mails, four need an answer"),
    ("invoice check", "invoice 88 was billed twice, credit requested"),
    ("photo album", "sorted the wedding pictures into three albums"),
    ("contract compare", "offer C is cheapest after the second year"),
    ("grocery order", "weekly basket ordered for Saturday morning"),
    ("energy audit", "the old freezer uses a third of the power"),
    ("visa form", "form filled in, photo still missing"),
    ("quarterly slides", "twelve slides drafted, numbers from finance open"),
    ("backup test", "restore took nine minutes, nothing lost"),
    ("여행 예약", "리스본행 두 자리 예약, 8월까지 환불 가능"),
    ("메일 정리", "214통 보관, 네 통은 답장 필요"),
    ("송장 확인", "88번 송장이 두 번 청구됨, 환불 요청"),
    ("사진 앨범", "결혼식 사진을 세 앨범으로 분류"), ("계약 비교", "2년 뒤부터 C안이 가장 저렴"),
    ("장보기", "토요일 오전 배송으로 주문"), ("전력 점검", "오래된 냉동고가 전력의 3분의 1 사용"),
    ("비자 서류", "양식 작성, 사진만 빠짐"), ("분기 발표", "슬라이드 열두 장 초안, 재무 수치 미정"),
    ("백업 시험", "복원 9분, 손실 없음"),
)  # fmt: skip
_SERVICES: Final = (
    ("cloud storage", "family plan, 2 TB, renews in March"), ("gym", "off-peak membership"),
    ("phone carrier", "prepaid, 10 GB a month"), ("newspaper", "weekend edition only"),
    ("bank", "joint account for rent"), ("car sharing", "business account, no weekends"),
    ("language app", "streak of 412 days"), ("music streaming", "student tariff ends in October"),
    ("클라우드 저장소", "가족 요금제 2테라, 3월 갱신"), ("헬스장", "비혼잡 시간 회원"),
    ("통신사", "선불 월 10기가"), ("신문", "주말판만 구독"), ("은행", "월세용 공동 계좌"),
    ("차량 공유", "법인 계정, 주말 제외"), ("어학 앱", "412일 연속 학습"),
    ("음악 스트리밍", "학생 요금 10월 종료"),
)  # fmt: skip
_LEAVE: Final = ((1, 1), (11, 2), (32, 10), (54, 1), (-12, 3), (70, 5))  # days from AT, length


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact under the name that questions call it by."""

    key: str
    fact: Fact


def entries() -> tuple[Entry, ...]:
    """Return all facts; each key is ``kind:value``, unique."""
    made = [*_meetings(), *_visits(), *_notes(), *_tastes(), *_home(), *_rest()]
    return tuple(made)


def _meetings() -> Iterator[Entry]:
    number = 0
    for topics, forms, people in ((_EN, _FORMS_EN, _WHO_EN), (_KO, _FORMS_KO, _WHO_KO)):
        for subject in topics:
            for form in forms:
                title = f"{subject} {form.format(who=people[number * 3 % len(people)])}"
                yield _event("meeting", title, number * 7 % 61 - 18, 9 + number % 9)
                number += 1


def _visits() -> Iterator[Entry]:
    for number, title in enumerate(_VISITS):
        yield _event("meeting", title, number * 11 % 53 - 9, 10 + number % 8)
    for day, length in _LEAVE:
        start = date(2026, 7, 16) + timedelta(days=day)
        when = Days(start, start + timedelta(days=length))
        yield Entry(f"vacation:{day}", _fact("Schedule", "Calendar", "vacation", "Vacation", when))


def _notes() -> Iterator[Entry]:
    for number, text in enumerate(_NOTES):
        yield _event("note", text, number * 13 % 47 - 5, 8 + number % 12)


def _tastes() -> Iterator[Entry]:
    for predicate, table in (("prefers", _LIKES), ("dislikes", _DISLIKES)):
        for subject, values in table:
            for value in map(str.strip, values.split(",")):
                yield Entry(f"{predicate}:{value}", _fact("Preference", subject, predicate, value))


def _home() -> Iterator[Entry]:
    for number, room in enumerate(_ROOMS):
        for predicate, *values in _STATES:
            value = values[number % 2]
            fact = _fact("SmartHome", room, predicate, value)
            yield Entry(f"{predicate}:{room}", fact)


def _rest() -> Iterator[Entry]:
    for predicate, value in _USER:
        yield Entry(f"{predicate}:{value}", _fact("Preference", "User", predicate, value))
    for domain, predicate, table in (
        ("Recommendation", "accepted_choice", _CHOICES),
        ("Task", "task_summary", _TASKS),
        ("Service", "service_context", _SERVICES),
    ):
        for subject, value in table:
            yield Entry(f"{predicate}:{subject}", _fact(domain, subject, predicate, value))


def _event(predicate: str, title: str, day: int, hour: int) -> Entry:
    """Place an event on a day counted from the reference's, at an hour of Seoul."""
    start = datetime(2026, 7, 15, 15, tzinfo=UTC) + timedelta(days=day, hours=hour)
    when = Instant(start, start + timedelta(hours=1))
    return Entry(f"{predicate}:{title}", _fact("Schedule", "Calendar", predicate, title, when))


def _fact(
    domain: str, subject: str, predicate: str, value: str, when: Days | Instant | None = None
) -> Fact:
    source = "task_result" if predicate == "task_summary" else "user_explicit"
    return Fact(
        domain=domain,
        subject=subject,
        predicate=predicate,
        object_value=value,
        scope_id="jiwoo",
        observed_at=AT,
        when=when or Instant(AT - timedelta(days=40)),
        source=source,  # type: ignore[arg-type]
    )
