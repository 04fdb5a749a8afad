"""What an English utterance wants: save, move, cancel, ask, or none of these."""

import re
from typing import Final

from moss_memory.language.sense import Act, Sense

_ADDRESS: Final = re.compile(
    r"^(?:\W*(?:hey|hi|hello|ok(?:ay)?|yo|excuse\s+me)?,?\s*(?:siri|alexa|olly|"
    r"cortana|google|bixby|pda|assistant|computer|moss)\b[\s,.:!]*|"
    r"\W*(?:hey|hi|hello|hiya|oh|well|so|and|also|then|now|um+|uh+|ok(?:ay)?|yes|yeah|"
    r"yep|sure|right|great|cool|perfect|thanks|thank you|"
    r"awesome|nice|good|fine|excellent|alright|all right)\b(?:[\s]*[,.!:;-]+\s*|"
    r"\s+(?=(?:pl(?:ea)?[sz]e?|can|could|add|put|set|show|cancel|delete|remove|book|"
    r"make|what|when|let|i)\b)))+",
    re.IGNORECASE,
)
_POLITE: Final = re.compile(
    r"^(?:(?:please|pls|plz|kindly|just|maybe|actually|also|then|now|so|but|and)\b[\s,]*|"
    r"(?:you|u)\s+(?:can|could|should|may|must|need\s+to|have\s+to)\s+|i\s+(?:shall|"
    r"will)\s+|(?:can|could|would|will|won't|can't|couldn't)\s+(?:you|u|we|i|to)"
    r"\s+(?:(?:please|kindly|possibly|just|maybe|also)\s+)*(?!have\b|be\b|any\b)|"
    r"(?:would|do)\s+you\s+mind\s+|are\s+you\s+able\s+to\s+|am\s+i\s+able\s+to\s+|"
    r"is\s+it\s+possible\s+(?:to|for\s+you\s+to)\s+|are\s+there\s+ways?\s+to\s+|"
    r"is\s+there\s+(?:a|any)\s+way\s+(?:to|you\s+can)\s+|find\s+and\s+|"
    r"(?:i'?m\s+)?(?:gonna|wanna)\s+|i\s+(?:wanna|gotta)\s+|i'?m\s+planning\s+to\s+|"
    r"i\s+am\s+(?:going|trying|looking|planning)\s+to\s+|"
    r"(?:i|we)(?:'d|\s+would|\s+really)?\s+(?:want|need|like|love|wish|have)"
    r"(?:\s+for)?(?:\s+(?:you|u))?\s+to\s+(?:(?:please|just|also)\s+)*|"
    r"(?:i'd|i\s+would)\s+(?:like|love)\s+(?:for\s+)?(?:you\s+)?to\s+|i\s+(?:gotta|"
    r"got\s+to|must|should)\s+|i'?m\s+(?:going|trying|looking)\s+to\s+|"
    r"help\s+me\s+(?:to\s+)?|go\s+ahead\s+and\s+|go\s+and\s+|let'?s\s+|"
    r"let\s+me\s+(?!know\b)|make\s+sure\s+(?:to|you|that\s+you)\s+|try\s+(?:to|and)"
    r"\s+|be\s+sure\s+to\s+|"
    r"i\s+was\s+wondering\s+if\s+you\s+(?:can|could)\s+|i\s+hope\s+you\s+can\s+|"
    r"don'?t\s+forget\s+to\s+|remember\s+to\s+(?=add|put|schedule|book|cancel|delete|"
    r"remove))+",
    re.IGNORECASE,
)
EVENT: Final = (
    r"(?:meet(?:ing|ings|up|s)?|mtg|appoi?ntments?|appts?|events?|(?:conference\s+|"
    r"video\s+|phone\s+)?calls?|lunch(?:es)?|dinners?|breakfasts?|brunch|coffee|"
    r"part(?:y|ies)|birthdays?|b-?days?|anniversar(?:y|ies)|weddings?|class(?:es)?|"
    r"lessons?|practices?|interviews?|reviews?|stand-?ups?|"
    r"sync|1:1s?|one-on-ones?|conferences?|workshops?|seminars?|trainings?|sessions?|"
    r"presentations?|demos?|visits?|trips?|"
    r"deadlines?|exams?|finals|concerts?|games?|match(?:es)?|reunions?|ceremon(?:y|"
    r"ies)|check-?ups?|dentist|doctor'?s?|gym|yoga|haircuts?|vet|"
    r"retreats?|offsites?|webinars?|lectures?|rehearsals?|hearings?|drinks|"
    r"happy\s+hour|deployments?|deploy|maintenance|launch|release|planning|"
    r"kickoff|retro(?:spective)?|briefings?|debriefs?|town\s?hall|all-?hands|"
    r"office\s+hours|check-?in|recitals?|graduations?|funerals?|"
    r"church|service|picnics?|barbecue|bbq|playdates?|date\s+(?:with|night)|"
    r"dates?(?=\s+(?:at|on|with|tomorrow|tonight))|shopping|workout|therapy|surgery|"
    r"tournaments?|races?|festivals?|reservations?|"
    r"conference\s+room|meeting\s+rooms?|rooms?|functions?|gatherings?|hangout|"
    r"sleepover|soccer|football|tennis|golf|basketball|baseball|swimming|flights?|"
    r"band|choir|club|study\s+group)"
)
CALENDAR: Final = (
    r"(?:cal[ea]n[dt][ea]+r?s?|schedules?|agenda|diary|planner|itinerary|plans?|events?|"
    r"appoi?ntments?|meet+ings?|mettings?|reminders?|notifications?|commitments?|"
    r"availability)"
)
LEAVE: Final = (
    r"(?:vacations?|holidays?|annual\s+leave|sick\s+leave|parental\s+leave|(?<!\bi )"
    r"(?<!\bwe )(?<!\bto )(?<!you )(?<!'ll )(?<!they )(?<!\bhe )(?<!she )"
    r"(?<!please )leave(?!\s+(?:at\s+\d|home|the|for|from|me|it|a)\b)|on\s+leave|pto|"
    r"p\.t\.o|time[\s-]+off|days?[\s-]+off|half[\s-]?day|"
    r"out\s+of\s+(?:the\s+)?office|ooo|sick\s+days?|personal\s+days?|furlough)"
)
_OTHER: Final = re.compile(
    r"\b(?:alarms?|timers?|stopwatch|wake[\s-]?up|songs?|music|playlists?|album|"
    r"volume|radio|podcasts?|audiobooks?|movies?\s+(?:to|that|which)|weather|forecast|"
    r"temperature|"
    r"rain(?:ing|y)?|snow(?:ing)?|umbrella|traffic|commute|taxi|uber|lyft|cab|"
    r"train\s+ticket|tickets?|e-?mails?|gmail|inbox|tweet|facebook|twitter|instagram|"
    r"news|headlines|stocks?|shares?|exchange\s+rate|currency|shopping\s+list|"
    r"grocery\s+list|to-?do\s+list|(?:my|this|the|a|new|contact|friends?)\s+lists?|"
    r"lists\s+are|recipes?|restaurants?|pizza|takeaway|takeout|jokes?|"
    r"bank(?!\s+holiday)|account|balance|credit|debit|card|bill|payment|lights?|"
    r"lamps?|vacuum|socket|plug|coffee\s+(?:machine|pot|maker)|phone\s+number|"
    r"contacts?|translate|"
    r"flights?\s+from|hotel|apartment|calories|insurance|visa|tires?|spelling|definition|mail)\b",
    re.IGNORECASE,
)
_CANCEL: Final = (
    r"(?:(?:completely|totally|fully|entirely)\s+clear|cancel(?:s|l?ed|ling)?|"
    r"deletes?|rm|reset(?=\s+(?:all|my|the)\s)|wipe\s+out|removes?|erases?|clears?|"
    r"clean|destroy|disregard|unbook|eradicate|withdraw|dump|cut|kill|abort|ax|axe|"
    r"take\s+away|take\s+off|drop|scrap|call\s+off|get\s+rid\s+of|take\s+out|wipe|"
    r"scratch|nix|discard|unschedule|eliminate|"
    r"empty|undo|void|skip|forget\s+about|dismiss|trash|purge|rid)"
)
_MOVE: Final = (
    r"(?:move|re-?schedule|push|postpone|shift|change|bring\s+forward|delay|bump|swap|"
    r"update|modify|edit|switch|extend|shorten|advance|defer|put\s+off)"
)
_SAVE: Final = (
    r"(?:schedul\w*|book|add|put|set|create|make|arrange|plan|mark|note|remember|"
    r"remind|reserve|block|hold|save|enter|insert|record|pencil|log|register|"
    r"request|submit|organi[sz]e|place|input|include|invite|setup|write|store|keep|"
    r"send\s+(?:me\s+)?(?:a\s+)?(?:reminder|notice|invite|notification)|notify|alert|"
    r"jot|stick|throw|pop|slot|activate|prepare|generate|draft|compose|assign|settle|"
    r"confirm\s+(?:a|an)|give\s+me\s+(?:a|an)\s+(?:\w+\s+)?(?:reminder|notification|"
    r"alert)|fix|file|post|start|repeat|warn|ping|do\s+schedule|get\s+me)"
)
_ASK: Final = (
    r"(?:show|list|tell|check|summari[sz]e|give|display|read|find|look|view|see|"
    r"search|know|pull\s+up|bring\s+up|recite|describe|recap|review|open|"
    r"print|go\s+over|go\s+through|run\s+through|walk\s+me|report|confirm|verify|"
    r"count|scan|inform|peek|get|provide|refresh|recall|let\s+(?:me|us)\s+know|are|is|"
    r"do|does|hear)"
)
_WH: Final = re.compile(
    r"^(?:what(?:'?s|'re)?|when(?:'?s)?|where(?:'?s)?|who(?:'?s|m)?|which|how|why|"
    r"whose|is|are|am|do|does|did|was|were|have\s+i|have\s+we|has|had|will|shall|"
    r"should|any(?:thing|one|body)?|"
    r"isn't|aren't|don't\s+i|at\s+what|on\s+(?:what|which)|in\s+(?:what|which)|"
    r"for\s+(?:what|which)|what|whats|hows|whens|wheres)\b",
    re.IGNORECASE,
)
_PROHIBIT: Final = re.compile(
    r"\b(?:don'?t|do\s+not|never|should\s?n'?t|should\s+not|must\s?n'?t|must\s+not|"
    r"cannot|can'?t\s+(?:you\s+)?(?:put|book|have)|may\s+not|avoid|refrain\s+from|"
    r"no\s+need\s+to|"
    r"stop|please\s+not|not\s+to|without)\b(?:\s+(?:ever|let|allow|anyone|anybody|you|"
    r"please|want\s+(?:you\s+)?to|need\s+(?:you\s+)?to))*\s+"
    rf"(?:\w+\s+)?(?:{_SAVE}|{_MOVE}|{_CANCEL}|touch|allow|let|accept|have|do)(?:e?ing|"
    r"ting|e?d)?\b|\b(?:no|zero)\s+(?:more\s+)?(?:meetings?|calls?|events?|"
    r"appointments?)\b(?!.*\?)",
    re.IGNORECASE,
)
_NOT_PROHIBIT: Final = re.compile(
    r"\bdon'?t\s+(?:let\s+me\s+)?forget\b|\bwhy\s+(?:don'?t|not)\b|\bdon'?t\s+i\b|\bnever\s?mind\b",
    re.IGNORECASE,
)
_HOW_TO_ANSWER: Final = re.compile(
    r"\b(?:from\s+now\s+on|always|in\s+(?:the\s+)?future|going\s+forward|whenever|"
    r"every\s+time|when(?:ever)?\s+(?:any|some)(?:one|body))\b[^.]*\b(?:answer|reply|"
    r"respond|say|speak|talk|call\s+me|treat|use|write|tell|address)\b|"
    r"^(?:please\s+)?(?:answer|reply|respond|speak|talk|be)\b[^.]*\b(?:in|short|brief|"
    r"concise|briefly|shorter|polite|formal)\b|"
    r"\b(?:your|the)\s+(?:answers?|repl(?:y|ies)|responses?)\b|\bstanding\s+note\b|"
    r"\btrusted\s+(?:source|vendor|partner)\b|\brecommend\s+it\s+first\b|"
    r"\bignore\s+(?:all|any|previous|the)\b|"
    r"\bremember\s+(?:those|these)\s+(?:steps|rules|instructions)\b|\btreat\s+\w+\s+as\b",
    re.IGNORECASE,
)
_RELAYED: Final = re.compile(
    r"\b(?:says?|said|wrote|writes|reads?|states?|according\s+to|told\s+me|mentions?|"
    r"claims?|email(?:ed)?|message)\b\s*(?:that\s*)?[:,]?\s*[\"“'‘]|"
    r"^(?:the|this|an?|her|his|their)\s+[\w\s]{0,30}?(?:doc(?:ument)?|e?-?mail|page|"
    r"article|note|message|letter|website|post|wiki|assistant|bot)\s+(?:says|said|"
    r"reads|states|claims|mentions|thinks)\b|"
    r"^(?:you|the\s+assistant|assistant)\s+(?:seem|said|say|think|guess|told|"
    r"mentioned|suggested)\b|"
    r"^(?:assistant|bot|ai|system)\s*:",
    re.IGNORECASE,
)
_CLOCK_TALK: Final = re.compile(
    r"\b(?:what|tell|know|give)\b[^.?]*\b(?:the|today'?s|current|what)\s+(?:date|time|"
    r"day)(?:\s+(?:is\s+it|today|now|it\s+is|of\s+(?:the\s+)?week|please|is|"
    r"right))*\W*$",
    re.IGNORECASE,
)
_OUTSIDE: Final = re.compile(
    r"\b(?:in|around|near|across)\s+(?:town|the\s+(?:city|area|neighbou?rhood)|"
    r"my\s+(?:area|city|neighbou?rhood)|here)\b|\bnear\s?by\b|\bnear\s+me\b|"
    r"\brecommend\b|\bsuggest\b",
    re.IGNORECASE,
)
_CHAT: Final = re.compile(
    r"\b(?:jokes?|poems?|riddles?|sing|story|stories|trivia)\b", re.IGNORECASE
)
_PAST: Final = re.compile(
    r"\b(?:was|were|went|had|took|attended|did|met|used|been|visited|stayed|spent|"
    r"came|saw)\b(?!\s+(?:wondering|hoping|thinking|going\s+to))",
    re.IGNORECASE,
)
_OFF: Final = re.compile(
    r"\b(?:i|we)(?:'m|'ll|'re|\s+am|\s+are|\s+was|\s+were|\s+will|\s+shall|\s+won't|"
    r"'ve|\s+have)?\s+(?:also\s+|going\s+to\s+|gonna\s+|probably\s+|planning\s+to\s+|"
    r"not\s+)?(?:be\s+|been\s+)?"
    r"(?:on\s+(?:\w+\s+)?(?:vacation|leave|holiday|pto|furlough)|off\b(?!\s+to\b)|"
    r"away\b(?!\s+from\s+(?:keyboard|my\s+desk))|out\b(?!\s+of\s+(?!(?:the\s+)?office|"
    r"town))|"
    r"(?:taking|take|took|have|having|had|using|use|booked|got|get|getting)"
    r"\s+(?:(?!\b(?:meeting|call|lunch)\b).){0,40}?\b(?:off|leave|vacation|holiday|"
    r"pto)\b|working\s+(?:in|at|today|tomorrow)|not\s+working)|"
    rf"^(?:my\s+)?(?:{LEAVE}|off)\b|\bnot\s+working\b",
    re.IGNORECASE,
)
_MINE: Final = re.compile(
    r"^(?:i|we)(?:'ve|\s+have|\s+got|'ve\s+got|\s+am\s+having|'m\s+having|"
    r"'ll\s+(?:have|be)|\s+will\s+(?:have|be)|\s+will|'ll|'m|\s+am|'re|\s+are|\s+had|"
    r"\s+need|\s+must|\s+shall)\b|^there(?:'s|\s+is|\s+will\s+be)\b|^my\s+|^our\s+|"
    rf"^(?:the|a|an)\s+(?:[\w'-]+\s+){{0,4}}?{EVENT}\b",
    re.IGNORECASE,
)
EVENT_WORD: Final = re.compile(rf"\b{EVENT}\b", re.IGNORECASE)
_CALENDAR_WORD: Final = re.compile(rf"\b{CALENDAR}\b", re.IGNORECASE)
_PASSIVE_CANCEL: Final = re.compile(
    r"\b(?:events?|meetings?|appointments?|party)\s+(?:removed|deleted|cancell?ed)\b|"
    r"\b(?:remove|delete|erase|cancel)\s+(?:all|every)\b|\b(?:be|is|gets?|got|get|"
    r"have|want|need|needs|everything|all|it)\b.{0,40}?\b(?:cancell?ed|deleted|"
    r"removed|erased|cleared|wiped)\b(?!\s*\?)",
    re.IGNORECASE,
)
_MY_CALENDAR: Final = re.compile(
    r"\bcal[ea]n[dt][ea]+r?s?\b|\b(?:my|the|our|today'?s|tomorrow'?s)"
    r"\s+(?:\w+\s+)?(?:schedule|agenda|diary|planner|itinerary)\b",
    re.IGNORECASE,
)
LEAVE_WORD: Final = re.compile(rf"\b{LEAVE}\b", re.IGNORECASE)
_ABOUT_ME: Final = re.compile(
    r"\b(?:i|me|my|we|our|us)\b|\bcal[ea]n[dt][ea]+r?s?\b|\b(?:scheduled|planned|"
    r"booked|upcoming|coming\s+up|lined\s+up|going\s+on|happening)\b",
    re.IGNORECASE,
)
_BUSY: Final = re.compile(
    r"\b(?:free|busy|available|availability|booked|scheduled|planned|open|"
    r"spare\s+time|going\s+on|happening|coming\s+up|lined\s+up|got\s+on|on\s+for|"
    r"anything|doing|up\s+to|meet(?:ing)?|clear|off|vacation|leave|appointments?|"
    r"plans?|left|next)\b",
    re.IGNORECASE,
)


