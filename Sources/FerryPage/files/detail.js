// The detail beside the list: all that is known of one transfer.

import { call, stream } from './api.js';
import { FileMap, SpeedChart } from './chart.js';
import { button, find, make, setText } from './dom.js';
import { moment, number, percent, size, speed, time, title, visible } from './format.js';
import { text } from './text.js';
import { command, describe, extent, proofs, remedies, sentence, spoken } from './words.js';

/** Time without a further event after which the history is all there. */
const quiet = 300;

export class Detail {
  #root = find('#detail');
  #store;
  #calls;
  #id = null;
  #durable = [];
  #history = [];
  #lastRead = 0;
  #spoken = '';
  #chart = new SpeedChart();
  #map = new FileMap();
  #parts = {};
  #asking = new AbortController();

  /** `calls`: `remedy(name, transfer)`, `change(transfer)`, `say(words)`, `closed()`. */
  constructor(store, calls) {
    this.#store = store;
    this.#calls = calls;
    this.#root.addEventListener('keydown', event => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      this.close();
    });
  }

  get id() { return this.#id; }

  open(id) {
    if (id === this.#id) return;
    this.#asking.abort();
    this.#asking = new AbortController();
    [this.#id, this.#durable, this.#history, this.#lastRead] = [id, [], [], 0];
    this.#build();
    this.#root.hidden = false;
    document.body.classList.add('with-detail');
    this.update();
    this.#readHistory(id, this.#asking);
  }

  close() {
    if (this.#id === null) return;
    this.#asking.abort();
    this.#id = null;
    this.#root.hidden = true;
    document.body.classList.remove('with-detail');
    this.#calls.closed();
  }

  // MARK: What it shows

  #build() {
    const part = (name, tag = 'div', attributes = {}) => (this.#parts[name] = make(tag, attributes));
    const section = (label, ...children) => make('section', {}, make('h3', { text: label }), ...children);
    this.#parts = {};
    this.#root.replaceChildren(
      make('header', {}, part('name', 'h2', { id: 'detail-name', dir: 'auto' }),
        button('✕', () => this.close(), { class: 'plain', 'aria-label': text.close })),
      part('words', 'p', { class: 'words' }), part('message', 'p', { class: 'hint' }), part('remedies', 'div', { class: 'remedies' }),
      part('progress', 'section', {}),
      part('facts', 'dl'),
      section(text.timeline, part('timeline', 'ol', { class: 'timeline' })),
      part('response', 'details'),
      section(text.sameCommand, part('command', 'code', { class: 'command' }),
        button(text.copy, () => this.#copy(), { class: 'plain' })),
    );
    this.#parts.progress.append(part('map', 'div'), part('connections', 'ul', { class: 'connections' }), this.#chart.element);
    this.#parts.map.append(this.#map.element);
    this.#parts.response.append(make('summary', { text: text.answer }), part('fields', 'dl'));
  }

  update() {
    const transfer = this.#store.get(this.#id);
    if (this.#id === null) return;
    if (!transfer || this.#store.hidden.has(this.#id)) return this.close();
    const parts = this.#parts;
    setText(parts.name, title(transfer));
    const words = describe(transfer);
    setText(parts.words, transfer.state === 'running' ? `${text.states.running} · ${words}` : words);
    // In another language the daemon's own sentence has more facts.
    const said = transfer.error && visible(transfer.error.message);
    setText(parts.message, said && sentence(transfer.error) !== said ? said : '');
    this.#showRemedies(transfer);
    this.#showProgress(transfer);
    this.#list(parts.facts, this.#facts(transfer));
    this.#showTimeline(transfer);
    const fields = transfer.response?.fields ?? [];
    parts.response.hidden = !transfer.response;
    this.#list(parts.fields, [
      transfer.response && [text.status, String(transfer.response.status)],
      ...fields.map(each => Array.isArray(each) ? each : [each.name, each.value]),
    ]);
    setText(parts.command, visible(command(transfer)));
    this.#say(transfer);
  }

  #showRemedies(transfer) {
    const wanted = remedies(transfer);
    if (transfer.state !== 'succeeded' && !wanted.includes('newURL')) wanted.push('newURL');
    wanted.push('change');
    const node = this.#parts.remedies;
    if (node.dataset.names === wanted.join()) return;
    node.dataset.names = wanted.join();
    node.replaceChildren(...wanted.map((name, place) => button(
      text.remedies[name], () => this.#calls.remedy(name, this.#store.get(this.#id)), { class: place ? 'plain' : '' })));
  }

  #showProgress(transfer) {
    const { state, segments = [], bytes_expected: all, bytes_received: done } = transfer;
    const isOpen = state === 'running' || state === 'waiting' || state === 'suspended' || state === 'failed';
    this.#parts.progress.hidden = !isOpen;
    if (!isOpen) return;
    this.#readRanges(transfer);
    this.#map.show(all ?? 0, this.#durable, segments, text.mapOf(extent(transfer) || size(done)));
    const speeds = this.#store.speedsOf.get(this.#id) ?? [];
    this.#chart.show(speeds, 180, text.speedNow(speed(transfer.bytes_per_second ?? 0)));
    this.#parts.connections.replaceChildren(...segments.map((each, place) => make('li', {
      text: text.segment(place + 1, percent((each.position - each.start) / Math.max(1, each.end - each.start)),
        speed(each.bytes_per_second ?? 0), each.source ?? 0),
    })));
  }

  #facts(transfer) {
    const facts = [
      [text.url, transfer.url],
      transfer.final_url && transfer.final_url !== transfer.url && [text.finalURL, transfer.final_url],
      ...(transfer.redirects ?? []).map(each => [text.redirect, each]),
      [text.file, transfer.destination ?? `${transfer.folder}/`],
      [text.size, extent(transfer)],
      [text.session, transfer.session],
      transfer.tags?.length && [text.tags, transfer.tags.join(', ')],
      transfer.priority && transfer.priority !== 'normal' && [text.priority, text.priorities[transfer.priority] ?? String(transfer.priority)],
      transfer.rate_limit > 0 && [text.limit, speed(transfer.rate_limit)],
      transfer.not_before && [text.begin, moment(transfer.not_before)],
      [text.added, moment(transfer.created_at)],
      transfer.finished_at && [text.ended, moment(transfer.finished_at)],
      transfer.attempts > 0 && [text.attempts, number(transfer.attempts)],
      transfer.started_over > 0 && [text.startedOver, number(transfer.started_over)],
      transfer.bytes_spent > transfer.bytes_received && [text.spent, size(transfer.bytes_spent)],
      transfer.etag && ['ETag', transfer.etag],
      transfer.last_modified && ['Last-Modified', transfer.last_modified],
      transfer.content_type && [text.type, transfer.content_type],
      ...(transfer.verified ?? []).map(each => [text.digest, `${each} ✓`]),
      ...(transfer.mismatched ?? []).map(each => [text.digest, `${each} ✗`]),
      proofs(transfer).length && [text.proofs, proofs(transfer).join(', ')],
      ...(transfer.notes ?? []).map(each => [text.note, each]),
      [text.id, transfer.id],
    ];
    return facts;
  }

  /** Shows pairs, and touches what differs alone, so that a selection of text stays. */
  #list(node, pairs) {
    const shown = pairs.filter(Boolean);
    while (node.children.length > shown.length * 2) node.lastElementChild.remove();
    shown.forEach(([name, value], place) => {
      if (!node.children[place * 2]) node.append(make('dt'), make('dd', { dir: 'auto' }));
      setText(node.children[place * 2], visible(String(name)));
      setText(node.children[place * 2 + 1], visible(String(value)));
    });
  }

  // MARK: What happened

  #showTimeline(transfer) {
    const seen = new Set();
    const entries = [
      { kind: 'submitted', at: transfer.created_at }, ...this.#history, ...(this.#store.happened.get(this.#id) ?? []),
      transfer.finished_at && { kind: transfer.state, at: transfer.finished_at, message: transfer.error?.message },
    ].filter(each => each && !(seen.has(each.kind + each.at) || !seen.add(each.kind + each.at)));
    // An end is told as an event and by its own time, which may differ by a moment.
    const ends = entries.findIndex(each => each.kind === transfer.state);
    const last = entries.length - 1;
    if (ends >= 0 && ends < last && entries[last].kind === transfer.state) entries.pop();
    entries.sort((a, b) => (a.at < b.at ? -1 : 1));
    const node = this.#parts.timeline;
    const lines = entries.map(({ kind, at, reason, message }) => [
      `${time(at)}  ${text.kinds[kind] ?? kind}`, kind === 'waiting' ? text.reasons[reason] : '', message ? visible(message) : '',
    ].filter(Boolean).join(' · '));
    if (node.dataset.lines === lines.join('\n')) return;
    node.dataset.lines = lines.join('\n');
    node.replaceChildren(...lines.map(line => make('li', { text: line })));
  }

  /** Reads the durable events of the transfer; the stream would go on, and is ended when nothing more comes. */
  async #readHistory(id, asking) {
    let timer = setTimeout(() => asking.abort(), quiet * 10);
    try {
      for await (const { kind, at, transfer } of await stream(`/v1/events?after=0&ids=${id}`, asking.signal)) {
        if (this.#id !== id) return;
        this.#history.push({ kind, at, message: transfer?.error?.message });
        clearTimeout(timer);
        timer = setTimeout(() => asking.abort(), quiet);
      }
    } catch {
      // It was ended, or the gateway is away; what the page has seen itself is there anyway.
    } finally {
      clearTimeout(timer);
      if (this.#id === id) this.update();
    }
  }

  async #readRanges({ id, state }) {
    const now = Date.now();
    if (now - this.#lastRead < (state === 'running' ? 2000 : 60_000)) return;
    this.#lastRead = now;
    try {
      const { durable } = await call('GET', `/v1/transfers/${id}/ranges`);
      if (this.#id === id) this.#durable = durable;
    } catch {
      // The next look may find them.
    }
  }

  // MARK: For ears and hands

  /** Says the progress at each tenth. */
  #say(transfer) {
    if (transfer.state !== 'running') return;
    const done = transfer.bytes_expected ? Math.floor((transfer.bytes_received / transfer.bytes_expected) * 10) : -1;
    const key = `${transfer.id} ${done}`;
    if (done < 1 || this.#spoken === key) return;
    this.#spoken = key;
    this.#calls.say(`${title(transfer)}: ${spoken(transfer)}`);
  }

  async #copy() {
    await navigator.clipboard.writeText(command(this.#store.get(this.#id)));
    this.#calls.say(text.copied);
  }
}
