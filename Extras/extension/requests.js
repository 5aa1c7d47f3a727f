// The browser's own requests for downloads, as it made them.

/** Keeps the latest requests that may become downloads. Each is used once. */
export class RequestLog {
  static most = 200;
  /** Kinds of requests that become downloads: navigations, and in Chromium also links with `download`. */
  static kinds = ['main_frame', 'sub_frame', 'other', 'object'];

  #requests = new Map();
  #waiting = new Set();

  /** A request starts, or goes on after a redirect. */
  began({ requestId, url, method, type, tabId, documentUrl, originUrl, initiator, incognito }) {
    if (!RequestLog.kinds.includes(type) || incognito) return;
    const hop = { url, method, type, fields: [], status: 0 };
    const known = this.#requests.get(requestId);
    if (known) {
      known.chain.push(hop);
      known.response = undefined;
      return;
    }
    this.#requests.set(requestId, { chain: [hop], tabId, page: documentUrl ?? originUrl ?? initiator ?? '' });
    if (this.#requests.size > RequestLog.most) this.#requests.delete(this.#requests.keys().next().value);
  }

  /** The browser sends these fields. */
  sent({ requestId, requestHeaders }) {
    const hop = this.#requests.get(requestId)?.chain.at(-1);
    if (hop) hop.fields = requestHeaders ?? [];
  }

  /** The head of a response has arrived. */
  received({ requestId, statusCode, responseHeaders }) {
    const request = this.#requests.get(requestId);
    if (!request) return;
    request.chain.at(-1).status = statusCode;
    request.response = { status: statusCode, fields: responseHeaders ?? [] };
    for (const look of this.#waiting) look();
  }

  /**
   * The latest request for a download, once its response has arrived.
   *
   * Undefined after some milliseconds: files that a page's service worker makes have no response.
   */
  take({ url, finalUrl }, patience = 2000) {
    const last = (finalUrl || url).split('#')[0];
    const find = () => [...this.#requests].findLast(([, { chain, response }]) => response && chain.at(-1).url.split('#')[0] === last);
    return new Promise(resolve => {
      const end = found => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        if (found) this.#requests.delete(found[0]);
        resolve(found?.[1]);
      };
      const look = () => {
        const found = find();
        if (found) end(found);
      };
      const timer = setTimeout(end, patience);
      this.#waiting.add(look);
      look();
    });
  }
}
