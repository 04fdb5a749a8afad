"""The words that announce a password, a PIN or a one-time code, and what joins them to it.

Fragments of regular expressions, English and Korean, for ``passwords`` and ``phrased``; they read
folded text with ``(?i)``.
"""

from typing import Final

WORD: Final = (
    r"(?:(?:(?<![A-Za-z0-9_])[A-Za-z0-9_]{0,40}_|(?<![A-Za-z]))(?:passw(?:or)?ds?|passphrase|passcode|pass\s?code|passkey|pwd|p/?w)"
    r"(?![A-Za-z])|비밀\s?번호|비번|패스워드|패스코드|암호(?!화|학)|(?:핀|pin)\s?번호|잠금\s?번호)"
)
DOOR: Final = (
    r"(?:(?<![A-Za-z])(?:door|gate|entry|entrance|alarm|safe|locker|lock|garage|lobby|access"
    r"|unlock|building)\s(?:code|pin)(?![A-Za-z])|(?<![A-Za-z])pin\s?(?:code|number|no\.?)"
    r"|(?<![A-Za-z])(?-i:PIN)(?![A-Za-z])|도어[락록](?:\s?번호)?"
    r"|(?:현관문?|금고|자물쇠|출입문?|대문)\s?(?:번호|코드))"
)
CODE: Final = (
    r"(?:(?<![A-Za-z])(?:(?:otp|2fa|mfa|totp|tan)(?:\scode|\s?번호|\s?코드)?|one[\s-]?time\s(?:pass)?(?:word|code)"
    r"|(?:verification|security|auth(?:entication|orization)?|confirmation|login|log-in|sign-in"
    r"|sms|two-factor|backup|recovery|access|your)\scode|verification(?=\s?[:=]))(?![A-Za-z])"
    r"|인증\s?(?:번호|코드)|(?:문자|본인|휴대폰|이메일|2단계|ARS)\s?인증|(?:보안|백업|복구)\s?(?:번호|코드)|일회용\s?(?:비밀번호|번호|코드)|확인\s?코드|로그인\s?코드)"
)
JOIN: Final = (
    r"[\"']?\s*(?:[:=]+>?|[-=]>|→|은|는|이|가|을|를|\bis\b|\bwas\b|\bare\b)\s*(?:now\s|지금\s)?"
)
OPEN: Final = r"(?!\[[a-z_ ]+(?:#\d+)?\])[\"'`“‘「\[(]?"  # a label of a mask is no value
VALUE: Final = r"([^\s\"'`”’」]{3,128})"
DIGITS: Final = r"((?<!\d)(?:[A-Z]-)?\d{3,4}[\s-]?\d{1,4}(?!\d)[*#]?)"
