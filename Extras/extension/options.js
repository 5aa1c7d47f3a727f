// The settings.

import { hostOf, leastBytesOf, patienceOf, usual } from './rules.js';
import { call, find, make, text, translate } from './words.js';

const settings = async () => ({ ...usual, ...await chrome.storage.local.get(Object.keys(usual)) });

async function showConnection() {
  const state = find('#state');
  await call('hello').then(
    ({ version }) => { state.textContent = text('connected', version); state.className = ''; },
    error => { state.textContent = error.message; state.className = 'why'; });
}

async function show() {
  const values = await settings();
  for (const name of ['isOn', 'asks', 'notifies']) {
    find(`#${name}`).checked = values[name];
    find(`#${name}`).onchange = event => chrome.storage.local.set({ [name]: event.target.checked });
  }
  for (const name of ['types', 'folder']) {
    find(`#${name}`).value = values[name];
    find(`#${name}`).onchange = event => chrome.storage.local.set({ [name]: event.target.value.trim() });
  }
  showNumber('leastBytes', values, leastBytesOf, bytes => bytes / 2 ** 20);
  showNumber('patience', values, patienceOf, seconds => seconds);
  showSites(values.sites);
  // Until now, what somebody types would be replaced by the stored settings.
  find('main').inert = false;
}

/** A number whose field shows the former value again after one that is not valid. */
function showNumber(name, values, parse, shown) {
  const field = find(`#${name}`);
  field.value = shown(values[name]);
  field.onchange = async () => {
    const value = parse(field.value, (await settings())[name]);
    field.value = shown(value);
    await chrome.storage.local.set({ [name]: value });
  };
}

function showSites(sites) {
  const change = async edit => {
    const { sites: before } = await settings();
    const after = edit(before);
    await chrome.storage.local.set({ sites: after });
    showSites(after);
  };
  find('#sites').replaceChildren(...Object.entries(sites).sort().map(([site, isOn]) => {
    const line = make('tr');
    const remove = make('button', { type: 'button', textContent: text('remove'), ariaLabel: `${text('remove')}: ${site}` });
    remove.onclick = () => change(({ [site]: _, ...others }) => others);
    for (const part of [site, text(isOn ? 'siteOn' : 'siteOff'), remove]) {
      line.append(make('td'));
      line.lastChild.append(part);
    }
    return line;
  }));
  find('#add').onsubmit = async event => {
    event.preventDefault();
    const field = find('#new-site');
    const typed = field.value.trim();
    const site = URL.canParse(`http://${typed}`) || /^https?:/.test(typed) ? hostOf(/^https?:/.test(typed) ? typed : `http://${typed}`) : '';
    if (!site) return;
    field.value = '';
    await change(before => ({ ...before, [site]: false }));
  };
}

translate();
document.title = text('optionsTitle');
show();
showConnection();
