// Sets up the page and connects its parts.

import { Actions } from './actions.js';
import { Away, hasSecret, takeCode, whenLocked } from './api.js';
import { button, find, setAttribute, setText } from './dom.js';
import { title } from './format.js';
import { List } from './list.js';
import { Notices } from './notices.js';
import { choose } from './query.js';
import { Store } from './store.js';
import { fill, text } from './text.js';
import { ActionBar, FilterBar, Header } from './toolbar.js';

fill(document);
/** Whether the page's address had a code that was not valid any more. */
const isCodeOld = !await takeCode().catch(() => true);

const store = new Store();
const notices = new Notices();
const actions = new Actions(store, notices);
const lettersKey = 'ferry.letters', draftKey = 'ferry.draft';
const hasLetters = () => localStorage.getItem(lettersKey) !== 'off';

// Modules that the list does not need are loaded after it, so that they are available while the daemon is away.
const load = path => import(path).catch(() => { throw new Away(); });
const dialogs = () => load('./dialogs.js');
const adding = () => load('./add.js');

// MARK: Commands

let isAdding = false;
async function add(given = '') {
  if (isAdding || find('dialog')) return;
  isAdding = true;
  try {
    const { added, left } = await (await adding()).askAdd(store, given, draftKey);
    if (added.length) notices.show(text.didAdd(added.length));
    else if (left) notices.show(text.discarded, [[text.undo, () => add(left)]]);
  } catch (error) {
    notices.error(error);
  } finally {
    isAdding = false;
  }
  find('#list').focus();
}

/** Runs the remedy of a button beside a transfer. */
async function mend(name, transfer) {
  if (!transfer) return;
  const { id } = transfer;
  const again = change => actions.try(() => actions.change(id, { ...change, action: 'retry' }));
  const change = async field => (await dialogs()).askChange(transfer, store, actions, field);
  await {
    pause: () => actions.pause([id]), resume: () => actions.start([id]), tryNow: () => actions.start([id]), again: () => actions.start([id]),
    newURL: () => change('url'), otherFolder: () => change('folder'), change: () => change('name'),
    signIn: async () => (await dialogs()).askSignIn(transfer, actions),
    keepBoth: () => again({ on_conflict: 'unique' }), replace: () => again({ on_conflict: 'replace' }), keepAnyway: () => again({ on_mismatch: 'keep' }),
  }[name]();
}

const remedy = (name, transfer) => mend(name, transfer).catch(error => notices.error(error));

const nameOf = ids => (ids.length === 1 ? title(store.get(ids[0])) : text.count(ids.length));
const inState = (...states) =>
  [...store.transfers.values()].filter(each => states.includes(each.state) && !store.hidden.has(each.id)).map(each => each.id);

/** Most transfers that are removed without a question, unless they were chosen one by one. */
const mostUnasked = 10;

/** Removes transfers without their files. Asks first if they are many. */
async function removeMany(ids, isOneByOne) {
  if (ids.length > mostUnasked && !isOneByOne) {
    const { confirm } = await dialogs();
    if (!await confirm(text.removeAsk(nameOf(ids)), text.removeManyWords, text.actions.remove)) return;
  }
  actions.remove(ids, false);
}

/** Removes transfers. Asks whether to delete finished files too. With `withFile`, it only asks for confirmation. */
async function remove(ids, withFile) {
  const hasFile = ids.some(id => store.get(id)?.state === 'succeeded');
  if (!ids.length || !hasFile && !withFile) return removeMany(ids, list.isOneByOne);
  const files = button(text.delete, null, { type: 'submit', class: 'danger', value: 'files' });
  const answer = await (await dialogs()).confirm(text.removeAsk(nameOf(ids)), text.removeWords, withFile ? null : text.actions.remove, [files]);
  if (answer) actions.remove(ids, answer === 'files');
}

