// The detail view beside the list: all facts about one transfer.

import './more.js';
import { call, stream } from './api.js';
import { FileMap, SpeedChart } from './chart.js';
import { now } from './clock.js';
import { command, leftOut } from './command.js';
import { button, find, make, setText } from './dom.js';
import { moment, moved, number, percent, size, speed, time, title, visible } from './format.js';
import { text } from './text.js';
import { describe, extent, isReplaceable, proofs, remedies, sentence, spoken } from './words.js';

/** Milliseconds without an event after which the history is complete. */
const quiet = 300;
/** Most characters of a value that are shown at once. A signed URL may have thousands. */
const mostShown = 160;

/** The facts shown of a transfer and of its request, by keys of the control API. Empty facts are left out. */
const facts = {
  url: each => each.url, mirrors: (_, request) => request.mirrors, headers: (_, request) => request.headers, final_url: each => each.final_url !== each.url && each.final_url, redirects: each => each.redirects,
  destination: each => each.destination ?? `${each.folder}/`, size: extent, session: each => each.session, tags: each => each.tags,
  priority: each => each.priority !== 'normal' && (text.priorities[each.priority] ?? each.priority),
  rate_limit: each => each.rate_limit > 0 && speed(each.rate_limit), not_before: each => each.not_before && moment(each.not_before),
  created_at: each => moment(each.created_at), finished_at: each => each.finished_at && moment(each.finished_at),
  attempts: each => each.attempts > 0 && number(each.attempts), started_over: each => each.started_over > 0 && number(each.started_over),
  bytes_spent: each => each.bytes_spent > each.bytes_received && size(each.bytes_spent),
  etag: each => each.etag, last_modified: each => each.last_modified, content_type: each => each.content_type,
  verified: each => [...(each.verified ?? []).map(digest => `${digest} ✓`), ...(each.mismatched ?? []).map(digest => `${digest} ✗`)],
  proofs, notes: each => each.notes, id: each => each.id,
};

