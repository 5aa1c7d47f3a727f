// The bars above the list: what all do, which transfers are shown, and what one does with the chosen ones.

import { SpeedChart } from './chart.js';
import { button, choice, find, make, setAttribute, setText } from './dom.js';
import { number, size, speed } from './format.js';
import { filters, isInLine, orders } from './query.js';
import { text } from './text.js';

/** The top of the page: speed, room, and what is about all. */
export class Header {
  #store;
  #speed = find('#speed');
  #room = find('#room');
  #slow = find('#slow');
  #chart = new SpeedChart();

  constructor(store, calls) {
    this.#store = store;
    find('#chart').append(this.#chart.element);
    for (const name of ['add', 'limits', 'help']) find(`#${name}`).addEventListener('click', calls[name]);
    this.#slow.addEventListener('click', calls.slow);
  }

  update(counts) {
    const { speeds, settings, folders } = this.#store;
    const now = [...this.#store.transfers.values()].reduce((all, each) => all + (each.state === 'running' ? each.bytes_per_second ?? 0 : 0), 0);
    const isLive = this.#store.link === 'live';
    setText(this.#speed, `↓ ${speed(now)}`);
    this.#chart.show(speeds, 180, text.speedNow(speed(now)));
    const free = folders[0]?.free;
    setText(this.#room, free == null ? '' : text.free(size(free)));
    setAttribute(this.#room, 'title', folders[0]?.path);
    const isSlow = settings?.slow === true;
    setAttribute(this.#slow, 'aria-pressed', isSlow);
    setText(this.#slow, isSlow ? text.slowAt(speed(settings.slow_rate_limit)) : text.slow);
    const parts = [isLive && now > 0 && `↓ ${speed(now)}`, counts.open > 0 && text.openCount(counts.open), !isLive && text.awayShort, 'Ferry'];
    const title = parts.filter(Boolean).join(' · ');
    if (document.title !== title) document.title = title;
  }
}

/** Which transfers are shown, in which order. */
export class FilterBar {
  query = { filter: 'all', session: '', tag: '', search: '', order: 'turn', isReversed: false };
  #buttons = new Map();
  #sessions = find('#sessions');
  #tags = find('#tags');
  #direction = find('#direction');

  constructor(changed) {
    const set = change => {
      Object.assign(this.query, change);
      for (const [name, node] of this.#buttons) setAttribute(node, 'aria-pressed', name === this.query.filter);
      setText(this.#direction, this.query.isReversed ? '↑' : '↓');
      setAttribute(this.#direction, 'aria-pressed', this.query.isReversed);
      changed();
    };
    for (const name in filters) {
      const node = button('', () => set({ filter: name }), { 'aria-pressed': name === 'all' });
      node.append(make('span', { text: text.filters[name] }), make('span', { class: 'count' }));
      this.#buttons.set(name, node);
    }
    find('#filters').append(...this.#buttons.values());
    const search = find('#search');
    search.placeholder = text.search;
    search.addEventListener('input', () => set({ search: search.value }));
    search.addEventListener('keydown', event => {
      if (event.key === 'Escape' && search.value) {
        search.value = '';
        set({ search: '' });
      } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
        event.preventDefault();
        find('#list').focus();
      }
    });
    this.#sessions.addEventListener('change', () => set({ session: this.#sessions.value }));
    this.#tags.addEventListener('change', () => set({ tag: this.#tags.value }));
    const order = find('#order');
    order.replaceChildren(...choice(Object.keys(orders).map(name => [name, text.orders[name]]), 'turn').children);
    order.value = 'turn';
    order.addEventListener('change', () => set({ order: order.value, isReversed: false }));
    this.#direction.addEventListener('click', () => set({ isReversed: !this.query.isReversed }));
  }

  update({ counts, tags }, sessions) {
    for (const [name, node] of this.#buttons) {
      setText(node.lastElementChild, number(counts[name]));
      node.hidden = name === 'canceled' && counts[name] === 0 && this.query.filter !== name;
    }
    this.#options(this.#sessions, text.allSessions, sessions.map(each => each.id), sessions.length > 1, this.query.session);
    this.#options(this.#tags, text.allTags, tags, tags.length > 0, this.query.tag);
  }

  #options(node, all, names, isShown, value) {
    const there = value && !names.includes(value) ? [...names, value] : names;
    node.hidden = !isShown && !value;
    const key = there.join('\n');
    if (node.dataset.names === key) return;
    node.dataset.names = key;
    node.replaceChildren(...choice([['', all], ...there.map(name => [name, name])], value).children);
    node.value = value;
  }
}

/** What one does with the chosen transfers, or with all of a kind. */
export class ActionBar {
  #status = find('#chosen');
  #buttons = {};
  #store;

  /** `calls` has a function for each action, which gets no arguments. */
  constructor(store, calls) {
    this.#store = store;
    const bar = find('#actions');
    for (const name of ['start', 'pause', 'cancel', 'remove', 'change', 'top', 'up', 'down', 'bottom']) {
      const symbol = text.symbols[name];
      const node = symbol
        ? button(symbol, calls[name], { 'aria-label': text.actions[name], title: text.actions[name] }) : button(text.actions[name], calls[name]);
      bar.append(this.#buttons[name] = node);
    }
    bar.append(make('span', { class: 'stretch' }));
    for (const name of ['retryFailed', 'clearFinished', 'pauseAll', 'startAll']) {
      bar.append(this.#buttons[name] = button('', calls[name], { class: 'plain' }));
    }
  }

  update(chosen, counts, selected) {
    const states = new Set(), line = [];
    for (const id of chosen) {
      const each = this.#store.get(id);
      if (!each) continue;
      states.add(each.state);
      if (isInLine(each)) line.push(id);
    }
    const has = (...names) => names.some(name => states.has(name));
    const isPossible = {
      start: has('suspended', 'failed', 'canceled', 'waiting'), pause: has('running', 'waiting'),
      cancel: has('running', 'waiting', 'suspended'), remove: chosen.length > 0, change: chosen.length === 1,
      top: line.length > 0, up: line.length > 0, down: line.length > 0, bottom: line.length > 0,
    };
    for (const name in isPossible) this.#buttons[name].disabled = !isPossible[name];
    setText(this.#status, text.selected(selected, counts.shown));
    const whole = { retryFailed: counts.failed, clearFinished: counts.succeeded, pauseAll: counts.running + counts.waiting, startAll: counts.suspended };
    for (const name in whole) {
      this.#buttons[name].hidden = whole[name] === 0;
      setText(this.#buttons[name], text[name](whole[name]));
    }
  }
}
