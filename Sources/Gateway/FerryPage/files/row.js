// A row of the list.

import { button, make, setAttribute, setText } from './dom.js';
import { duration, left, part, percent, speed, title, visible, when } from './format.js';
import { isInLine } from './query.js';
import { text } from './text.js';
import { brief, describe, extent, remedies } from './words.js';

/** A sign for each state, for people who cannot tell the colors apart. */
const signs = { running: '↓', waiting: '…', suspended: '‖', succeeded: '✓', failed: '!', canceled: '×' };

/** The action of a row's button: the first remedy, or the usual action. */
export function usualAction(transfer) {
  if (transfer.state === 'running') return 'pause';
  const [first] = remedies(transfer);
  return first ?? (transfer.state === 'waiting' ? 'pause' : null);
}

/** The text of the column of times: the time left, or when the transfer ended. */
const moment = (transfer, now) => {
  const rest = transfer.state === 'running' ? left(transfer) : null;
  if (rest != null) return duration(rest);
  return transfer.finished_at ? when(transfer.finished_at, now) : '';
};

/** A reusable row, which shows one transfer after another. Narrow lists hide some of its cells. */
export class Row {
  constructor({ act, drag }) {
    const cell = (name, ...children) => make('div', { role: 'gridcell', class: name }, ...children);
    const span = (name, attributes = {}) => (this[name] = make('span', { class: name, ...attributes }));
    this.mark = make('input', { type: 'checkbox', tabindex: -1 });
    this.name = make('bdi', { class: 'name' });
    this.fill = make('i');
    this.bar = make('div', { class: 'bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.fill);
    this.button = button('', () => act(this.id, this.action), { tabindex: -1 });
    this.handle = make('span', { class: 'handle', text: '⠿', title: text.drag, on: { pointerdown: event => drag(event, this.id) } });
    this.element = make('div', { role: 'row', class: 'row' },
      cell('mark', this.mark),
      cell('what', make('div', { class: 'title' }, this.name),
        make('div', { class: 'state' }, span('sign', { 'aria-hidden': 'true' }), span('kind'), span('words', { dir: 'auto' }), span('brief'))),
      cell('much', make('div', { class: 'amounts' }, span('extent'), span('percent')), this.bar),
      this.size = cell('size'), this.rate = cell('rate'), this.when = cell('when'),
      cell('do', this.handle, this.button));
  }

  show(transfer, { place, height, rank, isSelected, isFocused, isOrdered, now }) {
    const { element } = this, { state } = transfer;
    this.id = transfer.id;
    const name = title(transfer), top = place * height, done = part(transfer), amount = extent(transfer);
    setAttribute(element, 'id', `row-${transfer.id}`);
    setAttribute(element, 'aria-rowindex', place + 1);
    setAttribute(element, 'aria-selected', isSelected);
    setAttribute(element, 'data-state', state);
    element.classList.toggle('focused', isFocused);
    if (top !== this.top) element.style.transform = `translateY(${top}px)`;
    this.top = top;
    this.mark.checked = isSelected;
    setAttribute(this.mark, 'aria-label', text.select(name));
    setText(this.name, name);
    setAttribute(this.name, 'title', visible(transfer.destination ?? transfer.url));
    setText(this.sign, signs[state] ?? '?');
    // The sign and the color say it to those who see them: the cause comes first.
    setText(this.kind, state === 'failed' ? `${text.states.failed}: ` : '');
    const words = describe(transfer, now, rank);
    setText(this.words, words);
    setAttribute(this.words, 'title', state === 'failed' || state === 'waiting' ? words : null);
    setText(this.brief, brief(transfer));
    setText(this.extent, amount);
    setText(this.percent, done == null || state === 'succeeded' ? '' : percent(done));
    setText(this.size, amount);
    setText(this.rate, transfer.bytes_per_second > 0 ? speed(transfer.bytes_per_second) : '');
    setText(this.when, moment(transfer, now));
    this.#bar(transfer, done, name);
    // Words take the place of what is empty.
    setAttribute(element, 'data-bare', state === 'failed' || this.bar.hidden && !amount);
    this.action = usualAction(transfer);
    const label = this.action ? text.remedies[this.action] : '';
    setText(this.button, label);
    setAttribute(this.button, 'hidden', !label);
    setAttribute(this.button, 'aria-label', label && `${label}: ${name}`);
    setAttribute(this.handle, 'hidden', !(isOrdered && isInLine(transfer)));
  }

  /** A bar without a known size moves while the transfer runs, and is hidden otherwise. */
  #bar({ state }, done, name) {
    const isMoving = done == null && state === 'running';
    setAttribute(this.bar, 'hidden', done == null && !isMoving || state !== 'running' && state !== 'waiting' && state !== 'suspended');
    setAttribute(this.bar, 'data-moving', isMoving);
    const part = Math.floor((done ?? 0) * 1000) / 10;
    if (part !== this.part) this.fill.style.width = `${part}%`;
    this.part = part;
    setAttribute(this.bar, 'aria-valuenow', done == null ? null : Math.floor(part));
    setAttribute(this.bar, 'aria-label', text.progressOf(name));
  }
}
