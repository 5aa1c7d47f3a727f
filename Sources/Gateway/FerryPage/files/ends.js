// Announces completed and failed transfers to screen readers, and by notifications of the browser to those who want them.

import { choices } from './choices.js';
import { title } from './format.js';
import { text } from './text.js';
import { sentence } from './words.js';

/** Most notifications at a time: after a lost connection, many may have ended. */
const most = 5;

function notify(words, tag, error) {
  try {
    new Notification(words, { tag, body: error ? sentence(error) : '', icon: 'icon.svg' });
  } catch {
    // Browsers of phones let only service workers notify.
  }
}

/** Returns a function that takes the ids of changed transfers, and says which of them have ended. */
export function watchEnds(store, say) {
  const states = new Map();
  return changed => {
    let shown = 0;
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
      if (choices.notices && !document.hasFocus() && shown++ < most) notify(words, id, transfer.error);
    }
  };
}
