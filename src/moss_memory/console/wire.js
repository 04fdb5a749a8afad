// The service over fetch. The key lives in this object alone: no storage, no cookie, no address.

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.code ?? String(status));
    this.status = status;
    this.code = body.code ?? "unknown";
    this.body = body;
  }
}

export class Wire {
  #key;

  constructor(key) {
    this.#key = key;
  }

  async call(method, path, body, headers = {}) {
    const sent = { Authorization: `Bearer ${this.#key}`, ...headers };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    let answer;
    try {
      answer = await fetch(path, {
        method,
        headers: sent,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
      });
    } catch {
      throw new Problem(0, { code: "unreachable" });
    }
    const text = await answer.text();
    let read = {};
    try {
      read = text ? JSON.parse(text) : {};
    } catch {
      read = { code: "unreadable" };
    }
    if (!answer.ok) throw new Problem(answer.status, read);
    return read;
  }

  get(path) {
    return this.call("GET", path);
  }

  // A write that may be repeated safely: the same key has one effect and one answer.
  post(path, body, key = crypto.randomUUID()) {
    return this.call("POST", path, body, { "Idempotency-Key": key });
  }

  // Every page of a list, up to `most` items.
  async all(path, most = 500) {
    const items = [];
    let cursor = null;
    const joint = path.includes("?") ? "&" : "?";
    do {
      const page = await this.get(`${path}${joint}limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    } while (cursor && items.length < most);
    return items;
  }

  // EventSource cannot send the credential, so the stream is read by hand and resumed by cursor.
  async *events(signal) {
    let last = null;
    while (!signal.aborted) {
      try {
        const headers = { Authorization: `Bearer ${this.#key}`, Accept: "text/event-stream" };
        if (last !== null) headers["Last-Event-ID"] = last;
        const answer = await fetch("/events", { headers, signal, credentials: "omit", cache: "no-store" });
        if (answer.status === 401) return;
        if (answer.ok) {
          yield { kind: "open" };
          for await (const event of frames(answer.body)) {
            if (event.id !== undefined) last = event.id;
            if (event.kind) yield event;
          }
        }
      } catch {
        if (signal.aborted) return;
      }
      yield { kind: "closed" };
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  }
}

async function* frames(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) yield frame(part);
  }
}

function frame(text) {
  const event = {};
  for (const line of text.split("\n")) {
    const at = line.indexOf(": ");
    const [name, value] = at < 0 ? [line.replace(/:$/, ""), ""] : [line.slice(0, at), line.slice(at + 2)];
    if (name === "id") event.id = value;
    if (name === "event") event.kind = value;
    if (name === "data") event.data = JSON.parse(value);
  }
  return event;
}