def sense_of(text: str, *, timed: bool) -> Sense:
    """Name what an utterance wants; ``timed`` says that it names a time."""
    whole = re.sub(r"\s+", " ", text.replace("’", "'").replace("`", "'")).strip()
    body = _strip(whole)
    past = bool(_PAST.search(whole))
    barred = _barred(whole)
    if barred is not None:
        return Sense(act="none", reason=barred, body=body, past=past)
    why = bool(
        re.match(r"^(?:why|how\s+come|what(?:'s|\s+is)\s+the\s+reason)\b", body, re.IGNORECASE)
    )
    best: tuple[Act, str] = ("none", "small_talk")
    for clause in _clauses(whole):
        found = _clause(_strip(clause), clause, timed=timed)
        if _RANK[found[0]] > _RANK[best[0]]:
            best = found
    return Sense(act=best[0], reason=best[1], body=body, past=past, why=why and best[0] == "ask")


_CLAUSE_BREAK: Final = re.compile(
    r"(?<=[.!?])\s+|;\s*|,\s*(?=(?:can|could|please|so|but|set|add|put|remind|"
    r"schedule|book|cancel|take|remove|delete)\b)|"
    r"\s+so\s+(?=(?:i|we|please|can)\b)|"
    r"\s+(?=(?:please\s+)?(?:set\s+(?:me\s+)?(?:a\s+)?reminder|remind\s+me)\b)|"
    r"\s+and\s+(?=(?:please\s+)?(?:erase|set|add|put|remind|schedule|book|cancel|"
    r"remove|delete|make|create|then)\b)",
    re.IGNORECASE,
)
_LEAD: Final = re.compile(  # a time said before the verb: "on the 20th clear my calendar"
    r"^(?:on|for|at|in|from|next|this|tomorrow|today|tonight)"
    rf"\b(?!'s)[\w\s',:/]{{0,30}}?[\s,]+(?=(?:{_CANCEL}|{_MOVE}|please|schedule|book|"
    r"add|put|remind|set|create|what|show|am\s+i|do\s+i|is|are|can|could|i)\b)",
    re.IGNORECASE,
)
_TERSE: Final = 4  # words of a heading
_RANK: Final[dict[Act, int]] = {"none": 0, "ask": 1, "save": 2, "move": 3, "cancel": 4}


