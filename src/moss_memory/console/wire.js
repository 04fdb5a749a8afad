// The service over fetch. The key lives in this object alone: no storage, no cookie, no address.

const AGAIN = 1000; // ms until a stream that ended is opened again

export class Problem extends Error {
  constructor(status, body) {
    super(body.detail ?? body.code ?? String(status));
    this.status = status;
    this.code = body.code ?? "unknown";
    this.body = body;
  }
}

export class Wire {
  #key; #stream = null; #asleep = null; #rouse = () => {};

  constructor(key) {
    this.#key = key;
    this.skew = 0; // ms by which the service's clock is ahead of this one
    this.refused = () => {}; // called where a credential is no longer accepted
  }

  async call(method, path, body, headers = {}) {
    const sent = { Authorization: `Bearer ${this.#key}`, ...headers };
    if (body !== undefined) sent["Content-Type"] = "application/json";
    const begun = Date.now();
    let answer, text;
    try {
      answer = await fetch(path, {
        method,
        headers: sent,
        body: body === undefined ? undefined : JSON.stringify(body),
        credentials: "omit",
        cache: "no-store",
      });
      text = await answer.text();
    } catch {
      throw new Problem(0, { code: "unreachable" });
    }
    this.#compare(Date.parse(answer.headers.get("date")), begun);
    let read = {};
    try {
      read = text ? JSON.parse(text) : {};
    } catch {
      read = { code: "unreadable" };
    }
    if (answer.status === 401) this.refused();
    if (!answer.ok) throw new Problem(answer.status, read);
    return read;
  }

  // A date (in whole seconds) from before the request or after its answer: the clocks differ.
  #compare(date, begun) {
    if (date < begun - 2000) this.skew = date - begun;
    else if (date > Date.now() + 1000) this.skew = date - Date.now();
    else if (date) this.skew = 0;
  }

  get(path) {
    return this.call("GET", path);
  }

  // A write that may be repeated safely: the same key has one effect and one answer.
  write(method, path, body, key = crypto.randomUUID()) {
    return this.call(method, path, body, { "Idempotency-Key": key });
  }

  post(path, body, key) {
    return this.write("POST", path, body, key);
  }

  // The pages of a list, one after another, each as soon as it is there; `most` items at most.
  async *pages(path, most) {
    const joint = path.includes("?") ? "&" : "?";
    let next = "";
    let epoch = "";
    let seen = 0;
    do {
      const page = await this.get(`${path.replace(/known_at=[^&]*/, (at) => epoch || at)}${joint}limit=100${next}`);
      if (page.known_epoch) epoch = `known_epoch=${encodeURIComponent(page.known_epoch)}`;
      seen += page.items.length;
      yield page.items;
      next = page.next_cursor ? `&cursor=${encodeURIComponent(page.next_cursor)}` : "";
    } while (next && seen < most);
  }

  // A browser opens six connections to a service for all its tabs: a page that nobody sees, or that
  // was left, gives its stream up and goes on at its cursor when it is looked at again.
  sleep() {
    this.#asleep ??= new Promise((resolve) => { this.#rouse = resolve; });
    this.#stream?.abort();
  }

  wake() {
    this.#asleep = null;
    this.#rouse();
  }

  // EventSource cannot send the credential, so the stream is read by hand and resumed by cursor.
  // `open` with `resumed` false: what happened before is not told; whoever listens reads it anew.
  async *events(signal) {
    let last = null;
    while (!signal.aborted) {
      await this.#asleep;
      this.#stream = new AbortController();
      try {
        const headers = { Authorization: `Bearer ${this.#key}`, Accept: "text/event-stream" };
        if (last !== null) headers["Last-Event-ID"] = last;
        const answer = await fetch("/events", { headers, signal: AbortSignal.any([signal, this.#stream.signal]), credentials: "omit", cache: "no-store" });
        if (answer.status === 401) {
          this.refused();
          return;
        }
        if (answer.ok) {
          yield { kind: "open", resumed: last !== null };
          for await (const event of frames(answer.body)) {
            if (event.id !== undefined) last = event.id;
            if (event.kind) yield event;
          }
        } else if (answer.status < 500) last = null; // a cursor of another store
      } catch {
        if (signal.aborted) return;
      }
      yield { kind: "closed" };
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
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
