// The dialog that adds downloads. What is typed there is kept until it is added, over a reload of the page too.

import { callLines } from './api.js';
import { Wrong, ask, count, rate } from './dialogs.js';
import { choice, field, find, make, setText } from './dom.js';
import { size, visible } from './format.js';
import { parse } from './links.js';
import { text } from './text.js';
import { sentence } from './words.js';

const draftKey = 'ferry.draft', folderKey = 'ferry.folder';
const shownAtMost = 200;
/** Bytes of one request's body that are sent at most; the gateway takes 2 MiB. */
const mostBytes = 1_900_000;

const input = (attributes = {}) => make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes });

/** The digests by how many digits they have. */
const digests = { 32: 'md5', 40: 'sha1', 64: 'sha256', 96: 'sha384', 128: 'sha512' };

function checksums(typed) {
  return typed.split(/[\s,]+/).filter(Boolean).map(each => {
    const [, algorithm, hex] = /^(?:([\w-]+)[:=])?([\da-f]+)$/i.exec(each) ?? [];
    const name = algorithm?.toLowerCase().replace('-', '') ?? digests[hex?.length];
    if (!name || digests[hex.length] !== name) throw new Wrong('checksums', text.noChecksum(each));
    return `${name}:${hex.toLowerCase()}`;
  });
}

function headers(typed) {
  return typed.split('\n').map(each => each.trim()).filter(Boolean).map(line => {
    const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
    if (!name) throw new Wrong('headers', text.noHeader(line));
    return { name, value };
  });
}

/** The keys that the form adds to each request. */
function common(values, isOne) {
  const request = { folder: values.folder.trim() };
  if (!request.folder.startsWith('/')) throw new Wrong('folder', text.noFolder);
  if (isOne && values.name.trim()) request.name = values.name.trim();
  if (isOne && values.checksums.trim()) request.checksums = checksums(values.checksums);
  const connections = count(values, 'connections', 64);
  if (connections) request.connections = connections;
  const limit = rate(values, 'rate_limit');
  if (limit) request.rate_limit = limit;
  if (values.priority !== 'normal') request.priority = values.priority;
  if (values.on_conflict !== 'unique') request.on_conflict = values.on_conflict;
  if (values.start === 'paused') request.paused = true;
  if (values.start === 'at') {
    const date = new Date(values.not_before);
    if (Number.isNaN(date.getTime())) throw new Wrong('not_before', text.noDate);
    request.not_before = date.toISOString();
  }
  const proxy = values.proxy.trim();
  if (proxy) {
    const url = proxy.includes('://') ? proxy : `http://${proxy}`;
    request.proxy_environment = { http_proxy: url, https_proxy: url };
  }
  const tags = values.tags.split(',').map(each => each.trim()).filter(Boolean);
  if (tags.length) request.tags = tags;
  return request;
}

function withUser(url, { user, password }) {
  if (!user) return url;
  return url.replace(/^(https?:\/\/)([^/@]*@)?/i, `$1${encodeURIComponent(user)}:${encodeURIComponent(password ?? '')}@`);
}

/** A request of the text, with what the form says of all. */
function merged({ rate: typed, ...request }, shared, values) {
  const all = { ...request, ...shared, url: withUser(request.url, values) };
  const fields = [...(request.headers ?? []), ...headers(values.headers)];
  if (fields.length) all.headers = fields;
  if (typed && !shared.rate_limit) all.rate_limit = rate({ typed }, 'typed');
  return all;
}

/** Sends requests in parts that the gateway takes; returns an answer for each. */
async function submit(requests) {
  const answers = [];
  for (let part = [], bytes = 0, next = 0; next <= requests.length; next++) {
    const length = next < requests.length ? JSON.stringify(requests[next]).length * 3 : Infinity;
    if (part.length && bytes + length > mostBytes) {
      answers.push(...await callLines('/v1/transfers/batch', part));
      [part, bytes] = [[], 0];
    }
    if (next < requests.length) part.push(requests[next]);
    bytes += length;
  }
  return answers;
}