const commands = {
  add: () => add(),
  start: () => actions.start(list.chosen),
  pause: () => actions.pause(list.chosen),
  async cancel() {
    const ids = list.chosen;
    if (ids.length && await (await dialogs()).confirm(text.cancelAsk(nameOf(ids)), text.cancelWords, text.actions.cancel)) actions.cancel(ids);
  },
  remove: () => remove(list.chosen, false),
  removeRow: () => removeMany(list.chosen, list.isOneByOne),
  removeWithFile: () => remove(list.chosen, true),
  change: () => remedy('change', store.get(list.chosen[0])),
  top: () => actions.moveBy(list.chosen, -Infinity),
  up: () => actions.moveBy(list.chosen, -1),
  down: () => actions.moveBy(list.chosen, 1),
  bottom: () => actions.moveBy(list.chosen, Infinity),
  retryFailed: () => actions.start(inState('failed')),
  clearFinished: () => removeMany(inState('succeeded'), false),
  pauseAll: () => actions.pause(inState('running', 'waiting')),
  startAll: () => actions.start(inState('suspended')),
  slow: () => store.settings && actions.try(() => actions.changeSettings({ slow: !store.settings.slow })),
  limits: async () => store.settings && (await dialogs()).askLimits(store, actions),
  help: async () => (await dialogs()).showHelp(hasLetters(), on => localStorage.setItem(lettersKey, on ? 'on' : 'off')),
  search: () => find('#search').focus(),
  undo: () => actions.undo(),
};

/** Runs a command, and shows its error. */
const run = name => Promise.resolve(commands[name]()).catch(error => notices.error(error));

// MARK: The parts

let counts = {};
let detail = null, loading = null;

/** Loads the detail view on first use. */
function withDetail() {
  loading ??= load('./detail.js').then(({ Detail }) => {
    detail = new Detail(store, { remedy, say: words => notices.say(words), closed: () => find('#list').focus() });
    return detail;
  });
  loading.catch(() => { loading = null; });
  return loading;
}

const list = new List(find('#list'), store, {
  act: (id, action) => remedy(action, store.get(id)),
  select: () => actionBar?.update(list.chosen, counts, list.selected.size),
  open: id => withDetail().then(detail => detail.open(id), error => notices.error(error)),
  drop: (ids, above, below) => actions.moveBetween(ids, above, below),
});
const header = new Header(store, run);
const filterBar = new FilterBar(() => show());
const actionBar = new ActionBar(store, run);

function show() {
  const { query } = filterBar;
  const chosen = choose(store.transfers.values(), store.places, query, store.hidden);
  counts = { ...chosen.counts, shown: chosen.ids.length };
  filterBar.update(chosen, store.sessions);
  list.show(chosen.ids, query.order === 'turn' && !query.isReversed);
  find('#empty').hidden = chosen.ids.length > 0 || store.link === 'loading';
  setText(find('#empty'), store.transfers.size ? text.nothingFound : text.nothingThere);
  header.update(counts.open);
  if (store.link === 'loading' || performance.getEntriesByName('list').length) return;
  performance.mark('list');
  adding().catch(() => {});
  withDetail().catch(() => {});
}

const lastStates = new Map();

/** Announces completed and failed transfers to screen readers. */
function announce(changed) {
  for (const id of changed) {
    const transfer = store.get(id), before = lastStates.get(id);
    if (transfer) lastStates.set(id, transfer.state);
    else lastStates.delete(id);
    if (before && transfer && before !== transfer.state && (transfer.state === 'succeeded' || transfer.state === 'failed')) {
      notices.say(text.end(title(transfer), text.states[transfer.state]));
    }
  }
}

/** Least time between two draws of the whole list, in milliseconds. */
const pause = 200;
let nextShow = 0, isLate = false;

function showSoon() {
  const wait = nextShow - Date.now();
  if (isLate) return;
  isLate = wait > 0;
  const draw = () => {
    isLate = false;
    const start = performance.now();
    show();
    // Draw a slow list less often.
    nextShow = Date.now() + Math.max(store.link === 'loading' ? 0 : pause, 4 * (performance.now() - start));
  };
  if (isLate) setTimeout(draw, wait);
  else draw();
}

