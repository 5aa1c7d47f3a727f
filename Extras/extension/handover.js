// Hands downloads over. The browser's download goes on untouched until Ferry has the head of the same file.

import { afterRestart, cookiesOf, factsOf, fieldsOf, isSame, nameOf, reasonToKeep, repeatable } from './rules.js';

/** Milliseconds for a call besides those of an offer, and on top of an offer's own limit. */
const margin = 3000;
/** Calls of `keep` before the user is told. Each may start Ferry's program again. */
const attempts = 3;

export class Handovers {
  #browser;
  #host;
  #requests;
  #pending;
  #asked = new Set();
  /** Keys of the offers of this run. */
  #own = new Set();
  #recovery;

  /**
   * - browser: `settings`, `page`, `isLeft`, `mayRead`, `ask`, `item`, `find`, `discard`, `cookies`, `agent`, and `kept`
   *   and `lost`, which get each transfer that Ferry has, and each that it no longer has.
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
    const { page, isPrivate } = request ? await this.#browser.page(request) : { page: '', isPrivate: false };
    const reason = reasonToKeep(item, { request, page, isPrivate, isLeft: this.#browser.isLeft(request), settings });
    if (reason && reason !== 'made') return { reason };
    // Without access to a site, its requests and cookies are hidden.
    const urls = request ? request.chain.map(each => each.url) : [item.url, item.finalUrl || item.url];
    for (const url of urls) if (!await this.#browser.mayRead(url)) return { reason: 'access', url };
    if (reason) return { reason };
    if (settings.asks && !await this.#browser.ask(item, request)) return { reason: 'answer' };
    return this.#hand(item, request, page, settings);
  }

  async #hand(item, request, page, settings) {
    const { url } = request.chain[0];
    const entry = { url: item.url, startTime: item.startTime, name: nameOf(item, request), isTaken: false, origin: url };
    const known = factsOf(request.response);
    const download = { ...await this.#download(repeatable(request.chain), item, page, settings), replaces: true };
    if (known.length >= 0) download.size = known.length;
    const key = await this.#begin(entry);
    const found = await this.#offer(key, download, settings);
    if (!isSame(known, found)) return this.#leave(key, 'different');
    const now = await this.#browser.item(item.id);
    // It may be whole by now, and the user may have stopped it.
    if (!now || now.state === 'complete' || now.paused || now.error === 'USER_CANCELED') return this.#leave(key, 'done');
    const taken = { ...entry, name: nameOf(now, request), isTaken: true };
    await this.#pending.set(key, taken);
    // From here on, Ferry may have the only copy.
    if (!await this.#browser.discard(item.id)) return this.#leave(key, 'done');
    await this.#keep(key, taken);
    return { id: found.id, name: taken.name, url };
  }

  /**
   * Hands a link over, of which no request is known yet. A web page in place of a file is refused.
   *
   * Resolves with `{ id }`. Rejects with why Ferry cannot have the file.
   */
  async link(url, page, store) {
    const settings = await this.#browser.settings();
    const request = { url, method: 'GET', fields: [], type: 'main_frame' };
    const download = await this.#download([request], { referrer: page, cookieStoreId: store }, page, settings);
    // The browser has no copy: an offer whose reply is lost is kept.
    const key = await this.#begin({ url, name: nameOf({ url }), isTaken: true, isLink: true, origin: url });
    const found = await this.#offer(key, download, settings);
    if (found.isPage) {
      await this.#drop(key);
      throw new Error(chrome.i18n.getMessage('isPage'));
    }
    await this.#forget(key);
    return { id: found.id, name: nameOf({ url }), url };
  }

  /** Stores a new offer before it exists. Resolves with its key. */
  async #begin(entry) {
    const key = crypto.randomUUID();
    this.#own.add(key);
    await this.#pending.set(key, entry);
    return key;
  }

  /** The browser keeps its download. An offer that cannot be dropped now is dropped by a later run. */
  async #leave(key, reason) {
    await this.#drop(key).catch(() => this.#own.delete(key));
    return { reason };
  }

  async #forget(key) {
    await this.#pending.remove(key);
    this.#own.delete(key);
  }

  /** Ends the offers that an earlier run of the extension has left. */
  recover() {
    // One at a time.
    this.#recovery ??= this.#recoverAll().finally(() => { this.#recovery = undefined; });
    return this.#recovery;
  }

  async #recoverAll() {
    for (const key of Object.keys(await this.#pending.all())) {
      // Other steps may have ended it meanwhile.
      const entry = (await this.#pending.all())[key];
      if (!entry || this.#own.has(key)) continue;
      // A download that Ferry no longer has is told once. Other errors are those of the connection.
      await this.#recover(key, entry).catch(error => error.code === 'unknown_transfer' && this.#browser.lost(error));
    }
  }

  async #recover(key, entry) {
    const item = entry.isLink ? undefined : await this.#browser.find(entry);
    if (afterRestart(entry, item) === 'drop') return this.#drop(key);
    if (item) await this.#browser.discard(item.id);
    return this.#keep(key, entry);
  }

  async #keep(key, entry) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { id } = await this.#host.call('keep', { key, name: entry.name }, margin);
        await this.#browser.kept(id, { name: entry.name, url: entry.origin });
        return this.#forget(key);
      } catch (error) {
        if (error.code === 'unknown_transfer') await this.#forget(key);
        else if (attempt < attempts) continue;
        // Otherwise the next run tries again.
        this.#own.delete(key);
        throw Object.assign(error, { isTaken: true, origin: entry.origin, name: entry.name });
      }
    }
  }

  async #drop(key) {
    await this.#host.call('drop', { key }, margin);
    await this.#forget(key);
  }

  /** Requests a file. Rejects with why Ferry cannot have it, and leaves no offer then. */
  async #offer(key, download, { patience }) {
    try {
      return await this.#host.call('offer', { key, download, seconds: patience }, patience * 1000 + margin);
    } catch (error) {
      // Without an answer, Ferry's program has not started. With Ferry's own error, there is no offer.
      if (error.isUnreached || error.code) await this.#forget(key);
      else await this.#leave(key);
      throw error;
    }
  }

  async #download(chain, item, page, settings) {
    const cookies = [];
    for (const each of chain) cookies.push(...cookiesOf(each, await this.#browser.cookies(each.url, item), page));
    return {
      url: chain[0].url, cookies, folder: settings.folder || undefined,
      // The download's referrer is empty if the page's policy sends none.
      headers: fieldsOf(chain[0], item.referrer, this.#browser.agent),
    };
  }
}
