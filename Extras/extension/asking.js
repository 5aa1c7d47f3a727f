// Asks the user whether Ferry takes a download over, in a small window.

import { hostOf, nameOf } from './rules.js';

export class Asking {
  /** Open questions by the download's number. */
  #open = new Map();

  constructor() {
    chrome.windows.onRemoved.addListener(id => {
      for (const [item, { window }] of this.#open) if (window === id) this.answer(item, false);
    });
  }

  /** Resolves with the answer. A closed window means no. */
  ask(item, request) {
    return new Promise(resolve => {
      const question = { resolve, window: -1 };
      this.#open.set(item.id, question);
      const facts = { item: item.id, name: nameOf(item, request), host: hostOf(item.finalUrl || item.url), size: item.fileSize ?? item.totalBytes };
      const url = `ask.html?${new URLSearchParams(facts)}`;
      chrome.windows.create({ url, type: 'popup', width: 480, height: 260 }).then(
        window => { question.window = window.id; }, () => this.answer(item.id, false));
    });
  }

  answer(item, isTaken) {
    const question = this.#open.get(item);
    if (!question) return;
    this.#open.delete(item);
    question.resolve(isTaken);
    chrome.windows.remove(question.window).catch(() => {});
  }
}
