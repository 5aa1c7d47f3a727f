// Decisions about downloads, and the data that Ferry gets. Pure functions.

/**
 * The default settings.
 *
 * - types: File name extensions to take over. Empty means all.
 * - folder: A folder below the download folder, or an absolute path. Empty means the download folder.
 * - patience: Seconds that Ferry has to find a file.
 */
export const usual = {
  isOn: true, leastBytes: 10 * 2 ** 20, types: '', sites: {}, asks: false, folder: '', notifies: true, patience: 15,
};

const isWeb = url => /^https?:\/\//.test(url ?? '');

/** The host of an http or https URL. Empty for other URLs. */
export const hostOf = url => (isWeb(url) ? new URL(url).hostname : '');

// MARK: Settings

/** The switch of a site: its own, or that of the nearest domain above it. On by default. */
export function isSiteOn(host, sites) {
  for (let name = host; name; name = name.includes('.') ? name.slice(name.indexOf('.') + 1) : '') {
    if (Object.hasOwn(sites, name)) return sites[name];
  }
  return true;
}

/** The switches with one changed. One that follows from a domain above is left out. */
export function sitesWith(host, isOn, sites) {
  const { [host]: _, ...others } = sites;
  return isSiteOn(host, others) === isOn ? others : { ...others, [host]: isOn };
}

/** The bytes of a typed number of MiB. Anything but a number that is not negative leaves the setting as it was. */
export function leastBytesOf(typed, before) {
  const amount = typed.trim() === '' ? NaN : Number(typed);
  return amount >= 0 && Number.isFinite(amount) ? Math.round(amount * 2 ** 20) : before;
}

/** Seconds from 1 to 120. Anything else leaves the setting as it was. */
export function patienceOf(typed, before) {
  const seconds = typed.trim() === '' ? NaN : Number(typed);
  return seconds >= 1 && seconds <= 120 ? seconds : before;
}

/** Whether a file's name has one of the chosen types, such as `zip, .iso *.tar.gz`. */
export function hasType(name, types) {
  const endings = types.toLowerCase().split(/[\s,;]+/).map(each => each.replace(/^[*.]+/, '')).filter(Boolean);
  return endings.length === 0 || endings.some(each => name.toLowerCase().endsWith(`.${each}`));
}

// MARK: Responses

/** A field's value, or undefined. */
export const fieldOf = (fields, name) => fields?.find(each => each.name.toLowerCase() === name)?.value;

const typeOf = value => (value ?? '').split(';')[0].trim().toLowerCase();

/** The facts about a file in its response. `length` is -1 if unknown. */
export function factsOf({ fields }) {
  const length = fieldOf(fields, 'content-length') ?? '';
  return {
    length: /^\d+$/.test(length) && !fieldOf(fields, 'content-encoding') ? Number(length) : -1,
    etag: fieldOf(fields, 'etag'),
    type: typeOf(fieldOf(fields, 'content-type')),
  };
}

/**
 * Whether Ferry has the browser's file: the same length, ETag and type, where the browser knows them.
 *
 * A type alone is no proof.
 */
export function isSame(known, found) {
  if (known.length < 0 && !known.etag) return false;
  if (known.length >= 0 && found.length !== known.length) return false;
  if (known.etag && found.etag !== known.etag) return false;
  return typeOf(found.type) === known.type;
}

// MARK: Downloads

/** The file name that the browser has chosen, otherwise that of the response, otherwise the last part of the URL. */
export function nameOf(item, request) {
  const chosen = (item.filename || attachmentName(fieldOf(request?.response?.fields, 'content-disposition')) || '').split(/[/\\]/).at(-1);
  if (chosen) return chosen;
  const last = new URL(item.finalUrl || item.url).pathname.split('/').at(-1);
  try { return decodeURIComponent(last); } catch { return last; }
}

/** The name in a Content-Disposition (RFC 6266): `filename*` in UTF-8, otherwise `filename`. */
function attachmentName(field = '') {
  const [, coded] = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(field) ?? [];
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(field) ?? [];
  try { return coded ? decodeURIComponent(coded) : quoted ?? plain; } catch { return quoted ?? plain; }
}

/** The requests of a redirect chain that Ferry repeats: those after the last one that is not a GET. */
export const repeatable = chain => chain.slice(chain.findLastIndex(each => each.method !== 'GET') + 1);

/**
 * Why the browser keeps a download, or undefined if Ferry may request the file.
 *
 * - item: The browser's download.
 * - request: The browser's request for it. Undefined for a file that a page's service worker has made.
 * - page: The URL of the page in the request's tab, if known.
 * - isPrivate: Whether the tab is in a private window.
 * - isLeft: Whether the user held the key that leaves it to the browser.
 */
