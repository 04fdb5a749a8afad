"""Machine credentials by their form: provider prefixes, JWTs, key blocks, links that carry one.

Each detector reads folded text (``core.text.fold``) and yields spans. Prefix, length and alphabet
are the providers' own published formats; where a format has check digits they raise no bar: a
token with a wrong digit is a typo of a secret, and is refused as well.
"""

import base64
import binascii
import json
from collections.abc import Iterator
from typing import Final

from moss_memory.core.late import late
from moss_memory.core.text import Span, placeholder

_B: Final = r"(?<![A-Za-z0-9_])"  # \b would see none between a Hangul particle and a letter
_E: Final = r"(?![A-Za-z0-9_])"

_LABELLED: Final = (  # of whatever vendor: the prefix itself says what it is
    r"[a-z0-9]{2,12}[_-](?:[a-z]{2,8}[_-])?(?:key|pat|sk|api|auth|token|secret|admin|live|test|prod)"
    r"[_-](?:[A-Za-z0-9]{1,12}[_-])?(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{14,}[\w-]*"
)
_DRAWN: Final = (  # a short prefix, then 32 or more of all three kinds of characters
    r"(?!sha\d|md5|blake)[A-Za-z][A-Za-z0-9]{1,9}[_-](?=\w*\d)(?=\w*[A-Z])(?=\w*[a-z])[A-Za-z0-9]{32,}"
)

