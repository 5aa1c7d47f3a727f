// The button's popup: running transfers and the user's settings.

import { siteOf, usual } from './rules.js';

const find = selector => document.querySelector(selector);
const text = (key, ...values) => chrome.i18n.getMessage(key, values);
const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

function size(bytes) {
  let value = bytes, unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit ? value.toFixed(1) : value} ${units[unit]}`;
}

async function call(name, rest = {}) {
  const { result, error } = await chrome.runtime.sendMessage({ call: name, ...rest });
  // An action's error stays until the next action.
  if (error || name !== 'list') find('#wrong').textContent = error ?? '';
  if (error) throw new Error(error);
  return result;
}

// MARK: Transfers

/** Rows by transfer id. Rows are reused, so that a button keeps its focus. */
const rows = new Map();

function row(id) {
  const make = (tag, properties = {}) => Object.assign(document.createElement(tag), properties);
  const parts = { name: make('bdi'), words: make('small'), action: make('button', { type: 'button' }), bar: make('progress') };
  parts.action.onclick = () => call('act', { action: parts.action.value, ids: [id] }).then(show, () => {});
  parts.element = make('li');
  parts.element.append(parts.name, parts.words, parts.action, parts.bar);
  return parts;
}

const actions = { running: 'pause', waiting: 'pause', suspended: 'resume', failed: 'retry', canceled: 'retry' };

function fill(parts, { name, state, received, expected, speed, why }) {
  const action = actions[state];
  const amount = expected ? `${size(received)} / ${size(expected)}` : size(received);
  parts.name.textContent = parts.name.title = name;
  parts.words.textContent = [text(state), amount, speed > 0 && `${size(speed)}/s`, why].filter(Boolean).join(' · ');
  parts.action.hidden = !action;
  if (action) [parts.action.value, parts.action.textContent] = [action, text(action)];
  parts.bar.hidden = state === 'succeeded';
  parts.bar.ariaLabel = name;
  if (expected) [parts.bar.max, parts.bar.value] = [expected, received];
  else if (state === 'running') parts.bar.removeAttribute('value');
  else parts.bar.value = 0;
}

async function show() {
  const transfers = (await call('list')).transfers.slice(0, 30);
  const shown = new Set(transfers.map(each => each.id));
  for (const [id, { element }] of rows) {
    if (shown.has(id)) continue;
    element.remove();
    rows.delete(id);
  }
  transfers.forEach((each, place) => {
    if (!rows.has(each.id)) rows.set(each.id, row(each.id));
    const parts = rows.get(each.id);
    fill(parts, each);
    const list = find('#transfers');
    if (list.children[place] !== parts.element) list.insertBefore(parts.element, list.children[place] ?? null);
  });
  find('#empty').hidden = transfers.length > 0;
}

// MARK: Settings

async function showChoices() {
  const settings = { ...usual, ...await chrome.storage.local.get(null) };
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const site = siteOf({ url: tab?.url ?? '' });
  find('#on').checked = settings.isOn;
  find('#least').value = Math.round(settings.leastBytes / 2 ** 20);
  find('#site-label').hidden = !site;
  find('#site-text').textContent = text('site', site);
  find('#site').checked = settings.sites[site] !== false;
  find('#on').onchange = event => chrome.storage.local.set({ isOn: event.target.checked });
  find('#least').onchange = event => chrome.storage.local.set({ leastBytes: Math.max(0, Number(event.target.value) || 0) * 2 ** 20 });
  find('#site').onchange = async event => {
    const { sites = {} } = await chrome.storage.local.get('sites');
    if (event.target.checked) delete sites[site];
    else sites[site] = false;
    await chrome.storage.local.set({ sites });
  };
}

document.documentElement.lang = chrome.i18n.getUILanguage();
for (const node of document.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
find('#empty').textContent = text('nothing');
find('#page').onclick = () => call('page').then(() => close(), () => {});
showChoices();
show().catch(() => {});
setInterval(() => show().catch(() => {}), 1000);