export function reasonToKeep(item, { request, page, isPrivate, isLeft, settings }) {
  if (!settings.isOn) return 'off';
  if (isLeft) return 'key';
  if (item.incognito || isPrivate) return 'private';
  if (item.byExtensionId || item.state === 'complete') return 'done';
  if (!isWeb(item.url) || !isWeb(item.finalUrl || item.url)) return 'scheme';
  if (!isSiteOn(siteOf(item, request, page), settings.sites)) return 'site';
  if (!hasType(nameOf(item, request), settings.types)) return 'type';
  const size = Math.max(request?.response ? factsOf(request.response).length : -1, item.totalBytes ?? -1, item.fileSize ?? -1);
  if (size < 0 ? settings.leastBytes > 0 : size < settings.leastBytes) return 'size';
  if (!request?.response) return 'made';
  if (repeatable(request.chain).length === 0) return 'form';
  if (request.chain.some(each => fieldOf(each.fields, 'authorization') || each.status === 401)) return 'login';
  return request.response.status === 200 ? undefined : 'status';
}

/** The site whose switch applies: that of the tab's page, otherwise of what is known instead. */
export function siteOf(item, request, page) {
  return [page, request?.page, item.referrer, request?.chain[0].url, item.url].map(hostOf).find(Boolean) ?? '';
}

/** The reasons that the button names. The others are the user's own choice, or nothing that Ferry could do. */
export const isNamed = reason => ['made', 'form', 'login', 'status', 'different', 'access'].includes(reason);

/** Whether to `keep` an offer that an earlier run has left, or to `drop` it because the browser has the file. */
export function afterRestart(entry, item) {
  const isGone = !item || item.state === 'interrupted';
  return entry.isTaken && isGone ? 'keep' : 'drop';
}

// MARK: Fields

/** The referrer that a browser sends by default (Referrer Policy: strict-origin-when-cross-origin). */
export function referrerFor(url, page) {
  if (!isWeb(page) || !isWeb(url)) return '';
  const [to, from] = [new URL(url), new URL(page)];
  if (from.protocol === 'https:' && to.protocol === 'http:') return '';
  return to.origin === from.origin ? `${from.origin}${from.pathname}${from.search}` : `${from.origin}/`;
}

/**
 * The header fields of Ferry's request besides cookies: as the browser has sent them, otherwise as it would.
 *
 * - request: `{ url, fields }`, without fields where the browser hides them.
 * - agent: `{ userAgent, languages }`.
 */
export function fieldsOf(request, page, agent) {
  const isSeen = request.fields.length > 0;
  const sent = name => fieldOf(request.fields, name);
  return [
    { name: 'Referer', value: isSeen ? sent('referer') : referrerFor(request.url, page) },
    { name: 'User-Agent', value: sent('user-agent') ?? agent.userAgent },
    { name: 'Accept-Language', value: sent('accept-language') ?? agent.languages },
  ].filter(each => each.value);
}

/**
 * The cookies of one request, each with the hosts that may have it.
 *
 * - found: The browser's cookies for the URL, of all partitions.
 * - page: The URL of the top page, whose partition applies to a request inside of it.
 */
export function cookiesOf(request, found, page) {
  const top = request.type === 'main_frame' ? request.url : page;
  const sent = fieldOf(request.fields, 'cookie')?.split('; ') ?? [];
  return found
    .filter(each => isOfPartition(each.partitionKey, top) || isOfPartition(each.partitionKey, page))
    .filter(each => request.fields.length === 0 || sent.includes(each.name ? `${each.name}=${each.value}` : each.value))
    .map(({ name, value, domain, hostOnly, path, secure }) => (
      { name, value, domain: hostOnly ? domain : `.${domain.replace(/^\./, '')}`, path, secure }));
}

function isOfPartition(key, page) {
  if (!key?.topLevelSite) return true;
  if (!isWeb(page)) return false;
  const [site, top] = [new URL(key.topLevelSite), new URL(page)];
  return site.protocol === top.protocol && (top.hostname === site.hostname || top.hostname.endsWith(`.${site.hostname}`));
}

// MARK: Links

/** The links that match a filter: words that all occur, or `*.iso`-like endings of which one matches. */
export function linksMatching(links, filter) {
  const words = filter.toLowerCase().split(/[\s,;]+/).filter(Boolean);
  const endings = words.filter(each => /^\*?\./.test(each)).join(' ');
  const others = words.filter(each => !/^\*?\./.test(each));
  return links.filter(({ url, text }) => {
    const name = nameOf({ url });
    return hasType(name, endings) && others.every(word => `${url} ${text}`.toLowerCase().includes(word));
  });
}

// MARK: The button

/** The badge: a mark for failures, else the percentage, or the number of running transfers, or nothing. */
export function badge({ running, received, expected } = {}, failures = 0) {
  if (failures > 0) return '!';
  if (!running) return '';
  return expected > 0 ? `${Math.floor((received / expected) * 100)}%` : String(running);
}

/** The finished transfers of a summary that the user has not been told of. `handed` has the others by id. */
export const news = (ended, handed) => ended.filter(each => Object.hasOwn(handed, each.id));