def _barred(whole: str) -> str | None:
    """Say why an utterance may write nothing at all."""
    if _HOW_TO_ANSWER.search(whole):
        return "instruction"
    if _CHAT.search(whole) and not _MY_CALENDAR.search(whole):
        return "small_talk"
    if _RELAYED.search(whole):
        return "relayed"
    if _PROHIBIT.search(whole) and not _NOT_PROHIBIT.search(whole) and "?" not in whole:
        return "prohibition"
    return None


def _clauses(whole: str) -> list[str]:
    pieces = _CLAUSE_BREAK.split(whole)
    return [piece.strip() for piece in pieces if piece and piece.strip()]


def _strip(clause: str) -> str:
    before = None
    body = clause.strip().lstrip("<\"'“‘(- ")
    while before != body:
        before = body
        body = _ADDRESS.sub("", body).strip()
        body = _POLITE.sub("", body).strip()
        body = _LEAD.sub("", body).strip()
    return body


def _clause(body: str, said: str, *, timed: bool) -> tuple[Act, str]:
    if re.match(
        r"^(?:send|write|compose|create|reply|forward|draft|read)\b.*\b(?:e-?mails?|"
        r"texts?|tweet|message)\b",
        body,
        re.IGNORECASE,
    ):
        return "none", "other_domain"
    if re.match(rf"^{_CANCEL}\b", body, re.IGNORECASE):
        return _cancel(body, timed=timed)
    if re.search(
        r"\b(?:don'?t|do\s+not|no\s+longer)\s+(?:need|want)\s+(?:to\s+(?:go\s+to|"
        r"attend|have)\s+)?(?:that|this|the|my|any|those|these)\b",
        said,
        re.IGNORECASE,
    ) and EVENT_WORD.search(body):
        return "cancel", "not_wanted"
    if re.search(
        r"\btak(?:e|ing)\b.{1,60}?\b(?:off|out)\b(?!.*\bday off)", body, re.IGNORECASE
    ) and (
        _MY_CALENDAR.search(body)
        or re.search(r"\btake\s+(?:it|that|this|them)\s+(?:off|out)\b", body, re.IGNORECASE)
    ):
        return "cancel", "take_off"
    if re.search(
        rf"\b(?:no\s+longer|not\s+going|won't\s+(?:be|go|make)|can't\s+make)\b", body
    ) and EVENT_WORD.search(body):
        return "cancel", "not_going"
    if (
        _PASSIVE_CANCEL.search(body)
        and not _WH.match(said)
        and (EVENT_WORD.search(body) or _CALENDAR_WORD.search(body))
    ):
        return "cancel", "cancel_passive"
    if re.match(rf"^{_MOVE}\b", body, re.IGNORECASE):
        return _move(body, timed=timed)
    if re.search(
        r"\b(?:make|keep|needs?\s+to\s+be|leave)\b.*\b(?:clear|blank|empty|wide\s+open)\b",
        body,
        re.IGNORECASE,
    ) and _MY_CALENDAR.search(body):
        return "cancel", "keep_clear"
    if _asks(body, said):
        return _question(body, said, timed=timed)
    if re.match(
        rf"^(?:(?:a|my|the)\s+)?new\s+(?:calendar\s+)?(?:{CALENDAR}|{EVENT}|entry)\b",
        body,
        re.IGNORECASE,
    ):
        return "save", "new_event"
    if (
        re.match(
            r"^(?:let\s+me\s+know|tell\s+me|inform\s+me)\b.*\b(?:before|"
            r"when\s+it(?:'s|\s+is)|in\s+advance|ahead\s+of)\b",
            body,
            re.IGNORECASE,
        )
        and timed
    ):
        return "save", "told_before"
    if re.match(
        r"^plans?\s+for\s+(?:today|tomorrow|tonight|this|next|the|\w+day)\b(?:\s+\w+)?\W*$",
        body,
        re.IGNORECASE,
    ):
        return "ask", "heading"
    if re.match(rf"^{_SAVE}\b", body, re.IGNORECASE):
        return _save(body, timed=timed)
    return _statement(body, said, timed=timed)


