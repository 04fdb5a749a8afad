"""Screening: secrets and identifiers refused, contacts masked in place, calendars left alone.

Everything that looks like a credential is put together from parts, so that no scanner of the
repository finds one. Numbers of people are made up; cards are the networks' published test ones.
"""

import re
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moss_memory.core.errors import TextRefusedError
from moss_memory.core.identifiers import luhn
from moss_memory.core.screening import Screened, redact, screen

A38 = "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF3hJ6kL"
JWT = ".".join(("ey" + "JhbGciOiJFUzI1NiJ9", "ey" + "JzdWIiOiJraW0ifQ", "c2lnbmF0dXJl"))

REFUSED = [
    ("aws_access_key_id", "AK" + "IA" + "B3SKCZTKMBF6JDPQ"),
    ("gcp_api_key", "AI" + "za" + A38[:35]),
    ("github_pat", "gh" + "p_" + A38[:36]),
    ("github_app_token", "gh" + "s_" + A38[:36]),
    ("gitlab_token", "gl" + "pat-" + A38[:20]),
    ("slack_token", "xo" + "xb-12345678901-" + A38[:24]),
    ("stripe_secret_key", "sk_" + "live_" + A38[:24]),
    ("openai_api_key", "sk-" + "proj-" + A38),
    ("anthropic_api_key", "sk-" + "ant-api03-" + A38),
    ("huggingface_token", "hf" + "_" + A38[:34]),
    ("moss_api_key", "moss" + "_live_" + A38[:12] + "_" + A38),
    ("jwt", JWT),
    ("private_key", "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEowIBAAKCAQEA"),
    ("private_key", "BEGIN OPENSSH " + "PRIVATE KEY"),
    ("basic_auth_header", "Authorization: Ba" + "sic ZGVtbzpwYXNz"),
    ("azure_storage_key", "Account" + "Key=" + A38 + A38 + "=="),
    ("url_credential", "postgres://moss:" + "s3cretpw" + "@db.example/moss"),
    ("url_credential", "https://files.example/d?access_to" + "ken=" + A38[:20]),
    ("password_assignment", "my laptop pass" + "word is sunflower77"),
    ("password_assignment", "wifi pass" + "word: correct horse battery"),
    ("password_assignment", "DB_PASS" + "WORD=wq8Zr2pLm"),
    ("password_assignment", "와이파이 비밀" + "번호는 happyday24 입니다"),
    ("password_assignment", "현관 비" + "번 2580*"),
    ("password_assignment", "the gate code is " + "4471#"),
    ("otp_code", "인증" + "번호 482913 입력"),
    ("otp_code", "your verification " + "code is 775204"),
    ("otp_code", "G-" + "482913 is your verification code"),
    ("otp_code", "verification: " + "884123 from the bank"),
    ("password_assignment", "admin pass " + "is Gr33nTea"),
    ("password_assignment", "jane / Tr0ub4dor&3 " + "(password)"),
    ("password_assignment", "my app pass" + "word abcd efgh ijkl mnop"),
    ("generic_secret", "카카오 REST API " + "키: " + "f671c9800418819ccb5c7c33f24968e9"),
    ("generic_secret", "client " + "secret 5yAKNaK5FF"),
    ("seed_phrase", "recovery phrase: " + "ripple scissors kick mammal hire column "
                    "oak again sun offer wealth tomorrow"),
    ("seed_phrase", "ripple scissors kick mammal hire column oak again sun offer wealth tomorrow"),
    ("kr_rrn", "주민" + "번호 010203-1000" + "114"),
    ("kr_rrn", "950505-" + "5123456 외국인"),
    ("kr_rrn", "아이 210305-" + "3123456"),
    ("kr_passport", "여권" + "번호 M12345678"),
    ("kr_passport", "passport M123" + "A4567"),
    ("kr_driver_license", "면허 11-14-" + "123456-78"),
    ("credit_card", "카드4111" + "111111111111으로"),
    ("credit_card", "Amex 3782 " + "822463 10005"),
    ("credit_card", "card 9410 " + "0000 0000 0013"),
    ("us_ssn", "SSN 536-" + "90-4399"),
]  # fmt: skip

MASKED = [
    ("메일은 minsu@example.co.kr으로", "메일은 [email#1]으로"),
    ("연락처: hong@예시.한국", "연락처: [email#1]"),
    ("ann(at)example.com", "[email#1]"),
    ("call 010-0000-1234 at 3", "call [phone#1] at 3"),
    ("문의 ０１０－００００－１２３４", "문의 [phone#1]"),
    ("+82 10-0000-1234", "[phone#1]"),
    ("ring +44 20 7946 0958 at noon", "ring [phone#1] at noon"),
    ("call (212) 555-0187 Friday", "call [phone#1] Friday"),
    ("phone 555-0142 ask for Lee", "phone [phone#1] ask for Lee"),
    ("wire to DE50 0000 0000 0123 4567 89", "wire to [iban#1]"),
    ("신한은행 110-123-456789로 송금", "신한은행 [account#1]로 송금"),
    ("build 260717-1000000", "build [kr_rrn_like#1]"),
    ("a@example.com, b@example.com, a@example.com", "[email#1], [email#2], [email#1]"),
]

LEFT_ALONE = [
    "Password reset workshop 3pm",
    "비밀번호 초기화 절차 교육 2시",
    "인증번호 발송 기능 회의",
    "pass" + "word: ********",
    "api_" + "key={{ secrets.KEY }}",
    "고객센터 1588-0000",
    "112 신고 훈련",
    "ISBN 978-0-306-40615-7",
    "티켓 900230-1234567",
    "parcel 1234 5678 1234 5670",
    "part 000-12-3456",
    "서울@부산 화상회의",
    "merge 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "사업자등록번호 123-45-67890",
    "call 1400-1500 with ops",
    "boarding pass: gate42 opens 07:10",
    "비밀번호 정책 교육 20260717 1400",
    "국민은행 미팅 11-12시",
    "card 4111 1111 1111 1112",
]

