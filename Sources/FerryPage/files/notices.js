// Short messages at the edge of the page, which can be answered, and the words that a screen reader says.

import { button, find, make, setText } from './dom.js';
import { text } from './text.js';

const shownFor = 8000;

export class Notices {
  #list = find('#notices');
  #speech = find('#speech');

  /**
   * Shows a message.
   *
   * `answers` are `[label, call]`. It goes by itself, but not while the pointer or the focus is on it; an error stays until it is
   * closed.
   */
  show(message, answers = [], { isError = false } = {}) {
    const close = () => {
      clearTimeout(timer);
      node.remove();
    };
    const node = make('div', { class: isError ? 'notice error' : 'notice', role: isError ? 'alert' : 'status' },
      make('p', { text: message }),
      ...answers.map(([label, call]) => button(label, () => { close(); call(); })),
      button('✕', close, { class: 'plain', 'aria-label': text.close }));
    let timer = 0;
    const plan = () => { timer = isError ? 0 : setTimeout(close, shownFor); };
    for (const event of ['pointerenter', 'focusin']) node.addEventListener(event, () => clearTimeout(timer));
    for (const event of ['pointerleave', 'focusout']) node.addEventListener(event, plan);
    this.#list.append(node);
    while (this.#list.children.length > 4) this.#list.firstElementChild.remove();
    plan();
    return close;
  }

  error(error, answers) { return this.show(error.message, answers, { isError: true }); }

  say(words) { setText(this.#speech, words); }
}
