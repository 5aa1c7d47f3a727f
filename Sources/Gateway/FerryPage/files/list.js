// The list. Rows are made as they scroll into view, so it can hold any number of transfers.

import { now } from './clock.js';
import { make, setAttribute } from './dom.js';
import { isInLine } from './query.js';
import { Row } from './row.js';

/** Rows made above and below the visible ones. */
const margin = 4;

export class List {
  selected = new Set();
  /** Whether each selected row was chosen by itself, and none by a range or with all others. */
  isOneByOne = true;
  ids = [];
  isOrdered = true;

  #root;
  #store;
  #calls;
  #rows = new Map();
  #spare = [];
  #space = make('div', { class: 'space', role: 'presentation' });
  #gap = make('div', { class: 'gap', hidden: true, 'aria-hidden': 'true' });
  /** Has the height of a row, which grows with the text. */
  #probe = make('div', { class: 'probe', 'aria-hidden': 'true' });
  #height = 1;
  #focus = null;
  #isFocusChosen = false;
  #anchor = null;
  #isPlanned = false;

  /** `calls`: `act(id, action)`, `select()`, `open(id)`, `drop(ids, above, below)`. */
  constructor(root, store, calls) {
    this.#root = root;
    this.#store = store;
    this.#calls = calls;
    root.append(this.#space);
    this.#space.append(this.#probe, this.#gap);
    root.addEventListener('scroll', () => this.plan(), { passive: true });
    new ResizeObserver(() => this.plan()).observe(root);
    new ResizeObserver(() => this.#measure()).observe(this.#probe);
    root.addEventListener('click', event => this.#click(event));
    root.addEventListener('dblclick', event => { if (this.#idAt(event)) this.#calls.open(this.#focus); });
    root.addEventListener('keydown', event => { if (event.target === root) this.press(event); });
    // Update the countdowns of waiting transfers.
    setInterval(() => {
      for (const [id, row] of this.#rows) if (store.get(id)?.state === 'waiting') this.#fill(row, id, now());
    }, 1000);
  }

  get focus() { return this.#focus; }

  /** The selected ids in list order, or the focused id if none is selected. */
  get chosen() {
    const chosen = this.ids.filter(id => this.selected.has(id));
    return chosen.length || !this.#focus || !this.#isFocusChosen ? chosen : [this.#focus];
  }

  #setFocus(id, isChosen) {
    this.#focus = id;
    this.#isFocusChosen = isChosen;
    setAttribute(this.#root, 'aria-activedescendant', id && `row-${id}`);
  }

  /** Shows transfers. `ranks` are the places of those that wait for a slot, and `isOrdered` says whether rows can be dragged. */
  show(ids, isOrdered, ranks) {
    this.#ranks = ranks;
    const place = this.ids.indexOf(this.#focus);
    this.ids = ids;
    this.isOrdered = isOrdered;
    const there = new Set(ids);
    for (const id of this.selected) if (!there.has(id)) this.selected.delete(id);
    // When the focused row disappears, its successor gets the focus without being chosen.
    if (this.#focus && !there.has(this.#focus)) this.#setFocus(ids[Math.min(place, ids.length - 1)] ?? null, false);
    if (!there.has(this.#anchor)) this.#anchor = this.#focus;
    this.#space.style.height = `${ids.length * this.#height}px`;
    setAttribute(this.#root, 'aria-rowcount', ids.length);
    this.#draw();
    this.#calls.select();
  }

  /** Redraws the rows of changed transfers, or all rows. */
  update(changed) {
    const time = now();
    for (const [id, row] of this.#rows) if (!changed || changed.has(id)) this.#fill(row, id, time);
  }

  plan() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    requestAnimationFrame(() => {
      this.#isPlanned = false;
      this.#draw();
    });
  }

  #draw() {
    const { scrollTop, clientHeight } = this.#root;
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - margin);
    const last = Math.min(this.ids.length, Math.ceil((scrollTop + clientHeight) / this.#height) + margin);
    const wanted = new Set(this.ids.slice(first, last));
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      this.#rows.delete(id);
      row.element.remove();
      this.#spare.push(row);
    }
    const time = now();
    let previous = this.#gap;
    this.#places = new Map([...wanted].map((id, offset) => [id, first + offset]));
    for (const id of wanted) {
      let row = this.#rows.get(id);
      if (!row) {
        row = this.#spare.pop() ?? new Row({ act: this.#calls.act, drag: (event, id) => this.#drag(event, id) });
        this.#rows.set(id, row);
      }
      this.#fill(row, id, time);
      // Keep the DOM in list order for screen readers.
      if (previous.nextSibling !== row.element) previous.after(row.element);
      previous = row.element;
    }
    this.#spare.length = Math.min(this.#spare.length, 50);
  }

  #places = new Map();
  #ranks = new Map();

  #fill(row, id, time) {
    const transfer = this.#store.get(id);
    if (!transfer) return;
    row.show(transfer, {
      place: this.#places.get(id), height: this.#height, rank: this.#ranks.get(id), isSelected: this.selected.has(id),
      isFocused: id === this.#focus, isOrdered: this.isOrdered, now: time,
    });
  }

  #measure() {
    const height = this.#probe.offsetHeight || 1;
    if (height === this.#height) return;
    // Keep the topmost row where it is.
    const top = this.#root.scrollTop / this.#height;
    this.#height = height;
    this.#space.style.height = `${this.ids.length * height}px`;
    this.#root.scrollTop = top * height;
    this.#draw();
  }

  // MARK: Focus and selection

  /** Moves the focus to a row, and scrolls it into view. */
  moveFocus(id, { extend = false, keep = false } = {}) {
    if (!id) return;
    this.#setFocus(id, true);
    if (extend) this.#extend(id);
    else if (!keep) this.#only(id);
    const place = this.ids.indexOf(id);
    const top = place * this.#height;
    const { scrollTop, clientHeight } = this.#root;
    if (top < scrollTop) this.#root.scrollTop = top;
    else if (top + this.#height > scrollTop + clientHeight) this.#root.scrollTop = top + this.#height - clientHeight;
    this.#draw();
    this.#calls.select();
  }

  #only(id) {
    this.selected = new Set([id]);
    this.isOneByOne = true;
    this.#anchor = id;
  }

  #extend(id) {
    const [from, to] = [this.ids.indexOf(this.#anchor ?? id), this.ids.indexOf(id)].sort((a, b) => a - b);
    this.selected = new Set(this.ids.slice(Math.max(0, from), to + 1));
    this.isOneByOne = false;
  }

  #toggle(id) {
    if (!this.selected.delete(id)) this.selected.add(id);
    this.#anchor = id;
  }

  selectAll() {
    this.selected = new Set(this.ids);
    this.isOneByOne = false;
    this.#changedSelection();
  }

  clearSelection() {
    this.selected = new Set();
    this.isOneByOne = true;
    this.#changedSelection();
  }

  #changedSelection() {
    this.update();
    this.#calls.select();
  }

  #idAt(event) { return event.target.closest('.row')?.id.slice(4); }

  #click(event) {
    const id = this.#idAt(event);
    if (!id || event.target.closest('button, .handle')) return;
    const isMark = event.target.closest('.mark') != null;
    if (event.shiftKey) return this.moveFocus(id, { extend: true });
    if (!isMark && !event.ctrlKey && !event.metaKey) {
      this.moveFocus(id);
      return this.#calls.open(id);
    }
    this.#toggle(id);
    this.moveFocus(id, { keep: true });
  }

  /** Handles a key. Returns whether the list has used it. */
  press(event) {
    if (event.altKey) return false;
    const page = Math.max(1, Math.floor(this.#root.clientHeight / this.#height) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const step = steps[event.key];
    if (step !== undefined) {
      const place = this.ids.indexOf(this.#focus);
      const next = place < 0 && Math.abs(step) === 1 ? 0 : Math.min(this.ids.length - 1, Math.max(0, place + step));
      this.moveFocus(this.ids[next], { extend: event.shiftKey, keep: event.ctrlKey || event.metaKey });
    } else if (event.key === ' ' && this.#focus) {
      this.#toggle(this.#focus);
      this.#changedSelection();
    } else if (event.key === 'Enter' && this.#focus) {
      this.#calls.open(this.#focus);
    } else if (event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey)) {
      this.selectAll();
    } else {
      return false;
    }
    event.preventDefault();
    return true;
  }

  // MARK: Dragging

  /** Starts dragging: shows a line at the gap under the pointer until it is released. */
  #drag(event, id) {
    if (event.button !== 0) return;
    event.preventDefault();
    const root = this.#root;
    const ids = this.selected.has(id) ? this.chosen.filter(each => isInLine(this.#store.get(each))) : [id];
    let place = null;
    const follow = event => {
      const { top, height } = root.getBoundingClientRect();
      const y = event.clientY - top;
      if (y < this.#height / 2) root.scrollTop -= this.#height / 4;
      else if (y > height - this.#height / 2) root.scrollTop += this.#height / 4;
      place = Math.max(0, Math.min(this.ids.length, Math.round((y + root.scrollTop) / this.#height)));
      this.#gap.hidden = false;
      this.#gap.style.transform = `translateY(${place * this.#height}px)`;
    };
    const leave = event => {
      root.removeEventListener('pointermove', follow);
      for (const name of ['pointerup', 'pointercancel']) root.removeEventListener(name, leave);
      removeEventListener('keydown', stop, true);
      this.#gap.hidden = true;
      if (event.type !== 'pointerup' || place == null) return;
      const moved = new Set(ids);
      const above = this.ids.slice(0, place).findLast(each => !moved.has(each)) ?? null;
      const below = this.ids.slice(place).find(each => !moved.has(each)) ?? null;
      this.#calls.drop(ids, above, below);
    };
    const stop = event => { if (event.key === 'Escape') leave(event); };
    root.setPointerCapture(event.pointerId);
    root.addEventListener('pointermove', follow);
    for (const name of ['pointerup', 'pointercancel']) root.addEventListener(name, leave);
    addEventListener('keydown', stop, true);
  }
}
