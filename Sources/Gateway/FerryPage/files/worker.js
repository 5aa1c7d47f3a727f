// One stream of events for all tabs: a browser opens at most six connections to a server (HTTP/1.1).
//
// Runs as a SharedWorker, or in the page itself if the browser has none. A tab sends `{join: secret}`, then `read` for each
// message of events, and at last `leave`, or `doubt` if the stream seems dead. It gets `{opened: true}`, texts of whole lines, and
// `{status}` once the stream has ended.

/** Most messages that a tab leaves unread. A tab that the browser has frozen joins again later. */
const mostUnread = 1000;
/** Milliseconds of silence after which a stream may be dead. A tab that joins then gets a new one. */
const longSilence = 30_000;
/** Streams by secret. */
const streams = new Map();

class SharedStream {
  #secret;
  #unread = new Map();
  #isOpen = false;
  #heard = Date.now();
  #ending = new AbortController();

  constructor(secret) {
    this.#secret = secret;
    this.#follow();
  }

  join(port) {
    this.#unread.set(port, 0);
    if (this.#isOpen) port.postMessage({ opened: true });
  }

  read(port) { if (this.#unread.has(port)) this.#unread.set(port, this.#unread.get(port) - 1); }

  leave(port) {
    this.#unread.delete(port);
    if (!this.#unread.size) this.#end(0);
  }

  get isSilent() { return Date.now() - this.#heard > longSilence; }

  /** Ends the stream for all tabs. */
  doubt() { this.#end(0); }

  #end(status) {
    if (streams.get(this.#secret) === this) streams.delete(this.#secret);
    this.#ending.abort();
    for (const port of this.#unread.keys()) port.postMessage({ status });
    this.#unread.clear();
  }

  async #follow() {
    let status = 0;
    try {
      const answer = await fetch(new URL('v1/events?progress=1', import.meta.url), {
        headers: { Authorization: `Bearer ${this.#secret}` }, cache: 'no-store', redirect: 'error', signal: this.#ending.signal,
      });
      status = answer.status;
      if (answer.ok) await this.#pass(answer.body);
    } catch {
      // The gateway is away, or no tab is left.
    }
    this.#end(status === 200 ? 0 : status);
  }

  async #pass(body) {
    this.#isOpen = true;
    for (const port of this.#unread.keys()) port.postMessage({ opened: true });
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const text = rest + value, end = text.lastIndexOf('\n') + 1;
      rest = text.slice(end);
      if (end) this.#send(text.slice(0, end));
    }
  }

  #send(lines) {
    this.#heard = Date.now();
    for (const [port, unread] of this.#unread) {
      if (unread < mostUnread) {
        this.#unread.set(port, unread + 1);
        port.postMessage(lines);
      } else {
        port.postMessage({ status: 0 });
        this.leave(port);
      }
    }
  }
}

const calls = new Set(['read', 'leave', 'doubt']);

/** Serves a tab through its port. */
export function serve(port) {
  let stream = null;
  port.onmessage = ({ data }) => {
    if (data.join) {
      stream = streams.get(data.join);
      if (stream?.isSilent) stream.doubt();
      stream = streams.get(data.join) ?? new SharedStream(data.join);
      streams.set(data.join, stream);
      stream.join(port);
    } else if (calls.has(data)) {
      stream?.[data](port);
      if (data !== 'read') port.close();
    }
  };
}

if (globalThis.SharedWorkerGlobalScope) onconnect = ({ ports: [port] }) => serve(port);
