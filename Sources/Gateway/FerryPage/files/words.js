// Describes states, reasons and errors in words, and lists their remedies. Pure functions.

import { duration, left, moved, percent, part, size, speed, visible } from './format.js';
import { language, text } from './text.js';

/** The sentence of an error: the daemon's own, or the error table's in the page's language. */
export const sentence = error =>
  visible(language === 'en' ? error.message : text.errors[error.code] ?? error.message);

/** An error sentence for use within another sentence. */
const cause = error => sentence(error).replace(/[.\s]+$/, '');

const until = (date, now) => (new Date(date) - now) / 1000;

function waits(transfer, now) {
  const { reason, error, next_attempt_at: next, not_before: begin, attempts } = transfer;
  const words = text.reasons[reason] ?? text.reasons.unknown;
  if (reason === 'retry' || reason === 'server') {
    const left = next ? until(next, now) : null;
    const when = left == null ? words : left > 0 ? text.nextTry(duration(left)) : text.tryingAgain;
    return (error ? `${when}: ${cause(error)}` : when) + (attempts > 1 ? ` ${text.tries(attempts)}` : '');
  }
  if (reason === 'begin_date' && begin) return text.begins(duration(until(begin, now)));
  return error ? `${words}: ${cause(error)}` : words;
}

/** Describes a transfer's state in words. */
export function describe(transfer, now = Date.now()) {
  const state = text.states[transfer.state] ?? transfer.state;
  switch (transfer.state) {
    case 'running': {
      const rest = left(transfer);
      const connections = transfer.segments?.length ?? 0;
      return [
        transfer.bytes_per_second > 0 ? speed(transfer.bytes_per_second) : text.noSpeed,
        rest != null && text.timeLeft(duration(rest)),
        connections > 1 && text.connections(connections),
      ].filter(Boolean).join(' · ');
    }
    case 'waiting': return waits(transfer, now);
    case 'failed': return `${state}: ${transfer.error ? sentence(transfer.error) : ''}`;
    case 'succeeded': return [state, ...proofs(transfer)].join(' · ');
    default: return state;
  }
}

/** The verification results of a finished file. */
export function proofs(transfer) {
  const facts = (transfer.verified ?? []).map(each => text.verified(each.split(':')[0]));
  facts.push(...(transfer.mismatched ?? []).map(each => text.differs(each.split(':')[0])));
  if (transfer.unchanged) facts.push(text.unchanged);
  if (transfer.length_verified === false) facts.push(text.lengthUnverified);
  if (transfer.insecure) facts.push(text.insecure);
  return facts;
}

/** The transferred and total size of a file: `120 MiB of 1.2 GiB`. */
export function extent(transfer) {
  const { done, all } = moved(transfer), { state } = transfer;
  if (state === 'succeeded' || !all) return done > 0 || state === 'succeeded' ? size(done) : '';
  return text.sizeOf(size(done), size(all));
}

/** A transfer's progress for screen readers. */
export function spoken(transfer) {
  const done = part(transfer);
  return done == null ? size(moved(transfer).done) : percent(done);
}

const expired = new Set(['url_expired', 'not_found', 'http_status', 'auth_required', 'bad_response', 'resource_changed', 'redirect_refused', 'too_many_redirects', 'tls_certificate', 'host_not_found']);
const places = new Set(['disk_full', 'destination_unwritable', 'file_too_large', 'placement_failed']);

/** The remedies for a transfer, the most helpful first. Each is a key of `text.remedies`. */
export function remedies(transfer) {
  const { state, reason, error } = transfer;
  const code = error?.code;
  if (state === 'waiting') {
    if (reason === 'expired') return ['newURL'];
    if (reason === 'authentication') return ['signIn'];
    if (reason === 'disk') return ['otherFolder', 'tryNow'];
    if (reason === 'destination') return ['otherFolder', 'tryNow'];
    if (code === 'url_expired') return ['newURL', 'tryNow'];
    if (reason === 'retry' || reason === 'server') return expired.has(code) ? ['tryNow', 'newURL'] : ['tryNow'];
    return [];
  }
  if (state === 'suspended') return ['resume'];
  if (state === 'canceled') return ['again'];
  if (state !== 'failed') return [];
  if (code === 'destination_exists') return ['keepBoth', 'replace'];
  if (code === 'digest_mismatch') return ['again', 'newURL', 'keepAnyway'];
  if (places.has(code)) return ['otherFolder', 'again'];
  return expired.has(code) ? ['newURL', 'again'] : ['again'];
}

/** Quotes a shell word if necessary. */
const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command line that repeats the download. */
export function command(transfer) {
  const words = ['ferry', 'get', transfer.url, '-d', transfer.folder];
  if (transfer.given_name) words.push('-o', transfer.given_name);
  for (const checksum of transfer.verified ?? []) words.push('--checksum', checksum);
  if (transfer.rate_limit > 0) words.push('--limit-rate', String(transfer.rate_limit));
  if (transfer.method && transfer.method !== 'GET') words.push('-X', transfer.method);
  return words.map(quoted).join(' ');
}