/** Opens the dialog, with a text that was pasted or dropped; resolves to the ids of what was added. */
export async function askAdd(store, given) {
  const draft = JSON.parse(sessionStorage.getItem(draftKey) ?? '{}');
  const kept = name => draft[name] ?? '';
  const source = make('textarea', { rows: 5, spellcheck: 'false', autocapitalize: 'off', dir: 'auto' });
  source.value = [kept('source'), given].filter(Boolean).join('\n');
  const found = make('ul', { class: 'found', 'aria-live': 'polite' });
  const usual = store.folders[0]?.path ?? '';
  const room = make('p', { class: 'hint' });
  const folder = input({ list: 'folders-add', value: kept('folder') || localStorage.getItem(folderKey) || usual });
  const start = choice(Object.entries(text.starts), kept('start') || 'now');
  const date = field('not_before', text.beginAt, make('input', { type: 'datetime-local', value: kept('not_before') }));
  const single = make('div', { class: 'pair' },
    field('name', text.name, input({ value: kept('name'), dir: 'auto', placeholder: text.nameOfServer })),
    field('checksums', text.checksum, input({ value: kept('checksums') }), text.checksumHint));
  const body = [
    field('source', text.sources, source, text.sourcesHint), found,
    make('div', { class: 'pair' }, field('folder', text.folder, folder), field('start', text.start, start)),
    make('datalist', { id: 'folders-add' }, ...store.folders.map(each => make('option', { value: each.path }))),
    room, date, single,
    make('details', {}, make('summary', { text: text.more }),
      make('div', { class: 'pair' },
        field('connections', text.connectionsWord, input({ inputmode: 'numeric', value: kept('connections') }), text.connectionsHint),
        field('rate_limit', text.limit, input({ value: kept('rate_limit') }), text.rateHint)),
      make('div', { class: 'pair' },
        field('priority', text.priority, choice(Object.entries(text.priorities), kept('priority') || 'normal')),
        field('on_conflict', text.conflict, choice(Object.entries(text.conflicts), kept('on_conflict') || 'unique'))),
      field('headers', text.headers, make('textarea', { rows: 3, spellcheck: 'false', set: { value: kept('headers') } }), text.headersHint),
      make('div', { class: 'pair' }, field('user', text.user, input({ value: kept('user') })),
        field('password', text.password, input({ type: 'password', value: kept('password') }))),
      make('div', { class: 'pair' }, field('proxy', text.proxy, input({ value: kept('proxy') }), text.proxyHint),
        field('tags', text.tags, input({ value: kept('tags') }), text.tagsHint))),
  ];

  const look = () => {
    const { requests, problems } = parse(source.value);
    const urls = new Set([...store.transfers.values()].map(each => each.url));
    const lines = requests.slice(0, shownAtMost).map(each => {
      const extra = [each.headers && text.withHeaders(each.headers.length), each.mirrors && text.withMirrors(each.mirrors.length),
        each.expected_size && size(each.expected_size), each.checksums && text.withChecksum, urls.has(each.url) && text.alreadyThere];
      return make('li', { dir: 'auto', text: [visible(each.name ?? each.url), ...extra.filter(Boolean)].join(' · ') });
    });
    if (requests.length > shownAtMost) lines.push(make('li', { text: text.andMore(requests.length - shownAtMost) }));
    lines.push(...problems.map(each => make('li', { class: 'wrong', text: visible(each) })));
    found.replaceChildren(...lines);
    single.hidden = requests.length > 1;
    date.hidden = start.value !== 'at';
    const chosen = store.folders.find(each => folder.value === each.path || folder.value.startsWith(`${each.path}/`));
    setText(room, chosen?.free != null ? text.freeThere(size(chosen.free)) : '');
    const send = found.closest('form')?.querySelector('[type=submit]');
    if (send) setText(send, text.addCount(requests.length));
    return requests;
  };

  const asked = ask({
    heading: text.addHeading, label: text.add, body,
    submit: async (values, form) => {
      const requests = look();
      if (!requests.length) throw new Wrong('source', text.nothingToAdd);
      const shared = common(values, requests.length === 1);
      const answers = await submit(requests.map(each => merged(each, shared, values)));
      localStorage.setItem(folderKey, shared.folder);
      const refused = answers.map((each, place) => each.error && [requests[place], each.error]).filter(Boolean);
      for (const { transfer } of answers) if (transfer) store.put(transfer);
      const added = answers.filter(each => each.transfer).map(each => each.transfer.id);
      if (!refused.length) {
        sessionStorage.removeItem(draftKey);
        return added;
      }
      // What was refused stays to be mended; the rest is not added twice.
      if (requests.length > 1) {
        source.value = refused.map(([request]) => request.url).join('\n');
        keep(form);
        look();
      }
      const words = refused.slice(0, 3).map(([, error]) => sentence(error)).join(' ');
      const error = Object.assign(new Error(words), { code: refused[0][1].code });
      if (requests.length > 1) error.field = 'source';
      throw error;
    },
  });
  const form = found.closest('form');
  const keep = form => sessionStorage.setItem(draftKey, JSON.stringify(Object.fromEntries(new FormData(form))));
  form.addEventListener('input', () => {
    keep(form);
    look();
  });
  keep(form);
  look();
  source.focus();
  const added = await asked;
  // Closed by hand: nothing of it is wanted any more.
  if (added === undefined && !find('dialog')) sessionStorage.removeItem(draftKey);
  return added ?? [];
}

/** Whether something that was typed waits to be added. */
export const hasDraft = () => JSON.parse(sessionStorage.getItem(draftKey) ?? '{}').source?.trim() > '';
