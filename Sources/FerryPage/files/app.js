// Puts the parts of the page together.

import { Actions } from './actions.js';
import { askAdd, hasDraft } from './add.js';
import { hasSecret, takeSecret, whenLocked } from './api.js';
import { Detail } from './detail.js';
import { askChange, askLimits, askSecret, askSignIn, confirm, showHelp } from './dialogs.js';
import { find, setText } from './dom.js';
import { title } from './format.js';
import { List } from './list.js';
import { Notices } from './notices.js';
import { choose } from './query.js';
import { Store } from './store.js';
import { fill, text } from './text.js';
import { ActionBar, FilterBar, Header } from './toolbar.js';

takeSecret();
fill(document);

const store = new Store();
const notices = new Notices();
const actions = new Actions(store, notices);
const lettersKey = 'ferry.letters';

// MARK: Adding

let isAdding = false;
async function add(given) {
  if (isAdding || find('dialog')) return;
  isAdding = true;
  const added = await askAdd(store, typeof given === 'string' ? given : '');
  isAdding = false;
  if (added.length) notices.show(text.didAdd(added.length));
  find('#list').focus();
}

// MARK: One transfer and the chosen ones

async function remedy(name, transfer) {
  if (!transfer) return;
  const { id } = transfer;
  const change = change => actions.try(() => actions.change(id, change));
  switch (name) {
    case 'pause': return actions.pause([id]);
    case 'resume': case 'tryNow': case 'again': return actions.start([id]);
    case 'newURL': return askChange(transfer, store, actions, 'url');
    case 'otherFolder': return askChange(transfer, store, actions, 'folder');
    case 'change': return askChange(transfer, store, actions, 'name');
    case 'signIn': return askSignIn(transfer, actions);
    case 'keepBoth': return change({ on_conflict: 'unique', action: 'retry' });
    case 'replace': return change({ on_conflict: 'replace', action: 'retry' });
    case 'keepAnyway': return change({ on_mismatch: 'keep', action: 'retry' });
  }
}

const chosen = () => list.chosen;
const nameOf = ids => (ids.length === 1 ? title(store.get(ids[0])) : text.count(ids.length));
const inState = state => [...store.transfers.values()].filter(each => each.state === state && !store.hidden.has(each.id)).map(each => each.id);

const commands = {
  add: () => add(),
  start: () => actions.start(chosen()),
  pause: () => actions.pause(chosen()),
  async cancel() {
    const ids = chosen();
    if (ids.length && await confirm(text.cancelAsk(nameOf(ids)), text.cancelWords, text.actions.cancel)) actions.cancel(ids);
  },
  remove: () => actions.remove(chosen(), false),
  async removeWithFile() {
    const ids = chosen();
    if (ids.length && await confirm(text.deleteAsk(nameOf(ids)), text.deleteWords, text.deleteFile)) actions.remove(ids, true);
  },
  change: () => remedy('change', store.get(chosen()[0])),
  top: () => actions.moveBy(chosen(), -Infinity),
  up: () => actions.moveBy(chosen(), -1),
  down: () => actions.moveBy(chosen(), 1),
  bottom: () => actions.moveBy(chosen(), Infinity),
  retryFailed: () => actions.start(inState('failed')),
  clearFinished: () => actions.remove(inState('succeeded'), false),
  pauseAll: () => actions.pause([...inState('running'), ...inState('waiting')]),
  startAll: () => actions.start(inState('suspended')),
  slow: () => store.settings && actions.try(() => actions.changeSettings({ slow: !store.settings.slow })),
  limits: () => store.settings && askLimits(store, actions),
  help: () => showHelp({ hasLetters: hasLetters(), setLetters: on => localStorage.setItem(lettersKey, on ? 'on' : 'off') }),
  search: () => find('#search').focus(),
  undo: () => actions.undo(),
};

// MARK: The parts

let counts = {};
const list = new List(find('#list'), store, {
  act: (id, action) => remedy(action, store.get(id)),
  select: () => actionBar?.update(chosen(), counts, list.selected.size),
  open: id => detail.open(id),
  drop: (ids, above, below) => actions.moveBetween(ids, above, below),
});
const detail = new Detail(store, { remedy, say: words => notices.say(words), closed: () => find('#list').focus() });
const header = new Header(store, commands);
const filterBar = new FilterBar(() => show());
const actionBar = new ActionBar(store, { ...commands, remove: event => (event.shiftKey ? commands.removeWithFile() : askRemove()) });

/** By the pointer a removal asks whether the file goes too; keys have one for each. */
async function askRemove() {
  const ids = chosen();
  const hasFile = ids.some(id => store.get(id)?.state === 'succeeded');
  if (!hasFile) return actions.remove(ids, false);
  let withFile = false;
  const { ask } = await import('./dialogs.js');
  const { button, make } = await import('./dom.js');
  const files = button(text.deleteFile, event => {
    withFile = true;
    event.target.form.requestSubmit();
  }, { class: 'danger' });
  const done = await ask({
    heading: text.removeAsk(nameOf(ids)), label: text.actions.remove, extra: [files],
    body: [make('p', { text: text.removeWords })], submit: () => true,
  });
  if (done) actions.remove(ids, withFile);
}

