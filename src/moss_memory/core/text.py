"""Words made safe to keep: what is refused, what is dropped, and the form that is compared.

The stored form is NFC on one line; the matching form is NFKC and case-folded (Unicode Standard
Annex 15, section 3.13 of the Standard). Lengths count code points. Nothing here knows fields:
the caller names one, and a refusal repeats that name, a kind and a length, never the words.
"""

import re
import unicodedata
from typing import Final, NamedTuple

from moss_memory.core.errors import TextRefusedError, TextTooLongError

MARKS_IN_A_ROW: Final = 2
BYTES_A_CHARACTER: Final = 4  # of UTF-8, at most; U+FDFA alone grows to 33 bytes under NFKC

_IGNORABLE: Final = (
    "\u00ad\u034f\u180b-\u180f\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff\u17b4\u17b5"
    "\u115f\u1160\u3164\uffa0\u2800"  # Hangul fillers and the blank Braille cell: letters to Python
)
_BIDI: Final = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_FORMAT: Final = "\u206a-\u206f\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
_TAG: Final = "\U000e0000-\U000e007f"
_SELECTOR: Final = "\U000e0100-\U000e01ef"

_STRIPPED: Final = re.compile(f"[{_IGNORABLE}]+")
_LISTED: Final = re.compile(f"[{_BIDI}{_FORMAT}{_TAG}{_SELECTOR}\u2028\u2029]")
_LISTED_KINDS: Final = (
    ("bidi", re.compile(f"[{_BIDI}]")),
    ("tag", re.compile(f"[{_TAG}]")),
    ("variation_selector", re.compile(f"[{_SELECTOR}]")),
    ("line_separator", re.compile("[\u2028\u2029]")),
    ("format", re.compile(f"[{_FORMAT}]")),
)
_CATEGORY_KINDS: Final = {
    "Cs": "surrogate",
    "Cc": "control",
    "Co": "private_use",
    "Cn": "unassigned",
}
_LINE_BREAKS: Final = re.compile(r"[\t\r\n]+")
_SPACES: Final = re.compile(r"\s+")
_PLACEHOLDER: Final = re.compile(
    r"(?i)[\W_x]*|[<\[{(].*|\$\{.*|\$[A-Z_]{2,}|%\w+%|.*(?:redacted|masked|removed|placeholder).*"
    r"|your[_-].*|my[_-](?:password|secret|key|token)|(?:tbd|tba|todo|none|null|nil|n/a|unset"
    r"|hidden|changeme|example|dummy|secret|password|env|os\.environ.*|process\.env.*)[.,;]?"
)
TIME_OR_COUNT: Final = re.compile(
    r"(?i)\d{1,2}[:.]\d{2}.*|\d{1,4}([/.~-])\d{1,2}(\1\d{1,4})?\D*|\d{1,2}(?:am|pm)?(?:[-~]\d{1,2})?"
    r"(?:am|pm|h)\W*|v\d[\d.]*|\d+(?:st|nd|rd|th|k|min|mins|hours?|days?|weeks?|%)\W*"
    r"|(?:q[1-4]|h[12]|fy\d{2,4})\W*"
    r"|\d+(?:자|글자|자리|시|분|일|월|년|명|개|회|차|층|호|주|번|건|인|팀|기|단계|가지|초|점|원|만|월달)\D*"
)
_SCRIPTS: Final = ("LATIN", "CYRILLIC", "GREEK")
_ALIKE: Final = re.compile("[\u0370-\u052f\u1c80-\u1c8f\u1f00-\u1fff\u2de0-\u2dff\ua640-\ua69f]")


