"""The story of the day off and the meeting, told by mouse and keyboard in both languages."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest


@dataclass(frozen=True)
class Words:
    """What is said, and what must be seen."""

    language: str
    vacation: str
    meeting: str
    asked: str
    both: str
    cancel: str
    heading: str
    stored: str
    on_leave: str
    tomorrow: str


# The Enter of a finger that is too quick: it lands on the button that has just got the focus.
PRESS_ON_SIGHT = """new MutationObserver((_, watch) => {
  const button = document.querySelector('[data-action=keep_both]');
  if (button) { watch.disconnect(); button.click(); window.pressed = true; }
}).observe(document.body, {childList: true, subtree: true})"""
ENGLISH = Words(
    language="en",
    vacation="I'm taking all day off tomorrow. Add it to my calendar.",
    meeting="Schedule a dev team meeting for tomorrow at 10 AM.",
    asked="This needs your decision",
    both="Schedule Meeting During Vacation",
    cancel="Cancel",
    heading="Stored now",
    stored="all day",
    on_leave="You have no scheduled meetings at that time because you are on annual leave.",
    tomorrow="Summarize my schedule for tomorrow at 10 AM.",
)
KOREAN = Words(
    language="ko",
    vacation="나 내일 하루 종일 연차 휴가야. 캘린더에 등록해줘.",
    meeting="내일 오전 10시에 개발팀 미팅 일정 예약해줘.",
    asked="결정이 필요합니다",
    both="휴가 중 회의 추가 등록",
    cancel="등록 취소",
    heading="지금 저장된 내용",
    stored="하루 종일",
    on_leave="해당 시간은 연차 휴가 기간이므로 예정된 회의가 없습니다.",
    tomorrow="내일 오전 10시에 내 일정 요약해줘.",
)


@pytest.fixture(params=[ENGLISH, KOREAN], ids=["en", "ko"])
def words(request: pytest.FixtureRequest) -> Words:
    return request.param


def ask(tab: Any, words: Words = ENGLISH) -> Any:
    """Tell the story up to the question."""
    tab.open()
    tab.choose("#language", words.language)
    tab.say(words.vacation)
    tab.say(words.meeting)
    tab.until("document.querySelector('.question .sides dd')")
    return tab


def meetings(me: httpx2.Client) -> list[str]:
    found = me.get("/memories", params={"predicate": "meeting"}).json()["items"]
    return [each["object_value"] for each in found]


def test_question_stands_in_place_of_the_text_box(tab: Any, words: Words) -> None:
    ask(tab, words)
    buttons = [text.split("\n")[0] for text in tab.texts(".question .row button")]

    assert tab.run("document.querySelector('#say').hidden")
    assert buttons == [words.both, words.cancel]
    assert words.asked in tab.text(".question h2")


def test_stored_and_new_are_seen_side_by_side_with_the_difference(tab: Any, words: Words) -> None:
    ask(tab, words)
    stored, new = tab.texts(".question .sides section")

    assert words.heading in stored
    assert words.stored in stored
    assert "10:00" in new
    assert tab.run("document.querySelectorAll('.question mark').length") >= 4


def test_meeting_is_kept_beside_the_day_off_when_the_person_says_so(
    tab: Any, me: httpx2.Client, words: Words
) -> None:
    ask(tab, words)
    tab.click("[data-action=keep_both]")
    tab.until("!document.querySelector('#say').hidden")

    assert len(meetings(me)) == 1
    assert tab.run("document.activeElement.id") == "utterance"
    assert tab.run("document.querySelectorAll('#question-place *').length") == 0


def test_cancel_writes_nothing_and_the_summary_says_on_leave(
    tab: Any, me: httpx2.Client, words: Words
) -> None:
    ask(tab, words)
    tab.click("[data-action=cancel]")
    tab.until("!document.querySelector('#say').hidden")
    tab.say(words.tomorrow)

    assert tab.last() == words.on_leave
    assert meetings(me) == []


def test_story_is_told_by_keyboard_alone(tab: Any, me: httpx2.Client) -> None:
    tab.open()
    tab.until("document.activeElement.id === 'utterance'")
    for count, text in enumerate((ENGLISH.vacation, ENGLISH.meeting), start=1):
        tab.cdp("Input.insertText", text=text)
        tab.press("Enter")
        tab.until(f"document.querySelectorAll('.log .it').length === {count}")
    tab.until("document.activeElement.dataset.action === 'keep_both'")
    settled = "document.activeElement.id === 'utterance'"
    press = "document.activeElement.dataset.action && document.activeElement.click()"
    tab.until(f"({press}, {settled})")

    assert len(meetings(me)) == 1


def test_second_enter_settles_nothing(tab: Any, me: httpx2.Client) -> None:
    tab.open()
    tab.say(ENGLISH.vacation)
    tab.run(PRESS_ON_SIGHT)
    tab.say(ENGLISH.meeting)
    tab.until("window.pressed")

    assert tab.run("document.querySelector('.question') !== null")
    assert meetings(me) == []


def test_what_a_button_does_is_said_in_words(tab: Any) -> None:
    ask(tab)

    assert tab.texts(".question .row button small") == [
        "saves the new one, keeps the old",
        "changes nothing",
    ]


def test_choice_stands_in_the_log_as_the_persons_own(tab: Any) -> None:
    ask(tab)
    tab.click("[data-action=keep_both]")
    tab.until("!document.querySelector('#say').hidden")

    assert tab.texts(".log .me .said")[-1] == "I choose: Schedule Meeting During Vacation"


def test_page_of_a_long_talk_is_no_longer_than_what_is_seen(tab: Any) -> None:
    tab.open()
    for _ in range(12):
        tab.say("What do I have tomorrow?")

    assert tab.run("document.documentElement.scrollHeight <= innerHeight")


def test_removal_is_not_called_saved(tab: Any) -> None:
    tab.open()
    tab.say("Dentist tomorrow at 3 PM.")
    tab.say("Cancel my dentist meeting tomorrow.")

    assert tab.texts(".log .it:last-child .chip")[0] == "removed"


def test_answer_leads_to_the_memory_that_it_tells_of_and_back_to_life(
    tab: Any, me: httpx2.Client
) -> None:
    tab.open()
    for text in ("Dentist tomorrow at 3 PM.", "Lunch with Kim tomorrow at noon."):
        tab.say(text)
    tab.say("Cancel my dentist meeting tomorrow.")
    tab.say("Why is my dentist meeting gone?")
    tab.click(".log .it:last-child .marks button")
    tab.click("#bring-back")
    tab.until("document.querySelector('#detail .card.good')")

    assert sorted(meetings(me)) == ["Dentist", "Lunch with Kim"]


def test_double_click_makes_one_meeting(tab: Any, me: httpx2.Client) -> None:
    ask(tab)
    tab.click("[data-action=keep_both]", times=2)
    tab.until("!document.querySelector('#say').hidden")
    sent = [each for each in tab.requests() if each["url"].endswith("/confirm")]

    assert len(meetings(me)) == 1
    assert len(sent) == 1


def test_question_is_there_again_after_a_reload(tab: Any) -> None:
    ask(tab)
    tab.open()
    tab.until("document.querySelector('.question [data-action=keep_both]')")

    assert tab.run("document.querySelector('#say').hidden")


def test_question_settled_elsewhere_gives_the_text_box_back(tab: Any, me: httpx2.Client) -> None:
    ask(tab)
    pending = tab.run("document.querySelector('.question').dataset.pending")
    me.post("/confirm", json={"pending_id": pending, "action": "cancel"}).raise_for_status()
    tab.until("!document.querySelector('#say').hidden")

    assert tab.last() == "The question was settled elsewhere."


def test_next_open_question_follows_the_one_that_was_settled(tab: Any, me: httpx2.Client) -> None:
    tab.open()
    tab.say(ENGLISH.vacation)
    for hour in (10, 14):
        words = f"Schedule a call for tomorrow at {hour}:00."
        assert me.post("/chat", json={"text": words}).json()["confirm_required"]
    tab.until("document.querySelector('.question')")
    first = tab.run("document.querySelector('.question').dataset.pending")
    tab.click("[data-action=cancel]")
    tab.until(f"(document.querySelector('.question')?.dataset.pending ?? {first!r}) !== {first!r}")

    assert tab.run("document.querySelector('#say').hidden")


def test_countdown_runs_out_and_nothing_is_written(
    serve: Callable[..., Any], opened: Callable[[str], Any]
) -> None:
    with serve(pending_ttl=3) as base, httpx2.Client(base_url=base, verify=False) as http:
        http.headers["Authorization"] = "Bearer dev:me"
        tab = ask(opened(base))
        begun = tab.text("#countdown")
        time.sleep(1.1)
        later = tab.text("#countdown")
        tab.until("!document.querySelector('#say').hidden")

        assert begun in {"0:03", "0:02", "0:01"}
        assert later < begun
        assert tab.last().startswith("The question has closed; nothing was changed.")
        assert meetings(http) == []


def test_unclear_words_are_asked_back_as_choices(tab: Any, me: httpx2.Client) -> None:
    tab.open()
    tab.say("I'm off on Friday, January 1, 2028.")  # a Saturday
    tab.until("document.querySelector('[data-choice]')")
    label = tab.text("[data-choice]")
    tab.click("[data-choice]")
    tab.until("document.querySelectorAll('.log .it').length === 2")

    assert "2027" in label or "2028" in label
    assert len(me.get("/memories").json()["items"]) == 1


def test_choices_do_not_take_the_text_box_away(tab: Any) -> None:
    tab.open()
    tab.say("I'm off on Friday, January 1, 2028.")

    assert not tab.run("document.querySelector('#say').hidden")


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "must not be remembered"), ("ko", "기억하면 안 되는")],
)
def test_refused_words_are_explained_and_given_back(tab: Any, language: str, said: str) -> None:
    secret = "my password is " + "hunter" + "2secret!"
    tab.open()
    tab.choose("#language", language)
    tab.say(secret)

    assert said in tab.last()
    assert tab.run("document.querySelector('#utterance').value") == secret


def test_service_that_is_away_is_said_and_the_words_stay(tab: Any) -> None:
    tab.open()
    tab.cdp("Network.emulateNetworkConditions", offline=True, latency=0,
            downloadThroughput=-1, uploadThroughput=-1)  # fmt: skip
    tab.say(ENGLISH.vacation)

    assert tab.last() == "The service cannot be reached. Try again."
    assert tab.run("document.querySelector('#utterance').value") == ENGLISH.vacation


def test_same_words_after_a_failure_have_one_effect(tab: Any, me: httpx2.Client) -> None:
    tab.open()
    tab.run("{ const real = window.fetch; let cut = true; window.fetch = async (...asked) => {"
            " const answer = await real(...asked);"
            " if (asked[0] === '/chat' && cut) { cut = false; await answer.text();"
            " throw new TypeError('cut'); } return answer; }; }")  # fmt: skip
    tab.say("Schedule a dev team meeting for tomorrow at 10 AM.")
    tab.click("#say button")
    tab.until("document.querySelectorAll('.log .it').length === 2")

    assert "Saved" in tab.last()
    assert len(meetings(me)) == 1


def test_zone_of_the_browser_is_offered_to_somebody_new(tab: Any, me: httpx2.Client) -> None:
    tab.cdp("Emulation.setTimezoneOverride", timezoneId="Asia/Seoul")
    tab.open()
    tab.click("#zone-use")
    tab.until("document.querySelector('#zone').hidden")

    assert me.get("/me").json()["timezone"] == "Asia/Seoul"