/** The events that have an error. Those of others show the transfer's last one. */
const hasMessage = new Set(['waiting', 'failed', 'canceled']);

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
  #request = null;
  /** Changes since which the request is read again. */
  #changes = 0;
  #asking = new AbortController();

  /** `calls`: `remedy(name, transfer)`, `say(words)`, `close()` to ask for its end, and `closed(hadFocus)` after it. */
  constructor(store, calls) {
    this.#store = store;
    this.#calls = calls;
  }

  get id() { return this.#id; }

  open(id) {
    if (id === this.#id) return;
    this.#asking.abort();
    this.#asking = new AbortController();
    [this.#id, this.#durable, this.#history, this.#lastRead, this.#request, this.#changes] = [id, [], [], 0, null, Infinity];
    this.#build();
    this.#root.hidden = false;
    this.#root.scrollTop = 0;
    this.update();
    this.#readHistory(id, this.#asking);
    this.#readRequest(id);
  }

  close() {
    if (this.#id === null) return;
    this.#asking.abort();
    this.#id = null;
    // Return the focus to the list only if it was here.
    const hadFocus = this.#root.contains(document.activeElement);
    this.#root.hidden = true;
    this.#calls.closed(hadFocus);
  }

  // MARK: What it shows

  #build() {
    const parts = this.#parts = {};
    const part = (name, tag, attributes, ...children) => (parts[name] = make(tag, attributes, ...children));
    this.#root.replaceChildren(
      make('header', {}, part('name', 'h2', { id: 'detail-name', dir: 'auto' }),
        button('✕', () => this.#calls.close(), { class: 'plain', 'aria-label': text.close })),
      part('remedies', 'div', { class: 'remedies' }),
      part('state', 'section', { class: 'told' }, part('kind', 'h3'), part('words', 'p', { class: 'words' }), part('message', 'p', { class: 'hint' })),
      part('progress', 'section', {}, this.#map.element, part('connections', 'ul', { class: 'lines' }), this.#chart.element),
      part('facts', 'dl'),
      make('section', {}, make('h3', { text: text.timeline }), part('timeline', 'ol', { class: 'lines' })),
      part('response', 'details', {}, make('summary', { text: text.answer }), part('fields', 'dl')),
      part('same', 'section', {}, make('h3', { text: text.sameCommand }), part('command', 'code', { class: 'command' }),
        part('secrets', 'p', { class: 'hint' }), button(text.copy, () => this.#copy(), { class: 'plain' })),
    );
  }

  update() {
    const id = this.#id, parts = this.#parts;
    if (id === null) return;
    const transfer = this.#store.get(id);
    if (!transfer || this.#store.hidden.has(id)) return this.close();
    const changes = this.#store.happened.get(id)?.filter(each => each.kind === 'changed').length ?? 0;
    if (changes > this.#changes) this.#readRequest(id);
    this.#changes = changes;
    setText(parts.name, title(transfer));
    parts.state.dataset.state = transfer.state;
    setText(parts.kind, transfer.state === 'failed' ? text.wentWrong : '');
    setText(parts.words, (transfer.state === 'running' ? `${text.states.running} · ` : '') + describe(transfer, now()));
    // In other languages, also show the daemon's own sentence: it has more facts.
    const said = transfer.error && visible(transfer.error.message);
    setText(parts.message, said && sentence(transfer.error) !== said ? said : '');
    this.#showRemedies(transfer);
    this.#showProgress(transfer);
    const request = { mirrors: this.#request?.mirrors, headers: this.#request?.headers?.map(({ name, value }) => `${name}: ${value}`) };
    this.#list(parts.facts, Object.entries(facts).flatMap(([key, value]) =>
      [value(transfer, request)].flat().filter(Boolean).map(each => [text.labels[key], each])));
    this.#showTimeline(transfer);
    const { response } = transfer;
    parts.response.hidden = !response;
    if (response) this.#list(parts.fields, [[text.labels.status, response.status], ...response.fields.map(each => [each.name, each.value])]);
    setText(parts.command, visible(command(transfer, this.#request)));
    const missing = this.#request ? [...this.#request.withheld.map(each => text.partNames[each] ?? each), ...leftOut(this.#request)] : [];
    setText(parts.secrets, missing.length ? text.withheld(missing.join(', ')) : '');
    parts.same.hidden = transfer.direction === 'upload';
    this.#say(transfer);
  }

  #showRemedies(transfer) {
    const { state } = transfer;
    const wanted = [...state === 'running' || state === 'waiting' ? ['pause'] : [], ...remedies(transfer)];
    if (state === 'running' || state === 'waiting' || state === 'suspended') wanted.push('cancel');
    wanted.push('remove', 'change');
    if (isReplaceable(transfer) && !wanted.includes('newURL')) wanted.push('newURL');
    const node = this.#parts.remedies;
    if (node.dataset.names === wanted.join()) return;
    node.dataset.names = wanted.join();
    node.replaceChildren(...wanted.map(name => button(text.remedies[name], () => this.#calls.remedy(name, this.#store.get(this.#id)))));
  }

  #showProgress(transfer) {
    const { state, segments = [] } = transfer, { done, all } = moved(transfer);
    const isOver = state === 'succeeded' || state === 'canceled';
    this.#parts.progress.hidden = isOver;
    if (isOver) return;
    this.#readRanges(transfer);
    this.#map.element.toggleAttribute('hidden', !all);
    this.#map.show(all ?? 0, this.#durable, segments, text.mapOf(extent(transfer) || size(done)));
    const speeds = this.#store.speedsOf.get(this.#id) ?? [];
    this.#chart.show(speeds, text.speedNow(speed(transfer.bytes_per_second ?? 0)));
    this.#parts.connections.replaceChildren(...segments.map(({ start, end, position, source, bytes_per_second: rate }, place) => make('li', {
      text: text.segment(place + 1, percent((position - start) / Math.max(1, end - start)), speed(rate ?? 0), source),
    })));
  }

  /** Shows pairs. Updates only nodes that differ, so that a text selection survives. A long value is opened by a click. */
  #list(node, pairs) {
    while (node.children.length > pairs.length * 2) node.lastElementChild.remove();
    pairs.forEach(([name, value], place) => {
      if (!node.children[place * 2]) node.append(make('dt'), make('dd', {}, make('span', { dir: 'auto' })));
      const shown = visible(String(value)), [term, fact] = [node.children[place * 2], node.children[place * 2 + 1]];
      setText(term, visible(String(name)));
      setText(fact.firstChild, shown);
      const isLong = shown.length > mostShown;
      fact.classList.toggle('long', isLong);
      if (isLong && fact.children.length < 2) {
        const more = button(text.showAll, () => setText(more, fact.classList.toggle('whole') ? text.showLess : text.showAll), { class: 'plain' });
        fact.append(more);
      } else if (!isLong && fact.children.length > 1) {
        fact.lastChild.remove();
        fact.classList.remove('whole');
      }
    });
  }

  // MARK: History

  #showTimeline({ created_at: begin, started_at: start, finished_at: end, state, error }) {
    const told = [...this.#history, ...(this.#store.happened.get(this.#id) ?? [])];
    // The transfer's own times stand in for expired events.
    if (!told.some(each => each.kind === 'submitted')) told.unshift({ kind: 'submitted', at: begin });
    if (start && !told.some(each => each.kind === 'running')) told.push({ kind: 'running', at: start });
    if (end && !told.some(each => each.kind === state)) told.push({ kind: state, at: end, message: error?.message });
    const today = new Date(now()).toDateString();
    const lines = told.sort((a, b) => (a.at < b.at ? -1 : 1)).map(({ kind, at, reason, message }) => [
      `${new Date(at).toDateString() === today ? time(at) : moment(at)}  ${text.kinds[kind] ?? kind}`,
      kind === 'waiting' && text.reasons[reason], hasMessage.has(kind) && message && visible(message),
    ].filter(Boolean).join(' · '));
    const shown = [...new Set(lines)], node = this.#parts.timeline;
    if (node.dataset.lines === shown.join('\n')) return;
    node.dataset.lines = shown.join('\n');
    node.replaceChildren(...shown.map(line => make('li', { text: line })));
  }

  /** Reads the durable events of the transfer. The stream has no end, so it is aborted once no more events arrive. */
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
      // The stream was aborted, or the gateway is away. Events that the page has received itself are shown anyway.
    } finally {
      clearTimeout(timer);
      if (this.#id === id) this.update();
    }
  }

  /** Reads the request, of which the command is made. Without it the command has less. */
  async #readRequest(id) {
    const request = await call('GET', `/v1/transfers/${id}/request`).catch(() => null);
    if (!request || this.#id !== id) return;
    this.#request = request;
    this.update();
  }

  async #readRanges({ id, state }) {
    const now = Date.now();
    if (now - this.#lastRead < (state === 'running' ? 2000 : 60_000)) return;
    this.#lastRead = now;
    // On failure, keep the old ranges: a later update reads them again.
    const { durable } = await call('GET', `/v1/transfers/${id}/ranges`).catch(() => ({}));
    if (durable && this.#id === id) this.#durable = durable;
  }

  // MARK: Accessibility and clipboard

  /** Announces each tenth of the progress. */
  #say(transfer) {
    const { id, state } = transfer, { done, all } = moved(transfer);
    const tenth = state === 'running' && all ? Math.floor((done / all) * 10) : 0;
    const key = `${id} ${tenth}`;
    if (tenth < 1 || this.#spoken === key) return;
    this.#spoken = key;
    this.#calls.say(`${title(transfer)}: ${spoken(transfer)}`);
  }

  async #copy() {
    // Browsers allow clipboard access only in secure contexts. Elsewhere, select the text.
    if (!navigator.clipboard) return getSelection().selectAllChildren(this.#parts.command);
    await navigator.clipboard.writeText(command(this.#store.get(this.#id), this.#request));
    this.#calls.say(text.copied);
  }
}
