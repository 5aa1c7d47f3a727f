// The transfers as the gateway has them: a list, joined without a gap to the stream of what happens.

import { Away, call, hasSecret, stream } from './api.js';
import { mostSamples } from './chart.js';
import { isInLine } from './query.js';

const pageSize = 10_000;
const firstPage = 1000;
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
  #orderTimer = 0;

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

  async #live(begun) {
    const ending = new AbortController();
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
    const page = async query => (await call('GET', `/v1/queue?omit=usual&${query}`)).transfers;
    [this.sessions, this.settings, this.folders] =
      await Promise.all([call('GET', '/v1/sessions'), call('GET', '/v1/settings'), call('GET', '/v1/folders')]);
    take(await page(`part=active&limit=${pageSize}`));
    for (const session of this.sessions) take(await this.#line(session.id));
    let offset = 0;
    for (let limit = firstPage; offset < mostEnded; limit = pageSize) {
      const ended = await page(`part=ended&order=last&offset=${offset}&limit=${limit}`);
      take(ended);
      offset += ended.length;
      if (ended.length < limit) break;
    }
    for (const id of [...this.transfers.keys()]) {
      if (!seen.has(id) && !this.#touched.has(id)) this.#forget(id);
    }
    this.#touched = null;
    this.#tell();
  }

  /** The transfers of a session that wait or are paused, in the order of their turns. */
  async #line(session) {
    const all = [];
    for (;;) {
      const query = `part=waiting&session=${encodeURIComponent(session)}&omit=usual&offset=${all.length}&limit=${pageSize}`;
      const { transfers } = await call('GET', `/v1/queue?${query}`);
      all.push(...transfers);
      if (transfers.length < pageSize) break;
    }
    all.forEach((transfer, place) => this.places.set(transfer.id, place));
    this.#isListChanged = true;
    return all;
  }

  #take(event) {
    this.#touched?.add(event.id);
    if (event.kind === 'removed') {
      this.#forget(event.id);
    } else if (event.transfer) {
      const old = this.transfers.get(event.id);
      this.#put(event.transfer, event.kind === 'progress');
      if (event.kind !== 'progress') this.#note(event);
      const inLine = isInLine(event.transfer);
      if (inLine && (event.kind === 'changed' || old?.priority !== event.transfer.priority)) this.#reorder(event.session);
      if (inLine && !this.places.has(event.id)) this.#reorder(event.session);
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
    const list = this.happened.get(id) ?? [];
    list.push({ kind, at, reason: transfer.reason, message: transfer.error?.message });
    this.happened.set(id, list.slice(-50));
  }

  /** Reads a session's order anew, soon: several changes come together. */
  #reorder(session) {
    this.#orders.add(session);
    if (this.#orderTimer) return;
    this.#orderTimer = setTimeout(async () => {
      this.#orderTimer = 0;
      const sessions = [...this.#orders];
      this.#orders.clear();
      for (const session of sessions) await this.#line(session).catch(() => {});
      this.#tell();
    }, 200);
  }

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

  /** Takes what the gateway answered to a change. */
  put(transfer) {
    this.#put(transfer);
    this.#tell();
  }

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
    [this.sessions, this.settings, this.folders] =
      await Promise.all([call('GET', '/v1/sessions'), call('GET', '/v1/settings'), call('GET', '/v1/folders')]);
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
    // A page that nobody looks at gets no frames.
    const plan = document.hidden ? call => setTimeout(call, 500) : requestAnimationFrame;
    plan(() => {
      this.#isPlanned = false;
      const [ids, isListChanged] = [this.#changed, this.#isListChanged];
      this.#changed = new Set();
      this.#isListChanged = false;
      for (const call of this.#listeners) call(ids, isListChanged);
    });
  }
}
