// Short messages at the edge of the page, with optional buttons, and announcements for screen readers.

import { Away } from './api.js';
import { button, find, make, setText } from './dom.js';
import { text } from './text.js';

const shownFor = 8000;
const most = 4;

export class Notices {
  #list = find('#notices');
  #speech = find('#speech');
  #closes = [];
  /** The messages about a gateway that does not respond, with their buttons. */
  #away = new Map();

  /**
   * Shows a message. `answers` are its buttons as `[label, call]`.
   *
   * It closes by itself, but not while it has the pointer or the focus. With `isKept`, as an error, it stays until the user closes it. `ended` is called
   * once it has closed, unless a button was pressed.
   */
  show(message, answers = [], { isError = false, isKept = isError, ended } = {}) {
    let timer = 0;
    const close = (isAnswered = false) => {
      if (!this.#closes.includes(close)) return;
      this.#closes = this.#closes.filter(each => each !== close);
      clearTimeout(timer);
      this.#away.delete(close);
      node.remove();
      if (!isAnswered) ended?.();
    };
    const node = make('div', { class: isError ? 'notice error' : 'notice', role: isError ? 'alert' : null },
      make('p', { text: message }),
      ...answers.map(([label, call]) => button(label, () => { close(true); call(); })),
      button('✕', () => close(), { class: 'plain', 'aria-label': text.close }));
    const plan = () => {
      clearTimeout(timer);
      if (!isKept) timer = setTimeout(close, shownFor);
    };
    for (const event of ['pointerenter', 'focusin']) node.addEventListener(event, () => clearTimeout(timer));
    for (const event of ['pointerleave', 'focusout']) node.addEventListener(event, plan);
    this.#closes.push(close);
    this.#list.append(node);
    if (this.#closes.length > most) this.#closes[0]();
    plan();
    return close;
  }

  /** Shows an error. That the gateway is away is shown once, and until it is back. */
  error(error, answers = []) {
    if (!(error instanceof Away)) return this.show(error.message, answers, { isError: true });
    for (const other of [...this.#away.keys()]) if (!this.#away.get(other).length) other();
    const close = this.show(error.message, answers, { isError: true });
    this.#away.set(close, answers);
    return close;
  }

  /** Closes the messages about a gateway that does not respond, and offers their buttons again. */
  back() {
    for (const [close, answers] of [...this.#away]) {
      close();
      if (answers.length) this.show(text.backAgain, answers, { isKept: true });
    }
  }

  say(words) { setText(this.#speech, words); }
}
