// Which downloads Ferry takes over, and what it is told of them: functions of their arguments alone.

/** What the user has chosen, until there is another choice. */
export const usual = { isOn: true, leastBytes: 10 * 1024 * 1024, sites: {} };

/** The host of a URL of the web; empty for another one. */
const host = url => (/^https?:/.test(url) ? new URL(url).hostname : '');

/** The site whose switch counts for a download: that of the page it was begun on. */
export const siteOf = item => host(item.referrer || item.finalUrl || item.url);

/**
 * Whether a download of the browser is taken over. One of unknown size is when all are; what the browser has made itself (`blob:`,
 * `data:`), or has begun in a private window, never is.
 */
export function takesOver(item, settings) {
  if (!settings.isOn || settings.sites[siteOf(item)] === false || item.incognito) return false;
  if (!/^https?:/.test(item.url) || !/^https?:/.test(item.finalUrl || item.url)) return false;
  if (item.state !== 'in_progress' || item.byExtensionId) return false;
  return hasSize(item) ? Math.max(item.totalBytes, item.fileSize ?? 0) >= settings.leastBytes : settings.leastBytes === 0;
}

export const hasSize = item => item.totalBytes > 0 || item.fileSize > 0;

/**
 * The URL to fetch. The first of a chain of redirects is good for longer than the last, which is often signed for minutes; but where
 * the last one is of another site that knows the user by cookies, only it works.
 */
export function urlOf(item, cookiesOfLast) {
  const last = item.finalUrl || item.url;
  return host(last) !== host(item.url) && cookiesOfLast.length > 0 ? last : item.url;
}

/** The referrer that a browser sends along a link by itself (Referrer Policy: strict-origin-when-cross-origin). */
export function referrerFor(url, page) {
  if (!host(page) || !host(url)) return '';
  const [to, from] = [new URL(url), new URL(page)];
  if (from.protocol === 'https:' && to.protocol === 'http:') return '';
  return to.origin === from.origin ? `${from.origin}${from.pathname}${from.search}` : `${from.origin}/`;
}

/** The fields that the browser would have sent. */
export function fieldsOf({ cookies, referrer, userAgent, languages }) {
  return [
    cookies.length > 0 && { name: 'Cookie', value: cookies.map(each => `${each.name}=${each.value}`).join('; ') },
    /^https?:/.test(referrer ?? '') && { name: 'Referer', value: referrer },
    userAgent && { name: 'User-Agent', value: userAgent },
    languages && { name: 'Accept-Language', value: languages },
  ].filter(Boolean);
}

/** What the button shows of a summary: the percentage of what runs, else how many run, else nothing. */
export function badge({ running, received, expected }) {
  if (!running) return '';
  return expected > 0 ? `${Math.floor((received / expected) * 100)}%` : String(running);
}
