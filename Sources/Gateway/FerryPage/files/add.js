// The dialog that adds downloads. Its input survives a reload of the page until it is added.

import './more.js';
import { callLines } from './api.js';
import { Wrong, ask, count, folderPath, headerFields, knownFolders, list, rate } from './dialogs.js';
import { field, find, make, setText } from './dom.js';
import { size, visible } from './format.js';
import { parse } from './links.js';
import { text } from './text.js';
import { sentence } from './words.js';

const folderKey = 'ferry.folder';
const shownAtMost = 200;
/** Most bytes sent in one request body. The gateway takes 2 MiB. */
const mostBytes = 1_000_000;

/** Digest algorithms by their number of hexadecimal digits. */
const digests = { 32: 'md5', 40: 'sha1', 64: 'sha256', 96: 'sha384', 128: 'sha512' };

function checksum(word) {
  const [, algorithm, hex] = /^(?:([\w-]+)[:=])?([\da-f]+)$/i.exec(word) ?? [];
  const known = digests[hex?.length];
  if (!known || algorithm && algorithm.toLowerCase().replace('-', '') !== known) throw new Wrong('checksums', text.noChecksum(word));
  return `${known}:${hex.toLowerCase()}`;
}

function date(typed) {
  const date = new Date(typed);
  if (Number.isNaN(date.getTime())) throw new Wrong('not_before', text.noDate);
  return date.toISOString();
}

/** The keys that the form adds to each request, without empty ones. */
function common(values, isOne) {
  const folder = folderPath(values.folder);
  const proxy = values.proxy.trim() && values.proxy.trim().replace(/^(?!\w+:\/\/)/, 'http://');
  const keys = {
    folder, name: isOne && values.name.trim(), checksums: isOne && list(values.checksums, /[\s,]+/).map(checksum),
    connections: count(values, 'connections', 64), rate_limit: rate(values, 'rate_limit'),
    priority: values.priority !== 'normal' && values.priority, on_conflict: values.on_conflict !== 'unique' && values.on_conflict,
    paused: values.start === 'paused', not_before: values.start === 'at' && date(values.not_before),
    proxy_environment: proxy && { http_proxy: proxy, https_proxy: proxy }, tags: list(values.tags, ','),
  };
  return Object.fromEntries(Object.entries(keys).filter(([, value]) => (Array.isArray(value) ? value.length : value)));
}

/** A parsed request, with the form's shared options. */
function merged({ rate: typed, ...request }, shared, { user, password, headers }) {
  const fields = [...(request.headers ?? []), ...headerFields(headers)];
  const userinfo = user && `${encodeURIComponent(user)}:${encodeURIComponent(password)}@`;
  return {
    ...request, ...(typed ? { rate_limit: rate({ typed }, 'typed') } : {}), ...shared, ...(fields.length ? { headers: fields } : {}),
    url: userinfo ? request.url.replace(/^(https?:\/\/)([^/@]*@)?/i, `$1${userinfo}`) : request.url,
  };
}

/** Sends requests in batches of limited size, and passes each result with the request's index. */
async function submit(requests, tell) {
  for (let sent = 0; sent < requests.length;) {
    let bytes = 0, end = sent;
    while (end < requests.length && (end === sent || bytes < mostBytes)) bytes += JSON.stringify(requests[end++]).length * 3;
    const answers = await callLines('/v1/transfers/batch', requests.slice(sent, end));
    answers.forEach((answer, place) => tell(answer, sent + place));
    sent = end;
  }
}

/** A list item for a parsed request. */
function line(request, urls) {
  const facts = [
    visible(request.name ?? request.url), request.headers && text.withHeaders(request.headers.length),
    request.mirrors && text.withMirrors(request.mirrors.length), request.expected_size && size(request.expected_size),
    request.checksums && text.withChecksum, urls.has(request.url) && text.alreadyThere,
  ];
  return make('li', { dir: 'auto', text: facts.filter(Boolean).join(' · ') });
}

