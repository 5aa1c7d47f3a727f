// The daemon's time. Durations are computed from it, because the browser's clock may be wrong.

/** Milliseconds by which the daemon's clock is ahead of the browser's. */
let ahead = 0;
/** Smaller differences come from the whole seconds of a Date field, and from the response's way. */
const least = 2000;

/** The time on the daemon's machine, in milliseconds since 1970. */
export const now = () => Date.now() + ahead;

/** Learns the time from the Date field of a response (RFC 9110 §6.6.1) that was received at once. */
export function learn(field, sent, received = Date.now()) {
  const date = Date.parse(field);
  if (Number.isNaN(date) || received - sent > least) return;
  const difference = date + 500 - (sent + received) / 2;
  ahead = Math.abs(difference) < least ? 0 : difference;
}
