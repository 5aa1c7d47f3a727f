// Parses pasted, dropped or typed text: URLs, curl commands, or a Metalink document.

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

/**
 * Reads a text.
 *
 * Returns the requests as `{url, …}` with the keys of the control API, and a sentence for each part that could not be parsed.
 */
export function parse(typed) {
  const given = typed.trim();
  if (!given) return { requests: [], problems: [] };
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
    const urls = completed(word) ? [completed(word)] : word.match(/https?:\/\/[^\s<>"']+/gi)?.filter(isURL);
    if (!urls?.length) problems.push(text.noURL(word.length > 80 ? `${word.slice(0, 79)}…` : word));
    for (const url of urls ?? []) add({ url });
  }
  return { requests, problems };
}