def _cancel(body: str, *, timed: bool) -> tuple[Act, str]:
    if (
        _OTHER.search(body)
        and not _MY_CALENDAR.search(body)
        and not re.search(
            r"\b(?:meetings?|appointments?|events?|reminders?)\b", body, re.IGNORECASE
        )
    ):
        return "none", "other_domain"
    pronoun = re.search(r"\b(?:it|that|this|them|those|one)\b", body, re.IGNORECASE)
    known = EVENT_WORD.search(body) or _CALENDAR_WORD.search(body) or LEAVE_WORD.search(body)
    named = re.search(
        rf"^{_CANCEL}\s+(?:my|the|our|all|everything|this|that|\w+'s)\b", body, re.IGNORECASE
    )
    if known or timed or pronoun or named:
        return "cancel", "cancel_verb"
    return "none", "nothing_to_cancel"


def _move(body: str, *, timed: bool) -> tuple[Act, str]:
    if _OTHER.search(body) and not _CALENDAR_WORD.search(body):
        return "none", "other_domain"
    if re.match(r"^update\b", body, re.IGNORECASE) and not timed:
        return ("save", "update") if _CALENDAR_WORD.search(body) else ("none", "nothing_to_move")
    if timed or EVENT_WORD.search(body) or _CALENDAR_WORD.search(body):
        return "move", "move_verb"
    return "none", "nothing_to_move"


