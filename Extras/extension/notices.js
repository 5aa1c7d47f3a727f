// Messages to the user: the badge, notifications, and the notes and failures in the popup.

import { badge, isNamed, nameOf, news } from './rules.js';
import { change, stored, without } from './store.js';

const text = (key, ...values) => chrome.i18n.getMessage(key, values);

export class Notices {
  #kind;
  #summary = {};
  #shown = Promise.resolve();

  constructor(kind) {
    this.#kind = kind;
    chrome.notifications.onButtonClicked.addListener(id => this.tryInBrowser(id));
    chrome.notifications.onClicked.addListener(id => {
      if (!this.#kind.notificationsHaveButtons) this.tryInBrowser(id);
    });
  }

  // MARK: Downloads

  /** Ferry has a download. The user is told of its end. */
  async handed(id, { name, url } = {}) {
    await change('handed', all => ({ ...all, [id]: { name, url } }));
    // It may have ended already.
    await this.show(this.#summary);
  }

  /** The browser keeps a download. `url` is the URL to which the extension has no access. */
  async kept(item, reason, url) {
    if (!isNamed(reason)) return;
    const note = { reason, name: nameOf(item), text: text(`kept_${reason}`), url };
    await chrome.storage.local.set({ note });
    await chrome.action.setTitle({ title: `Ferry: ${note.name}: ${note.text}` });
  }

  /** Ferry cannot have a download or a link. A download goes on in the browser. */
  async refused(item, error) {
    const isDownload = item.id !== undefined;
    const id = `refused-${crypto.randomUUID()}`;
    await this.#fail(id, { name: nameOf(item), why: error.message, url: isDownload ? undefined : item.url, isKept: isDownload });
  }

  /** Ferry has a download, and its file has not got its name. */
  async unfinished({ message, name, origin }) {
    await this.#fail(`unfinished-${crypto.randomUUID()}`, { name, why: message, url: origin });
  }

  async #fail(id, failure) {
    await change('failures', all => ({ ...all, [id]: failure }));
    await this.#badge();
    const title = text(failure.isKept ? 'keptByBrowser' : 'failedTitle', failure.name);
    await chrome.action.setTitle({ title: `Ferry: ${failure.name}: ${failure.why}` });
    const canTry = Boolean(failure.url);
    const hasButton = canTry && this.#kind.notificationsHaveButtons;
    await this.say(canTry && !hasButton ? `${failure.why} ${text('clickToTry')}` : failure.why, {
      id, title, ...(hasButton && { buttons: [{ title: text('tryInBrowser') }] }),
    });
  }

  /** Shows a notification. */
  async say(message, { id = '', title = 'Ferry', ...rest } = {}) {
    const iconUrl = chrome.runtime.getURL('icon.png');
    await chrome.notifications.create(id, { type: 'basic', iconUrl, title, message, ...rest }).catch(() => {});
  }

  /** Shows a summary in the badge, and tells of what has ended since. */
  show(summary) {
    this.#summary = summary;
    // One after the other, so that the user is told once.
    this.#shown = this.#shown.then(() => this.#tell(summary)).catch(() => {});
    return this.#shown;
  }

  async #tell(summary) {
    const handed = await stored('handed');
    for (const item of news(summary.ended ?? [], handed)) {
      const { url } = handed[item.id];
      await change('handed', all => without(all, item.id));
      if (item.state === 'failed' || item.isPage) {
        await this.#fail(item.id, { name: item.name, why: item.isPage ? text('isPage') : item.why ?? '', url });
      } else if ((await chrome.storage.local.get({ notifies: true })).notifies) {
        await this.say(item.name, { id: `ended-${item.id}`, title: text('finishedTitle') });
      }
    }
    await this.#badge();
  }

  async #badge() {
    const failures = Object.keys(await stored('failures')).length;
    await chrome.action.setBadgeText({ text: badge(this.#summary, failures) });
  }

  // MARK: The popup

  async all() {
    const { note } = await chrome.storage.local.get('note');
    return { note, failures: await stored('failures') };
  }

  /** The user has seen the notes and failures. */
  async clear() {
    await change('failures', () => ({}));
    await chrome.storage.local.remove('note');
    await chrome.action.setTitle({ title: 'Ferry' });
    await this.#badge();
  }

  /** Failures that the user has removed. */
  async forget(ids) {
    await change('failures', all => without(all, ...ids));
    await this.#badge();
  }

  /** Failures that Ferry tries again. */
  async again(ids) {
    const failures = await stored('failures');
    await this.forget(ids);
    for (const id of ids) await this.handed(id, failures[id]);
  }

  /** Downloads in the browser what Ferry could not have. */
  async tryInBrowser(id) {
    const failure = (await stored('failures'))[id];
    if (!failure?.url) return;
    await chrome.downloads.download({ url: failure.url });
    await chrome.notifications.clear(id);
    await this.forget([id]);
  }
}
