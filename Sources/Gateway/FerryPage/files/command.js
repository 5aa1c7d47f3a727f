// The command line that repeats a download. Pure functions.

/** The options of `ferry get` by the keys of a request. */
const options = {
  method: '-X', session: '--session', expected_size: '--expected-size', max_size: '--max-size', priority: '--priority', rate_limit: '--limit-rate',
  connections: '--connections', retries: '--retries', resource_timeout: '--max-time', min_speed: '--speed-limit', min_speed_time: '--speed-time',
  max_redirects: '--max-redirs', connect_timeout: '--connect-timeout', idle_timeout: '--read-timeout', minimum_tls: '--min-tls',
};
/** Options that are given once for each value. */
const lists = { checksums: '--checksum', mirrors: '--mirror', tags: '--tag' };
/** Options without a value. */
const flags = {
  insecure: '-k', remote_time: '--remote-time', allow_downgrade: '--allow-downgrade', allow_private_redirects: '--allow-private-redirects',
  preemptive_auth: '--auth-no-challenge', decode: '--compressed',
};

/** Keys that have no option. */
const unsupported = ['acceptable_statuses', 'foreign_fields', 'maximum_tls', 'skip_host_verification', 'status_policy'];

/** The keys of a request that the command leaves out. */
export const leftOut = request => unsupported.filter(key => request[key] != null);

/** Quotes a shell word if necessary. */
const quoted = word => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** The command of a download. `request` is its request without secrets, or null while that is unknown. */
export function command(transfer, request) {
  const known = request ?? {}, words = ['ferry', 'get', transfer.url, '-d', transfer.folder];
  const name = transfer.given_name ?? known.name;
  // With a name, the command replaces a file unless told otherwise.
  if (name) words.push('-o', name, '--on-conflict', known.on_conflict ?? 'unique');
  else if (known.on_conflict) words.push('--on-conflict', known.on_conflict);
  for (const { name, value } of known.headers ?? []) words.push('-H', `${name}: ${value}`);
  for (const [key, option] of Object.entries(options)) if (known[key] != null) words.push(option, String(known[key]));
  for (const [key, option] of Object.entries(lists)) for (const each of known[key] ?? []) words.push(option, each);
  for (const [key, option] of Object.entries(flags)) if (known[key] === true) words.push(option);
  if (known.on_full_disk === 'fail') words.push('--fail-when-full');
  const proxies = known.proxy_environment ?? {};
  const proxy = proxies[/^https:/i.test(transfer.url) ? 'https_proxy' : 'http_proxy'] ?? proxies.all_proxy;
  if (proxy) words.push('--proxy', proxy);
  if (known.address_family) words.push(known.address_family === 'ipv6' ? '-6' : '-4');
  for (const [key, option] of [['certificate', '--cert'], ['key', '--key']]) if (known.trust?.[key]) words.push(option, known.trust[key]);
  return words.map(quoted).join(' ');
}
