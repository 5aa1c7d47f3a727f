// The keys of the page.

import { choices } from './choices.js';
import { find } from './dom.js';

/** Keys other than letters, then single letters, which can be turned off (WCAG 2.1.4). */
const keys = {
  Delete: 'removeRow', 'Shift+Delete': 'removeWithFile', 'Alt+ArrowUp': 'up', 'Alt+ArrowDown': 'down', 'Alt+Home': 'top', 'Alt+End': 'bottom', 'Control+z': 'undo',
  F2: 'change',
};
const letters = {
  n: 'add', '/': 'search', '?': 'help', p: 'pause', r: 'start', c: 'cancel', e: 'change', s: 'slow', l: 'limits', z: 'undo', f: 'retryFailed', d: 'compact',
};

/** Calls `run` with the command of a key, and `escape`. Arrow keys move in the list also while nothing has the focus. */
export function watchKeys({ run, list, escape }) {
  addEventListener('keydown', event => {
    const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
    if (event.defaultPrevented || find('dialog[open]') || target.closest?.('input:not([type=checkbox]), textarea, select')) return;
    if (target === document.body && list.press(event)) return find('#list').focus();
    const modifiers = (ctrlKey || metaKey ? 'Control+' : '') + (altKey ? 'Alt+' : '');
    const command = keys[modifiers + (shiftKey && key.length > 1 ? 'Shift+' : '') + key] ?? (!modifiers && choices.letters && letters[key]);
    if (command) run(command);
    else if (key === 'Escape') escape();
    else return;
    event.preventDefault();
  });
}
