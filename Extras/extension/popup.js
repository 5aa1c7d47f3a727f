// The popup of the button: what runs, and what the user chooses.

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
  find('#wrong').textContent = error ?? '';
  if (error) throw new Error(error);
  return result;
}

// MARK: Transfers

function row({ id, name, state, received, expected, speed, why }) {
  const node = document.createElement('li');
  const add = (tag, properties) => node.append(Object.assign(document.createElement(tag), properties));
  add('bdi', { textContent: name, title: name });
  const amount = expected ? `${size(received)} / ${size(expected)}` : size(received);
  add('small', { textContent: [text(state), amount, speed > 0 && `${size(speed)}/s`, why].filter(Boolean).join(' · ') });
  const action = { running: 'pause', waiting: 'pause', suspended: 'resume', failed: 'retry', canceled: 'retry' }[state];
  if (action) {
    add('button', { type: 'button', textContent: text(action), onclick: () => call('act', { action, ids: [id] }).then(show, () => {}) });
  }
  if (state !== 'succeeded') add('progress', expected ? { max: expected, value: received } : { max: 1, value: 0 });
  return node;
}

async function show() {
  const { transfers } = await call('list');
  find('#transfers').replaceChildren(...transfers.slice(0, 30).map(row));
  find('#empty').hidden = transfers.length > 0;
}

// MARK: Choices

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

for (const node of document.querySelectorAll('[data-text]')) node.textContent = text(node.dataset.text);
find('#empty').textContent = text('nothing');
find('#page').onclick = () => call('page').then(() => close(), () => {});
showChoices();
show().catch(() => {});
setInterval(() => show().catch(() => {}), 1000);
