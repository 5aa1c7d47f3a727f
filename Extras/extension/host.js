// The connection to Ferry: calls and replies over native messaging.

const name = 'ferry.native_host';

export class Host {
  #port = null;
  #calls = new Map();
  #last = 0;
  #onSummary;

  constructor(onSummary) { this.#onSummary = onSummary; }

  /** Makes a call. Rejects with Ferry's error, or with the browser's when Ferry cannot be started. */
  call(call, rest = {}) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#calls.set(id, { resolve, reject });
      try {
        this.#open().postMessage({ id, call, ...rest });
      } catch (error) {
        this.#calls.delete(id);
        reject(error);
      }
    });
  }

  #open() {
    if (this.#port) return this.#port;
    const port = this.#port = chrome.runtime.connectNative(name);
    port.onMessage.addListener(message => {
      if (message.event === 'summary') return this.#onSummary(message);
      const { resolve, reject } = this.#calls.get(message.id) ?? {};
      this.#calls.delete(message.id);
      if (message.error) reject?.(Object.assign(new Error(message.error.message), message.error));
      else resolve?.(message.result);
    });
    port.onDisconnect.addListener(() => {
      const why = new Error(chrome.runtime.lastError?.message ?? port.error?.message ?? chrome.i18n.getMessage('gone'));
      this.#port = null;
      for (const { reject } of this.#calls.values()) reject(why);
      this.#calls.clear();
    });
    return port;
  }
}
