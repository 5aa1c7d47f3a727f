// Rules for taking over downloads, and the data handed to Ferry. Pure functions.

/** The default settings. */
export const usual = { isOn: true, leastBytes: 10 * 1024 * 1024, sites: {} };

/** The host of an http or https URL. Empty for other URLs. */
const host = url => (/^https?:/.test(url) ? new URL(url).hostname : '');

/** The site whose switch applies to a download: the page's site. */
export const siteOf = item => host(item.referrer || item.finalUrl || item.url);

/**
 * Whether Ferry takes over a download of the browser.
 *
 * A download of unknown size is taken over if the least size is 0. URLs made by the browser (`blob:`, `data:`) and downloads of
 * private windows are never taken over.
 */
export function takesOver(item, settings) {
  if (!settings.isOn || settings.sites[siteOf(item)] === false || item.incognito) return false;
  if (!/^https?:/.test(item.url) || !/^https?:/.test(item.finalUrl || item.url)) return false;
  if (item.state !== 'in_progress' || item.byExtensionId) return false;
  return hasSize(item) ? Math.max(item.totalBytes, item.fileSize ?? 0) >= settings.leastBytes : settings.leastBytes === 0;
}

export const hasSize = item => item.totalBytes > 0 || item.fileSize > 0;

/**
 * The URL to fetch.
 *
 * The first URL of a redirect chain is valid for longer than the last, which is often signed for minutes. But if the last URL is on
 * another site that has cookies of the user, only the last one works.
 */
export function urlOf(item, cookiesOfLast) {
  const last = item.finalUrl || item.url;
  return host(last) !== host(item.url) && cookiesOfLast.length > 0 ? last : item.url;
}

/** The referrer that a browser sends by default (Referrer Policy: strict-origin-when-cross-origin). */
export function referrerFor(url, page) {
  if (!host(page) || !host(url)) return '';
  const [to, from] = [new URL(url), new URL(page)];
  if (from.protocol === 'https:' && to.protocol === 'http:') return '';
  return to.origin === from.origin ? `${from.origin}${from.pathname}${from.search}` : `${from.origin}/`;
}

/** The header fields that the browser would send. */
export function fieldsOf({ cookies, referrer, userAgent, languages }) {
  return [
    cookies.length > 0 && { name: 'Cookie', value: cookies.map(each => `${each.name}=${each.value}`).join('; ') },
    /^https?:/.test(referrer ?? '') && { name: 'Referer', value: referrer },
    userAgent && { name: 'User-Agent', value: userAgent },
    languages && { name: 'Accept-Language', value: languages },
  ].filter(Boolean);
}

/** The button's badge: the overall percentage, or the number of running transfers, or nothing. */
export function badge({ running, received, expected }) {
  if (!running) return '';
  return expected > 0 ? `${Math.floor((received / expected) * 100)}%` : String(running);
}
