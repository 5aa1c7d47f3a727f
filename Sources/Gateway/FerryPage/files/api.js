// The gateway's control API: the only module that sends requests.

import { text } from './text.js';

const key = 'ferry.secret';
let secret = sessionStorage.getItem(key) ?? '';
let onLocked = () => {};

/** An error of the gateway: code, sentence and details of its error table. */
export class Refusal extends Error {
  constructor(status, error) {
    super(error?.message ?? text.odd(status));
    this.status = status;
    this.code = error?.code ?? 'internal';
  }
}

/** The gateway did not respond. */
export class Away extends Error {
  constructor() { super(text.away); }
}

/**
 * Trades the code in the address for the secret. The code works once and for a minute, so that the address in the
 * browser's history is of no use. Returns false if the gateway refuses the code.
 */
export async function takeCode() {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (!code) return true;
  history.replaceState(null, '', location.pathname);
  try {
    setSecret((await call('POST', '/v1/page', { code })).secret);
    return true;
  } catch (error) {
    if (error instanceof Refusal) return hasSecret();
    throw error;
  }
}

export function setSecret(given) {
  secret = given;
  sessionStorage.setItem(key, given);
}

export const hasSecret = () => secret !== '';

/** Sets the function to call when the gateway rejects the secret. */
export function whenLocked(call) { onLocked = call; }

async function request(method, path, { body, type = 'application/json', signal, keepalive = false }) {
  const headers = { Authorization: `Bearer ${secret}` };
  if (body != null) headers['Content-Type'] = type;
  let answer;
  try {
    // Relative to the page, which may be below a path of a reverse proxy.
    answer = await fetch(`.${path}`, { method, headers, body, signal, keepalive, cache: 'no-store', redirect: 'error' });
  } catch (error) {
    if (signal?.aborted && signal.reason?.name !== 'TimeoutError') throw error;
    throw new Away();
  }
  if (answer.ok) return answer;
  const said = await answer.json().catch(() => null);
  if (answer.status === 401) onLocked();
  throw new Refusal(answer.status, said?.error);
}

/** Sends a request with a JSON body, and returns the value of the response. */
export async function call(method, path, value, { patience = 60_000, ...options } = {}) {
  const body = value === undefined ? undefined : JSON.stringify(value);
  const answer = await request(method, path, { body, signal: AbortSignal.timeout(patience), ...options });
  try {
    return await answer.json();
  } catch {
    throw new Away();
  }
}

/** Sends values as lines of JSON, and returns the values of the response's lines. */
export async function callLines(path, values) {
  const body = values.map(value => JSON.stringify(value)).join('\n') + '\n';
  const answer = await request('POST', path, { body, type: 'application/x-ndjson', signal: AbortSignal.timeout(60_000) });
  const lines = [];
  for await (const line of linesOf(answer)) lines.push(line);
  return lines;
}

/** Opens a stream of values. Once this returns, no event is missed. */
export async function stream(path, signal) {
  return linesOf(await request('GET', path, { signal }));
}

async function* linesOf(answer) {
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split('\n');
      rest = lines.pop();
      for (const line of lines) if (line) yield JSON.parse(line);
    }
    if (rest) yield JSON.parse(rest);
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** Trades a pairing code for a token of this browser. */
export async function pair(code) {
  const { token } = await call('POST', '/v1/pair', { code, name: text.browser });
  setSecret(token);
}
