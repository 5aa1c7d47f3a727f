// The transfers of the gateway: a list, kept up to date by the event stream without a gap.

import { Away, call, doubt, follow, hasSecret, isShared } from './api.js';
import { mostSamples } from './chart.js';
import { isInLine } from './query.js';

const pageSize = 10_000;
const firstPage = 1000;
/** Milliseconds in which changes are combined into one draw. */
const frame = 16;
/** Options of calls that detect whether the gateway is reachable. */
const soon = { patience: 10_000 };
const ended = new Set(['succeeded', 'failed', 'canceled']);
/** Most finished transfers listed. The newest are kept. */
const mostEnded = 100_000;

export class Store {
  /** Transfers by id. */
  transfers = new Map();
  /** Places in the queue of their session, by id. */
  places = new Map();
  sessions = [];
  settings = null;
  folders = [];
  /** Speeds of the last minutes: the total, and those of each running transfer. */
  speeds = [];
  speedsOf = new Map();
  /** Events of each transfer since the page was opened: `{kind, at, reason, message}`. */
  happened = new Map();
  /** The state of the connection: `loading`, `live`, `away` or `locked`. */
  link = 'loading';
  /** Ids that are hidden because they are about to be removed. */
  hidden = new Set();

  #listeners = new Set();
  #changed = new Set();
  #isListChanged = false;
  #isPlanned = false;
  #touched = null;
  #wake = () => {};
  #orders = new Set();
  #isOrdering = false;
  #ending = new AbortController();

