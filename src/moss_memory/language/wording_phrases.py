"""The words of replies and buttons, English and Korean, by reason and action."""

from typing import Final

from moss_memory.core.linter import ActionName
from moss_memory.language.wording_language import Phrase

LABELS: Final[dict[tuple[str, ActionName], Phrase]] = {
    ("VACATION_OVERLAP", "keep_both"): (
        "Schedule Meeting During Vacation",
        "휴가 중 회의 추가 등록",
    ),
    ("VACATION_OVERLAP", "replace_old"): ("Replace Existing Meeting", "기존 회의를 새 회의로 교체"),
    ("VACATION_OVERLAP", "cancel"): ("Cancel", "등록 취소"),
    ("MEETING_OVERLAP", "replace_old"): ("Replace Existing Meeting", "기존 회의를 새 회의로 교체"),
    ("MEETING_OVERLAP", "keep_both"): ("Keep Both Meetings", "두 회의 모두 유지"),
    ("MEETING_OVERLAP", "cancel"): ("Cancel", "등록 취소"),
    ("VACATION_OVER_MEETING", "replace_old"): (
        "Take Vacation and Drop Meeting",
        "회의를 취소하고 휴가 등록",
    ),
    ("VACATION_OVER_MEETING", "keep_both"): (
        "Keep Vacation and Meeting",
        "휴가와 회의 모두 유지",
    ),
    ("VACATION_OVER_MEETING", "cancel"): ("Cancel", "등록 취소"),
    ("SAFETY_DEVICE", "replace_old"): ("Change Safety Device", "안전 기기 상태 변경"),
    ("SAFETY_DEVICE", "cancel"): ("Leave It As It Is", "그대로 두기"),
    ("STATE_CONFLICT", "replace_old"): ("Use New State", "새 상태로 변경"),
    ("STATE_CONFLICT", "cancel"): ("Keep Stored State", "기존 상태 유지"),
    ("NEGATIVE_GUARD", "replace_old"): ("Yes, I Like It Now", "이제 좋아하는 것으로 변경"),
    ("NEGATIVE_GUARD", "cancel"): ("No, Keep My Dislike", "싫어하는 것으로 유지"),
    ("REVERSAL", "replace_old"): ("Yes, I Dislike It Now", "이제 싫어하는 것으로 변경"),
    ("REVERSAL", "cancel"): ("No, Keep My Preference", "기존 선호 유지"),
    ("PREFERENCE_CONFLICT", "replace_old"): (
        "Replace Old Preference",
        "기존 선호를 새 선호로 교체",
    ),
    ("PREFERENCE_CONFLICT", "keep_both"): ("Keep Both Preferences", "두 선호 모두 유지"),
    ("PREFERENCE_CONFLICT", "cancel"): ("Keep Old Preference", "기존 선호 유지"),
    ("INFERENCE_NEEDS_USER", "approve"): ("Yes, Remember It", "맞아요, 기억하기"),
    ("INFERENCE_NEEDS_USER", "cancel"): ("No, Forget It", "기억하지 않기"),
    ("RETIRE_MANY", "approve"): ("Remove All of Them", "모두 취소하기"),
    ("RETIRE_MANY", "cancel"): ("Keep Them All", "모두 그대로 두기"),
}
ANY_LABEL: Final[dict[ActionName, Phrase]] = {
    "approve": ("Approve", "승인"),
    "replace_old": ("Replace the Old One", "기존 항목 교체"),
    "keep_both": ("Keep Both", "모두 유지"),
    "cancel": ("Cancel", "취소"),
}
BLOCKED: Final[dict[str, Phrase]] = {
    "LOW_CONFIDENCE_INFERENCE": (
        "a guess this uncertain is not remembered",
        "확신이 낮은 추측은 기억하지 않습니다",
    ),
    "HIDDEN_CONFLICT": (
        "it conflicts with something that you may not see",
        "열람 권한이 없는 다른 정보와 충돌합니다",
    ),
    "NEGATIVE_GUARD": (
        "only your own words can turn a dislike into a like",
        "싫어하는 것을 좋아하는 것으로 바꾸는 일은 본인의 말로만 할 수 있습니다",
    ),
    "REVERSAL": (
        "this source may not turn a like into a dislike",
        "이 출처로는 좋아하는 것을 싫어하는 것으로 바꿀 수 없습니다",
    ),
    "STALE_OBSERVATION": (
        "something newer is already known",
        "더 최근의 정보가 이미 저장되어 있습니다",
    ),
}
RULES_REFUSE: Final[Phrase] = ("the rules do not admit it", "규칙상 허용되지 않습니다")
ASKS: Final[dict[str, Phrase]] = {
    "VACATION_OVERLAP": ("You are on vacation then.", "해당 시간은 휴가 기간입니다."),
    "MEETING_OVERLAP": (
        "You already have a meeting then.",
        "해당 시간에 이미 다른 회의가 있습니다.",
    ),
    "VACATION_OVER_MEETING": (
        "You have a meeting during that vacation.",
        "해당 휴가 기간에 예정된 회의가 있습니다.",
    ),
    "SAFETY_DEVICE": ("This changes a safety device.", "안전 기기의 상태를 바꾸는 요청입니다."),
    "STATE_CONFLICT": ("Another state is stored.", "다른 상태가 저장되어 있습니다."),
    "NEGATIVE_GUARD": ("You said you dislike this.", "이전에 싫어한다고 하셨습니다."),
    "REVERSAL": ("You said you like this.", "이전에 좋아한다고 하셨습니다."),
    "PREFERENCE_CONFLICT": (
        "Another preference is stored.",
        "다른 선호가 저장되어 있습니다.",
    ),
    "INFERENCE_NEEDS_USER": (
        "This was inferred, you did not say it.",
        "직접 말씀하신 것이 아니라 추론한 내용입니다.",
    ),
    "RETIRE_MANY": ("Several entries match.", "해당하는 항목이 여러 개입니다."),
}
CONFLICTS: Final[Phrase] = ("It conflicts with what is stored.", "저장된 정보와 충돌합니다.")
DONE: Final[dict[str, Phrase]] = {
    "create": ("Saved: {facts}.", "등록했습니다: {facts}."),
    "revise": ("Changed: {facts}.", "변경했습니다: {facts}."),
    "retire": ("Removed: {facts}.", "취소했습니다: {facts}."),
    "restore": ("Restored: {facts}.", "복원했습니다: {facts}."),
}
OVERWROTE: Final[Phrase] = (" This replaces: {old}.", " 다음 항목을 대체했습니다: {old}.")
UNCHANGED: Final[Phrase] = (
    "Nothing changed, this is already stored: {facts}.",
    "이미 저장되어 있어 변경하지 않았습니다: {facts}.",
)
UNCHANGED_BARE: Final[Phrase] = ("Nothing changed.", "변경된 내용이 없습니다.")
CANCELLED: Final[Phrase] = (
    "Cancelled. Nothing was saved or changed.",
    "취소했습니다. 저장하거나 변경한 내용이 없습니다.",
)
REFUSED: Final[Phrase] = ("Not saved: {why}.", "저장하지 않았습니다: {why}.")
SMALL_TALK: Final[Phrase] = (
    "I keep your calendar and what you ask me to remember. Nothing was saved.",
    "일정과 기억해 달라고 하신 내용을 관리합니다. 저장한 내용은 없습니다.",
)
NOTHING_FOUND: Final[Phrase] = (
    "I found nothing that matches, so nothing was changed.",
    "해당하는 항목을 찾지 못해 변경하지 않았습니다.",
)
WHICH_ONE: Final[Phrase] = ("Which one do you mean? {facts}.", "어느 것을 말씀하시나요? {facts}.")
CHOOSE: Final[Phrase] = (" Please choose how to go on.", " 어떻게 할지 선택해 주세요.")
HELD: Final[dict[str, Phrase]] = {
    "create": (" New: {facts}.", " 새 항목: {facts}."),
    "revise": (" Changed to: {facts}.", " 변경 후: {facts}."),
    "retire": (" To be removed: {facts}.", " 취소할 항목: {facts}."),
    "restore": (" To be restored: {facts}.", " 복원할 항목: {facts}."),
}
STORED: Final[Phrase] = (" Stored: {old}.", " 저장된 항목: {old}.")
QUESTION_GONE: Final[Phrase] = (
    "That question is no longer open. Please say it again.",
    "더 이상 유효하지 않은 확인 요청입니다. 다시 말씀해 주세요.",
)
