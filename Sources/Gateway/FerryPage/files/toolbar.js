// The bars above the list: the header, the filters, the columns, and the actions.

import { SpeedChart } from './chart.js';
import { button, fillChoice, find, make, setAttribute, setText } from './dom.js';
import { number, size, speed } from './format.js';
import { bulk, filters, isInLine, orders } from './query.js';
import { text } from './text.js';

const mega = 1 << 20;
/** The speed limits of the header's menu, in bytes per second. */
const limits = [mega / 2, mega, 2 * mega, 5 * mega, 10 * mega, 20 * mega, 50 * mega, 100 * mega];

/** The page's header and title. */
export class Header {
  #store;
  #chart = new SpeedChart();
  #limit = find('#limit');

  /** `limit(change)` changes the settings that limit all transfers. */
  constructor(store, run, limit) {
    this.#store = store;
    find('#chart').append(this.#chart.element);
    for (const name of ['add', 'limits', 'help', 'slow']) find(`#${name}`).addEventListener('click', () => run(name));
    this.#limit.addEventListener('change', ({ target }) => {
      const { value } = target;
      if (value === 'other') run('limits');
      else limit(value === 'slow' ? { slow: true } : { slow: false, rate_limit: Number(value) });
      this.#showLimit(true);
    });
  }

  update(open) {
    const { speeds, settings, folders, link, transfers } = this.#store;
    let now = 0;
    for (const each of transfers.values()) if (each.state === 'running') now += each.bytes_per_second ?? 0;
    const rate = `↓ ${speed(now)}`;
    setText(find('#speed'), rate);
    this.#chart.show(speeds, text.speedNow(speed(now)));
    const free = folders[0]?.free;
    setText(find('#room'), free == null ? '' : text.free(size(free)));
    const isSlow = settings?.slow === true;
    setAttribute(find('#slow'), 'aria-pressed', isSlow);
    setText(find('#slow'), isSlow ? text.slowAt(speed(settings.slow_rate_limit)) : text.slow);
    this.#showLimit();
    const isAway = link === 'away';
    document.title = [!isAway && now > 0 && rate, open > 0 && text.openCount(open), isAway && text.awayShort, 'Ferry'].filter(Boolean).join(' · ');
  }

  #showLimit(isForced = false) {
    const { settings } = this.#store, node = this.#limit;
    node.parentElement.hidden = !settings;
    if (!settings) return;
    const { slow, rate_limit: rate, slow_rate_limit: slowRate } = settings;
    const shown = `${slow} ${rate} ${slowRate}`;
    if (!isForced && node.dataset.shown === shown) return;
    node.dataset.shown = shown;
    const all = [...new Set([...limits, rate])].filter(Boolean).sort((a, b) => a - b);
    fillChoice(node, [[0, text.noLimit], ...all.map(each => [each, speed(each)]), ['slow', text.slowAt(speed(slowRate))], ['other', text.otherLimit]],
      slow ? 'slow' : rate);
  }
}

/** The filter, search and sort controls. */
export class FilterBar {
  query = { filter: 'all', session: '', tag: '', search: '', order: 'turn', isReversed: false };
  #buttons = new Map();
  #sessions = find('#sessions');
  #tags = find('#tags');
  #columns = [];