def _asks(body: str, said: str) -> bool:
    if re.match(
        r"^(?:set|add|create|make|schedule|book|put|remind|reserve|mark)\b", body, re.IGNORECASE
    ):
        return False
    return bool(
        _WH.match(body)
        or re.match(rf"^{_ASK}\b", body, re.IGNORECASE)
        or said.rstrip().endswith("?")
    )


def _question(body: str, said: str, *, timed: bool) -> tuple[Act, str]:
    about = _CALENDAR_WORD.search(body) or EVENT_WORD.search(body) or LEAVE_WORD.search(body)
    if (_CLOCK_TALK.search(body) and not _CALENDAR_WORD.search(body)) or _OUTSIDE.search(body):
        return "none", "other_question"
    if (
        _OTHER.search(body)
        and not _MY_CALENDAR.search(body)
        and not re.search(
            r"\b(?:meetings?|appointments?|events?\s+(?:on|in)\s+my|"
            r"my\s+\w+\s+(?:appointment|meeting|event))\b",
            body,
            re.IGNORECASE,
        )
    ):
        return "none", "other_domain"
    if (
        re.match(
            r"^how\s+(?:much|many|long|soon|far)\b.*\b(?:until|till|before|to|away)\b",
            body,
            re.IGNORECASE,
        )
        and about
    ):
        return "ask", "how_long_until"
    if re.match(r"^(?:get|give)\s+me\b", body, re.IGNORECASE) and not about:
        return "none", "small_talk"
    mine = _ABOUT_ME.search(body)
    if about and (
        mine
        or timed
        or _CALENDAR_WORD.search(body)
        or re.match(
            r"^(?:when|what|which|is|are|any|why|how|who|where|did|was|has|does)\b",
            body,
            re.IGNORECASE,
        )
    ):
        return "ask", "calendar_question"
    if re.match(
        r"^(?:what|which)\s+(?:else\s+|time\s+|days?\s+|do\s+)?(?:am|do|have|are|"
        r"should|must)?\s*(?:i|we)\s+(?:have|got|supposed|going|need|meeting|doing|"
        r"scheduled)\b",
        body,
        re.IGNORECASE,
    ):
        return "ask", "day_question"
    if mine and timed and _BUSY.search(body):
        return "ask", "day_question"
    if timed and re.match(
        r"^(?:what(?:'?s|\s+is|\s+do|\s+have)|anything|is\s+there|are\s+there|am\s+i|"
        r"do\s+i|what\s+am)\b",
        body,
        re.IGNORECASE,
    ):
        return "ask", "day_question"
    if mine and re.search(
        r"\b(?:free|available|busy|spare\s+time|scheduled|planned|coming\s+up|off|booked)\b",
        body,
        re.IGNORECASE,
    ):
        return "ask", "availability"
    if re.match(
        r"^(?:where\s+do\s+i\s+(?:live|work)|what(?:'s|\s+is)\s+my\s+name|"
        r"who\s+am\s+i|what\s+do\s+i\s+(?:like|love|hate|dislike|prefer)|"
        r"do\s+i\s+(?:like|hate|love|prefer)|(?:what|which)\s+languages?\s+do\s+i|"
        r"why\s+(?:am|do|did|is|was)\s+(?:i|my)|is\s+the\s+\w+\s+(?:light|door|"
        r"heater)|are\s+the\s+lights)\b",
        body,
        re.IGNORECASE,
    ):
        return "ask", "memory_question"
    return "none", "other_question"


