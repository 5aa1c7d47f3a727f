// The user's commands: what each acts on, and what it asks first. Loaded after the list.

import './more.js';
import { Actions } from './actions.js';
import { askAdd } from './add.js';
import { askChange, askSignIn } from './change.js';
import { askLimits, askSecret, confirm, showHelp } from './dialogs.js';
import { button, find } from './dom.js';
import { title } from './format.js';
import { refusal } from './links.js';
import { text } from './text.js';

const draftKey = 'ferry.draft';
/** Most bytes of a dropped Metalink document or list. */
const mostDropped = 4 << 20;
/** Most transfers that are removed without a question, unless they were chosen one by one. */
const mostUnasked = 10;

export class Commands {
  #store;
  #notices;
  #actions;
  #isAdding = false;
  #isAsking = false;

  constructor(store, notices) {
    this.#store = store;
    this.#notices = notices;
    this.#actions = new Actions(store, notices);
  }

  /** Runs a command on `chosen`, the ids of the chosen transfers, or on those of `shown`, which a button has counted. */
  run(name, { chosen, shown, isOneByOne }) {
    const actions = this.#actions, store = this.#store;
    return {
      add: () => this.add(),
      start: () => actions.start(chosen),
      pause: () => actions.pause(chosen),
      cancel: () => this.#cancel(chosen),
      remove: () => this.#remove(chosen, false, isOneByOne),
      removeRow: () => this.#removeMany(chosen, isOneByOne),
      removeWithFile: () => this.#remove(chosen, true, isOneByOne),
      change: () => this.remedy('change', store.get(chosen[0])),
      top: () => actions.moveBy(chosen, -Infinity),
      up: () => actions.moveBy(chosen, -1),
      down: () => actions.moveBy(chosen, 1),
      bottom: () => actions.moveBy(chosen, Infinity),
      retryFailed: () => actions.start(shown.retryFailed),
      clearFinished: () => this.#removeMany(shown.clearFinished, false),
      pauseAll: () => actions.pause(shown.pauseAll),
      startAll: () => actions.start(shown.startAll),
      slow: () => store.settings && this.limit({ slow: !store.settings.slow }),
      limits: () => store.settings && askLimits(store, actions),
      help: () => showHelp(),
      undo: () => actions.undo(),
    }[name]();
  }

  /** Opens the dialog that adds downloads, with a text to begin with. Does nothing while a dialog is open. */
  async add(given = '') {
    if (this.#isAdding || find('dialog[open]')) return;
    this.#isAdding = true;
    try {
      const { added, left } = await askAdd(this.#store, given, draftKey);
      if (added.length) this.#actions.did(text.didAdd(added.length));
      else if (left) this.#notices.show(text.discarded, [[text.undo, () => this.add(left)]]);
    } finally {
      this.#isAdding = false;
    }
    find('#list').focus();
  }

  /** Adds a dropped link, or what dropped files list. Says of the other files what they are. */
  async drop(link, files) {
    const given = files.length ? [] : [link].filter(each => each.trim());
    for (const file of files) {
      const isLarge = file.size > mostDropped, content = isLarge ? '' : await file.text();
      const words = isLarge ? text.tooLarge(file.name) : refusal(file.name, content);
      if (words) this.#notices.show(words, [], { isError: true });
      else if (content.trim()) given.push(content);
    }
    // Take a single XML document, or join all lists.
    if (given.length) await this.add(given.some(each => each.trimStart().startsWith('<')) ? given[0] : given.join('\n'));
  }

  /** Opens the dialog again if the page was reloaded while it was open. */
  addAgain() { if (sessionStorage.getItem(draftKey)) this.add(); }

  /** Runs the remedy of a button beside a transfer. */
  async remedy(name, transfer) {
    if (!transfer) return;
    const { id } = transfer, actions = this.#actions;
    const again = change => actions.try(() => actions.change(id, { ...change, action: 'retry' }));
    const change = field => askChange(transfer, this.#store, actions, field);
    await {
      pause: () => actions.pause([id]), resume: () => actions.start([id]), tryNow: () => actions.start([id]), again: () => actions.start([id]),
      newURL: () => change('url'), otherFolder: () => change('folder'), change: () => change('name'), signIn: () => askSignIn(transfer, actions),
      cancel: () => this.#cancel([id]), remove: () => this.#remove([id], false, true),
      keepBoth: () => again({ on_conflict: 'unique' }), replace: () => again({ on_conflict: 'replace' }), keepAnyway: () => again({ on_mismatch: 'keep' }),
    }[name]();
  }

  /** Moves rows to the gap between two rows. */
  moveBetween(ids, above, below) { return this.#actions.moveBetween(ids, above, below); }

  /** Changes the settings that limit all transfers. */
  limit(change) { return this.#actions.try(() => this.#actions.changeSettings(change)); }

  /** Asks for the secret, unless it already does. Resolves once there is one. */
  async unlock(words) {
    if (this.#isAsking) return;
    this.#isAsking = true;
    // A browser lets a dialog without a way out be closed by pressing Escape twice.
    while (!await askSecret(words));
    this.#isAsking = false;
    this.#store.unlock();
  }

  // MARK: Questions

  #nameOf(ids) { return ids.length === 1 ? title(this.#store.get(ids[0])) : text.count(ids.length); }

  async #cancel(ids) {
    if (!ids.length) return;
    const isSure = await confirm({
      heading: text.cancelAsk(this.#nameOf(ids)), words: text.cancelWords, label: text.discard, dismiss: text.keepDownloading,
    });
    if (isSure) await this.#actions.cancel(ids);
  }

  /** Removes transfers without their files. Asks first if they are many. */
  async #removeMany(ids, isOneByOne) {
    if (ids.length > mostUnasked && !isOneByOne) {
      const isSure = await confirm({
        heading: text.removeAsk(this.#nameOf(ids)), words: text.removeManyWords, label: text.actions.remove, dismiss: text.keep,
      });
      if (!isSure) return;
    }
    await this.#actions.remove(ids, false);
  }

  /** Removes transfers. Asks whether to delete finished files too. With `withFile`, it only asks for confirmation. */
  async #remove(ids, withFile, isOneByOne) {
    const hasFile = ids.some(id => this.#store.get(id)?.state === 'succeeded');
    if (!ids.length || !hasFile && !withFile) return this.#removeMany(ids, isOneByOne);
    const files = button(text.delete, null, { type: 'submit', class: 'danger', value: 'files' });
    const answer = await confirm({
      heading: text.removeAsk(this.#nameOf(ids)), words: text.removeWords, label: withFile ? null : text.actions.remove, dismiss: text.keep, extra: [files],
    });
    if (answer) await this.#actions.remove(ids, answer === 'files');
  }
}