  /** `changed(isStep)` gets whether the change is a step to which the browser's Back leads. */
  constructor(changed) {
    const direction = find('#direction'), search = find('#search'), order = find('#order');
    const change = (change, isStep = false) => {
      this.set(change);
      changed(isStep);
    };
    for (const name in filters) {
      const node = button('', () => change({ filter: name }, true));
      node.append(text.filters[name] ?? text.states[name], make('span', { class: 'count' }));
      this.#buttons.set(name, node);
    }
    find('#filters').append(...this.#buttons.values());
    search.placeholder = text.search;
    search.addEventListener('input', () => change({ search: search.value }, !this.query.search));
    search.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' || key === 'Enter' || key === 'ArrowDown') find('#list').focus();
      if (key === 'Escape') change({ search: '' });
    });
    this.#sessions.addEventListener('change', event => change({ session: event.target.value }, true));
    this.#tags.addEventListener('change', event => change({ tag: event.target.value }, true));
    fillChoice(order, text.orders, 'turn');
    const sort = name => change({ order: name, isReversed: name === this.query.order && !this.query.isReversed });
    order.addEventListener('change', () => change({ order: order.value, isReversed: false }));
    direction.addEventListener('click', () => sort(this.query.order));
    for (const [name, place] of Object.entries({ name: 'what', done: 'much', size: 'size', speed: 'rate', left: 'when' })) {
      this.#columns.push([name, find('#columns').appendChild(button('', () => sort(name), { class: place }))]);
    }
    this.set({});
  }

  /** Changes the query and shows it in the controls. */
  set(change) {
    const query = Object.assign(this.query, change);
    for (const [name, node] of this.#buttons) setAttribute(node, 'aria-pressed', name === query.filter);
    const arrow = query.isReversed ? '↑' : '↓';
    setText(find('#direction'), arrow);
    setAttribute(find('#direction'), 'aria-pressed', query.isReversed);
    find('#order').value = query.order;
    if (find('#search').value !== query.search) find('#search').value = query.search;
    for (const [name, node] of this.#columns) {
      const isSorted = name === query.order;
      setText(node, text.orders[name] + (isSorted ? ` ${arrow}` : ''));
      setAttribute(node, 'aria-pressed', isSorted);
    }
  }

  update({ counts, tags }, sessions) {
    const { filter, session, tag } = this.query;
    for (const [name, node] of this.#buttons) {
      setText(node.lastElementChild, number(counts[name]));
      node.hidden = name === 'canceled' && counts[name] === 0 && filter !== name;
    }
    const choose = (node, all, names, value) => {
      const there = value && !names.includes(value) ? [...names, value] : names;
      node.hidden = !there.length;
      if (node.dataset.names !== there.join('\n')) {
        node.dataset.names = there.join('\n');
        fillChoice(node, { '': all, ...Object.fromEntries(there.map(name => [name, name])) }, value);
      }
      node.value = value;
    };
    choose(this.#sessions, text.allSessions, sessions.length > 1 ? sessions.map(each => each.id) : [], session);
    choose(this.#tags, text.allTags, tags, tag);
  }
}

const symbols = { top: '⤒', up: '↑', down: '↓', bottom: '⤓' };

/** The bar of actions: those on all shown transfers, or those on the selected ones once there are any. */
export class ActionBar {
  /** The ids on which each action on all shown transfers acts: those that its button has counted. */
  ids = {};

  #buttons = {};
  #store;
  #mark = find('#all');

  constructor(store, run) {
    this.#store = store;
    const add = (name, label, attributes = {}) => find('#actions').append(this.#buttons[name] = button(label, () => run(name), attributes));
    for (const [name, label] of Object.entries(text.actions)) {
      add(name, symbols[name] ?? label, symbols[name] ? { 'aria-label': label, title: label } : {});
    }
    for (const name in text.bulk) add(name, '');
    this.#mark.addEventListener('change', () => run(this.#mark.checked ? 'selectAll' : 'deselect'));
  }

  /** `shown` are the ids of the list, and `isPart` says whether a filter hides others. */
  update(selected, shown, isPart) {
    const states = new Set();
    let hasLine = false;
    for (const each of selected.map(id => this.#store.get(id)).filter(Boolean)) {
      states.add(each.state);
      hasLine ||= isInLine(each);
    }
    const has = (...names) => names.some(name => states.has(name));
    const isPossible = {
      start: has('suspended', 'failed', 'canceled', 'waiting'), pause: has('running', 'waiting'), cancel: has('running', 'waiting', 'suspended'),
      remove: selected.length > 0, change: selected.length === 1, top: hasLine, up: hasLine, down: hasLine, bottom: hasLine,
    };
    for (const name in isPossible) this.#buttons[name].hidden = !isPossible[name];
    this.#mark.checked = selected.length > 0 && selected.length === shown.length;
    this.#mark.indeterminate = selected.length > 0 && selected.length < shown.length;
    setText(find('#chosen'), text.selected(number(selected.length), number(shown.length), selected.length > 0));
    this.ids = bulk(shown, id => this.#store.get(id));
    for (const [name, ids] of Object.entries(this.ids)) {
      this.#buttons[name].hidden = selected.length > 0 || !ids.length;
      setText(this.#buttons[name], text.bulk[name](number(ids.length), isPart));
    }
  }
}
