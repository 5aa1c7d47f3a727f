// The transfers as the gateway has them: a list, joined without a gap to the stream of what happens.

import { Away, call, hasSecret, stream } from './api.js';
import { mostSamples } from './chart.js';
import { isInLine } from './query.js';

const pageSize = 10_000;
const firstPage = 1000;
/** Milliseconds in which changes are drawn together. */
const frame = 16;
/** For calls that show whether the gateway is there. */
const soon = { patience: 10_000 };
const ended = new Set(['succeeded', 'failed', 'canceled']);
/** Ended transfers that are listed at most, the newest. */
const mostEnded = 100_000;

export class Store {
  /** Transfers by their ids. */
  transfers = new Map();
  /** Places in the lines of their sessions, by ids. */
  places = new Map();
  sessions = [];
  settings = null;
  folders = [];
  /** Speeds of the last minutes: of all, and of each transfer that runs. */
  speeds = [];
  speedsOf = new Map();
  /** What happened to each transfer since the page is open: `{kind, at, reason, message}`. */
  happened = new Map();
  /** `loading`, `live`, `away` or `locked`. */
  link = 'loading';
  /** Ids that are not shown since they are about to be removed. */
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

  /** Calls a function after changes, at most once a frame: with the ids, and whether anything but progress has changed. */
  listen(call) { this.#listeners.add(call); }

  get(id) { return this.transfers.get(id); }

  // MARK: The stream

  async follow() {
    setInterval(() => this.#sample(), 1000);
    let pause = 250;
    for (;;) {
      const isLocked = this.link === 'locked';
      if (isLocked || !hasSecret()) await new Promise(wake => { this.#wake = wake; });
      try {
        await this.#live(() => { pause = 250; });
      } catch (error) {
        if (this.link === 'locked') continue;
        if (!(error instanceof Away)) console.warn(error);
      }
      if (this.link === 'locked') continue;
      this.#setLink('away');
      await new Promise(wake => { this.#wake = wake; setTimeout(wake, pause); });
      pause = Math.min(pause * 2, 4000);
    }
  }

  /** The secret is no longer right: nothing is asked until there is another one. */
  lock() { this.#setLink('locked'); }

  /** Tries at once. */
  retry() {
    if (this.link === 'locked') this.link = 'loading';
    this.#wake();
  }

  /** The gateway did not answer a call: the stream is not trusted any more, which a dead connection would leave open for ever. */
  doubt() { this.#ending.abort(); }

  async #live(begun) {
    const ending = this.#ending = new AbortController();
    try {
      const { last_event } = await call('GET', '/v1/version');
      const events = await stream(`/v1/events?after=${last_event}&progress=1`, ending.signal);
      begun();
      this.#touched = new Set();
      const listing = this.#list().then(() => this.#setLink('live'));
      listing.catch(() => ending.abort());
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
        // What the stream said since is newer than the list.
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
      // What is new comes last, as a transfer without a place does.
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

  /** Reads a session's order anew, soon: several changes come together. */
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

  /** Notes the places of a session's line. */
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

  // MARK: Changes of the page's own

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

  /** A disk that does not answer holds up nothing else. */
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

  /** The ids of a session's line, in order. */
  lineOf(session) {
    return [...this.transfers.values()]
      .filter(each => each.session === session && isInLine(each))
      .map(each => each.id)
      .sort((a, b) => (this.places.get(a) ?? Infinity) - (this.places.get(b) ?? Infinity) || (a < b ? -1 : 1));
  }

  /** Notes the order of a session's line. */
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
    setTimeout(() => {
      this.#isPlanned = false;
      const [ids, isListChanged] = [this.#changed, this.#isListChanged];
      this.#changed = new Set();
      this.#isListChanged = false;
      for (const call of this.#listeners) call(ids, isListChanged);
    }, frame);
  }
}

const line = session => `waiting&session=${encodeURIComponent(session)}`;

/** Reads a part of the queue to its end, and gives each page to a function. */
async function pages(part, take = () => {}, most = Infinity) {
  for (let tries = 3; ; tries--) {
    const all = [];
    for (let limit = firstPage; all.length < most; limit = pageSize) {
      // Pages have a transfer in common: where they have none, the part has changed between them.
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
