// The dialogs that change one transfer.

import './more.js';
import { Wrong, ask, count, digits, folderPath, headerFields, knownFolders, rate, shown } from './dialogs.js';
import { field, make, setText } from './dom.js';
import { title } from './format.js';
import { text } from './text.js';
import { isReplaceable } from './words.js';

/** Whether a URL has another scheme, host or port. Header fields and cookies are not sent there. */
function hasOtherServer(typed, former) {
  try {
    return new URL(typed.trim()).origin !== new URL(former).origin;
  } catch {
    return false;
  }
}

/** The login of typed fields for the server of a URL, or null if they are empty. */
function login({ user, password }, url) {
  if (!user && !password) return null;
  if (!user) throw new Wrong('user', text.noUser);
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port) || (protocol === 'https:' ? 443 : 80), user, password };
}

/** Fields of a user and a password. */
const loginFields = () => make('div', { class: 'pair' }, field('user'), field('password', '', { type: 'password' }));

/** Asks for changes of a transfer. `focus` is the field that gets the focus. */
export function askChange(transfer, store, actions, focus) {
  const former = {
    url: transfer.url, name: transfer.given_name ?? transfer.name ?? '', folder: transfer.folder,
    priority: String(transfer.priority ?? 'normal'), rate_limit: shown(transfer.rate_limit),
  };
  const url = field('url', former.url, { inputmode: 'url' });
  const headers = field('headers', '', { rows: 3, hint: text.replacesHeaders });
  const more = make('details', {}, make('summary', { text: text.more }), loginFields(), headers);
  const showMore = isOpen => { headers.hidden = !(more.open = isOpen); };
  /** Whether the section was opened for another server. */
  let isAutomatic = false;
  showMore(false);
  more.addEventListener('toggle', () => showMore(more.open));
  url.addEventListener('input', ({ target }) => {
    const isOther = hasOtherServer(target.value, former.url);
    setText(headers.querySelector('.hint'), isOther ? text.newServer : text.replacesHeaders);
    if (isOther === isAutomatic || isOther && more.open) return;
    isAutomatic = isOther;
    showMore(isOther);
    // They were typed for the other server.
    if (!isOther) for (const each of more.querySelectorAll('input, textarea')) each.value = '';
  });
  const asked = ask({
    heading: text.changeOf(title(transfer)), label: text.save,
    body: [
      field('name', former.name, { dir: 'auto' }),
      ...transfer.state === 'succeeded' ? [] : [
        ...isReplaceable(transfer) ? [url] : [], field('folder', former.folder, { list: 'folders' }), knownFolders(store.folders),
        field('priority', former.priority, { choices: { ...text.priorities, [former.priority]: text.priorities[former.priority] ?? former.priority } }),
        field('rate_limit', former.rate_limit), field('connections', '', digits), ...isReplaceable(transfer) ? [more] : [],
      ],
    ],
    async submit(values) {
      const change = {};
      for (const [key, value] of Object.entries(former)) {
        const typed = values[key]?.trim();
        if (typed === undefined || typed === value) continue;
        if (key === 'rate_limit') change[key] = rate(values, key);
        else if (key === 'folder') change[key] = folderPath(typed);
        else if (typed) change[key] = /^-?\d+$/.test(typed) && key === 'priority' ? Number(typed) : typed;
      }
      if (change.folder === former.folder) delete change.folder;
      // No undo for a URL, which is shown without its password, or for a name that was unknown: the old value is not available.
      let canUndo = !('url' in change) && (!('name' in change) || former.name);
      const back = Object.fromEntries(Object.keys(change).map(key => [key, key === 'rate_limit' ? transfer.rate_limit ?? 0 : transfer[key] ?? former[key]]));
      const connections = count(values, 'connections', 64);
      if (connections) change.connections = connections;
      if (values.headers?.trim()) change.headers = headerFields(values.headers);
      const given = login({ user: '', password: '', ...values }, change.url ?? former.url);
      if (given) change.logins = [given];
      if (connections || change.headers || given) canUndo = false;
      if (!Object.keys(change).length) return true;
      // A failed transfer is retried with the changes.
      if (transfer.state === 'failed') change.action = 'retry';
      await actions.change(transfer.id, change, canUndo && !change.action ? back : null);
      return true;
    },
  });
  const control = document.getElementById(`field-${focus}`);
  control?.focus();
  control?.select?.();
  return asked;
}

/** Asks for the user and password of a server, and tries again. */
export function askSignIn(transfer, actions) {
  const challenge = transfer.challenge?.authentication?._0;
  const url = transfer.final_url ?? transfer.url;
  return ask({
    heading: text.signInTo(challenge?.host ?? new URL(url).host), label: text.remedies.signIn,
    body: [challenge?.realm && make('p', { text: text.realm(challenge.realm) }), loginFields()].filter(Boolean),
    async submit({ user, password }) {
      const given = login({ user, password }, url);
      if (!given) throw new Wrong('user', text.noUser);
      const change = challenge ? { answer: { credentials: { _0: { user, password } } } } : { logins: [given], action: 'retry' };
      await actions.change(transfer.id, change);
      return true;
    },
  });
}