class Folded(NamedTuple):
    """The form that detectors read, and where each of its characters came from.

    ``text`` is NFKC without ignorable characters; its character ``i`` stands for the original's
    ``[starts[i], ends[i])``. Both are None where the original already had that form.
    """

    text: str
    starts: list[int] | None = None
    ends: list[int] | None = None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a non-empty half-open span of ``text`` back to the original."""
        if self.starts is None or self.ends is None:
            return start, end
        return self.starts[start], self.ends[end - 1]


class Span(NamedTuple):
    """What a detector found: its kind, and the half-open span in the text it read."""

    kind: str
    start: int
    end: int


def clean_text(text: str, *, cap: int, field: str, byte_cap: int | None = None) -> str:
    """Return ``text`` as it may be stored: NFC, one line, no invisible characters.

    ``cap`` bounds the code points of the stored form; ``byte_cap`` (default: four bytes for each
    of them) bounds the UTF-8 bytes of the stored and of the matching form. Cleaning what is
    clean changes nothing.

    Raises:
        TextRefusedError: a character of the refuse list, too many combining marks in a row, or
            nothing left; ``kind`` and ``length`` (how many characters offend) say which.
        TextTooLongError: longer than a bound; ``cap`` and ``length`` say by how much.
    """
    _refuse_characters(text, field)
    composed = unicodedata.normalize("NFC", _STRIPPED.sub("", text))
    cleaned = _SPACES.sub(" ", composed).strip()
    _refuse_length(cleaned, cap, byte_cap or cap * BYTES_A_CHARACTER, field)
    _refuse_marks(cleaned, field)
    if not cleaned:
        raise TextRefusedError(kind="empty", field=field, length=0)
    return cleaned


def clean_words(text: str, *, cap: int, field: str) -> str:
    """Clean what a person typed, where a line break or a tab is a space.

    Raises:
        TextRefusedError: as ``clean_text``.
        TextTooLongError: as ``clean_text``.
    """
    return clean_text(_LINE_BREAKS.sub(" ", text), cap=cap, field=field)


def clean_key(text: str, *, cap: int, field: str) -> str:
    """Clean a name that things are found under: compatibility forms are one, case is kept.

    A full-width and a plain spelling of a subject are the same subject. Case is kept because
    keys of adapters tell ``A`` from ``a``; compare by ``match_form`` where it should not count.

    Raises:
        TextRefusedError: as ``clean_text``.
        TextTooLongError: as ``clean_text``, of the widened form.
    """
    cleaned = clean_text(text, cap=cap, field=field)
    if unicodedata.is_normalized("NFKC", cleaned):
        return cleaned
    return clean_text(unicodedata.normalize("NFKC", cleaned), cap=cap, field=field)


def check_opaque(text: str, *, byte_cap: int, field: str) -> str:
    """Return ``text`` unchanged after the refuse list: for values that must come back exactly.

    Raises:
        TextRefusedError: a character of the refuse list, or nothing at all.
        TextTooLongError: more than ``byte_cap`` bytes of UTF-8.
    """
    _refuse_characters(text, field)
    if not text:
        raise TextRefusedError(kind="empty", field=field, length=0)
    size = len(text.encode())
    if size > byte_cap:
        raise TextTooLongError(field=field, cap=byte_cap, length=size)
    return text


def match_form(text: str) -> str:
    """Return the form under which two texts are the same: NFKC, case-folded, spaces collapsed.

    The double folding is the compatibility caseless match of the Unicode Standard, D146.
    """
    if text.isascii():
        return _SPACES.sub(" ", text.casefold()).strip()
    folded = unicodedata.normalize("NFD", _STRIPPED.sub("", text)).casefold()
    folded = unicodedata.normalize("NFKC", folded).casefold()
    return _SPACES.sub(" ", unicodedata.normalize("NFKC", _STRIPPED.sub("", folded))).strip()


def mixed_script(text: str) -> bool:
    """Tell whether one word mixes Latin, Cyrillic and Greek letters, as look-alikes do.

    Hangul beside Latin in a word is ordinary Korean and does not count (UTS 39's idea, reduced
    to the three scripts whose letters are drawn alike).
    """
    if text.isascii() or not _ALIKE.search(text):
        return False
    return any(
        len({s for char in word if (s := _script(char))}) > 1
        for word in re.findall(r"[^\W\d_]+", text)
    )


def fold(text: str) -> Folded:
    """Return the form that detectors read, with the way back to the original."""
    if text.isascii():
        return Folded(text)
    if not _STRIPPED.search(text) and unicodedata.is_normalized("NFKC", text):
        return Folded(text)
    out: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in _clusters(text):
        piece = unicodedata.normalize("NFKC", _STRIPPED.sub("", text[start:end]))
        piece = _STRIPPED.sub("", piece)
        out.append(piece)
        starts.extend([start] * len(piece))
        ends.extend([end] * len(piece))
    return Folded("".join(out), starts, ends)


def placeholder(value: str) -> bool:
    """Tell whether ``value`` stands for a secret instead of being one: stars, templates, TBD."""
    return _PLACEHOLDER.fullmatch(value) is not None


def _clusters(text: str) -> list[tuple[int, int]]:
    """Cut ``text`` where normalising never reaches across: before each starter but medial jamo."""
    cuts = [
        i for i, char in enumerate(text)
        if i == 0 or not (unicodedata.combining(char) or "\u1160" <= char <= "\u11ff"
                          or _STRIPPED.match(char) or unicodedata.category(char) == "Mn")
    ]  # fmt: skip
    return list(zip(cuts, [*cuts[1:], len(text)], strict=True))


def _refuse_characters(text: str, field: str) -> None:
    if text.isprintable() and not _LISTED.search(text):
        return  # printable excludes every category below; the selectors alone are printable
    kinds = [kind for char in text if (kind := _kind(char))]
    if kinds:
        raise TextRefusedError(kind=kinds[0], field=field, length=len(kinds))


def _kind(char: str) -> str | None:
    if _STRIPPED.match(char):
        return None
    listed = next((kind for kind, chars in _LISTED_KINDS if chars.match(char)), None)
    return listed or _CATEGORY_KINDS.get(unicodedata.category(char))


def _refuse_length(text: str, cap: int, byte_cap: int, field: str) -> None:
    if len(text) > cap:
        raise TextTooLongError(field=field, cap=cap, length=len(text))
    if text.isascii() and len(text) <= byte_cap:
        return
    size = max(len(text.encode()), len(match_form(text).encode()))
    if size > byte_cap:
        raise TextTooLongError(field=field, cap=byte_cap, length=size)


def _refuse_marks(text: str, field: str) -> None:
    if text.isascii():
        return
    longest = run = 0
    for char in text:
        run = run + 1 if unicodedata.category(char) in {"Mn", "Me"} else 0
        longest = max(longest, run)
    if longest > MARKS_IN_A_ROW:
        raise TextRefusedError(kind="combining_marks", field=field, length=longest)


def _script(char: str) -> str | None:
    words = unicodedata.name(char, "").split()
    return next((script for script in _SCRIPTS if script in words), None)
