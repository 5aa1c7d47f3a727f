// Sets up the page and connects its parts.

import { parse, print } from './address.js';
import { Away, hasSecret, takeCode, whenLocked } from './api.js';
import { choices } from './choices.js';
import { find, setAttribute, setText } from './dom.js';
import { watch } from './drop.js';
import { watchEnds } from './ends.js';
import { watchKeys } from './keys.js';
import { List } from './list.js';
import { Notices } from './notices.js';
import { choose, filters, orders, ranks } from './query.js';
import { Store } from './store.js';
import { fill, text } from './text.js';
import { ActionBar, FilterBar, Header } from './toolbar.js';

fill(document);
/** Whether the page's address had a code that was not valid any more. */
const isCodeOld = !await takeCode().catch(() => true);

const store = new Store();
const notices = new Notices();

// Modules that the list does not need are loaded after it, so that they are available while the daemon is away.
const load = path => import(path).catch(() => { throw new Away(); });
const once = make => {
  let made = null;
  return () => {
    made ??= make();
    made.catch(() => { made = null; });
    return made;
  };
};
const commands = once(async () => new (await load('./commands.js')).Commands(store, notices));
const withDetail = once(async () => {
  const { Detail } = await load('./detail.js');
  return detail = new Detail(store, {
    remedy, say: words => notices.say(words), close,
    closed: hadFocus => {
      remember();
      if (hadFocus) find('#list').focus();
    },
  });
});

// MARK: Commands

/** The commands that need nothing but the list. */
const own = {
  selectAll: () => list.selectAll(),
  deselect: () => list.clearSelection(),
  search: () => find('#search').focus(),
  compact: () => {
    choices.set('compact', !choices.compact);
    showDensity();
  },
};

/** Calls a method of the commands, and shows its error. */
const ask = (name, ...given) => commands().then(all => all[name](...given)).catch(error => notices.error(error));
const remedy = (name, transfer) => ask('remedy', name, transfer);

/** Runs a command on what is chosen and shown now. */
const run = name => (own[name] ? own[name]() : ask('run', name, { chosen: list.chosen, isOneByOne: list.isOneByOne, shown: actionBar.ids }));

// MARK: The parts

let counts = {};
let detail = null;

async function open(id) {
  try {
    const detail = await withDetail(), isStep = !detail.id;
    wanted = '';
    detail.open(id);
    remember(isStep && { isDetail: true });
  } catch (error) {
    notices.error(error);
  }
}

/** Whether the browser goes back to close the detail. The query stays as it is now. */
let isClosing = false;

/** Closes the detail view, with the browser's Back if that leads to the list. */
function close() {
  if (isClosing) return;
  isClosing = history.state?.isDetail === true;
  if (isClosing) history.back();
  else detail?.close();
}

const list = new List(find('#list'), store, {
  act: (id, action) => remedy(action, store.get(id)),
  select: () => updateActions(),
  open,
  drop: (ids, above, below) => ask('moveBetween', ids, above, below),
});
const header = new Header(store, run, change => ask('limit', change));
const filterBar = new FilterBar(isStep => {
  remember(isStep && {});
  show();
});
const actionBar = new ActionBar(store, run);
const updateActions = () => actionBar.update(list.ids.filter(id => list.selected.has(id)), list.ids, list.ids.length < counts.there);

find('#compact').addEventListener('click', () => run('compact'));
find('#empty-add').addEventListener('click', () => run('add'));
function showDensity() {
  setAttribute(document.body, 'data-compact', choices.compact);
  setAttribute(find('#compact'), 'aria-pressed', choices.compact);
}
showDensity();

function show() {
  const { query } = filterBar, { transfers, places } = store;
  const chosen = choose(transfers.values(), places, query, store.hidden);
  const there = transfers.size - store.hidden.size;
  counts = { ...chosen.counts, there };
  filterBar.update(chosen, store.sessions);
  list.show(chosen.ids, query.order === 'turn' && !query.isReversed, ranks(transfers.values(), places));
  const isLoading = store.link === 'loading';
  for (const part of ['#bars', '#tools']) find(part).hidden = !there && !isLoading;
  find('#columns').hidden = !chosen.ids.length;
  find('#empty').hidden = chosen.ids.length > 0 || isLoading;
  setText(find('#empty-words'), there ? text.nothingFound : text.nothingThere);
  find('#empty-add').hidden = there > 0;
  header.update(counts.open);
  if (isLoading || performance.getEntriesByName('list').length) return;
  performance.mark('list');
  prepare();
}

/** Loads what the list does not need. */
function prepare() {
  commands().then(all => all.addAgain(), () => {});
  withDetail().catch(() => {});
}

// MARK: The address

/** A transfer that the address names, until the list is there. */
let wanted = '';

/** Writes what is shown to the address. With a state it is a step to which the browser's Back leads. */
function remember(state) {
  const fragment = print({ ...filterBar.query, id: detail?.id ?? wanted });
  if (state) history.pushState(state, '', fragment || location.pathname);
  else history.replaceState(detail?.id ? history.state : null, '', fragment || location.pathname);
}

/** Shows what the address says. */
function restore() {
  if (isClosing) {
    isClosing = false;
    return detail?.close();
  }
  const { id, ...query } = parse(location.hash, filters, orders);
  filterBar.set(query);
  wanted = id;
  if (!id) detail?.close();
  show();
  openWanted();
}

function openWanted() {
  if (!wanted || store.link !== 'live') return;
  const id = wanted;
  wanted = '';
  if (store.get(id)) {
    withDetail().then(detail => detail.open(id)).catch(error => notices.error(error));
  } else {
    notices.show(text.goneTransfer);
    remember();
  }
}
addEventListener('popstate', restore);

/** Announces completed and failed transfers. */
const announce = watchEnds(store, words => notices.say(words));

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

let wasLive = false;
store.listen((changed, isListChanged) => {
  announce(changed);
  setAttribute(find('#away'), 'hidden', store.link !== 'away');
  setAttribute(document.body, 'data-link', store.link);
  if (store.link === 'live') {
    if (!wasLive) notices.back();
    openWanted();
  }
  wasLive = store.link === 'live';
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

/** Milliseconds for which a hidden page keeps a stream of its own. */
const hiddenFor = 30_000;
document.addEventListener('visibilitychange', () => {
  if (document.hidden) setTimeout(() => document.hidden && store.leave(), hiddenFor);
  else store.retry();
});
// Ports of pages that have gone are not closed by themselves. A page that comes back joins the stream again.
addEventListener('pagehide', () => store.leave(true));

watchKeys({ run, list, escape: () => (detail?.id ? close() : list.clearSelection()) });
watch(given => ask('add', given), (link, files) => ask('drop', link, files));

// MARK: Start

whenLocked(() => {
  store.lock();
  ask('unlock', text.secretWrong);
});
find('#away-retry').addEventListener('click', () => store.retry());
restore();
store.follow();
if (!hasSecret()) ask('unlock', isCodeOld ? text.codeOld : text.secretNeeded);
