// Dialogs: the secret, questions, limits, changes of one transfer, and the help.

import { Away, Refusal, pair, setSecret } from './api.js';
import { button, choice, complain, field, make, setText } from './dom.js';
import { amount, size, title } from './format.js';
import { choose, language, text } from './text.js';
import { sentence } from './words.js';

/**
 * Opens a dialog with a form. `submit` is called with the form's values, and throws what keeps the dialog open; the dialog
 * resolves to what it returns, or to undefined when it was closed.
 */
export function ask({ heading, body, label, submit, isDanger = false, canClose = true, extra = [] }) {
  return new Promise(resolve => {
    const wrong = make('p', { class: 'wrong', role: 'alert' });
    const send = make('button', { type: 'submit', text: label, class: isDanger ? 'danger' : 'primary' });
    const form = make('form', { method: 'dialog', novalidate: true },
      make('h2', { text: heading, id: 'dialog-heading' }), ...body, wrong,
      make('div', { class: 'buttons' }, ...extra, canClose && button(text.cancelWord, () => dialog.close()), label && send));
    const dialog = make('dialog', { 'aria-labelledby': 'dialog-heading' }, form);
    let result;
    form.addEventListener('submit', async event => {
      event.preventDefault();
      setText(wrong, '');
      send.disabled = true;
      try {
        result = await submit(Object.fromEntries(new FormData(form)), form);
        dialog.close();
      } catch (error) {
        place(error, form, wrong);
      } finally {
        send.disabled = false;
      }
    });
    form.addEventListener('keydown', event => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    dialog.addEventListener('cancel', event => { if (!canClose) event.preventDefault(); });
    dialog.addEventListener('close', () => {
      dialog.remove();
      resolve(result);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** What is wrong with one field of a form. */
export class Wrong extends Error {
  constructor(name, sentence) {
    super(sentence);
    this.field = name;
  }
}

/** Fields by the codes of the errors that they cause. */
const causes = {
  invalid_url: 'url', unsupported_scheme: 'url', destination_unwritable: 'folder', destination_exists: 'name',
  disk_full: 'folder', request_not_replaceable: 'url',
};

/** Shows an error beside the field that caused it, else at the end of the form. */
function place(error, form, wrong) {
  if (error instanceof Away) return setText(wrong, text.keptTyped);
  const named = /^(\w+) is /.exec(error.message)?.[1];
  const isFolder = error.code === 'invalid_request' && /^The gateway puts no files/.test(error.message);
  const name = error.field ?? (isFolder ? 'folder' : causes[error.code] ?? named);
  const control = name && form.elements[name];
  const words = error instanceof Refusal && error.code !== 'invalid_request' ? sentence(error) : error.message;
  if (!control?.id) return setText(wrong, words);
  complain(control, words);
  control.closest('details')?.setAttribute('open', '');
  control.focus();
}

/** Asks whether something is to be done. */
export const confirm = (heading, words, label) =>
  ask({ heading, body: [make('p', { text: words })], label, isDanger: true, submit: () => true });

const input = (attributes = {}) => make('input', { type: 'text', autocomplete: 'off', spellcheck: 'false', ...attributes });

// MARK: The secret

/** Asks for the secret until there is one; the page behind it stays as it is. */
export function askSecret(isWrong) {
  const secret = input({ type: 'password', required: true });
  return ask({
    heading: text.secretHeading, canClose: false, label: text.open,
    body: [make('p', { text: isWrong ? text.secretWrong : text.secretNeeded }), field('secret', text.secret, secret, text.secretHint)],
    submit: async values => {
      const given = values.secret.trim();
      if (!given) throw new Wrong('secret', text.secretNeeded);
      if (given.length === 8) await pair(given);
      else setSecret(given);
      return true;
    },
  });
}

// MARK: Limits

/** A typed speed in bytes per second; nothing typed is no limit. */
export function rate(values, name) {
  const typed = (values[name] ?? '').trim();
  if (!typed || typed === '0') return 0;
  const bytes = amount(typed);
  if (bytes === null) throw new Wrong(name, text.noAmount(typed));
  if (bytes < 1024) throw new Wrong(name, text.smallAmount);
  return bytes;
}

export function count(values, name, most) {
  const typed = (values[name] ?? '').trim();
  if (!typed) return null;
  const value = Number(typed);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Wrong(name, text.noCount(most));
  return value;
}

const shownRate = bytes => (bytes > 0 ? size(bytes) : '');

export function askLimits(store, actions) {
  const { settings } = store;
  const sessions = store.sessions.filter(each => store.sessions.length > 1);
  return ask({
    heading: text.limits, label: text.save,
    body: [
      field('rate_limit', text.rateOfAll, input({ value: shownRate(settings.rate_limit) }), text.rateHint),
      field('slow_rate_limit', text.slowRate, input({ value: shownRate(settings.slow_rate_limit) }), text.slowHint),
      field('active_transfers', text.activeTransfers, input({ inputmode: 'numeric', value: settings.active_transfers })),
      field('connections_per_host', text.perHost, input({ inputmode: 'numeric', value: settings.connections_per_host })),
      sessions.length > 0 && make('details', {}, make('summary', { text: text.limitsOfSessions }),
        ...sessions.map((each, place) => field(`session_${place}`, text.rateOf(each.id), input({ value: shownRate(each.settings.rate_limit ?? 0) })))),
    ],
    submit: async values => {
      const wanted = {
        rate_limit: rate(values, 'rate_limit'), slow_rate_limit: rate(values, 'slow_rate_limit') || settings.slow_rate_limit,
        active_transfers: count(values, 'active_transfers', 1000) ?? settings.active_transfers,
        connections_per_host: count(values, 'connections_per_host', 64) ?? settings.connections_per_host,
      };
      // A shown speed is rounded: what was not touched stays as it is.
      for (const key of ['rate_limit', 'slow_rate_limit']) if (values[key] === shownRate(settings[key])) delete wanted[key];
      const change = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => value !== settings[key]));
      for (const [place, each] of sessions.entries()) {
        const name = `session_${place}`;
        if (values[name] === shownRate(each.settings.rate_limit ?? 0)) continue;
        await actions.changeSession(each.id, { rate_limit: rate(values, name) });
      }
      if (Object.keys(change).length) await actions.changeSettings(change);
      return true;
    },
  });
}

// MARK: One transfer

/** Asks what is to change about a transfer; `focus` names the field to begin with. */
export function askChange(transfer, store, actions, focus) {
  const ended = transfer.state === 'succeeded';
  const folders = make('datalist', { id: 'folders-known' }, ...store.folders.map(each => make('option', { value: each.path })));
  const former = {
    url: transfer.url, name: transfer.given_name ?? transfer.name ?? '', folder: transfer.folder,
    priority: String(transfer.priority ?? 'normal'), rate_limit: shownRate(transfer.rate_limit ?? 0), connections: '',
  };
  const priorities = Object.entries(text.priorities);
  if (!text.priorities[former.priority]) priorities.push([former.priority, former.priority]);
  const body = [
    !ended && field('url', text.url, input({ value: former.url, inputmode: 'url' }), text.urlHint),
    field('name', text.name, input({ value: former.name, dir: 'auto' })),
    !ended && field('folder', text.folder, input({ value: former.folder, list: 'folders-known' })),
    folders,
    !ended && field('priority', text.priority, choice(priorities, former.priority)),
    !ended && field('rate_limit', text.limit, input({ value: former.rate_limit }), text.rateHint),
    !ended && field('connections', text.connectionsWord, input({ inputmode: 'numeric' }), text.connectionsHint),
  ];
  const asked = ask({
    heading: text.changeOf(title(transfer)), label: text.save, body,
    submit: async values => {
      const change = {};
      for (const key of ['url', 'name', 'folder', 'priority']) {
        if (values[key] !== undefined && values[key].trim() && values[key] !== former[key]) change[key] = values[key].trim();
      }
      if (values.rate_limit !== undefined && values.rate_limit !== former.rate_limit) change.rate_limit = rate(values, 'rate_limit');
      if (/^-?\d+$/.test(change.priority)) change.priority = Number(change.priority);
      const connections = count(values, 'connections', 64);
      if (connections) change.connections = connections;
      if (!Object.keys(change).length) return true;
      const back = Object.fromEntries(Object.keys(change).filter(key => key !== 'connections').map(key =>
        [key, key === 'rate_limit' ? transfer.rate_limit ?? 0 : former[key]]));
      // What has failed goes on with what was changed.
      if (transfer.state === 'failed') change.action = 'retry';
      await actions.change(transfer.id, change, change.action || !Object.keys(back).length ? null : back);
      return true;
    },
  });
  const control = document.getElementById(`field-${focus}`);
  control?.focus();
  control?.select?.();
  return asked;
}

/** Asks for the user and password that a server wants. */
export function askSignIn(transfer, actions) {
  const { host, realm } = transfer.challenge?.authentication?._0 ?? {};
  return ask({
    heading: text.signInTo(host ?? title(transfer)), label: text.signIn,
    body: [
      realm && make('p', { text: text.realm(realm) }),
      field('user', text.user, input()), field('password', text.password, input({ type: 'password' })),
    ],
    submit: async ({ user, password }) => {
      await actions.change(transfer.id, { answer: { credentials: { _0: { user, password } } } });
      return true;
    },
  });
}

// MARK: Help

export function showHelp({ hasLetters, setLetters }) {
  const letters = make('input', { type: 'checkbox', checked: hasLetters, on: { change: event => setLetters(event.target.checked) } });
  return ask({
    heading: text.help,
    body: [
      make('table', { class: 'keys' }, make('tbody', {}, ...text.keys.map(([keys, words]) =>
        make('tr', {}, make('th', { scope: 'row' }, ...keys.split(' ').map(key => make('kbd', { text: key }))), make('td', { text: words }))))),
      make('label', { class: 'check' }, letters, text.letterKeys),
      field('language', text.language, Object.assign(choice(Object.entries(text.languages), language), {
        onchange: event => choose(event.target.value),
      })),
    ],
  });
}