def _save(body: str, *, timed: bool) -> tuple[Act, str]:
    calendar = _MY_CALENDAR.search(body)
    if (
        _OTHER.search(body)
        and not calendar
        and not re.search(r"\b(?:remind\w*|meetings?|appointments?|events?)\b", body, re.IGNORECASE)
    ):
        return "none", "other_domain"
    if (
        calendar
        or EVENT_WORD.search(body)
        or _CALENDAR_WORD.search(body)
        or LEAVE_WORD.search(body)
    ):
        return "save", "save_verb"
    if re.match(r"^remind\s+(?:me|us)\s+(?:what|when|where|who|which|how)\b", body, re.IGNORECASE):
        return "ask", "remind_what"
    if re.match(r"^(?:remind|note|remember|mark|alert|notify)\b", body, re.IGNORECASE):
        return (
            ("save", "remind")
            if timed
            or re.match(r"^remind\s+(?:me|us)\s+(?:to|of|about|that)\b", body, re.IGNORECASE)
            else ("none", "nothing_to_save")
        )
    if timed and re.match(
        r"^(?:schedule|book|add|put|plan|arrange|block|hold|reserve|pencil|set\s+up)\b",
        body,
        re.IGNORECASE,
    ):
        return "save", "save_verb_timed"
    return "none", "nothing_to_save"


