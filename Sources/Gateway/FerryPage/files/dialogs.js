// Dialogs: confirmation, the secret, limits, and help.

import './more.js';
import { Away, Refusal, pair, setSecret } from './api.js';
import { choices } from './choices.js';
import { button, complain, field, find, make, setText } from './dom.js';
import { amount, size } from './format.js';
import { choose, language, text } from './text.js';
import { sentence } from './words.js';

/**
 * Opens a dialog with a form. `submit` gets the form's values. If it throws, the dialog shows the error and stays open.
 *
 * Resolves to the result of `submit`, or to undefined when the dialog was closed.
 */
export function ask({ heading, body, label, submit, extra = [], isDanger = false, canClose = true, dismiss = label ? text.cancel : text.close }) {
  return new Promise(resolve => {
    const wrong = make('p', { class: 'wrong', role: 'alert' });
    const send = label && make('button', { type: 'submit', text: label, class: isDanger ? 'danger' : 'primary' });
    let result, isBusy = false;
    const form = make('form', {
      novalidate: true,
      on: {
        async submit(event) {
          event.preventDefault();
          const used = event.submitter ?? send;
          if (!used || isBusy) return;
          setText(wrong, '');
          isBusy = used.disabled = true;
          try {
            result = await submit(Object.fromEntries(new FormData(form)), used);
            dialog.close();
          } catch (error) {
            place(error, form, wrong);
          } finally {
            isBusy = used.disabled = false;
          }
        },
        keydown(event) {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) form.requestSubmit();
        },
      },
    }, make('h2', { text: heading }), ...body, wrong,
    make('div', { class: 'buttons' }, canClose && button(dismiss, () => dialog.close()), ...extra, send));
    const dialog = make('dialog', {
      'aria-label': heading,
      on: {
        cancel: event => { if (!canClose) event.preventDefault(); },
        close() {
          dialog.remove();
          resolve(result);
        },
      },
    }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A validation error of one form field. */
export class Wrong extends Error {
  constructor(field, sentence) {
    super(sentence);
    this.field = field;
  }
}

/** Form fields by the error codes that they cause. */
const causes = {
  invalid_url: 'url', unsupported_scheme: 'url', request_not_replaceable: 'url', destination_unwritable: 'folder', disk_full: 'folder',
  destination_exists: 'name',
};

/** Shows an error beside the field that caused it, or at the end of the form. */
function place(error, form, wrong) {
  if (error instanceof Away) return setText(wrong, text.keptTyped);
  // The daemon's sentence about a value begins with the value's key.
  const key = /^The gateway (writes|changes) no files/.test(error.message) ? 'folder' : /^(\w+) is /.exec(error.message)?.[1];
  const name = error.field ?? causes[error.code] ?? key;
  const control = form.elements[name] ?? (name === 'url' && form.elements.source);
  const words = error instanceof Refusal && error.code !== 'invalid_request' ? sentence(error) : error.message;
  if (!control) return setText(wrong, words);
  complain(control, words);
  control.closest('details')?.setAttribute('open', '');
  control.focus();
}

/** Asks for confirmation. `label` and `dismiss` are the words of the two answers: each says what it does. */
export const confirm = ({ heading, words, label, dismiss, extra }) =>
  ask({ heading, body: [make('p', { text: words })], label, dismiss, extra, isDanger: !extra, submit: (_, used) => used?.value || true });

/** Asks for the secret until one is entered. The page behind the dialog stays as it is. */
export const askSecret = words => ask({
  heading: text.secretHeading, canClose: false, label: text.open,
  body: [make('p', { text: words }), field('secret', '', { type: 'password' })],
  async submit({ secret }) {
    const given = secret.trim();
    if (!given) throw new Wrong('secret', text.secretNeeded);
    // People read codes in groups.
    const code = given.replace(/[\s-]/g, '');
    if (code.length === 8) await pair(code.toUpperCase());
    else setSecret(given);
    return true;
  },
});

// MARK: Values

/** A typed folder, without the slashes at its end. */
export function folderPath(typed) {
  const path = typed.trim();
  if (!path.startsWith('/')) throw new Wrong('folder', text.noFolder);
  return path.replace(/(?<=.)\/+$/, '');
}

/** A typed speed in bytes per second. An empty field means no limit. */
export function rate(values, name) {
  const typed = values[name]?.trim();
  if (!typed || typed === '0') return 0;
  const bytes = amount(typed);
  if (bytes === null) throw new Wrong(name, text.noAmount(typed));
  if (bytes < 1024) throw new Wrong(name, text.smallAmount);
  return bytes;
}

/** A typed number, or null if the field is empty. */
export function count(values, name, most) {
  const typed = values[name]?.trim();
  if (!typed) return null;
  const value = Number(typed);
  if (!Number.isInteger(value) || value < 1 || value > most) throw new Wrong(name, text.noCount(most));
  return value;
}

/** The typed parts between separators, without empty ones. */
export const list = (typed, separator) => typed.split(separator).map(each => each.trim()).filter(Boolean);

/** Typed header fields, one per line. */
export const headerFields = typed => list(typed, '\n').map(line => {
  const [, name, value] = /^([!#$%&'*+.^`|~\w-]+):\s*(.*)$/.exec(line) ?? [];
  if (!name) throw new Wrong('headers', text.noHeader(line));
  return { name, value };
});

/** A limit as a form shows it: empty if there is none. */
export const shown = bytes => (bytes > 0 ? size(bytes) : '');
/** The attributes of a field for a whole number. */
export const digits = { inputmode: 'numeric' };

/** A list of known folders to choose from. */
export const knownFolders = folders =>
  make('datalist', { id: 'folders' }, ...folders.map(each => make('option', { value: each.path })));

// MARK: Limits

export function askLimits({ settings, sessions }, actions) {
  const own = sessions.length > 1 ? sessions : [];
  return ask({
    heading: text.limits, label: text.save,
    body: [
      field('rate_limit', shown(settings.rate_limit)), field('slow_rate_limit', shown(settings.slow_rate_limit)),
      field('active_transfers', settings.active_transfers, digits), field('connections_per_host', settings.connections_per_host, digits),
      ...own.map((each, place) => field(`session${place}`, shown(each.settings.rate_limit), { label: text.rateOf(each.id), hint: '' })),
    ],
    async submit(values) {
      const wanted = {
        active_transfers: count(values, 'active_transfers', 1000), connections_per_host: count(values, 'connections_per_host', 64),
      };
      // A displayed speed is rounded: leave untouched fields unchanged.
      if (values.rate_limit !== shown(settings.rate_limit)) wanted.rate_limit = rate(values, 'rate_limit');
      if (values.slow_rate_limit !== shown(settings.slow_rate_limit)) wanted.slow_rate_limit = rate(values, 'slow_rate_limit') || null;
      const change = Object.fromEntries(Object.entries(wanted).filter(([key, value]) => value !== null && value !== settings[key]));
      for (const [place, { id, settings }] of own.entries()) {
        const name = `session${place}`;
        if (values[name] !== shown(settings.rate_limit)) await actions.changeSession(id, { rate_limit: rate(values, name) });
      }
      if (Object.keys(change).length) await actions.changeSettings(change);
      return true;
    },
  });
}

// MARK: Help

/** A check box for one of the user's choices. */
const choice = (name, label, changed) => make('label', { class: 'check' },
  make('input', { type: 'checkbox', checked: choices[name], on: { change: event => changed(event.target) } }), label);

export const showHelp = () => ask({
  heading: text.help,
  body: [
    choice('letters', text.letterKeys, ({ checked }) => choices.set('letters', checked)),
    choice('notices', text.notifyAtEnd, async node => {
      // Only a click lets the browser ask the user.
      const answer = node.checked ? await globalThis.Notification?.requestPermission() : '';
      choices.set('notices', answer === 'granted');
      node.checked = choices.notices;
      setText(find('#notify-wrong'), answer && answer !== 'granted' || answer === undefined ? text.notifyDenied : '');
    }),
    make('p', { class: 'wrong', id: 'notify-wrong' }),
    make('div', { on: { change: event => choose(event.target.value) } }, field('language', language, { choices: text.languages })),
    make('table', { class: 'keys' }, make('tbody', {}, ...text.keys.map(([keys, words]) =>
      make('tr', {}, make('th', { scope: 'row' }, ...keys.split(' ').map(key => make('kbd', { text: key }))), make('td', { text: words }))))),
  ],
});
