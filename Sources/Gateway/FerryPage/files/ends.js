// Tells of completed and failed transfers: screen readers, and for those who want it the browser.

import { choices } from './choices.js';
import { title } from './format.js';
import { text } from './text.js';
import { sentence } from './words.js';

/** Returns a function that takes the ids of changed transfers, and says which of them have ended. */
export function watchEnds(store, say) {
  const states = new Map();
  return changed => {
    for (const id of changed) {
      const transfer = store.get(id), before = states.get(id);
      if (transfer) states.set(id, transfer.state);
      else states.delete(id);
      const hasEnded = transfer?.state === 'succeeded' || transfer?.state === 'failed';
      // A short one has ended before the page knew it.
      const isNews = before ? before !== transfer?.state : store.happened.has(id);
      if (!hasEnded || !isNews) continue;
      const words = text.end(title(transfer), text.states[transfer.state]);
      say(words);
      // All tabs show it, and the browser shows those of one tag once.
      if (choices.notices && !document.hasFocus()) {
        new Notification(words, { tag: id, body: transfer.error ? sentence(transfer.error) : '', icon: 'icon.svg' });
      }
    }
  };
}
