// The bars above the list: the header, the filters, and the actions for the chosen transfers.

import { SpeedChart } from './chart.js';
import { button, fillChoice, find, make, setAttribute, setText } from './dom.js';
import { number, size, speed } from './format.js';
import { filters, isInLine, orders } from './query.js';
import { text } from './text.js';

/** The page's header and title. */
export class Header {
  #store;
  #chart = new SpeedChart();

  constructor(store, run) {
    this.#store = store;
    find('#chart').append(this.#chart.element);
    for (const name of ['add', 'limits', 'help', 'slow']) find(`#${name}`).addEventListener('click', () => run(name));
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
    const isAway = link === 'away';
    document.title = [!isAway && now > 0 && rate, open > 0 && text.openCount(open), isAway && text.awayShort, 'Ferry'].filter(Boolean).join(' · ');
  }
}

/** The filter, search and sort controls. */
export class FilterBar {
  query = { filter: 'all', session: '', tag: '', search: '', order: 'turn', isReversed: false };
  #buttons = new Map();
  #sessions = find('#sessions');
  #tags = find('#tags');

  constructor(changed) {
    const direction = find('#direction'), search = find('#search'), order = find('#order');
    const set = change => {
      Object.assign(this.query, change);
      for (const [name, node] of this.#buttons) setAttribute(node, 'aria-pressed', name === this.query.filter);
      setText(direction, this.query.isReversed ? '↑' : '↓');
      setAttribute(direction, 'aria-pressed', this.query.isReversed);
      changed();
    };
    for (const name in filters) {
      const node = button('', () => set({ filter: name }), { 'aria-pressed': name === 'all' });
      node.append(text.filters[name] ?? text.states[name], make('span', { class: 'count' }));
      this.#buttons.set(name, node);
    }
    find('#filters').append(...this.#buttons.values());
    search.placeholder = text.search;
    search.addEventListener('input', () => set({ search: search.value }));
    search.addEventListener('keydown', ({ key }) => {
      if (key === 'Escape' || key === 'Enter' || key === 'ArrowDown') find('#list').focus();
      if (key === 'Escape') set({ search: search.value = '' });
    });
    this.#sessions.addEventListener('change', event => set({ session: event.target.value }));
    this.#tags.addEventListener('change', event => set({ tag: event.target.value }));
    fillChoice(order, text.orders, 'turn');
    order.addEventListener('change', () => set({ order: order.value, isReversed: false }));
    direction.addEventListener('click', () => set({ isReversed: !this.query.isReversed }));
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
      if (node.dataset.names === there.join('\n')) return;
      node.dataset.names = there.join('\n');
      fillChoice(node, { '': all, ...Object.fromEntries(there.map(name => [name, name])) }, value);
    };
    choose(this.#sessions, text.allSessions, sessions.length > 1 ? sessions.map(each => each.id) : [], session);
    choose(this.#tags, text.allTags, tags, tag);
  }
}

const symbols = { top: '⤒', up: '↑', down: '↓', bottom: '⤓' };

/** The buttons that act on the chosen transfers, or on all of a kind. */
export class ActionBar {
  #buttons = {};
  #store;

  constructor(store, run) {
    this.#store = store;
    for (const [name, label] of Object.entries(text.actions)) {
      const names = symbols[name] ? { 'aria-label': label, title: label } : {};
      if (name === 'retryFailed') find('#actions').append(make('span', { class: 'stretch' }));
      find('#actions').append(this.#buttons[name] = button(symbols[name] ?? label, () => run(name), names));
    }
  }

  update(chosen, counts, selected) {
    const states = new Set();
    let hasLine = false;
    for (const each of chosen.map(id => this.#store.get(id)).filter(Boolean)) {
      states.add(each.state);
      hasLine ||= isInLine(each);
    }
    const has = (...names) => names.some(name => states.has(name));
    const isPossible = {
      start: has('suspended', 'failed', 'canceled', 'waiting'), pause: has('running', 'waiting'), cancel: has('running', 'waiting', 'suspended'),
      remove: states.size > 0, change: chosen.length === 1, top: hasLine, up: hasLine, down: hasLine, bottom: hasLine,
    };
    for (const name in isPossible) this.#buttons[name].disabled = !isPossible[name];
    setText(find('#chosen'), text.selected(selected, counts.shown));
    const whole = {
      retryFailed: counts.failed, clearFinished: counts.succeeded, pauseAll: counts.running + counts.waiting, startAll: counts.suspended,
    };
    for (const [name, count] of Object.entries(whole)) {
      this.#buttons[name].hidden = !count;
      setText(this.#buttons[name], `${text.actions[name]} (${count})`);
    }
  }
}