EN = product(
    ["Budget review", "Dentist", "Team sync with Kim", "Flight KE123 to Tokyo", "Key account call"],
    ["on Friday 7/17", "2026-07-17", "every Monday", "next week", "tomorrow"],
    ["at 10:00", "10:00-11:30", "3pm", "from 14:00 to 15:00", "all day"],
    ["in room 1204", "floor 12, seat 14C", ""],
)
KO = product(
    ["예산 검토", "치과 예약", "개발팀 주간 회의", "KTX 123 부산 출장", "비밀번호 정책 교육"],
    ["금요일(7/17)", "2026년 7월 17일", "매주 월요일", "다음 주", "내일"],
    ["오전 10시", "10:00~11:30", "3시 반", "14시부터 15시까지", "하루 종일"],
    ["3층 회의실", "회의실 02-3", ""],
)
CALENDAR = [" ".join(filter(None, parts)) for parts in [*EN, *KO]]


def screened(text: str) -> Screened:
    return screen(text, field="object_value")


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_text_with_a_secret_or_an_identifier_is_refused(kind: str, text: str) -> None:
    with pytest.raises(TextRefusedError) as caught:
        screened(text)

    assert caught.value.members["kind"] == kind
    assert caught.value.members["field"] == "object_value"


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_refusal_repeats_nothing_of_the_text(kind: str, text: str) -> None:
    with pytest.raises(TextRefusedError) as caught:
        screened(text)

    said = f"{caught.value} {caught.value.members} {caught.value.args}"
    assert not any(word in said for word in text.split() if re.search(r"\d", word))


@pytest.mark.parametrize("carrier", ["remember {} please", "회의 메모 {} 입니다", "({})"])
@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_secret_is_refused_inside_any_sentence(kind: str, text: str, carrier: str) -> None:
    with pytest.raises(TextRefusedError):
        screened(carrier.format(text))


@pytest.mark.parametrize("hidden", ["\u200b", "\u3164", "\ufeff", "\u00ad"])
def test_invisible_character_inside_hides_no_secret(hidden: str) -> None:
    token = "gh" + "p_" + A38[:36]

    with pytest.raises(TextRefusedError):
        screened(token[:7] + hidden + token[7:])


def test_full_width_letters_hide_no_secret() -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) for char in "pass" + "word:RedFox#12")

    with pytest.raises(TextRefusedError):
        screened(wide)


@pytest.mark.parametrize(("text", "kept"), MASKED)
def test_contact_is_masked_and_the_words_around_it_stay(text: str, kept: str) -> None:
    assert screened(text).text == kept


@pytest.mark.parametrize(("text", "kept"), MASKED)
def test_screening_what_was_screened_changes_nothing(text: str, kept: str) -> None:
    assert screened(kept) == Screened(kept)


def test_mask_names_the_span_in_the_original_text() -> None:
    text = "문의 ０１０－００００－１２３４ 로"
    (mask,) = screened(text).masks

    assert text[mask.start : mask.end] == "０１０－００００－１２３４"


def test_code_of_a_meeting_link_is_masked_and_the_link_stays() -> None:
    link = "https://zoom.example/j/92345678901?pwd="

    assert screened(f"{link}aGVsbG8x at 10").text == f"{link}[meeting_code#1] at 10"


@pytest.mark.parametrize("text", LEFT_ALONE)
def test_look_alike_is_left_alone(text: str) -> None:
    assert screened(text).text == text


def test_no_ordinary_calendar_sentence_is_touched() -> None:
    assert len(CALENDAR) >= 500
    assert [text for text in CALENDAR if screened(text) != Screened(text)] == []


def test_lone_random_string_is_flagged_and_kept() -> None:
    digest = "9fceb02d0ae598e95dc970b74767f19372d61af8"

    assert screened(f"merge {digest}") == Screened(f"merge {digest}", (), ("high_entropy",))


@pytest.mark.parametrize(("kind", "text"), REFUSED)
def test_redacted_line_passes_screening(kind: str, text: str) -> None:
    line = redact(f"failed on {text} and mail a@example.com")

    assert "a@example.com" not in line
    assert screened(line).masks == ()


def test_redaction_keeps_an_ordinary_line() -> None:
    line = "POST /chat 200 12 ms request_id=0198f3b2-4a1c-7d3e-9b61-0c5d2f7a8e90"

    assert redact(line) == line


@settings(max_examples=200)
@given(st.text(max_size=80))
def test_screening_twice_is_screening_once(text: str) -> None:
    try:
        once = screened(text)
    except TextRefusedError:
        return

    assert screened(once.text).text == once.text


@settings(max_examples=200)
@given(st.text(alphabet="0123456789 -", max_size=60), st.sampled_from(["", "카드 ", "card "]))
def test_no_card_number_survives_redaction(noise: str, word: str) -> None:
    card = "4242 4242 " + "4242 4242"

    assert card not in redact(f"{word}{card} a {noise}")


@pytest.mark.parametrize("digits", ["79927398713", "4111111111111111", "0"])
def test_luhn_digit_fits(digits: str) -> None:
    assert luhn(digits)


@pytest.mark.parametrize("wrong", range(1, 10))
def test_any_other_check_digit_fails(wrong: int) -> None:
    assert not luhn(f"7992739871{(3 + wrong) % 10}")