const pair = (...fields) => make('div', { class: 'pair' }, ...fields);

/**
 * Opens the dialog with pasted or dropped text. Saves the input in session storage under `draftKey`.
 *
 * Resolves to `added`, the ids of the added transfers, and `left`, the text that was not added.
 */
export async function askAdd(store, given, draftKey) {
  const kept = JSON.parse(sessionStorage.getItem(draftKey) ?? '{}');
  const typed = (name, attributes, usual = '') => field(name, kept[name] || usual, attributes);
  const found = make('ul', { class: 'found', 'aria-live': 'polite' });
  const room = make('p', { class: 'hint' });
  const at = typed('not_before', { type: 'datetime-local' });
  const single = pair(typed('name', { dir: 'auto' }), typed('checksums'));
  const body = [
    field('source', [kept.source, given].filter(Boolean).join('\n'), { rows: 5, autocapitalize: 'off', dir: 'auto' }), found,
    pair(typed('folder', { list: 'folders' }, localStorage.getItem(folderKey) ?? store.folders[0]?.path),
      typed('start', { choices: text.starts }, 'now')),
    knownFolders(store.folders), room, at, single,
    make('details', {}, make('summary', { text: text.more }),
      pair(typed('connections', { inputmode: 'numeric' }), typed('rate_limit')),
      pair(typed('priority', { choices: text.priorities }, 'normal'), typed('on_conflict', { choices: text.conflicts }, 'unique')),
      typed('headers', { rows: 3 }), pair(typed('user'), typed('password', { type: 'password' })), pair(typed('proxy'), typed('tags'))),
  ];
  const urls = new Set([...store.transfers.values()].map(each => each.url));
  /** Requests accepted before an error. They are not added twice. */
  const taken = new Map();
  const key = request => JSON.stringify(request);

  const look = () => {
    const { source, folder, start } = form.elements;
    const { requests: all, problems } = parse(source.value);
    const requests = all.filter(each => !taken.has(key(each)));
    found.replaceChildren(
      ...requests.slice(0, shownAtMost).map(each => line(each, urls)),
      ...(requests.length > shownAtMost ? [make('li', { text: text.andMore(requests.length - shownAtMost) })] : []),
      ...problems.map(each => make('li', { class: 'wrong', text: visible(each) })));
    single.hidden = requests.length > 1;
    at.hidden = start.value !== 'at';
    const chosen = store.folders.find(each => `${folder.value}/`.startsWith(`${each.path}/`));
    setText(room, chosen?.free != null ? text.free(size(chosen.free)) : '');
    setText(form.querySelector('[type=submit]'), text.addCount(requests.length));
    return requests;
  };
  const keep = () => {
    const { password, ...values } = Object.fromEntries(new FormData(form));
    try {
      sessionStorage.setItem(draftKey, JSON.stringify(values));
    } catch {
      // The draft exceeds the storage quota: keep it only while the page is open.
    }
  };

  const asked = ask({
    heading: text.addHeading, label: text.add, body,
    async submit(values) {
      const requests = look();
      if (!requests.length) throw new Wrong('source', text.nothingToAdd);
      const shared = common(values, requests.length === 1);
      const refused = [];
      await submit(requests.map(each => merged(each, shared, values)), (answer, place) => {
        if (answer.error) refused.push(answer.error);
        else taken.set(key(requests[place]), answer.transfer.id);
      });
      localStorage.setItem(folderKey, shared.folder);
      if (!refused.length) {
        sessionStorage.removeItem(draftKey);
        return [...taken.values()];
      }
      look();
      throw Object.assign(new Error(refused.slice(0, 3).map(sentence).join(' ')), { code: refused[0].code });
    },
  });
  const form = found.closest('form');
  form.addEventListener('input', () => {
    keep();
    look();
  });
  keep();
  look();
  form.elements.source.focus();
  const added = await asked;
  if (!added && !find('dialog')) sessionStorage.removeItem(draftKey);
  return { added: added ?? [], left: added ? '' : form.elements.source.value.trim() };
}
