// Describes states, reasons and errors in words, and lists their remedies. Pure functions.

import { duration, left, moved, ordinal, percent, part, size, speed, visible } from './format.js';
import { language, text } from './text.js';

/** The sentence of an error: the daemon's own, or the error table's in the page's language. */
export const sentence = error =>
  visible(language === 'en' ? error.message : text.errors[error.code] ?? error.message);

/** An error sentence for use within another sentence. */
const cause = error => sentence(error).replace(/[.\s]+$/, '');

const until = (date, now) => (new Date(date) - now) / 1000;

function waits(transfer, now, rank) {
  const { reason, error, next_attempt_at: next, not_before: begin, attempts } = transfer;
  const words = text.reasons[reason] ?? text.reasons.unknown;
  if (reason === 'retry' || reason === 'server') {
    const left = next ? until(next, now) : null;
    const when = left == null ? words : left > 0 ? text.nextTry(duration(left)) : text.tryingAgain;
    if (!error) return reason === 'server' && left > 0 ? text.held(duration(left)) : when;
    return `${when}: ${cause(error)}${attempts > 1 ? ` ${text.tries(attempts)}` : ''}`;
  }
  if (rank && !error && text.queued[reason]) return text.queued[reason](ordinal(rank));
  if (reason === 'begin_date' && begin) return text.begins(duration(until(begin, now)));
  return error ? `${words}: ${cause(error)}` : words;
}

/** Describes a transfer's state in words. `rank` is its place among those that wait for a slot. */
export function describe(transfer, now, rank) {
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
    case 'waiting': return waits(transfer, now, rank);
    case 'failed': return transfer.error ? sentence(transfer.error) : state;
    case 'succeeded': return [state, ...proofs(transfer)].join(' · ');
    default: return state;
  }
}

/** Describes a running transfer without its speed and time left, which have columns of their own. */
export function brief({ state, segments, bytes_per_second: rate }) {
  if (state !== 'running') return '';
  const connections = segments?.length ?? 0;
  return [rate > 0 ? text.states.running : text.noSpeed, connections > 1 && text.connections(connections)].filter(Boolean).join(' · ');
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

const expired = new Set(['url_expired', 'not_found', 'http_status', 'bad_response', 'resource_changed', 'redirect_refused', 'too_many_redirects', 'tls_certificate', 'host_not_found']);
const places = new Set(['disk_full', 'destination_unwritable', 'file_too_large', 'placement_failed']);

/** Whether the URL, the login and the header fields of a transfer can be changed. */
export const isReplaceable = ({ method, direction, state }) => (method ?? 'GET') === 'GET' && direction !== 'upload' && state !== 'succeeded';

/** The remedies for a transfer, the most helpful first. Each is a key of `text.remedies`. */
export function remedies(transfer) {
  const found = remediesOf(transfer);
  return isReplaceable(transfer) ? found : found.filter(each => each !== 'newURL' && (each !== 'signIn' || transfer.reason === 'authentication'));
}

function remediesOf({ state, reason, error }) {
  const code = error?.code;
  if (state === 'waiting') {
    if (reason === 'expired') return ['newURL'];
    if (reason === 'authentication') return ['signIn'];
    if (reason === 'disk') return ['otherFolder', 'tryNow'];
    if (reason === 'destination') return ['otherFolder', 'tryNow'];
    if (code === 'url_expired') return ['newURL', 'tryNow'];
    if (code === 'auth_required') return ['signIn', 'tryNow', 'newURL'];
    if (reason === 'retry' || reason === 'server') return expired.has(code) ? ['tryNow', 'newURL'] : ['tryNow'];
    return [];
  }
  if (state === 'suspended') return ['resume'];
  if (state === 'canceled') return ['again'];
  if (state !== 'failed') return [];
  if (code === 'destination_exists') return ['keepBoth', 'replace'];
  if (code === 'digest_mismatch') return ['again', 'newURL', 'keepAnyway'];
  if (code === 'auth_required') return ['signIn', 'again', 'newURL'];
  if (places.has(code)) return ['otherFolder', 'again'];
  return expired.has(code) ? ['newURL', 'again'] : ['again'];
}
