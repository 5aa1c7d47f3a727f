// Filters and sorts the transfers of the list. Pure functions.

import { left, moved, part, title } from './format.js';

/** Reasons for waiting after a transfer has had a slot. */
const active = new Set(['retry', 'server', 'disk', 'destination']);

/** Whether a transfer is in its session's queue. */
export const isInLine = ({ state, reason, error }) =>
  // Another transfer's error holds all transfers of a server. These have had no slot yet.
  state === 'suspended' || (state === 'waiting' && (!active.has(reason) || reason === 'server' && !error));

const isOpen = ({ state }) => state === 'running' || state === 'waiting' || state === 'suspended';

/** Filter predicates by name. */
export const filters = {
  all: () => true,
  open: isOpen,
  running: each => each.state === 'running',
  waiting: each => each.state === 'waiting',
  suspended: each => each.state === 'suspended',
  failed: each => each.state === 'failed',
  succeeded: each => each.state === 'succeeded',
  canceled: each => each.state === 'canceled',
};

/** The sort group: running, waiting after an attempt, queued, finished. */
const group = each => (each.state === 'running' ? 0 : !isOpen(each) ? 3 : isInLine(each) ? 2 : 1);
const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);
const byText = new Intl.Collator(undefined, { numeric: true }).compare;

function byTurn(a, b, places) {
  const one = group(a), other = group(b);
  if (one !== other) return one - other;
  if (one === 3) return compare(b.finished_at ?? b.created_at, a.finished_at ?? a.created_at) || compare(b.id, a.id);
  if (one === 2) {
    return compare(a.session, b.session)
      || (places.get(a.id) ?? Infinity) - (places.get(b.id) ?? Infinity) || compare(a.id, b.id);
  }
  return compare(a.id, b.id);
}

/** The places of transfers that wait for a slot among those of their session, counted from 1. */
export function ranks(transfers, places) {
  const lines = new Map();
  for (const each of transfers) {
    if (each.state !== 'waiting' || !isInLine(each)) continue;
    const line = lines.get(each.session);
    if (line) line.push(each);
    else lines.set(each.session, [each]);
  }
  const found = new Map();
  for (const line of lines.values()) line.sort((a, b) => byTurn(a, b, places)).forEach(({ id }, place) => found.set(id, place + 1));
  return found;
}

/** The actions on all shown transfers, by the states to which they apply. */
const states = { retryFailed: ['failed'], clearFinished: ['succeeded'], pauseAll: ['running', 'waiting'], startAll: ['suspended'] };

/** The ids on which each action on all shown transfers acts. */
export function bulk(ids, get) {
  const found = Object.fromEntries(Object.keys(states).map(name => [name, []]));
  for (const id of ids) for (const name in states) if (states[name].includes(get(id)?.state)) found[name].push(id);
  return found;
}

const extent = transfer => {
  const { done, all } = moved(transfer);
  return all ?? done;
};

/** The sort orders, each in its default direction. */
export const orders = {
  turn: byTurn,
  name: (a, b) => byText(title(a), title(b)),
  size: (a, b) => extent(b) - extent(a),
  done: (a, b) => (part(b) ?? 0) - (part(a) ?? 0),
  speed: (a, b) => (b.bytes_per_second ?? 0) - (a.bytes_per_second ?? 0),
  left: (a, b) => (left(a) ?? Infinity) - (left(b) ?? Infinity) || 0,
  added: (a, b) => compare(b.created_at, a.created_at),
  finished: (a, b) => compare(b.finished_at ?? '', a.finished_at ?? ''),
};

/** Whether the name, URL, folder or id of a transfer contains all words of a search. */
export function matches(transfer, words) {
  if (!words.length) return true;
  const text = `${title(transfer)}\n${transfer.url}\n${transfer.folder ?? ''}\n${transfer.id}`.toLowerCase();
  return words.every(word => text.includes(word));
}

/**
 * Filters and sorts transfers.
 *
 * Returns the ids to show, the count of each filter, and all tags.
 */
export function choose(transfers, places, { filter, session, tag, search, order, isReversed }, hidden = new Set()) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const counts = Object.fromEntries(Object.keys(filters).map(name => [name, 0]));
  const tags = new Set();
  const shown = [];
  for (const each of transfers) {
    if (hidden.has(each.id)) continue;
    for (const name of each.tags ?? []) tags.add(name);
    if (session && each.session !== session) continue;
    if (tag && !(each.tags ?? []).includes(tag)) continue;
    if (!matches(each, words)) continue;
    for (const name in filters) if (filters[name](each)) counts[name] += 1;
    if (filters[filter](each)) shown.push(each);
  }
  const sort = orders[order];
  shown.sort((a, b) => sort(a, b, places) || compare(a.id, b.id));
  if (isReversed) shown.reverse();
  return { ids: shown.map(each => each.id), counts, tags: [...tags].sort(byText) };
}

/**
 * The place in its session's queue of a transfer that is dropped between two rows.
 *
 * `line` has the ids of the queue in order. `above` and `below` are the rows around the gap. Either may be null or outside the queue.
 * Returns the place, counted from 0 in the queue after the move, or null if the gap is outside the queue.
 */
export function dropPlace(line, moved, above, below) {
  const rest = line.filter(id => id !== moved);
  const under = rest.indexOf(above);
  if (under >= 0) return under + 1;
  const over = rest.indexOf(below);
  return over >= 0 ? over : null;
}
