// The gateway's control API: the only module that sends requests.

import { learn } from './clock.js';
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
  const sent = Date.now();
  let answer;
  try {
    // Relative to the page, which may be below a path of a reverse proxy.
    answer = await fetch(`.${path}`, { method, headers, body, signal, keepalive, cache: 'no-store', redirect: 'error' });
  } catch (error) {
    if (signal?.aborted && signal.reason?.name !== 'TimeoutError') throw error;
    throw new Away();
  }
  learn(answer.headers.get('Date'), sent);
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

/** Opens a stream of values. */
export async function stream(path, signal) {
  return linesOf(await request('GET', path, { signal }));
}

/** Milliseconds in which the stream opens, or the gateway counts as away. */
const opening = 10_000;
const canShare = globalThis.SharedWorker !== undefined;
const worker = './worker.js';
/** The page's policy takes no address of a script that is a plain string. */
const address = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: () => worker }).createScriptURL('') ?? worker;
/** Whether all tabs of the browser share one stream. */
export let isShared = canShare;

/** Connects a new port to the worker. Without shared workers, as in some browsers of phones, the page does the worker's work. */
async function connect(failed) {
  if (isShared) {
    // The name is the version of the messages: a worker may be older than the page.
    const shared = new SharedWorker(address, { type: 'module', name: '1' });
    shared.onerror = () => {
      isShared = false;
      failed();
    };
    return shared.port;
  }
  const { port1, port2 } = new MessageChannel();
  try {
    (await import(worker)).serve(port2);
  } catch {
    isShared = canShare;
    failed();
  }
  return port1;
}

/** Joins the stream of all transfers' events. Once this returns, no event is missed. */
export async function follow(signal) {
  const messages = [];
  let wake = () => {};
  const take = message => {
    messages.push(message);
    wake();
  };
  const end = () => take({ status: 0 });
  const port = await connect(end);
  port.onmessage = ({ data }) => take(data);
  const next = async () => {
    if (!messages.length) await new Promise(resolve => { wake = resolve; });
    return messages.shift();
  };
  const leave = (isDead = signal.reason === doubt) => {
    port.postMessage(isDead ? 'doubt' : 'leave');
    end();
  };
  signal.addEventListener('abort', () => leave(), { once: true });
  port.postMessage({ join: secret });
  // Another tab that waits for the same response would keep it open.
  const timer = setTimeout(() => leave(true), opening);
  const first = await next();
  clearTimeout(timer);
  if (first.opened) return events();
  throw ended(first);

  async function* events() {
    for (;;) {
      const message = await next();
      if (typeof message !== 'string') throw ended(message);
      for (const line of message.split('\n')) if (line) yield JSON.parse(line);
      port.postMessage('read');
    }
  }
}

/** The reason to abort a stream that may be dead although it is open. It ends for all tabs. */
export const doubt = 'doubt';

/** The error of a stream that has ended with a status, or with 0 if the gateway is away. */
function ended({ status }) {
  if (status === 401) onLocked();
  return status ? new Refusal(status) : new Away();
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