store.listen((changed, isListChanged) => {
  announce(changed);
  setAttribute(find('#away'), 'hidden', store.link !== 'away');
  setAttribute(document.body, 'data-link', store.link);
  if (isListChanged || ['speed', 'done', 'left'].includes(filterBar.query.order)) {
    showSoon();
  } else {
    list.update(changed);
    header.update(counts.open);
  }
  if (detail?.id && (changed.has(detail.id) || isListChanged)) detail.update();
});

// Free disk space and limits may change outside this page.
function refresh() {
  if (store.link !== 'live' || document.hidden) return;
  store.refreshLimits().catch(error => { if (error instanceof Away) store.doubt(); });
}
addEventListener('focus', refresh);
setInterval(refresh, 15_000);

// MARK: Keys

/** Keys other than letters, then single letters, which can be turned off (WCAG 2.1.4). */
const keys = {
  Delete: 'removeRow', 'Shift+Delete': 'removeWithFile', 'Alt+ArrowUp': 'up', 'Alt+ArrowDown': 'down', 'Alt+Home': 'top', 'Alt+End': 'bottom', 'Control+z': 'undo',
  F2: 'change',
};
const letters = {
  n: 'add', '/': 'search', '?': 'help', p: 'pause', r: 'start', c: 'cancel', e: 'change', s: 'slow', l: 'limits', z: 'undo', f: 'retryFailed',
};

addEventListener('keydown', event => {
  const { key, target, ctrlKey, metaKey, altKey, shiftKey } = event;
  if (event.defaultPrevented || find('dialog') || target.closest?.('input:not([type=checkbox]), textarea, select')) return;
  const modifiers = (ctrlKey || metaKey ? 'Control+' : '') + (altKey ? 'Alt+' : '');
  const command = keys[modifiers + (shiftKey && key.length > 1 ? 'Shift+' : '') + key] ?? (!modifiers && hasLetters() && letters[key]);
  if (command) run(command);
  else if (key !== 'Escape') return;
  else if (detail?.id) detail.close();
  else list.clearSelection();
  event.preventDefault();
});

// MARK: Pasting and dropping

addEventListener('paste', event => {
  if (find('dialog') || event.target.closest?.('input, textarea')) return;
  const given = event.clipboardData.getData('text/plain');
  if (given.trim()) add(given);
});

const drop = find('#drop');
for (const name of ['dragenter', 'dragover', 'dragleave']) {
  addEventListener(name, event => {
    if (find('dialog')) return;
    event.preventDefault();
    drop.hidden = name === 'dragleave' && !event.relatedTarget;
  });
}
/** Most bytes of a dropped Metalink document or list. */
const mostDropped = 4 << 20;
addEventListener('drop', async event => {
  if (find('dialog')) return;
  event.preventDefault();
  drop.hidden = true;
  const { dataTransfer: data } = event;
  const link = data.getData('text/uri-list') || data.getData('text/plain');
  const files = [...data.files];
  for (const { name } of files.filter(each => each.size > mostDropped)) notices.show(text.tooLarge(name), [], { isError: true });
  const texts = files.length ? await Promise.all(files.filter(each => each.size <= mostDropped).map(each => each.text())) : [link];
  const given = texts.filter(each => each.trim());
  // Take a single XML document, or join all lists.
  if (given.length) add(given.some(each => each.trimStart().startsWith('<')) ? given[0] : given.join('\n'));
});

// MARK: Start

let isAsking = false;
async function unlock(words) {
  if (isAsking) return;
  isAsking = true;
  await (await dialogs()).askSecret(words);
  isAsking = false;
  store.retry();
}

whenLocked(() => {
  store.lock();
  unlock(text.secretWrong);
});
find('#away-retry').addEventListener('click', () => store.retry());
store.follow();
if (!hasSecret()) unlock(isCodeOld ? text.codeOld : text.secretNeeded);
else if (sessionStorage.getItem(draftKey)) add();
else find('#list').focus();
