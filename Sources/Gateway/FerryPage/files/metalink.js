// Parses Metalink documents, version 4 (RFC 5854) or 3, into requests.

import './more.js';
import { text } from './text.js';

/** The digests that Ferry verifies, by their names in both versions. */
const algorithms = { 'sha-384': 'sha384', sha384: 'sha384', 'sha-512': 'sha512', sha512: 'sha512', 'sha-256': 'sha256', sha256: 'sha256', 'sha-1': 'sha1', sha1: 'sha1', md5: 'md5' };
const mostBytes = 2 << 20;
const mostMirrors = 64;

/** The only Trusted Types policy. It makes XML documents, which are never displayed. */
const xml = globalThis.trustedTypes?.createPolicy('xml', { createHTML: source => source });

export const isMetalink = source => /^\s*(<\?xml|<metalink)/i.test(source) && /<metalink[\s>]/i.test(source);

/** Reads a document. Returns requests and problems as `parse` of links.js does. */
export function parseMetalink(source) {
  if (source.length > mostBytes) return { requests: [], problems: [text.metalinkWrong] };
  // The parser of browsers loads no external entities.
  const root = new DOMParser().parseFromString(xml?.createHTML(source) ?? source, 'application/xml');
  if (root.querySelector('parsererror')) return { requests: [], problems: [text.metalinkWrong] };
  const requests = [], problems = [];
  for (const file of root.getElementsByTagNameNS('*', 'file')) {
    const own = name => [...file.getElementsByTagNameNS('*', name)];
    const urls = own('url')
      .map(node => ({ url: node.textContent.trim(), rank: Number(node.getAttribute('priority') ?? 101 - (node.getAttribute('preference') ?? 0)) }))
      .filter(each => /^https?:\/\//i.test(each.url))
      .sort((a, b) => a.rank - b.rank)
      .map(each => each.url);
    const name = file.getAttribute('name') ?? '';
    if (!urls.length) {
      problems.push(text.noURL(name));
      continue;
    }
    const request = { url: urls[0] };
    const mirrors = [...new Set(urls.slice(1))].filter(each => each !== urls[0]).slice(0, mostMirrors);
    if (mirrors.length) request.mirrors = mirrors;
    // The gateway refuses names that lead out of the folder, so keep only the last component.
    const last = name.split('/').pop();
    if (last && last !== '.' && last !== '..') request.name = last;
    const bytes = Number(own('size')[0]?.textContent);
    if (Number.isSafeInteger(bytes) && bytes > 0) request.expected_size = bytes;
    const digests = own('hash')
      .filter(node => node.parentElement.localName !== 'pieces')
      .map(node => [algorithms[node.getAttribute('type')?.toLowerCase()], node.textContent.trim().toLowerCase()])
      .filter(([algorithm, hex]) => algorithm && /^[\da-f]+$/.test(hex));
    if (digests.length) request.checksums = digests.map(([algorithm, hex]) => `${algorithm}:${hex}`);
    requests.push(request);
  }
  if (!requests.length && !problems.length) problems.push(text.metalinkWrong);
  return { requests, problems };
}
