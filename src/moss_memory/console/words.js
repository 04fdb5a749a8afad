// What the page says, in two languages; what the service says comes worded already.

const EN = {
  skip: "Skip to content", language: "Language", signIn: "Sign in", signOut: "Sign out", key: "Key",
  signInWhy: "The key stays in this page's memory and is gone when you close it.",
  badKey: "This key is not known here.", chat: "Chat", memory: "Memory", timeline: "Timeline",
  context: "Context", rules: "Rules", say: "Say something", send: "Send",
  sayHint: "For example: I'm off on Friday. Or: what do I have on Friday?",
  choose: "This needs your decision", stored: "Stored", proposed: "New", expiresIn: "This question closes in",
  expired: "The question has closed. Say it again if you still want it.", settled: "Settled",
  empty: "Nothing is stored yet.", status: "Status", active: "active", inactive: "inactive", all: "all",
  domain: "Domain", any: "any", what: "What", value: "Value", when: "When", scope: "Scope",
  source: "Source", confidence: "Confidence", revision: "Revision", open: "Open", close: "Close",
  search: "Search", live: "live", offline: "reconnecting", history: "History", why: "Why",
  decisions: "Decisions", restore: "Restore this revision", retire: "Retire", retired: "Retired.",
  stale: "It has changed since you opened it. This is how it is now; look, then try again.",
  changed: "changed", untilNotice: "until further notice", asKnown: "As we knew it on",
  now: "now", lanes: "One lane a kind; dashed frames mark times that a person allowed to overlap.",
  question: "Question", budget: "Token budget", build: "Build the context", prompt: "The prompt as it would be built",
  included: "Included", excluded: "Left out", reason: "Reason", tokens: "Tokens", relevance: "Relevance",
  chart: "Tokens per turn: the growing chat log against the governed context",
  chatLog: "chat log", governed: "governed context", chartEmpty: "Say a few things in Chat first.",
  version: "Rules version", rule: "Rule", verdict: "Verdict", whatIf: "What if", predicate: "Kind",
  subject: "Subject", start: "From", end: "To", judged: "The rules would say",
  fired: "The rule that decided last is marked.", unreachable: "The service cannot be reached.",
  none: "none", actions: "Actions", denied: "not visible to you", written: "Written.", asked: "It needs a decision: see Chat.",
};

const KO = {
  skip: "본문으로 가기", language: "언어", signIn: "로그인", signOut: "로그아웃", key: "키",
  signInWhy: "키는 이 페이지의 메모리에만 있고, 닫으면 사라집니다.",
  badKey: "여기서 알 수 없는 키입니다.", chat: "대화", memory: "기억", timeline: "타임라인",
  context: "컨텍스트", rules: "규칙", say: "말하기", send: "보내기",
  sayHint: "예: 금요일에 휴가야. 또는: 금요일 일정 알려줘.",
  choose: "결정이 필요합니다", stored: "저장된 내용", proposed: "새 내용", expiresIn: "이 질문이 닫히기까지",
  expired: "질문이 닫혔습니다. 아직 필요하면 다시 말씀해 주세요.", settled: "처리됨",
  empty: "아직 저장된 것이 없습니다.", status: "상태", active: "활성", inactive: "비활성", all: "전체",
  domain: "영역", any: "전체", what: "종류", value: "내용", when: "시간", scope: "범위",
  source: "출처", confidence: "확신도", revision: "개정", open: "열기", close: "닫기",
  search: "검색", live: "실시간", offline: "다시 연결 중", history: "이력", why: "이유",
  decisions: "결정", restore: "이 개정으로 되돌리기", retire: "비활성화", retired: "비활성화했습니다.",
  stale: "여는 사이에 바뀌었습니다. 지금 내용은 다음과 같습니다. 확인한 뒤 다시 해 주세요.",
  changed: "변경됨", untilNotice: "별도 안내까지", asKnown: "이때 알던 대로",
  now: "지금", lanes: "종류마다 한 줄입니다. 점선 테두리는 사람이 겹침을 허락한 시간입니다.",
  question: "질문", budget: "토큰 한도", build: "컨텍스트 만들기", prompt: "만들어질 프롬프트",
  included: "포함됨", excluded: "제외됨", reason: "이유", tokens: "토큰", relevance: "관련도",
  chart: "턴마다의 토큰: 쌓이는 대화 기록과 관리되는 컨텍스트",
  chatLog: "대화 기록", governed: "관리되는 컨텍스트", chartEmpty: "먼저 대화에서 몇 가지를 말해 보세요.",
  version: "규칙 버전", rule: "규칙", verdict: "판정", whatIf: "만약에", predicate: "종류",
  subject: "대상", start: "시작", end: "끝", judged: "규칙의 판정",
  fired: "마지막으로 판정한 규칙이 표시됩니다.", unreachable: "서비스에 연결할 수 없습니다.",
  none: "없음", actions: "동작", denied: "볼 수 없는 것", written: "기록했습니다.", asked: "결정이 필요합니다. 대화를 보세요.",
};

const BOOKS = { en: EN, ko: KO };
let current = "en";

export function setLanguage(name) {
  current = BOOKS[name] ? name : "en";
  document.documentElement.lang = current;
  for (const node of document.querySelectorAll("[data-word]")) node.textContent = word(node.dataset.word);
}

export function language() {
  return current;
}

export function word(name) {
  return BOOKS[current][name] ?? EN[name] ?? name;
}

export function moment(iso) {
  if (iso === null || iso === undefined) return word("untilNotice");
  return new Intl.DateTimeFormat(current, { dateStyle: "medium", timeStyle: "short" }).format(new Date(iso));
}

export function problemText(problem) {
  return problem.code === "unreachable" ? word("unreachable") : `${problem.message} (${problem.code})`;
}
