// Pasting and dropping of links, lists and Metalink documents.

import { find } from './dom.js';

/** Passes pasted texts to `add`, and dropped links and files to `take`. */
export function watch(add, take) {
  addEventListener('paste', event => {
    if (find('dialog[open]') || event.target.closest?.('input, textarea')) return;
    const given = event.clipboardData.getData('text/plain');
    if (given.trim()) add(given);
  });

  const sign = find('#drop');
  for (const name of ['dragenter', 'dragover', 'dragleave']) {
    addEventListener(name, event => {
      if (find('dialog[open]')) return;
      event.preventDefault();
      sign.hidden = name === 'dragleave' && !event.relatedTarget;
    });
  }
  addEventListener('drop', event => {
    if (find('dialog[open]')) return;
    event.preventDefault();
    sign.hidden = true;
    const { dataTransfer: data } = event;
    take(data.getData('text/uri-list') || data.getData('text/plain'), [...data.files]);
  });
}
