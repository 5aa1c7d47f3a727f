// The button's popup: transfers, failures, and switches.

import { hostOf, isSiteOn, sitesWith, usual } from './rules.js';
import { call, find, make, size, text, translate } from './words.js';

const tell = error => { find('#wrong').textContent = error?.message ?? ''; };

/** Does what a button is for, and shows its error until the next action. */
async function perform(name, rest) {
  try {
    await call(name, rest);
    tell();
  } catch (error) {
    tell(error);
  }
  await show();
}

// MARK: Transfers

/** Buttons by state: the call, the action, and the text. */
const actions = {
  running: [['act', 'pause'], ['act', 'cancel']],
  waiting: [['act', 'pause'], ['act', 'cancel']],
  suspended: [['act', 'resume'], ['act', 'cancel']],
  failed: [['act', 'retry'], ['act', 'remove']],
  canceled: [['act', 'retry'], ['act', 'remove']],
  succeeded: [['open', 'open'], ['show', 'show'], ['act', 'remove']],
};

/** Rows by transfer id. Rows are reused, so that a button keeps its focus. */
const rows = new Map();

function row(id) {
  const parts = {
    element: make('li'), name: make('bdi'), words: make('small'), bar: make('progress'), actions: make('div', { className: 'actions' }), state: '',
  };
  parts.element.append(parts.name, parts.words, parts.bar, parts.actions);
  rows.set(id, parts);
  return parts;
}

function fill(parts, { id, name, state, received, expected, speed, why }) {
  const amount = expected ? `${size(received)} / ${size(expected)}` : size(received);
  parts.name.textContent = parts.name.title = name;
  parts.words.textContent = [text(state), amount, speed > 0 && `${size(Math.round(speed))}/s`, why].filter(Boolean).join(' · ');
  parts.bar.hidden = state === 'succeeded';
  parts.bar.ariaLabel = name;
  if (expected) [parts.bar.max, parts.bar.value] = [expected, received];
  else if (state === 'running') parts.bar.removeAttribute('value');
  else parts.bar.value = 0;
  if (parts.state === state) return;
  parts.state = state;
  parts.actions.replaceChildren(...(actions[state] ?? []).map(([kind, action]) => make('button', {
    type: 'button', textContent: text(action), ariaLabel: `${text(action)}: ${name}`,
    onclick: () => perform(kind, { action, ids: [id] }),
  })));
}

async function show() {
  const { transfers, more } = await call('list').catch(error => {
    if (!find('#wrong').textContent) tell(error);
    return { transfers: [], more: 0 };
  });
  const shown = new Set(transfers.map(each => each.id));
  for (const [id, { element }] of rows) {
    if (shown.has(id)) continue;
    element.remove();
    rows.delete(id);
  }
  const list = find('#transfers');
  transfers.forEach((each, place) => {
    const parts = rows.get(each.id) ?? row(each.id);
    fill(parts, each);
    if (list.children[place] !== parts.element) list.insertBefore(parts.element, list.children[place] ?? null);
  });
  find('#empty').hidden = transfers.length > 0;
  find('#more').hidden = !more;
  find('#more').textContent = text('more', more);
}

// MARK: Notes

async function showNotes() {
  const { note, failures } = await call('notes');
  find('#notes').hidden = !note && Object.keys(failures).length === 0;
  find('#failures').replaceChildren(...Object.entries(failures).map(([id, { name, why, url, isKept }]) => {
    const element = make('li');
    const words = [why, isKept && text('goesOn')].filter(Boolean).join(' ');
    element.append(make('bdi', { textContent: name, title: name }), make('span', { textContent: words, className: 'why' }));
    if (url) {
      const button = make('button', { type: 'button', textContent: text('tryInBrowser'), ariaLabel: `${text('tryInBrowser')}: ${name}` });
      button.onclick = async () => {
        await perform('browser', { id });
        await showNotes();
      };
      element.append(make('div', { className: 'actions' }));
      element.lastChild.append(button);
    }
    return element;
  }));
  find('#note').hidden = !note;
  find('#note bdi').textContent = note?.name ?? '';
  find('#note span').textContent = note?.text ?? '';
  find('#allow').hidden = note?.reason !== 'access';
  find('#allow').onclick = async () => {
    if (await chrome.permissions.request({ origins: [`${new URL(note.url).origin.replace(/:\d+$/, '')}/*`] })) await clear();
  };
}

async function clear() {
  await call('seen');
  await showNotes();
}

// MARK: Switches

async function showChoices() {
  const settings = { ...usual, ...await chrome.storage.local.get(Object.keys(usual)) };
  const [tab] = await chrome.tabs.query({ active: true, currentWindow: true });
  const site = hostOf(tab?.url);
  find('#on').checked = settings.isOn;
  find('#on').onchange = event => chrome.storage.local.set({ isOn: event.target.checked });
  find('#site-label').hidden = !site;
  find('#site-text').textContent = text('site', site);
  find('#site').checked = isSiteOn(site, settings.sites);
  find('#site').onchange = async event => {
    const { sites = {} } = await chrome.storage.local.get('sites');
    await chrome.storage.local.set({ sites: sitesWith(site, event.target.checked, sites) });
  };
  find('#links').disabled = !site;
  find('#links').onclick = async () => {
    await chrome.tabs.create({ url: `links.html?${new URLSearchParams({ tab: tab.id, page: tab.url })}` });
    close();
  };
}

translate();
find('#page').onclick = () => call('page').then(() => close(), tell);
find('#options').onclick = () => chrome.runtime.openOptionsPage().then(() => close());
find('#seen').onclick = clear;
showChoices();
showNotes();
show();
setInterval(show, 1000);
chrome.storage.onChanged.addListener(changed => { if (changed.failures || changed.note) showNotes(); });
