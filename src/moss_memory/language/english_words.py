"""English words that tell what an utterance is about and what it wants."""

import re
from typing import Final

from moss_memory.core.late import late

ADDRESS: Final = late(
    r"^(?:\W*(?:hey|hi|hello|ok(?:ay)?|yo|excuse\s+me)?,?\s*(?:siri|alexa|olly|"
    r"cortana|google|bixby|pda|assistant|computer|moss)\b[\s,.:!]*|"
    r"\W*(?:hey|hi|hello|hiya|oh|well|so|and|also|then|now|um+|uh+|ok(?:ay)?|yes|yeah|"
    r"yep|sure|right|great|cool|perfect|thanks|thank you|"
    r"awesome|nice|good|fine|excellent|alright|all right)\b(?:[\s]*[,.!:;-]+\s*|"
    r"\s+(?=(?:pl(?:ea)?[sz]e?|can|could|add|put|set|show|cancel|delete|remove|book|"
    r"make|what|when|let|i)\b)))+",
    re.IGNORECASE,
)
POLITE: Final = late(
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
OTHER: Final = late(
    r"\b(?:alarms?|timers?|stopwatch|wake[\s-]?up|songs?|music|playlists?|album|"
    r"volume|radio|podcasts?|audiobooks?|movies?\s+(?:to|that|which)|weather|forecast|"
    r"temperature|"
    r"rain(?:ing|y)?|snow(?:ing)?|umbrella|traffic|commute|taxi|uber|lyft|cab|"
    r"train\s+ticket|tickets?|e-?mails?|gmail|inbox|tweet|facebook|twitter|instagram|"
    r"news|headlines|stocks?|shares?|exchange\s+rate|currency|shopping\s+list|"
    r"grocery\s+list|to-?do\s+list|(?:my|this|the|a|new|contact|friends?)\s+lists?|"
    r"lists\s+are|recipes?|restaurants?|pizza|takeaway|takeout|jokes?|"
    r"bank(?!\s+(?:holiday|manager|meeting))|account|balance|credit|debit|card|bill|payment|lights?|"
    r"lamps?|vacuum|socket|plug|coffee\s+(?:machine|pot|maker)|phone\s+number|"
    r"contacts?|translate|"
    r"flights?\s+from|(?:find|search|book|get)\s+(?:me\s+)?(?:an?\s+|cheap\s+)*flights?|tables?\s+for|won(?!')|scores?|hotel|apartment|calories|insurance|visa|tires?|spelling|definition|mail)\b",
    re.IGNORECASE,
)
CANCEL: Final = (
    r"(?:(?:completely|totally|fully|entirely)\s+clear|cancel(?:s|l?ed|ling)?|"
    r"deletes?|rm|reset(?=\s+(?:all|my|the)\s)|wipe\s+out|removes?|erases?|clears?|"
    r"clean|destroy|disregard|unbook|eradicate|withdraw|dump|cut|kill|abort|ax|axe|"
    r"take\s+away|take\s+off(?=\s+(?:the|my|that|this|all|everything)\b)|drop|scrap|call\s+off|get\s+rid\s+of|take\s+out|wipe|"
    r"scratch|strike|nuke|ditch|bin|chuck|nix|discard|unschedule|eliminate|"
    r"empty|undo|void|skip|forget\s+(?:about|the|my|that)|free\s+up|dismiss|trash|purge|rid)"
)
MOVE: Final = (
    r"(?:move|re-?schedule|push|postpone|shift|change|bring\b.{0,40}?\bforward|delay|bump|swap|"
    r"update|modify|edit|switch|extend|shorten|advance|defer|put\s+off)"
)
SAVE: Final = (
    r"(?:schedul\w*|book|add|put|set|create|make|arrange|plan|mark|note|remember|"
    r"remind|reserve|block|hold|save|enter|insert|record|pencil|log|register|"
    r"request|submit|organi[sz]e|place|input|include|invite|setup|write|store|keep|"
    r"send\s+(?:me\s+)?(?:a\s+)?(?:reminder|notice|invite|notification)|notify|alert|"
    r"jot|stick|throw|pop|slot|leave\s+(?:me\s+)?a\s+note|activate|prepare|generate|draft|compose|assign|settle|"
    r"confirm\s+(?:a|an)|give\s+me\s+(?:a|an)\s+(?:\w+\s+)?(?:reminder|notification|"
    r"alert)|fix|file|post|start|repeat|warn|ping|do\s+schedule|get\s+me)"
)
ASK: Final = (
    r"(?:show|list|tell|check|summari[sz]e|give|display|read|find|look|view|see|"
    r"search|know|pull\s+up|bring\s+up|recite|describe|recap|review|open|"
    r"print|go\s+over|go\s+through|run\s+through|walk\s+me|report|confirm|verify|"
    r"count|scan|inform|peek|get|provide|refresh|recall|let\s+(?:me|us)\s+know|are|is|"
    r"do|does|hear)"
)
WH: Final = late(
    r"^(?:what(?:'?s|'re)?|when(?:'?s)?|where(?:'?s)?|who(?:'?s|m)?|which|how|why|"
    r"whose|is|are|am|do|does|did|was|were|have\s+i|have\s+we|has|had|will|shall|"
    r"should|any(?:thing|one|body)?|"
    r"isn't|aren't|don't\s+i|at\s+what|on\s+(?:what|which)|in\s+(?:what|which)|"
    r"for\s+(?:what|which)|what|whats|hows|whens|wheres)\b",
    re.IGNORECASE,
)
PROHIBIT: Final = late(
    r"\b(?:don'?t|do\s+not|never|should\s?n'?t|should\s+not|must\s?n'?t|must\s+not|"
    r"cannot|can'?t\s+(?:you\s+)?(?:put|book|have)|may\s+not|avoid|refrain\s+from|"
    r"no\s+need\s+to|"
    r"stop|please\s+not|not\s+to|without)\b(?:\s+(?:ever|let|allow|anyone|anybody|you|"
    r"please|want\s+(?:you\s+)?to|need\s+(?:you\s+)?to))*\s+"
    rf"(?:\w+\s+)?(?:{SAVE}|{MOVE}|{CANCEL}|touch|allow|let|accept|have|do)(?:e?ing|"
    r"ting|e?d)?\b|\b(?:no|zero)\s+(?:more\s+)?(?:meetings?|calls?|events?|"
    r"appointments?)\b(?!.*\?)",
    re.IGNORECASE,
)
NOT_PROHIBIT: Final = late(
    r"\bdon'?t\s+(?:let\s+me\s+)?forget\b|\bwhy\s+(?:don'?t|not)\b|\bdon'?t\s+i\b|\bnever\s?mind\b",
    re.IGNORECASE,
)
HOW_TO_ANSWER: Final = late(
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
RELAYED: Final = late(
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
CLOCK_TALK: Final = late(
    r"\b(?:what|tell|know|give)\b[^.?]*\b(?:the|today'?s|current|what)\s+(?:date|time|"
    r"day)(?:\s+(?:is\s+it|today|now|it\s+is|of\s+(?:the\s+)?week|please|is|"
    r"right))*\W*$",
    re.IGNORECASE,
)
OUTSIDE: Final = late(
    r"\b(?:in|around|near|across)\s+(?:town|the\s+(?:city|area|neighbou?rhood)|"
    r"my\s+(?:area|city|neighbou?rhood)|here)\b|\bnear\s?by\b|\bnear\s+me\b|"
    r"\brecommend\b|\bsuggest\b",
    re.IGNORECASE,
)
CHAT: Final = late(r"\b(?:jokes?|poems?|riddles?|sing|story|stories|trivia)\b", re.IGNORECASE)
PAST: Final = late(
    r"\b(?:was|were|went|had|took|attended|did|met|used|been|visited|stayed|spent|"
    r"came|saw)\b(?!\s+(?:wondering|hoping|thinking|going\s+to))",
    re.IGNORECASE,
)
OFF: Final = late(
    r"\b(?:i|we)(?:'m|'ll|'re|\s+am|\s+are|\s+was|\s+were|\s+will|\s+shall|\s+won't|"
    r"'ve|\s+have)?\s+(?:also\s+|going\s+to\s+|gonna\s+|probably\s+|planning\s+to\s+|"
    r"not\s+)?(?:be\s+|been\s+)?"
    r"(?:on\s+(?:\w+\s+)?(?:vacation|leave|holiday|pto|furlough)|off\b(?!\s+to\b)|"
    r"away\b(?!\s+from\s+(?:keyboard|my\s+desk))|out\b(?!\s+of\s+(?!(?:the\s+)?office|"
    r"town))|"
    r"(?:taking|take|took|have|having|had|using|use|booked|got|get|getting)"
    r"\s+(?:(?!\b(?:meeting|call|lunch)\b).){0,40}?\b(?:off|leave|vacation|holiday|"
    r"pto)\b|not\s+working)|"
    rf"^(?:my\s+)?(?:{LEAVE}|off)\b|"
    r"\bnot\s+(?:working|coming\s+in)\b|\bwon'?t\s+be\s+(?:working|in|at\s+work|available)\b",
    re.IGNORECASE,
)
MINE: Final = late(
    r"^(?:i|we)(?:'ve|\s+have|\s+got|'ve\s+got|\s+am\s+having|'m\s+having|"
    r"'ll\s+(?:have|be)|\s+will\s+(?:have|be)|\s+will|'ll|'m|\s+am|'re|\s+are|\s+had|"
    r"\s+need|\s+must|\s+shall)\b|^there(?:'s|\s+is|\s+will\s+be)\b|^my\s+|^our\s+|"
    rf"^(?:the|a|an)\s+(?:[\w'-]+\s+){{0,4}}?{EVENT}\b",
    re.IGNORECASE,
)
EVENT_WORD: Final = late(rf"\b{EVENT}\b", re.IGNORECASE)
CALENDAR_WORD: Final = late(rf"\b{CALENDAR}\b", re.IGNORECASE)
PASSIVE_CANCEL: Final = late(
    r"\b(?:events?|meetings?|appointments?|party)\s+(?:removed|deleted|cancell?ed)\b|"
    r"\b(?:remove|delete|erase|cancel)\s+(?:all|every)\b|\b(?:be|is|gets?|got|get|"
    r"have|want|need|needs|everything|all|it)\b.{0,40}?\b(?:cancell?ed|deleted|"
    r"removed|erased|cleared|wiped)\b(?!\s*\?)",
    re.IGNORECASE,
)
MY_CALENDAR: Final = late(
    r"\bcal[ea]n[dt][ea]+r?s?\b|\b(?:my|the|our|today'?s|tomorrow'?s)"
    r"\s+(?:\w+\s+)?(?:schedule|agenda|diary|planner|itinerary)\b",
    re.IGNORECASE,
)
LEAVE_WORD: Final = late(rf"\b{LEAVE}\b", re.IGNORECASE)
ABOUT_ME: Final = late(
    r"\b(?:i|me|my|we|our|us)\b|\bcal[ea]n[dt][ea]+r?s?\b|\b(?:scheduled|planned|"
    r"booked|upcoming|coming\s+up|lined\s+up|going\s+on|happening)\b",
    re.IGNORECASE,
)
BUSY: Final = late(
    r"\b(?:free|busy|available|availability|booked|scheduled|planned|open|"
    r"spare\s+time|going\s+on|happening|coming\s+up|lined\s+up|got\s+on|on\s+for|"
    r"anything|doing|up\s+to|meet(?:ing)?|clear|off|vacation|leave|appointments?|"
    r"plans?|left|next)\b",
    re.IGNORECASE,
)


def _ci(pattern: str) -> "re.Pattern[str]":
    return late(pattern, re.IGNORECASE)


STARTS_CANCEL: Final = _ci(rf"^{CANCEL}\b")
STARTS_MOVE: Final = _ci(rf"^{MOVE}\b")
STARTS_SAVE: Final = _ci(rf"^{SAVE}\b")
STARTS_ASK: Final = _ci(rf"^{ASK}\b")
SAVE_INSIDE: Final = _ci(rf"\b(?:{SAVE})\b")
SAVES_FIRST: Final = _ci(r"^(?:set|add|create|make|schedule|book|put|remind|reserve|mark)\b")
MAIL: Final = _ci(
    r"^(?:send|write|compose|create|reply|forward|draft|read)\b.*"
    r"\b(?:e-?mails?|texts?|tweet|message)\b",
)
NOT_WANTED: Final = _ci(
    r"\b(?:don'?t|do\s+not|no\s+longer)\s+(?:need|want)\s+"
    r"(?:to\s+(?:go\s+to|attend|have)\s+)?(?:that|this|the|my|any|those|these)\b",
)
TAKE_OFF: Final = _ci(r"\b(?:tak(?:e|ing)|get)\b.{1,60}?\b(?:off|out)\b(?!.*\bday off)")
TAKE_IT_OFF: Final = _ci(r"\btake\s+(?:it|that|this|them)\s+(?:off|out)\b")
NOT_GOING: Final = _ci(r"\b(?:no\s+longer|not\s+going|won't\s+(?:be|go|make)|can't\s+make)\b")
KEEP_CLEAR: Final = _ci(
    r"\b(?:make|keep|needs?\s+to\s+be|leave)\b.*\b(?:clear|blank|empty|wide\s+open)\b",
)
NEW_EVENT: Final = _ci(
    rf"^(?:(?:a|my|the)\s+)?new\s+(?:calendar\s+)?(?:{CALENDAR}|{EVENT}|entry)\b",
)
TOLD_BEFORE: Final = _ci(
    r"^(?:let\s+me\s+know|tell\s+me|inform\s+me)\b.*"
    r"\b(?:before|when\s+it(?:'s|\s+is)|in\s+advance|ahead\s+of)\b",
)
PLAN_FOR: Final = _ci(
    r"^plans?\s+for\s+(?:today|tomorrow|tonight|this|next|the|\w+day)\b(?:\s+\w+)?\W*$",
)
PRONOUN: Final = _ci(r"\b(?:it|that|this|them|those|one)\b")
CANCEL_NAMED: Final = _ci(rf"^{CANCEL}\s+(?:my|the|our|all|everything|this|that|\w+'s)\b")
PLAIN_EVENT: Final = _ci(r"\b(?:remind\w*|calls?\s+with|meetings?|appointments?|events?)\b")
MY_EVENT: Final = _ci(
    r"\b(?:meetings?|appointments?|events?\s+(?:on|in)\s+my|"
    r"my\s+\w+\s+(?:appointment|meeting|event))\b",
)
UPDATE: Final = _ci(r"^update\b")
HOW_LONG: Final = _ci(r"^how\s+(?:much|many|long|soon|far)\b.*\b(?:until|till|before|to|away)\b")
GET_ME: Final = _ci(r"^(?:get|give)\s+me\b")
QUESTION_WORD: Final = _ci(r"^(?:when|what|which|is|are|any|why|how|who|where|did|was|has|does)\b")
WHAT_I_HAVE: Final = _ci(
    r"^(?:what|which)\s+(?:else\s+|time\s+|days?\s+|do\s+)?(?:am|do|have|are|should|must)?\s*"
    r"(?:i|we)\s+(?:have|got|supposed|going|need|meeting|doing|scheduled)\b",
)
DAY_QUESTION: Final = _ci(
    r"^(?:what(?:'?s|\s+is|\s+do|\s+did|\s+have)|anything|is\s+there|are\s+there|am\s+i|do\s+i|"
    r"have\s+i|have\s+we|"
    r"what\s+am)\b",
)
AVAILABLE: Final = _ci(
    r"\b(?:free|available|busy|spare\s+time|scheduled|planned|coming\s+up|off|booked)\b",
)
MEMORY_QUESTION: Final = _ci(
    r"^(?:where\s+do\s+i\s+(?:live|work)|what(?:'s|\s+is)\s+my\s+name|who\s+am\s+i|"
    r"what\s+do\s+i\s+(?:like|love|hate|dislike|prefer)|do\s+i\s+(?:like|hate|love|prefer)|"
    r"(?:what|which)\s+languages?\s+do\s+i|why\s+(?:am|do|did|is|was)\s+(?:i|my)|"
    r"is\s+the\s+\w+\s+(?:light|door|heater)|are\s+the\s+lights)\b",
)
REMIND_WHAT: Final = _ci(
    r"^remind\s+(?:me|us)\s+(?:what|when|where|who|which|how\s+many)\b.*\b(?:i|we|my|our|the)\b"
)
LOOKS: Final = _ci(r"\blook(?:s|ing)?(?:\s+like)?\W*(?:$|\b(?:on|for|this|next|today|tomorrow)\b)")
MY: Final = _ci(r"\bmy\b")
MY_UNIT: Final = _ci(r"\bmy\s+(?:day|week|weekend|month|morning|afternoon|evening|schedule)\b")
DONT_FORGET: Final = _ci(r"\bdon'?t\s+let\s+me\s+forget\b")
THERE_IS: Final = _ci(r"^there(?:'s|\s+is|\s+will\s+be)\s+an?\b")
MAKE_IT: Final = _ci(r"^(?:make|have)\s+(?:it|that|this)\b")
OBLIGATION: Final = _ci(
    r"^(?:i|we)(?:'ve)?\s+(?:have\s+to|need\s+to|got\s+to|gotta|must)\b.*\b(?:by|due)\b"
)
TELL_CALENDAR: Final = _ci(r"^(?:tell|let)\s+(?:my|the)\s+calendar\b")
REMIND: Final = _ci(
    r"^(?:(?:make|take|leave)\s+(?:me\s+)?(?:a\s+)?note|save\s+the\s+date|remind|note|remember|mark|alert|notify)\b"
)
REMIND_OF: Final = _ci(r"^remind\s+(?:me|us)\s+(?:to|of|about|that)\b")
BOOKS: Final = _ci(r"^(?:schedule|book|add|put|plan|arrange|block|hold|reserve|pencil|set\s+up)\b")
HEADING: Final = _ci(r"\b(?:schedule|agenda|calendar|plans?|itinerary)\W*$")
NEXT_EVENT: Final = _ci(
    rf"^(?:(?:my|the)\s+)?(?:next|upcoming|latest)\s+(?:{CALENDAR}|{EVENT})\W*$",
)
EVENTS_HEADING: Final = _ci(
    r"^(?:all\s+|my\s+)?(?:upcoming|latest|next|future|pending|remaining|today'?s|tomorrow'?s)\s+"
    r"(?:events?|meetings?|appointments?|reminders|schedule|plans)\W*$",
)
PLURAL: Final = _ci(r"\b(?:meetings|events|appointments|reminders|plans)\b")
PLURAL_HEADING: Final = _ci(
    r"^(?:my|our)?\s*(?:meetings|events|appointments|plans?|schedule|agenda|reminders|calendar)\b",
)
WISHED: Final = _ci(
    r"^(?:i|we)(?:'d)?\s+(?:need|want|would\s+like|like)\s+"
    r"(?:to\s+(?:have|make|go\s+on|take)\s+)?(?:a|an|some|my)?\b.*",
)
LEAVE_VERB: Final = _ci(r"^(?:go|going|be|take|have)\b")
JOURNEY: Final = _ci(
    r"^(?:i|we)(?:'m|'re|'ll|\s+am|\s+are|\s+will)?\s+(?:be\s+)?(?:leav(?:e|ing)|depart(?:ing)?|"
    r"fly(?:ing)?|travel(?:l?ing)?|arriv(?:e|ing)|mov(?:e|ing)\s+(?:to|out|in))\b",
)
TAKES_OFF: Final = _ci(r"^(?:take|taking)\b.*\boff\W*$|^(?:take|taking|get|have)\s+off\b")
REPEATED: Final = _ci(r"\bevery\s+(?!one\b|body\b|thing\b)")
ANOTHER: Final = _ci(
    r"^(?!i\b|we\b|my\s+(?:vacation|leave|holiday|pto|day)|our\b)[\w\s']{1,30}?"
    r"\b(?:is|are|was|will\s+be|'s|takes?|has|have|goes)\b.*",
)
VERBAL: Final = _ci(
    r"^(?:he|she|they|it|you|this|that|there|i|we|who|the\s+\w+\s+(?:is|was|says))\b",
)
ABOUT_STATE: Final = _ci(
    r"\b(?:is|was|were|are)\s+(?:\w+ing|so|very|really|too|great|good|bad|boring)\b",
)
WHY: Final = _ci(
    r"^(?:why|how\s+come|what(?:'s|\s+is)\s+the\s+reason|what\s+(?:has\s+)?happened\s+to|"
    r"what(?:\s+has)?\s+became\s+of|where\s+did\b.+\bgo|where\s+has\b.+\bgone|"
    r"who\s+(?:deleted|removed|cancell?ed|moved|changed|replaced))\b"
)
CLAUSE_BREAK: Final = _ci(
    r"(?<=[.!?])\s+|;\s*|,\s*(?=(?:can|could|please|so|but|set|add|put|remind|schedule|book|cancel|"
    r"take|remove|delete)\b)|\s+so\s+(?=(?:i|we|please|can)\b)|"
    r"\s+(?=(?:please\s+)?(?:set\s+(?:me\s+)?(?:a\s+)?reminder|remind\s+me)\b)|"
    r"\s+and\s+(?=(?:please\s+)?(?:erase|set|add|put|remind|schedule|book|cancel|remove|delete|"
    r"make|create|then)\b)",
)
LEAD: Final = _ci(  # a time said before the verb: "on the 20th clear my calendar"
    r"^(?:on|for|at|in|from|next|this|tomorrow|today|tonight)\b(?!'s)[\w\s',:/]{0,30}?[\s,]+"
    rf"(?=(?:{CANCEL}|{MOVE}|please|schedule|book|add|put|remind|set|create|what|show|am\s+i|"
    r"do\s+i|is|are|can|could|i)\b)",
)
