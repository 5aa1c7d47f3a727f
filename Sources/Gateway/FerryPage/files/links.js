// Parses pasted, dropped or typed text: URLs, curl commands, or a Metalink document.

import './more.js';
import { join, parseCommand } from './curl.js';
import { isMetalink, parseMetalink } from './metalink.js';
import { text } from './text.js';

/** Whether a text is a URL that Ferry can fetch. */
function isURL(word) {
  if (!/^https?:\/\//i.test(word)) return false;
  try {
    return new URL(word).host !== '';
  } catch {
    return false;
  }
}

/** Completes a typed URL: without a scheme, it gets https. Returns null if it is no URL. */
function completed(word) {
  if (isURL(word)) return word;
  return /^[\w-]+(\.[\w-]+)+(:\d+)?\/\S*$/.test(word) && isURL(`https://${word}`) ? `https://${word}` : null;
}

const pairs = { ')': '(', ']': '[', '}': '{' };
const count = (word, each) => word.split(each).length;

/** A URL without the punctuation of the text around it. A closing bracket stays if it was opened in the URL. */
function trimmed(word) {
  /** How many more of each bracket close than open. */
  const surplus = Object.fromEntries(Object.entries(pairs).map(([close, open]) => [close, count(word, close) - count(word, open)]));
  let end = word.length;
  for (; end > 0; end--) {
    const last = word[end - 1];
    if (!(last in pairs ? surplus[last]-- > 0 : /[.,;:!?|'’”]/.test(last))) break;
  }
  return word.slice(0, end);
}

/** Splits a word before each scheme that follows a comma, a semicolon or a bar, unless they belong to a query. */
function separated(word) {
  const parts = [];
  let isQuery = false;
  for (const piece of word.split(/(?<=[,;|])(?=https?:\/\/)/i)) {
    if (isQuery) parts[parts.length - 1] += piece;
    else parts.push(piece);
    const query = piece.search(/[?#]/);
    isQuery ||= query >= 0 && piece.includes('://', query);
  }
  return parts;
}

/** The URLs of a line. Blanks, angle brackets and quotation marks separate them. */
function urlsOf(line) {
  const words = line.split(/[\s<>"]+/).filter(Boolean);
  const urls = words.flatMap(word => {
    const start = word.search(/https?:\/\//i);
    return start < 0 ? [] : separated(word.slice(start)).map(trimmed).filter(isURL);
  });
  if (urls.length) return urls;
  const typed = words.map(word => completed(trimmed(word)));
  return typed.every(Boolean) ? typed : [];
}

/** A sentence about a text that is no list of downloads, or null. */
export function refusal(name, given) {
  if (/^d\d+:(announce|azureus|comment|creat|encoding|info|nodes|url-list)/.test(given)) return text.noTorrent(name);
  return given.includes('\0') ? text.noList(name) : null;
}

/**
 * Reads a text.
 *
 * Returns the requests as `{url, …}` with the keys of the control API, and a sentence for each part that could not be parsed.
 */
export function parse(typed) {
  const given = typed.trim();
  if (!given) return { requests: [], problems: [] };
  const refused = refusal('', given);
  if (refused) return { requests: [], problems: [refused] };
  if (isMetalink(given)) return parseMetalink(given);
  const requests = [], problems = [];
  const seen = new Set();
  const add = request => {
    const key = JSON.stringify(request);
    if (!seen.has(key)) requests.push(request);
    seen.add(key);
  };
  const { source, isWindows } = join(given);
  for (let at = 0; at < source.length;) {
    const [line] = /^[^\n]*/.exec(source.slice(at));
    const word = line.trim();
    if (/^curl(\.exe)?\s/i.test(word)) {
      const found = parseCommand(source, at + line.indexOf(word), isWindows);
      found.requests.forEach(add);
      problems.push(...found.problems);
      at = found.end;
      continue;
    }
    at += line.length + 1;
    // Lists of links (text/uri-list, RFC 2483) have comments.
    if (!word || word.startsWith('#')) continue;
    const urls = urlsOf(word);
    if (!urls.length) problems.push(/^magnet:/i.test(word) ? text.noTorrent('') : text.noURL(word.length > 80 ? `${word.slice(0, 79)}…` : word));
    for (const url of urls) add({ url });
  }
  return { requests, problems };
}
