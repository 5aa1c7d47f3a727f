// A row of the list.

import { button, make, setAttribute, setText } from './dom.js';
import { part, percent, title, visible } from './format.js';
import { isInLine } from './query.js';
import { text } from './text.js';
import { describe, extent, remedies } from './words.js';

/** A sign for each state, for people who cannot tell the colors apart. */
const signs = { running: '↓', waiting: '…', suspended: '‖', succeeded: '✓', failed: '!', canceled: '×' };

/** The action of a row's button: the first remedy, or the usual action. */
export function usualAction(transfer) {
  if (transfer.state === 'running') return 'pause';
  const [first] = remedies(transfer);
  return first ?? (transfer.state === 'waiting' ? 'pause' : null);
}

/** A reusable row, which shows one transfer after another. */
export class Row {
  constructor({ act, drag }) {
    this.mark = make('input', { type: 'checkbox', tabindex: -1 });
    this.sign = make('span', { class: 'sign', 'aria-hidden': 'true' });
    this.name = make('bdi', { class: 'name' });
    this.words = make('span', { class: 'words', dir: 'auto' });
    this.extent = make('span', { class: 'extent' });
    this.percent = make('span', { class: 'percent' });
    this.fill = make('i');
    this.bar = make('div', { class: 'bar', role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, this.fill);
    this.button = button('', () => act(this.id, this.action), { tabindex: -1 });
    this.handle = make('span', { class: 'handle', text: '⠿', title: text.drag, on: { pointerdown: event => drag(event, this.id) } });
    this.element = make('div', { role: 'row', class: 'row' },
      make('div', { role: 'gridcell', class: 'mark' }, this.mark),
      make('div', { role: 'gridcell', class: 'what' }, make('div', {}, this.name), make('div', { class: 'state' }, this.sign, this.words)),
      make('div', { role: 'gridcell', class: 'much' }, make('div', {}, this.extent, this.percent), this.bar),
      make('div', { role: 'gridcell', class: 'do' }, this.handle, this.button));
  }

  show(transfer, { place, isSelected, isFocused, isOrdered, now }) {
    const { element } = this;
    this.id = transfer.id;
    const name = title(transfer);
    setAttribute(element, 'id', `row-${transfer.id}`);
    setAttribute(element, 'aria-rowindex', place + 1);
    setAttribute(element, 'aria-selected', isSelected);
    setAttribute(element, 'data-state', transfer.state);
    element.classList.toggle('focused', isFocused);
    if (place !== this.place) element.style.transform = `translateY(${place * Row.height}px)`;
    this.place = place;
    this.mark.checked = isSelected;
    setAttribute(this.mark, 'aria-label', text.select(name));
    setText(this.name, name);
    setAttribute(this.name, 'title', visible(transfer.destination ?? transfer.url));
    setText(this.sign, signs[transfer.state] ?? '?');
    setText(this.words, describe(transfer, now));
    const done = part(transfer);
    setText(this.extent, extent(transfer));
    setText(this.percent, done == null || transfer.state === 'succeeded' ? '' : percent(done));
    this.#bar(transfer, done, name);
    this.action = usualAction(transfer);
    const label = this.action ? text.remedies[this.action] : '';
    setText(this.button, label);
    setAttribute(this.button, 'hidden', !label);
    setAttribute(this.button, 'aria-label', label && `${label}: ${name}`);
    setAttribute(this.handle, 'hidden', !(isOrdered && isInLine(transfer)));
  }

  #bar(transfer, done, name) {
    setAttribute(this.bar, 'hidden', transfer.state === 'succeeded' || transfer.state === 'canceled');
    const part = Math.floor((done ?? 0) * 1000) / 10;
    if (part !== this.part) this.fill.style.width = `${part}%`;
    this.part = part;
    setAttribute(this.bar, 'aria-valuenow', done == null ? null : Math.floor(part));
    setAttribute(this.bar, 'aria-label', text.progressOf(name));
  }
}

/** Height of a row in pixels. style.css has the same number. */
Row.height = 60;
