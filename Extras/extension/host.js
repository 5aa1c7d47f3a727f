// The connection to Ferry: calls and replies over native messaging.

const name = 'ferry.native_host';

export class Host {
  #port = null;
  /** Number of messages from the program of the open connection. */
  #received = 0;
  #calls = new Map();
  #last = 0;
  #onSummary;

  /** - onSummary: Gets each summary, and an empty one when the connection ends. */
  constructor(onSummary) { this.#onSummary = onSummary; }

  /**
   * Makes a call. Rejects with Ferry's error, with the browser's when Ferry cannot be started, or after a time limit in
   * milliseconds. A program that has sent nothing in that time is ended, and the next call starts it again. The error of
   * a program that has never answered has `isUnreached`.
   */
  call(call, rest = {}, limit = 30_000) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      let before = 0;
      const timer = setTimeout(() => {
        const error = new Error(chrome.i18n.getMessage('silent'));
        if (this.#received === before) return this.#close(error);
        this.#calls.delete(id);
        return reject(error);
      }, limit);
      this.#calls.set(id, { resolve, reject, timer });
      try {
        const port = this.#open();
        before = this.#received;
        port.postMessage({ id, call, ...rest });
      } catch (error) {
        this.#close(error);
      }
    });
  }

  #open() {
    if (this.#port) return this.#port;
    const port = this.#port = chrome.runtime.connectNative(name);
    this.#received = 0;
    port.onMessage.addListener(message => this.#receive(message));
    port.onDisconnect.addListener(() => {
      // A closed connection is reported late: another may be open by then.
      if (this.#port !== port) return;
      const why = chrome.runtime.lastError?.message ?? port.error?.message;
      this.#close(new Error(chrome.i18n.getMessage('gone') + (why ? ` (${why})` : '')));
    });
    // Without summaries, the badge would show what was true before.
    port.postMessage({ id: ++this.#last, call: 'watch' });
    return port;
  }

  #receive(message) {
    this.#received += 1;
    if (message.event === 'summary') return this.#onSummary(message);
    const { error, result } = message;
    // The number of a message that Ferry could not read is unknown.
    if (error && !message.id) return this.#close(new Error(error.message));
    const call = this.#calls.get(message.id);
    if (!call) return;
    this.#calls.delete(message.id);
    clearTimeout(call.timer);
    if (error) call.reject(Object.assign(new Error(error.message), { code: error.code }));
    else call.resolve(result);
  }

  /** Ends the connection and all open calls. */
  #close(error) {
    const [port, calls] = [this.#port, [...this.#calls.values()]];
    error.isUnreached = this.#received === 0;
    this.#port = null;
    this.#calls.clear();
    try { port?.disconnect(); } catch { /* It has ended already. */ }
    for (const { reject, timer } of calls) {
      clearTimeout(timer);
      reject(error);
    }
    this.#onSummary({});
  }
}
