// Parses curl commands, as browsers copy them ("Copy as cURL"), into requests.

import './more.js';
import { text } from './text.js';

const escapes = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b', f: '\f', v: '\v', e: '\x1b' };

/** Joins a command's continued lines. For the Windows command prompt, also removes the `^` escapes. */
export function join(source) {
  const isWindows = /\^\s*\r?\n|\^"/.test(source);
  const text = source.replace(/(\\|\^)\r?\n/g, ' ');
  return { source: isWindows ? text.replace(/\^(.)/gs, '$1') : text, isWindows };
}

/**
 * Splits the command at `start` of a joined text into words, and returns its end.
 *
 * The syntax is a POSIX shell's, with the `$'…'` of bash. A command ends at a line break, and at `;`, `|`, `&` before a space. What
 * follows is another command, with its own cookies.
 */
export function words(source, start = 0, isWindows = false) {
  const found = [];
  let word = null, at = start;
  for (; at < source.length; at++) {
    const sign = source[at];
    if (sign === '\n' || /^(?:[;|]|&&?)(?:\s|$)/.test(source.slice(at, at + 3))) break;
    if (/\s/.test(sign)) {
      if (word !== null) found.push(word);
      word = null;
      continue;
    }
    word ??= '';
    if (sign === '\\' && !isWindows) {
      word += source[++at] ?? '';
    } else if (sign === "'" && !isWindows) {
      const end = source.indexOf("'", at + 1);
      word += source.slice(at + 1, end < 0 ? source.length : end);
      at = end < 0 ? source.length : end;
    } else if (sign === '"') {
      for (at++; at < source.length && source[at] !== '"'; at++) {
        if (source[at] === '\\' && /["\\$`\n]/.test(source[at + 1] ?? '')) at++;
        word += source[at];
      }
    } else if (sign === '$' && source[at + 1] === "'") {
      for (at += 2; at < source.length && source[at] !== "'"; at++) {
        if (source[at] !== '\\') {
          word += source[at];
          continue;
        }
        const code = /^(?:x([\da-f]{1,2})|u([\da-f]{1,4})|U([\da-f]{1,8})|([0-7]{1,3}))/i.exec(source.slice(at + 1));
        if (code) {
          const digits = code[1] ?? code[2] ?? code[3];
          word += String.fromCodePoint(digits ? Math.min(parseInt(digits, 16), 0x10ffff) : parseInt(code[4], 8));
          at += code[0].length;
        } else {
          at++;
          word += escapes[source[at]] ?? source[at] ?? '';
        }
      }
    } else {
      word += sign;
    }
  }
  if (word !== null) found.push(word);
  while (/[;|&\n]/.test(source[at] ?? '')) at++;
  return { words: found, end: at };
}

/** Short options with a value, and their long names. */
const short = {
  H: 'header', b: 'cookie', A: 'user-agent', e: 'referer', u: 'user', X: 'request', d: 'data', o: 'output', x: 'proxy',
  r: 'range', m: 'max-time', T: 'upload-file', F: 'form', c: 'cookie-jar', w: 'write-out', E: 'cert', K: 'config', D: 'dump-header',
  y: 'speed-time', Y: 'speed-limit', z: 'time-cond', U: 'proxy-user', C: 'continue-at',
};
/** Long options with a value. */
const valued = new Set([
  ...Object.values(short), 'url', 'data-raw', 'data-binary', 'data-ascii', 'data-urlencode', 'json', 'limit-rate', 'output-dir',
  'max-filesize', 'connect-timeout', 'retry', 'retry-delay', 'retry-max-time', 'cacert', 'key', 'resolve', 'interface', 'max-redirs',
  'proxy-header', 'noproxy', 'preproxy', 'oauth2-bearer', 'tls-max', 'ciphers', 'keepalive-time',
]);
/** Options that are ignored: they are Ferry's default, or concern curl's own output. */
const silent = new Set([
  'L', 'location', 's', 'silent', 'S', 'show-error', 'f', 'fail', 'O', 'remote-name', 'J', 'remote-header-name', 'v', 'verbose', '#',
  'progress-bar', 'compressed', 'g', 'globoff', 'create-dirs', 'http1.1', 'http2', 'no-buffer', 'N', 'path-as-is', 'i',
  'include', 'fail-with-body', 'R', 'remote-time', 'C', 'continue-at', 'retry', 'retry-delay', 'max-redirs', 'cookie-jar',
  'write-out', 'dump-header', 'keepalive-time', 'no-progress-meter', 'ssl-no-revoke', 'tlsv1.2', 'tlsv1.3',
]);

/** Fields that Ferry sets itself. A copied range would fetch only a part of the file. */
const left = new Set(['range', 'if-range', 'accept-encoding', 'host', 'connection', 'content-length', 'if-none-match', 'if-modified-since']);

/** The options and URLs of a command's words: `[name, value]`, with URLs under the name `url`. */
function options(list) {
  const found = [];
  for (let at = 0; at < list.length; at++) {
    const word = list[at];
    if (word.startsWith('--') && word.length > 2) {
      const [name, inline] = word.slice(2).split(/=(.*)/s);
      found.push([name, valued.has(name) ? inline ?? list[++at] ?? '' : '']);
    } else if (word.startsWith('-') && word.length > 1) {
      for (let sign = 1; sign < word.length; sign++) {
        const name = short[word[sign]];
        if (name) {
          found.push([name, word.slice(sign + 1) || list[++at] || '']);
          break;
        }
        found.push([word[sign], '']);
      }
    } else {
      found.push(['url', word]);
    }
  }
  return found;
}

/** Reads the command at a place of a joined text. Returns requests and problems as `parse` of links.js does, and the command's end. */
export function parseCommand(source, start = 0, isWindows = false) {
  const { words: list, end } = words(source, start, isWindows);
  const urls = [], headers = [], bodies = [], problems = [], outputs = [];
  const request = {};
  let method = null, user = null, isForm = false, isQuery = false;
  const add = (name, value) => { if (value !== '' && !left.has(name.toLowerCase())) headers.push({ name, value }); };
  for (const [name, value] of options(list.slice(1))) {
    switch (name) {
      case 'url': urls.push(/^https?:\/\//i.test(value) ? value : `http://${value}`); break;
      case 'header': {
        const [, field, content] = /^([^:;]+)[:;]\s*(.*)$/s.exec(value) ?? [];
        if (field) add(field.trim(), content);
        break;
      }
      case 'cookie':
        if (value.includes('=')) add('Cookie', value);
        else problems.push(text.curlFile(`-b ${value}`));
        break;
      case 'user-agent': add('User-Agent', value); break;
      case 'referer': add('Referer', value.replace(/;auto$/, '')); break;
      case 'oauth2-bearer': add('Authorization', `Bearer ${value}`); break;
      case 'user': user = value; break;
      case 'request': method = value.toUpperCase(); break;
      case 'I': case 'head': method = 'HEAD'; break;
      case 'G': case 'get': isQuery = true; break;
      case 'json': isForm = true; add('Content-Type', 'application/json'); bodies.push(value); break;
      case 'data': case 'data-raw': case 'data-binary': case 'data-ascii': case 'data-urlencode':
        isForm = true;
        if (name !== 'data-raw' && value.startsWith('@')) problems.push(text.curlFile(`-d ${value}`));
        else bodies.push(name === 'data-urlencode' ? encodeURIComponent(value).replace('%3D', '=') : value);
        break;
      case 'output': outputs.push(value.split('/').pop()); break;
      case 'proxy': {
        const url = /:\/\//.test(value) ? value : `http://${value}`;
        request.proxy_environment = { http_proxy: url, https_proxy: url };
        break;
      }
      case 'k': case 'insecure': request.insecure = true; break;
      case 'limit-rate': request.rate = value; break;
      case 'range': problems.push(text.curlIgnored('-r')); break;
      default: if (!silent.has(name)) problems.push(text.curlIgnored(name.length > 1 ? `--${name}` : `-${name}`));
    }
  }
  if (!urls.length) problems.push(text.nothingToAdd);
  if (headers.length) request.headers = headers;
  if (bodies.length && !isQuery) {
    if (!headers.some(each => each.name.toLowerCase() === 'content-type')) add('Content-Type', 'application/x-www-form-urlencoded');
    const bytes = new TextEncoder().encode(bodies.join('&'));
    request.headers = headers;
    request.body = { bytes: { _0: btoa(Array.from(bytes, each => String.fromCharCode(each)).join('')) } };
  }
  if (method && method !== 'GET' || isForm && !isQuery) request.method = method ?? 'POST';
  const query = isQuery && bodies.length ? bodies.join('&') : '';
  return {
    end, problems,
    requests: urls.map((url, place) => ({
      ...request,
      url: (user ? url.replace('://', `://${user.split(':').map(encodeURIComponent).join(':')}@`) : url) + (query && (url.includes('?') ? '&' : '?') + query),
      ...(outputs[place] && outputs[place] !== '-' ? { name: outputs[place] } : {}),
    })),
  };
}