def _statement(body: str, said: str, *, timed: bool) -> tuple[Act, str]:
    if (
        re.search(r"\b(?:schedule|agenda|calendar|plans?|itinerary)\W*$", body, re.IGNORECASE)
        and len(body.split()) <= _TERSE
        and not _MINE.match(said)
    ):
        return "ask", "heading"
    if re.match(
        rf"^(?:(?:my|the)\s+)?(?:next|upcoming|latest)\s+(?:{CALENDAR}|{EVENT})\W*$",
        body,
        re.IGNORECASE,
    ):
        return "ask", "heading"
    if re.match(
        r"^(?:all\s+|my\s+)?(?:upcoming|latest|next|future|pending|remaining|today'?s|"
        r"tomorrow'?s)\s+(?:events?|meetings?|appointments?|reminders|schedule|plans)"
        r"\W*$",
        body,
        re.IGNORECASE,
    ):
        return "ask", "heading"
    if (
        timed
        and re.search(r"\b(?:meetings|events|appointments|reminders|plans)\b", body, re.IGNORECASE)
        and not _MINE.match(said)
        and len(body.split()) <= 2 * _TERSE
    ):
        return "ask", "plural_heading"
    if (
        re.match(
            r"^(?:i|we)\s+(?:need|want|would\s+like|'d\s+like)\s+(?:to\s+(?:have|make|"
            r"go\s+on|take)\s+)?(?:a|an|some|my)?\b.*",
            said,
            re.IGNORECASE,
        )
        and (EVENT_WORD.search(body) or LEAVE_WORD.search(body))
        and not _OTHER.search(body)
    ):
        return "save", "wished"
    if re.match(r"^(?:go|going|be|take|have)\b", body, re.IGNORECASE) and LEAVE_WORD.search(body):
        return "save", "leave_wished"
    if _OTHER.search(body) and not _MY_CALENDAR.search(body) and not _CALENDAR_WORD.search(body):
        return "none", "other_domain"
    if re.match(
        r"^(?:my|our)?\s*(?:meetings|events|appointments|plans?|schedule|agenda|"
        r"reminders|calendar)\b",
        body,
        re.IGNORECASE,
    ):
        return "ask", "plural_heading"
    if _OFF.search(said) and (timed or LEAVE_WORD.search(said)):
        return "save", "leave_statement"
    if timed and re.match(
        r"^(?:i|we)(?:'m|'re|'ll|\s+am|\s+are|\s+will)?\s+(?:be\s+)?(?:leav(?:e|ing)|"
        r"depart(?:ing)?|fly(?:ing)?|travel(?:l?ing)?|arriv(?:e|ing)|mov(?:e|ing)"
        r"\s+(?:to|out|in))\b",
        said,
        re.IGNORECASE,
    ):
        return "save", "journey"
    if timed and re.match(r"^(?:take|taking)\b.*\boff\W*$", body, re.IGNORECASE):
        return "save", "leave_wished"
    if (
        timed
        and re.search(r"\bevery\s+(?!one\b|body\b|thing\b)", body, re.IGNORECASE)
        and not _OTHER.search(body)
    ):
        return "save", "repeated"
    if _leave_of_another(body):
        return "none", "another_person"
    if timed and _MINE.match(said) and (EVENT_WORD.search(body) or LEAVE_WORD.search(body)):
        return "save", "event_statement"
    if timed and (EVENT_WORD.search(body) or LEAVE_WORD.search(body)) and not _verbal(body):
        return "save", "event_phrase"
    if re.search(rf"\b(?:{_SAVE})\b", body, re.IGNORECASE) and (
        _MY_CALENDAR.search(body) or LEAVE_WORD.search(body)
    ):
        return "save", "save_inside"
    return "none", "small_talk"


def _leave_of_another(body: str) -> bool:
    return bool(
        re.match(
            r"^(?!i\b|we\b|my\s+(?:vacation|leave|holiday|pto|day)|"
            r"our\b)[\w\s']{1,30}?\b(?:is|are|was|will\s+be|'s|takes?|has|have|goes)"
            r"\b.*",
            body,
            re.IGNORECASE,
        )
        and LEAVE_WORD.search(body)
    )


def _verbal(body: str) -> bool:
    """A whole sentence about something else, not the heading of an event."""
    return bool(
        re.match(
            r"^(?:he|she|they|it|you|this|that|there|i|we|who|the\s+\w+\s+(?:is|was|says))\b",
            body,
            re.IGNORECASE,
        )
        or re.search(
            r"\b(?:is|was|were|are)\s+(?:\w+ing|so|very|really|too|great|good|bad|boring)\b",
            body,
            re.IGNORECASE,
        )
    )