_FORMATS: Final[tuple[tuple[str, str], ...]] = (
    ("moss_api_key", r"moss_live_[A-Za-z0-9]{12}_[A-Za-z0-9]{38}"),
    ("aws_access_key_id", r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z2-7]{16}"),
    ("gcp_api_key", r"AIza[\w-]{35}"),
    ("google_oauth", r"(?:GOCSPX-[\w-]{28}|ya29\.[\w-]{20,}|1//0[\w-]{40,})"),
    ("github_pat", r"(?:ghp_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"),
    ("github_app_token", r"gh[ousr]_[A-Za-z0-9]{36,}"),
    ("gitlab_token", r"gl(?:pat|dt|rt|ptt|cbt|soat|ft|imt|agent|oas)-[\w.-]{20,}"),
    ("slack_token", r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}|xapp-\d-[A-Za-z0-9-]{20,}"),
    ("stripe_secret_key", r"(?:sk|rk)_(?:live|test|prod)_[A-Za-z0-9]{10,}"),
    ("toss_secret_key", r"(?:live|test)_g?sk_[A-Za-z0-9]{20,}"),
    ("webhook_secret", r"whsec_[A-Za-z0-9+/]{24,}={0,2}"),
    ("anthropic_api_key", r"sk-ant-[a-z]{3,5}\d\d-[\w-]{20,}"),
    ("openai_api_key", r"sk-(?:proj|svcacct|admin|None)-[\w-]{20,}|sk-[A-Za-z0-9]{32,}"),
    ("openrouter_api_key", r"sk-or-v1-[a-f0-9]{40,}"),
    ("model_api_key", r"(?:gsk_|xai-|pplx-|r8_|nvapi-|csk-)[A-Za-z0-9_-]{32,}"),
    ("huggingface_token", r"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    ("package_token", r"npm_[A-Za-z0-9]{36}|pypi-[\w-]{50,}|rubygems_[a-f0-9]{48}|cio[\w]{32}"),
    ("nuget_token", r"oy2[a-z0-9]{43}"),
    ("docker_token", r"dckr_(?:pat|oat)_[\w-]{27,}"),
    ("sendgrid_api_key", r"SG\.[\w-]{20,24}\.[\w-]{39,50}"),
    ("mail_api_key", r"key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|xkeysib-[a-f0-9]{64}-\w{16}"),
    ("twilio_api_key", r"SK[a-f0-9]{32}"),
    ("telegram_bot_token", r"\d{8,10}:A[\w-]{34}"),
    ("discord_bot_token", r"[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,38}"),
    ("shopify_token", r"shp(?:at|ca|pa|ss|tka)_[a-fA-F0-9]{32}"),
    ("square_token", r"sq0(?:atp|csp|idp)-[\w-]{22,43}|EAAA[\w-]{60}"),
    ("meta_token", r"EAA[A-Za-z0-9]{90,}"),
    ("postman_api_key", r"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    ("digitalocean_token", r"do[opr]_v1_[a-f0-9]{64}"),
    ("vault_token", r"hv[sbr]\.[\w-]{24,}|[a-z0-9]{14}\.atlasv1\.[\w=-]{60,70}"),
    ("databricks_token", r"dapi[a-f0-9]{32}(?:-\d)?"),
    ("observability_token", r"(?:glc_|glsa_|NRAK-|sntrys_|sntryu_|dt0c01\.)[\w+/=.-]{24,}"),
    ("saas_token", r"(?:lin_api_|ntn_|figd_|sbp_|sb_secret_|pul-|fo1_|HRKU-|secret_)[\w.-]{24,}"),
    ("build_token", r"(?:CCIPAT_|CFPAT-)[\w-]{24,}"),
    ("platform_token", r"(?:dp\.[a-z]{2,5}\.|pscale_(?:tkn|pw|oauth)_|lsv2_[a-z]{2}_)[\w.-]{24,}"),
    ("airtable_token", r"pat[A-Za-z0-9]{14}\.[a-f0-9]{64}"),
    ("azure_client_secret", r"[\w~.]{3}\dQ~[\w~.-]{31,34}"),
    ("alibaba_access_key", r"LTAI[A-Za-z0-9]{12,24}"),
    ("age_secret_key", r"AGE-SECRET-KEY-1[A-Z0-9]{58}"),
    ("atlassian_token", r"AT(?:ATT|CTT|BB)3?[\w=-]{28,}"),
    ("macaroon_token", r"fm[12][ar]?_[\w+/=-]{24,}"),
    ("cluster_token", r"sha256~[\w-]{40,}"),
    ("mapbox_token", r"[st]k\.eyJ[\w-]{20,}\.[\w-]{16,}"),
    ("labelled_token", _LABELLED),
    ("drawn_token", _DRAWN),
    ("x_bearer_token", r"A{20}[A-Za-z0-9%]{30,}"),
)  # fmt: skip
_PREFIXED: Final = late(
    f"{_B}(?:" + "|".join(f"(?P<{kind}>{form})" for kind, form in _FORMATS) + f"){_E}"
)
_OPENING: Final = late(  # one cheap look before the long alternation
    r"moss_live_|A(?:KIA|SIA|BIA|CCA|3T)|AIza|GOCSPX|ya29|1//0|gh[pousr]_|github_pat|gl[a-z]{2,5}-"
    r"|xox|xapp-|[sr]k_|[sr]k-|_g?sk_|whsec_|gsk_|xai-|pplx-|r8_|nvapi-|csk-|hf_|api_org|npm_|pypi-"
    r"|rubygems|cio|dckr_|SG\.|key-|-us\d|xkeysib|SK[a-f0-9]|\d:A|[MNO][\w-]{23}|shp|sq0|EAA|PMAK"
    r"|do[opr]_v1|hv[sbr]\.|atlasv1|dapi|gl(?:c|sa)_|NRAK|sntry|dt0c01|lin_api|ntn_|figd_|sbp_"
    r"|sb_secret|pul-|fo1_|dp\.|HRKU|pscale|lsv2|secret_|pat[A-Za-z0-9]{14}|\dQ~|LTAI|AGE-SEC|A{20}"
    r"|AT(?:ATT|CTT|BB)|[A-Za-z0-9][_-][A-Za-z0-9]{32}|oy2|fm[12]|CCIPAT|CFPAT|sha256~|[st]k\.eyJ"
    r"|[_-](?:key|pat|sk|api|auth|token|secret|admin|live|test|prod)[_-]"
)
_KEY_BLOCK: Final = late(
    r"(?:-{2,}\s*)?(?:BEGIN|END) (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?(?:\s*-{2,})?"
    r"|PuTTY-User-Key-File-\d"
)
_KEY_BODY: Final = late(r"[\sA-Za-z0-9+/=:,\-]*")
_JWT: Final = late(_B + r"(eyJ[\w-]{6,})\.[\w-]*\.[\w-]*(?:\.[\w-]+){0,2}")
_NAMED: Final = late(
    r"(?i)(?P<basic_auth_header>\bauthorization\b\W{1,3}basic\s+[a-z0-9+/]{6,}={0,2}"
    r"|\bbasic\s+[a-z0-9+/]{15,}={1,2})"
    r"|(?P<bearer_token>\b(?:authorization\b\W{1,3})?bearer\s+(?=[\w.~+/-]*\d)[\w.~+/=-]{16,})"
    r"|(?P<azure_storage_key>\b(?:account|sharedaccess|shared_access_|primary|secondary)key"
    r"\s*=\s*[a-z0-9+/]{24,}={0,2})"
    r"|(?P<aws_secret_access_key>\baws\w{0,20}[\s_-]*(?:secret|sk)\b[\w\s-]{0,20}"
    r"[\s:=\"']+[a-z0-9/+]{40}(?![a-z0-9/+]))"
    r"|(?P<cookie>\bcookie\s*:\s*[\w-]+=[^\s;]{12,})"
    r"|(?P<command_password>\bcurl\s[^|;\n]{0,120}?-(?:u|-user)[\s=]*[^\s:]+:[^\s:]{3,}"
    r"|\bredis-cli\s[^|;\n]{0,120}?(?:-a|--pass)\s+\S{3,}|\bsshpass\s+-p\s*\S{3,}"
    r"|\b(?:mysql|mariadb|mysqldump)\s[^|;\n]{0,120}?-p(?!\s)\S{3,})"
    r"|(?P<slack_webhook>hooks\.slack\.com/(?:services|workflows|triggers)/\w{6,}/[\w/]{10,})"
    r"|(?P<discord_webhook>discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{20,})"
    r"|(?P<teams_webhook>webhook\.office\.com/webhookb2/[\w@/-]{20,})"
)
_NAMES: Final = late(
    r"(?i)basic|bearer|key\s*=|aws|webhook|hooks\.|cookie|curl|redis-cli|sshpass|mysql|mariadb"
)
_USERINFO: Final = late(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/@:?#]*:([^\s/@?#]+)@[^\s@]")
_QUERY: Final = late(
    r"(?i)[?&#;](?:(?:[\w-]*(?:token|api[_-]?key|secret|passw(?:or)?d|signature|credential)"
    r"|key|sig|auth|jwt|x-amz-[\w-]+)=([^\s&#]{8,})"
    r"|(?:sid|session(?:id)?|code|otp)=((?=[^\s&#]*\d)[^\s&#]{12,}))"
)
_CODE_IN_LINK: Final = late(r"(?i)[?&#](?:pwd|passcode|pw)=([^\s&#]+)")


def tokens(text: str) -> Iterator[Span]:
    """Yield machine credentials in folded ``text``, in no order; spans may overlap."""
    if _OPENING.search(text):
        for match in _PREFIXED.finditer(text):
            yield Span(str(match.lastgroup), *match.span())
    if "PRIVATE KEY" in text or "PuTTY" in text:
        yield from _key_blocks(text)
    if "eyJ" in text:
        yield from _jwts(text)
    if _NAMES.search(text):
        for match in _NAMED.finditer(text):
            if not placeholder(match.group().split()[-1]):
                yield Span(str(match.lastgroup), *match.span())


def links(text: str) -> Iterator[Span]:
    """Yield credentials carried by a URL: a password before ``@``, a token in the query."""
    if "://" in text:
        for match in _USERINFO.finditer(text):
            if not placeholder(match.group(1)):
                yield Span("url_credential", *match.span(1))
    if "=" in text:
        for match in _QUERY.finditer(text):
            group = match.lastindex or 0
            if not placeholder(match.group(group)):
                yield Span("url_credential", *match.span(group))


def meeting_codes(text: str) -> Iterator[Span]:
    """Yield the ``pwd=`` of meeting links: part of an invitation, masked rather than refused."""
    if "=" in text:
        for match in _CODE_IN_LINK.finditer(text):
            if not placeholder(match.group(1)):
                yield Span("meeting_code", *match.span(1))


def _key_blocks(text: str) -> Iterator[Span]:
    for match in _KEY_BLOCK.finditer(text):
        body = _KEY_BODY.match(text, match.end())
        yield Span("private_key", match.start(), body.end() if body else match.end())


def _jwts(text: str) -> Iterator[Span]:
    for match in _JWT.finditer(text):
        if _has_algorithm(match.group(1)):
            yield Span("jwt", *match.span())


def _has_algorithm(part: str) -> bool:
    try:
        head = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (binascii.Error, ValueError, RecursionError):
        return False
    return isinstance(head, dict) and "alg" in head
