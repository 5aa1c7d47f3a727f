// What a text that was pasted, dropped or typed asks for: URLs, a curl command, or a Metalink document.

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

/** A URL as it is typed: without a scheme it is one of https. */
function completed(word) {
  if (isURL(word)) return word;
  return /^[\w-]+(\.[\w-]+)+(:\d+)?\/\S*$/.test(word) && isURL(`https://${word}`) ? `https://${word}` : null;
}

/**
 * Reads a text.
 *
 * Returns the requests as `{url, …}` with the keys of the control API, and a sentence for each part that is none.
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
    // A list of links (text/uri-list, RFC 2483) has comments.
    if (!word || word.startsWith('#')) continue;
    const urls = completed(word) ? [completed(word)] : word.match(/https?:\/\/[^\s<>"']+/gi)?.filter(isURL);
    if (!urls?.length) problems.push(text.noURL(word.length > 80 ? `${word.slice(0, 79)}…` : word));
    for (const url of urls ?? []) add({ url });
  }
  return { requests, problems };
}
