"""What must never be stored: secrets and identifiers are refused, contact data masked in place.

Detectors (``tokens``, ``passwords``, ``phrased``, ``keyed``, ``identifiers``, ``contacts``) read
the folded form: full-width digits or a zero-width space hide nothing. Spans are mapped back; the
words around a mask stay as they were. Names, addresses and company numbers are allowed: no rule
tells them from ordinary words, and that is policy. A seed phrase is told by shape, see
``_seed_phrases``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from moss_memory.core.contacts import contacts, ibans
from moss_memory.core.errors import TextRefusedError
from moss_memory.core.identifiers import identifier_likes, identifiers
from moss_memory.core.keyed import entropy, generic_secrets
from moss_memory.core.late import late
from moss_memory.core.passwords import passwords
from moss_memory.core.phrased import phrased_secrets
from moss_memory.core.text import Span, fold
from moss_memory.core.tokens import links, meeting_codes, tokens

_INTERESTING: Final = late(  # a text without any of these has nothing to find
    r"(?i)@|\[at\]|\(at\)|://|\d(?:\D{0,5}\d){5}|[a-z0-9_/+-]{16}|private key|putty"
    r"|pass|pwd|p/?w|pin|otp|code|2fa|mfa|tan\b|key|secret|token|cred|log-?in|bearer|basic|cv[cv]"
    r"|comb[oi]|verif|cookie|curl|-cli|mysql|인증|비밀|비번|패스|암호|핀|번호|코드|현관|도어|로그인|계정|접속|[키큰릿]|(?:[a-z]{3,8}[\W\d]+){11}"
)
_PHRASE: Final = late(r"(?<![\w'-])[a-z]{3,8}(?:[ ]+[a-z]{3,8}){11,23}(?![\w'-])")
_PHRASE_ANY: Final = late(
    r"(?i)(?<![\w'-])[a-z]{3,8}(?:[\s,;.:()\d-]{1,6}[a-z]{3,8}){11,23}(?![\w'-])"
)
_PHRASE_WORD: Final = late(
    r"(?i)(?:seed|recovery|secret|backup|wallet|mnemonic)\s?(?:phrase|words?|seed)|mnemonic"
    r"|시드\s?(?:구문|문구|단어)|복구\s?(?:구문|문구|단어)|니모닉"
)
_PHRASE_WORDS: Final = 12
_GLUE: Final = frozenset(  # in every sentence, on no list of seed words
    """and are but did does for from get goes had has have her him his how its let may might not our
    please shall she should than the their them these those too was were who whom whose why would
    yes your""".split()  # noqa: SIM905
)
_INFLECTED: Final = late(r"(?:[^s]{2}s|[a-z]{3}ing|[a-z]{2}[^aeiou]ed)$")
_SHUFFLED: Final = late(r"(?<![\w+/=-])[\w+/=-]{32,}(?![\w+/=-])")
_HEX: Final = late(r"(?i)[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class Mask:
    """One thing masked: its kind, the label in its place, its span in the text given."""

    kind: str
    label: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Screened:
    """The text with masks in place. ``flags`` hold kinds worth an alarm and no action."""

    text: str
    masks: tuple[Mask, ...] = ()
    flags: tuple[str, ...] = ()


def screen(text: str, *, field: str) -> Screened:
    """Return ``text`` as it may be stored, with contact data masked as ``[email#1]``.

    Labels count from 1 in each text and kind; the same value twice has the same label. Screening
    what was screened changes nothing.

    Raises:
        TextRefusedError: a credential or a unique identifier; ``kind``, ``field`` and ``length``
            (characters of the offending span) say what, never its value.
    """
    folded = fold(text)
    if not _INTERESTING.search(folded.text):
        return Screened(text)
    refused = next(_refused(folded.text), None)
    if refused is not None:
        start, end = folded.span(refused.start, refused.end)
        raise TextRefusedError(kind=refused.kind, field=field, length=end - start)
    masks = _labelled(folded.text, _apart(_masked(folded.text)))
    masks = [Mask(m.kind, m.label, *folded.span(m.start, m.end)) for m in masks]
    return Screened(_replaced(text, masks), tuple(masks), tuple(_flags(folded.text)))


def redact(text: str) -> str:
    """Return ``text`` for a log line: what ``screen`` refuses or masks becomes ``[kind]``."""
    folded = fold(text)
    if not _INTERESTING.search(folded.text):
        return text
    spans = _apart([*_refused(folded.text), *_masked(folded.text)])
    masks = [Mask(s.kind, f"[{s.kind}]", *folded.span(s.start, s.end)) for s in spans]
    return _replaced(text, masks)


def _refused(text: str) -> Iterator[Span]:
    yield from tokens(text)
    banked = list(ibans(text))  # the digits of one may pass for a card
    yield from (span for span in identifiers(text) if not _within(span, banked))
    yield from links(text)
    invited = list(meeting_codes(text))
    for found in (passwords(text), phrased_secrets(text)):
        yield from (span for span in found if not _within(span, invited))
    yield from generic_secrets(text)
    yield from _seed_phrases(text)


def _within(span: Span, others: list[Span]) -> bool:
    return any(other.start <= span.start < other.end for other in others)


def _masked(text: str) -> Iterator[Span]:
    yield from meeting_codes(text)
    yield from identifier_likes(text)
    yield from contacts(text)


def _seed_phrases(text: str) -> Iterator[Span]:
    """Yield runs of 12 to 24 words that read like a wallet's seed (BIP-39).

    The list of 2,048 words is not carried, so its checksum is not computed: beside a word such as
    "seed phrase" any such run counts; alone, a run of bare lower-case words without the glue
    of a sentence (and, the, for) and with hardly any inflected word.
    """
    named = _PHRASE_WORD.search(text)
    form = _PHRASE_ANY if named else _PHRASE
    for match in form.finditer(text):
        if any(_is_phrase(words, named=named is not None) for words in _unglued(match.group())):
            yield Span("seed_phrase", *match.span())


def _unglued(run: str) -> Iterator[list[str]]:
    """Cut a run of words at the words that belong to sentences."""
    words = re.findall(r"[a-z]+", run.lower())
    for glued, part in groupby(words, key=_GLUE.__contains__):
        if not glued:
            yield list(part)


def _is_phrase(words: list[str], *, named: bool) -> bool:
    inflected = sum(bool(_INFLECTED.search(word)) for word in words)
    return len(words) >= _PHRASE_WORDS and (named or inflected <= len(words) // 6)


def _flags(text: str) -> Iterator[str]:
    for match in _SHUFFLED.finditer(text):
        bound = 3.0 if _HEX.fullmatch(match.group()) else 4.5
        if entropy(match.group()) > bound:
            yield "high_entropy"


def _apart(spans: Iterator[Span] | list[Span]) -> list[Span]:
    """Keep spans that do not overlap, in the order of the text; the earlier found one wins."""
    kept: list[Span] = []
    for span in dict.fromkeys(spans):
        if all(span.end <= other.start or other.end <= span.start for other in kept):
            kept.append(span)
    return sorted(kept, key=lambda span: span.start)


def _labelled(text: str, spans: list[Span]) -> list[Mask]:
    seen: dict[str, dict[str, int]] = {}
    masks = []
    for span in spans:
        numbers = seen.setdefault(span.kind, {})
        number = numbers.setdefault(text[span.start : span.end], len(numbers) + 1)
        masks.append(Mask(span.kind, f"[{span.kind}#{number}]", span.start, span.end))
    return masks


def _replaced(text: str, masks: list[Mask]) -> str:
    out, at = [], 0
    for mask in masks:
        out += [text[at : mask.start], mask.label]
        at = max(at, mask.end)
    return "".join([*out, text[at:]])
