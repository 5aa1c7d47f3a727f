// Hands downloads over. The browser's download goes on untouched until Ferry has the head of the same file.

import { afterRestart, cookiesOf, factsOf, fieldsOf, isSame, nameOf, reasonToKeep, referrerFor, repeatable } from './rules.js';

/** Milliseconds for a call besides those of an offer, and on top of an offer's own limit. */
const margin = 3000;
/** Calls of `keep` before the user is told. Each may start Ferry's program again. */
const attempts = 3;

const newKey = () => crypto.randomUUID();

export class Handovers {
  #browser;
  #host;
  #requests;
  #pending;
  #asked = new Set();
  /** Keys of the offers of this run. */
  #own = new Set();

  /**
   * - browser: `settings`, `page`, `isLeft`, `mayRead`, `ask`, `item`, `find`, `discard`, `cookies`, `agent`.
   * - pending: The durable offers by key: `all`, `set`, `remove`.
   */
  constructor({ browser, host, requests, pending }) {
    this.#browser = browser;
    this.#host = host;
    this.#requests = requests;
    this.#pending = pending;
  }

  /**
   * Hands a download of the browser over, if the rules, the user and the server allow it.
   *
   * Resolves with `{ id }` of Ferry's transfer, or with the `reason` why the browser keeps the download. Rejects with why
   * Ferry cannot have the file.
   */
  async consider(item) {
    if (this.#asked.has(item.id)) return { reason: 'done' };
    this.#asked.add(item.id);
    const settings = await this.#browser.settings();
    const request = settings.isOn && !item.byExtensionId ? await this.#requests.take(item) : undefined;
    const page = request ? await this.#browser.page(request) : '';
    const reason = reasonToKeep(item, { request, page, isLeft: this.#browser.isLeft(request), settings });
    if (reason && reason !== 'made') return { reason };
    // Without access to a site, its requests and cookies are hidden.
    const urls = request ? request.chain.map(each => each.url) : [item.url, item.finalUrl || item.url];
    for (const url of urls) if (!await this.#browser.mayRead(url)) return { reason: 'access', url };
    if (reason) return { reason };
    if (settings.asks && !await this.#browser.ask(item)) return { reason: 'answer' };
    return this.#hand(item, request, page, settings);
  }

  async #hand(item, request, page, settings) {
    const key = newKey();
    this.#own.add(key);
    const entry = { url: item.url, startTime: item.startTime, name: nameOf(item), isTaken: false };
    await this.#pending.set(key, entry);
    let id;
    try {
      const known = factsOf(request.response);
      const download = { ...await this.#download(repeatable(request.chain), item, page, settings), replaces: true };
      if (known.length >= 0) download.size = known.length;
      const found = await this.#offer(key, download, settings);
      if (!isSame(known, found)) return await this.#drop(key, 'different');
      const now = await this.#browser.item(item.id);
      // It may be whole by now, and the user may have stopped it.
      if (!now || now.state === 'complete' || now.paused || now.error === 'USER_CANCELED') return await this.#drop(key, 'done');
      entry.name = nameOf(now);
      entry.isTaken = true;
      await this.#pending.set(key, entry);
      if (!await this.#browser.discard(item.id)) return await this.#drop(key, 'done');
      id = found.id;
    } catch (error) {
      await this.#giveUp(key, error);
      throw error;
    }
    await this.#keep(key, entry.name);
    return { id, name: entry.name, url: request.chain[0].url };
  }

  /**
   * Hands a link over, of which no request is known yet. A web page in place of a file is refused.
   *
   * Resolves with `{ id }`. Rejects with why Ferry cannot have the file.
   */
  async link(url, page, store) {
    const settings = await this.#browser.settings();
    const key = newKey();
    this.#own.add(key);
    await this.#pending.set(key, { url, name: '', isTaken: false });
    try {
      const request = { url, method: 'GET', fields: [], type: 'main_frame' };
      const item = { referrer: page, cookieStoreId: store };
      const download = await this.#download([request], item, page, settings);
      const found = await this.#offer(key, download, settings);
      if (found.isPage) throw new Error(chrome.i18n.getMessage('isPage'));
      await this.#pending.remove(key);
      return { id: found.id, name: nameOf({ url }), url };
    } catch (error) {
      await this.#giveUp(key, error);
      throw error;
    }
  }

  /** Ends an offer after an error. One that cannot be dropped now is dropped by a later run. */
  async #giveUp(key, error) {
    if (error.isUnreached) await this.#forget(key);
    else await this.#drop(key).catch(() => this.#own.delete(key));
  }

  async #forget(key) {
    this.#own.delete(key);
    await this.#pending.remove(key);
  }

  /** Ends the offers that an earlier run of the extension has left. */
  async recover() {
    for (const [key, entry] of Object.entries(await this.#pending.all())) {
      if (this.#own.has(key)) continue;
      const isKept = afterRestart(entry, await this.#browser.find(entry)) === 'keep';
      await (isKept ? this.#keep(key, entry.name) : this.#drop(key));
    }
  }

  #offer(key, download, { patience }) {
    return this.#host.call('offer', { key, download, seconds: patience }, patience * 1000 + margin);
  }

  async #keep(key, name) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await this.#host.call('keep', { key, name }, margin);
        break;
      } catch (error) {
        if (attempt < attempts) continue;
        // The next run tries again.
        this.#own.delete(key);
        throw error;
      }
    }
    await this.#forget(key);
  }

  async #drop(key, reason) {
    await this.#host.call('drop', { key }, margin);
    await this.#forget(key);
    return { reason };
  }

  async #download(chain, item, page, settings) {
    const cookies = [];
    for (const each of chain) cookies.push(...cookiesOf(each, await this.#browser.cookies(each.url, item), page));
    const referrer = referrerFor(chain[0].url, item.referrer) && item.referrer;
    return {
      url: chain[0].url, cookies, folder: settings.folder || undefined,
      headers: fieldsOf(chain[0], referrer || page, this.#browser.agent),
    };
  }
}