function show() {
  const chosen = choose(store.transfers.values(), store.places, filterBar.query, store.hidden);
  counts = { ...chosen.counts, shown: chosen.ids.length };
  filterBar.update(chosen, store.sessions);
  const { order, isReversed } = filterBar.query;
  list.show(chosen.ids, order === 'turn' && !isReversed);
  find('#empty').hidden = chosen.ids.length > 0 || store.link === 'loading';
  setText(find('#empty-words'), store.transfers.size ? text.nothingFound : text.nothingThere);
  header.update(counts);
  actionBar.update(list.chosen, counts, list.selected.size);
}

const ends = new Set(['succeeded', 'failed']);
const lastStates = new Map();

/** Says how transfers end, to people who hear the page. */
function announce(changed) {
  for (const id of changed) {
    const transfer = store.get(id);
    const before = lastStates.get(id);
    if (!transfer) lastStates.delete(id);
    else lastStates.set(id, transfer.state);
    if (before && transfer && before !== transfer.state && ends.has(transfer.state)) {
      notices.say(text.announced(title(transfer), text.states[transfer.state]));
    }
  }
}

let lastShown = 0;
let isLate = false;
store.listen((changed, isListChanged) => {
  announce(changed);
  showLink();
  const bySpeed = ['speed', 'done', 'left'].includes(filterBar.query.order);
  if (isListChanged || bySpeed) {
    // Of many changes in a row a few are drawn.
    const wait = lastShown + 200 - Date.now();
    if (wait <= 0) {
      lastShown = Date.now();
      show();
    } else if (!isLate) {
      isLate = true;
      setTimeout(() => {
        isLate = false;
        lastShown = Date.now();
        show();
      }, wait);
    }
  } else {
    list.update(changed);
  }
  if (!isListChanged) header.update(counts);
  if (detail.id && (changed.has(detail.id) || isListChanged)) detail.update();
});

function showLink() {
  find('#away').hidden = store.link !== 'away';
  document.body.dataset.link = store.link;
}

// The daemon's room and limits may be changed by others.
addEventListener('focus', () => { if (store.link === 'live') store.refreshLimits().catch(() => {}); });
setInterval(() => { if (store.link === 'live' && !document.hidden) store.refreshLimits().catch(() => {}); }, 15_000);

// MARK: Keys

const hasLetters = () => localStorage.getItem(lettersKey) !== 'off';

/** Keys that need no letter alone, then letters: these may be turned off (WCAG 2.1.4). */
const keys = { Delete: 'remove', 'Shift+Delete': 'removeWithFile', 'Alt+ArrowUp': 'up', 'Alt+ArrowDown': 'down', 'Alt+Home': 'top', 'Alt+End': 'bottom', 'Control+z': 'undo', F2: 'change' };
const letters = { n: 'add', '/': 'search', '?': 'help', p: 'pause', r: 'start', c: 'cancel', e: 'change', s: 'slow', l: 'limits', z: 'undo', f: 'retryFailed' };

addEventListener('keydown', event => {
  const { key, target } = event;
  if (event.defaultPrevented || find('dialog')) return;
  if (target.closest('input:not([type=checkbox]), textarea, select')) return;
  const modifiers = (event.ctrlKey || event.metaKey ? 'Control+' : '') + (event.altKey ? 'Alt+' : '');
  const shifted = event.shiftKey && key.length > 1 ? 'Shift+' : '';
  const command = keys[modifiers + shifted + key] ?? (!modifiers && hasLetters() ? letters[key] : undefined);
  if (command) {
    event.preventDefault();
    commands[command]();
  } else if (key === 'Escape') {
    if (detail.id) detail.close();
    else list.clearSelection();
  }
});

// MARK: Pasting and dropping

addEventListener('paste', event => {
  if (find('dialog') || event.target.closest?.('input, textarea')) return;
  const given = event.clipboardData.getData('text/plain');
  if (given.trim()) add(given);
});

const drop = find('#drop');
for (const name of ['dragenter', 'dragover']) {
  addEventListener(name, event => {
    event.preventDefault();
    drop.hidden = find('dialog') != null;
  });
}
addEventListener('dragleave', event => { if (!event.relatedTarget) drop.hidden = true; });
addEventListener('drop', async event => {
  event.preventDefault();
  drop.hidden = true;
  const { files } = event.dataTransfer;
  const links = event.dataTransfer.getData('text/uri-list') || event.dataTransfer.getData('text/plain');
  const texts = files.length ? await Promise.all([...files].filter(each => each.size < 4 << 20).map(each => each.text())) : [links];
  for (const given of texts) if (given.trim()) await add(given);
});

// MARK: Start

let isAsking = false;
async function unlock(isWrong) {
  if (isAsking) return;
  isAsking = true;
  await askSecret(isWrong);
  isAsking = false;
  store.retry();
}

whenLocked(() => {
  store.lock();
  unlock(true);
});
find('#away-retry').addEventListener('click', () => store.retry());
store.follow();
if (!hasSecret()) unlock(false);
else if (hasDraft()) add('');
find('#list').focus();
