// What the page knows of the memory: read once in pages, kept by events, shared by all views.

const MOST = 20_000;
const FEW = 12; // named memories that are read one by one; more are read as a list, newest first
const TOGETHER = 4; // requests at a time: a browser opens six, and a person waits for one
const PAUSE = 120; // ms between two tellings, so that a burst is drawn once

export class Store {
  #wire; #rows = new Map(); #wanted = new Map(); #working = false; #told = null; #views = new Set(); #decisions = new Map(); #alive = true;

  constructor(wire) {
    this.#wire = wire;
    this.live = false;
    this.loaded = false;
    this.problem = null;
  }

  get size() {
    return this.#rows.size;
  }

  all() {
    return [...this.#rows.values()];
  }

  get(id) {
    return this.#rows.get(id);
  }

  // Call `view` after changes, at most once a moment; returns how to stop.
  watch(view) {
    this.#views.add(view);
    return () => this.#views.delete(view);
  }

  end() {
    this.#alive = false;
    clearTimeout(this.#told);
    this.#views.clear();
    this.#rows.clear();
  }

  happened(event) {
    if (event.kind === "open") {
      this.live = true;
      if (!event.resumed) this.#load(); // only now: what is written while reading is told by the stream
      this.#tell();
    }
    if (event.kind === "closed") {
      this.live = false;
      if (!this.loaded && !this.problem) this.#load();
      this.#tell();
    }
    if (event.kind?.startsWith("memory.")) {
      for (const id of event.data.ids) this.#wanted.set(id, Math.max(event.data.revision ?? 0, this.#wanted.get(id) ?? 0));
      this.#work();
    }
  }

  // What an answer showed is known at once; the event that follows finds it there.
  keep(memories) {
    for (const memory of memories) this.#keep(memory, true);
    this.#tell();
  }

  // Decisions never change: each is asked for once.
  decision(id) {
    if (!this.#decisions.has(id)) {
      const asked = this.#wire.get(`/decisions/${id}`);
      asked.catch(() => this.#decisions.delete(id));
      this.#decisions.set(id, asked);
    }
    return this.#decisions.get(id);
  }

  #keep(memory, fresh) {
    const known = this.#rows.get(memory.memory_id);
    if (known && (known.revision > memory.revision || (known.revision === memory.revision && known.status === memory.status))) return;
    this.#rows.set(memory.memory_id, fresh ? { ...memory, fresh: performance.now() } : memory);
  }

  #tell(now = false) {
    if (!this.#alive) return;
    if (now) {
      clearTimeout(this.#told);
      this.#told = null;
      for (const view of this.#views) view();
    } else this.#told ??= setTimeout(() => this.#tell(true), PAUSE);
  }

  async #load() {
    this.problem = null;
    const seen = new Set();
    try {
      for await (const items of this.#wire.pages("/memories?status=all", MOST)) {
        if (!this.#alive) return;
        for (const memory of items) {
          seen.add(memory.memory_id);
          this.#keep(memory, false);
        }
        this.#tell(seen.size <= 100); // the first page is painted at once
      }
      if (this.loaded) for (const id of [...this.#rows.keys()]) if (!seen.has(id) && seen.size < MOST) this.#wanted.set(id, 0);
      this.loaded = true;
      this.#work();
    } catch (problem) {
      this.problem = problem;
    }
    this.#tell();
  }

  // Events name memories; every named one is read again until it is at least as new as it was told.
  async #work() {
    if (this.#working) return;
    this.#working = true;
    while (this.#wanted.size && this.#alive) {
      for (const [id, revision] of this.#wanted) if (revision && (this.#rows.get(id)?.revision ?? 0) >= revision) this.#wanted.delete(id);
      const failed = this.#wanted.size > FEW && await this.#readNewest();
      if (failed || await this.#readNamed()) await new Promise((resolve) => setTimeout(resolve, 1000));
      this.#tell();
    }
    this.#working = false;
  }

  async #readNewest() {
    const most = this.#wanted.size + 100;
    try {
      for await (const items of this.#wire.pages("/memories?status=all", most)) {
        for (const memory of items) {
          this.#keep(memory, true);
          if (memory.revision >= (this.#wanted.get(memory.memory_id) ?? Infinity)) this.#wanted.delete(memory.memory_id);
        }
        this.#tell();
        if (!this.#wanted.size || !this.#alive) break;
      }
      return false;
    } catch {
      return true;
    }
  }

  async #readNamed() {
    let failed = false;
    const some = [...this.#wanted].slice(0, TOGETHER);
    await Promise.all(some.map(async ([id, revision]) => {
      try {
        this.#keep(await this.#wire.get(`/memories/${id}`), true);
        if (this.#wanted.get(id) === revision) this.#wanted.delete(id);
      } catch (problem) {
        if (problem.status === 404) {
          this.#rows.delete(id);
          this.#wanted.delete(id);
        } else failed = true;
      }
    }));
    return failed;
  }
}

// Expiry has no event: what is past it is inactive from that instant on, as the service says too.
export function state(memory, now = Date.now()) {
  const expired = memory.status === "active" && memory.expires_at && Date.parse(memory.expires_at) <= now;
  return expired ? { status: "inactive", reason: "expired" } : { status: memory.status, reason: memory.inactive_reason };
}
