"""The story of the vacation and the meeting, in both languages: what is said, what is pressed.

Every step names the status that its answer must have.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Say:
    """Words for ``POST /chat``, under a heading."""

    heading: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class Press:
    """A button of the open question, for ``POST /confirm``; ``times`` 2 is a double click."""

    heading: str
    action: str
    status: str
    times: int = 1


Step = Say | Press

ENGLISH: Final[tuple[Step, ...]] = (
    Say(
        "A vacation",
        "I'm taking all day off tomorrow, Friday (7/17). Add it to my calendar.",
        "SUCCESS",
    ),
    Say(
        "A meeting on that day",
        "Schedule a dev team meeting for Friday at 10 AM.",
        "CONFIRM_REQUIRED",
    ),
    Press("The person says no", "cancel", "CANCELLED"),
    Say("What is true now?", "Summarize my schedule for Friday at 10 AM.", "ANSWERED"),
    Say(
        "The same meeting again",
        "Schedule a dev team meeting for Friday at 10 AM.",
        "CONFIRM_REQUIRED",
    ),
    Press("The person says both, with a double click", "keep_both", "SUCCESS", times=2),
    Say("What is true now?", "Summarize my schedule for Friday at 10 AM.", "ANSWERED"),
    Say(
        "A third, over both", "Schedule a budget review for Friday at 10:30 AM.", "CONFIRM_REQUIRED"
    ),
    Press("The person says no", "cancel", "CANCELLED"),
    Say("Two meetings on another day", "Schedule a design review for Monday at 10 AM.", "SUCCESS"),
    Say("Two meetings on another day", "Schedule a sales call for Monday at 3 PM.", "SUCCESS"),
    Say(
        "A vacation over both of them",
        "I'm on vacation all day next Monday, July 20.",
        "SUCCESS_WITH_OVERWRITE",
    ),
    Say("What is true now?", "Summarize my schedule for Monday.", "ANSWERED"),
)

KOREAN: Final[tuple[Step, ...]] = (
    Say("휴가", "나 내일 금요일(7/17) 하루 종일 연차 휴가야. 캘린더에 등록해줘.", "SUCCESS"),
    Say("그날의 회의", "금요일 오전 10시에 개발팀 미팅 일정 예약해줘.", "CONFIRM_REQUIRED"),
    Press("사용자가 취소한다", "cancel", "CANCELLED"),
    Say("지금 사실은?", "금요일 오전 10시에 내 일정 요약해줘.", "ANSWERED"),
    Say("같은 회의를 다시", "금요일 오전 10시에 개발팀 미팅 일정 예약해줘.", "CONFIRM_REQUIRED"),
    Press("사용자가 둘 다 남긴다, 두 번 눌러서", "keep_both", "SUCCESS", times=2),
    Say("지금 사실은?", "금요일 오전 10시에 내 일정 요약해줘.", "ANSWERED"),
    Say("둘 다에 겹치는 세 번째", "금요일 오전 10시 30분에 예산 회의 잡아줘.", "CONFIRM_REQUIRED"),
    Press("사용자가 취소한다", "cancel", "CANCELLED"),
    Say("다른 날의 회의 둘", "다음 주 월요일 오전 10시에 디자인 회의 잡아줘.", "SUCCESS"),
    Say("다른 날의 회의 둘", "다음 주 월요일 오후 3시에 영업 회의 잡아줘.", "SUCCESS"),
    Say(
        "그 둘을 덮는 휴가",
        "다음 주 월요일 7월 20일 하루 종일 휴가야. 등록해줘.",
        "SUCCESS_WITH_OVERWRITE",
    ),
    Say("지금 사실은?", "다음 주 월요일 일정 요약해줘.", "ANSWERED"),
)