  /** Adds a listener. It gets the changed ids, at most once a frame, and whether more than progress has changed. */
  listen(call) { this.#listeners.add(call); }

  get(id) { return this.transfers.get(id); }

  // MARK: The stream

  async follow() {
    setInterval(() => this.#sample(), 1000);
    let pause = 250;
    const isIdle = () => document.hidden && !isShared;
    for (;;) {
      while (this.link === 'locked' || !hasSecret() || isIdle()) await new Promise(wake => { this.#wake = wake; });
      try {
        await this.#live(() => { pause = 250; });
      } catch (error) {
        if (this.link === 'locked') continue;
        if (!(error instanceof Away)) console.warn(error);
      }
      if (this.link === 'locked' || isIdle()) continue;
      this.#setLink('away');
      await new Promise(wake => { this.#wake = wake; setTimeout(wake, pause); });
      pause = Math.min(pause * 2, 4000);
    }
  }

  /** Stops requests until a new secret is set: the gateway has rejected this one. */
  lock() { this.#setLink('locked'); }

  /** Continues with a new secret. */
  unlock() {
    if (this.link === 'locked') this.link = 'loading';
    this.#wake();
  }

  /** Retries at once, unless the secret was rejected. */
  retry() { this.#wake(); }

  /** Ends the stream after a call without response: a dead connection would keep it open forever. */
  doubt() { this.#ending.abort(doubt); }

  /** Leaves the stream while nobody sees the page, unless all tabs share one and the page stays. */
  leave(isGoing = false) { if (isGoing || !isShared) this.#ending.abort(); }

  async #live(begun) {
    const ending = this.#ending = new AbortController();
    try {
      const events = await follow(ending.signal);
      begun();
      this.#touched = new Set();
      const listing = this.#list().then(() => this.#setLink('live'));
      // A stream that another tab has opened may be dead too.
      listing.catch(error => ending.abort(error instanceof Away ? doubt : undefined));
      for await (const event of events) this.#take(event);
      await listing;
    } finally {
      ending.abort();
    }
    throw new Away();
  }

  async #list() {
    const seen = new Set();
    const take = transfers => {
      for (const transfer of transfers) {
        seen.add(transfer.id);
        // Events received meanwhile are newer than the list.
        if (!this.#touched.has(transfer.id)) this.#put(transfer);
      }
      this.#tell();
    };
    this.#readFolders();
    [this.sessions, this.settings] = await Promise.all([call('GET', '/v1/sessions'), call('GET', '/v1/settings')]);
    await pages('active', take);
    for (const { id } of this.sessions) this.#order(await pages(line(id), take));
    await pages('ended&order=last', take, mostEnded);
    for (const id of [...this.transfers.keys()]) {
      if (!seen.has(id) && !this.#touched.has(id)) this.#forget(id);
    }
    this.#touched = null;
    this.#tell();
  }

  #take(event) {
    this.#touched?.add(event.id);
    if (event.kind === 'removed') {
      this.#forget(event.id);
    } else if (event.transfer) {
      const old = this.transfers.get(event.id);
      this.#put(event.transfer, event.kind === 'progress');
      if (event.kind !== 'progress') this.#note(event);
      // New transfers have no place, and so come last.
      if (!isInLine(event.transfer)) this.places.delete(event.id);
      else if (event.kind === 'changed' || old && !this.places.has(event.id)) this.#reorder(event.session);
      if (ended.has(event.transfer.state)) this.speedsOf.delete(event.id);
    }
    this.#tell();
  }

  #put(transfer, isProgress = false) {
    this.transfers.set(transfer.id, transfer);
    this.#changed.add(transfer.id);
    if (!isProgress) this.#isListChanged = true;
  }

  #forget(id) {
    for (const map of [this.transfers, this.places, this.speedsOf, this.happened]) map.delete(id);
    this.hidden.delete(id);
    this.#changed.add(id);
    this.#isListChanged = true;
  }

  #note({ kind, at, id, transfer }) {
    if (kind === 'submitted') return;
    const list = this.happened.get(id) ?? [];
    list.push({ kind, at, reason: transfer.reason, message: transfer.error?.message });
    this.happened.set(id, list.slice(-50));
  }

  /** Reloads a session's order after a short delay, which combines several changes. */
  async #reorder(session) {
    this.#orders.add(session);
    if (this.#isOrdering) return;
    this.#isOrdering = true;
    while (this.#orders.size) {
      await new Promise(wake => setTimeout(wake, 200));
      const sessions = [...this.#orders];
      this.#orders.clear();
      for (const session of sessions) await pages(line(session)).then(all => this.#order(all), () => {});
      this.#tell();
    }
    this.#isOrdering = false;
  }

  /** Stores the places of a session's queue. */
  #order(transfers) { this.arrange(transfers.map(each => each.id)); }

  #sample() {
    let all = 0;
    for (const { id, state, bytes_per_second: speed } of this.transfers.values()) {
      if (state !== 'running') continue;
      all += speed ?? 0;
      const list = this.speedsOf.get(id) ?? [];
      list.push(speed ?? 0);
      if (list.length > mostSamples) list.shift();
      this.speedsOf.set(id, list);
    }
    this.speeds.push(all);
    if (this.speeds.length > mostSamples) this.speeds.shift();
  }

  // MARK: Changes by the page

  hide(ids) {
    for (const id of ids) this.hidden.add(id);
    this.#isListChanged = true;
    this.#tell();
  }

  show(ids) {
    for (const id of ids) this.hidden.delete(id);
    this.#isListChanged = true;
    this.#tell();
  }

  async refreshLimits() {
    this.#readFolders();
    [this.sessions, this.settings] =
      await Promise.all([call('GET', '/v1/sessions', undefined, soon), call('GET', '/v1/settings', undefined, soon)]);
    this.#isListChanged = true;
    this.#tell();
  }

  /** Reads the folders apart from all else, because a disk may not respond. */
  async #readFolders() {
    this.folders = await call('GET', '/v1/folders').catch(() => this.folders);
    this.#isListChanged = true;
    this.#tell();
  }

  async changeSettings(change) {
    this.settings = await call('PATCH', '/v1/settings', change);
    this.#isListChanged = true;
    this.#tell();
  }

  /** The ids of a session's queue, in order. */
  lineOf(session) {
    return [...this.transfers.values()]
      .filter(each => each.session === session && isInLine(each))
      .map(each => each.id)
      .sort((a, b) => (this.places.get(a) ?? Infinity) - (this.places.get(b) ?? Infinity) || (a < b ? -1 : 1));
  }

  /** Stores the order of a session's queue. */
  arrange(line) {
    line.forEach((id, place) => this.places.set(id, place));
    this.#isListChanged = true;
    this.#tell();
  }

  #setLink(link) {
    if (this.link === link) return;
    this.link = link;
    this.#isListChanged = true;
    this.#tell();
  }

  #tell() {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    defer(() => {
      this.#isPlanned = false;
      const [ids, isListChanged] = [this.#changed, this.#isListChanged];
      this.#changed = new Set();
      this.#isListChanged = false;
      for (const call of this.#listeners) call(ids, isListChanged);
    });
  }
}

const { port1: sender, port2: receiver } = new MessageChannel();

/** Calls a function after a frame. Browsers delay the timers of hidden pages by a second, but not their messages. */
function defer(call) {
  if (!document.hidden) return setTimeout(call, frame);
  receiver.onmessage = call;
  sender.postMessage(null);
}

const line = session => `waiting&session=${encodeURIComponent(session)}`;

/** Reads all pages of a part of the queue, and passes each page to a function. */
async function pages(part, take = () => {}, most = Infinity) {
  for (let tries = 3; ; tries--) {
    const all = [];
    for (let limit = firstPage; all.length < most; limit = pageSize) {
      // Consecutive pages overlap by one transfer. If they do not, the part has changed in between.
      const offset = Math.max(0, all.length - 1);
      const { transfers } = await call('GET', `/v1/queue?part=${part}&omit=usual&offset=${offset}&limit=${limit}`);
      if (offset && tries && transfers[0]?.id !== all.at(-1).id) break;
      all.push(...offset ? transfers.slice(1) : transfers);
      take(transfers);
      if (transfers.length < limit) return all;
    }
    if (all.length >= most) return all;
  }
}
