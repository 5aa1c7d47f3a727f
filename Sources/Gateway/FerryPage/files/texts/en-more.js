// The texts of the dialogs and the detail in English.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);

export default {
  cancel: 'Cancel', save: 'Save', open: 'Open', copy: 'Copy', copied: 'Copied.', more: 'More', delete: 'Remove with file',
  letterKeys: 'Use keys that are single letters', notifyAtEnd: 'Notify me when a download ends while this page is in the background',
  notifyDenied: 'The browser does not allow notifications from this page.',
  languages: { en: 'English', de: 'Deutsch' },

  labels: {
    source: 'URLs, a curl command or a Metalink document', url: 'URL', name: 'Name', folder: 'Folder', start: 'Start', not_before: 'Begins', checksums: 'Checksum',
    connections: 'Connections', rate_limit: 'Speed limit', priority: 'Priority', on_conflict: 'If the name is taken', headers: 'Headers', user: 'User',
    password: 'Password', proxy: 'Proxy', tags: 'Tags', secret: 'Secret or pairing code', language: 'Language', slow_rate_limit: 'Speed limit while “Slow” is on',
    active_transfers: 'Transfers at the same time', connections_per_host: 'Connections to one server',
    mirrors: 'Mirror', final_url: 'Final URL', redirects: 'Redirect', destination: 'File', size: 'Size', session: 'Session', created_at: 'Added', finished_at: 'Finished', attempts: 'Attempts',
    started_over: 'Started over', bytes_spent: 'Received in total', etag: 'ETag', last_modified: 'Last-Modified', content_type: 'Type', verified: 'Digest', proofs: 'Verified',
    notes: 'Note', id: 'Id', status: 'Status',
  },
  hints: {
    source: 'Headers and cookies of a curl command are kept.', url: 'A new URL must have the same content: received bytes are kept.',
    checksums: 'Such as sha256:… or the digits alone.', connections: '1 to 64; leave empty and Ferry decides.', rate_limit: 'Such as 500k or 8M; leave empty for no limit.',
    headers: 'One per line, such as Cookie: name=value or Referer: https://…', proxy: 'http://, https://, socks5:// or socks5h://', tags: 'Separated by commas.',
    slow_rate_limit: 'The lower of the two limits applies.', secret: '`ferry gateway secret` prints the secret, `ferry gateway pair` a code for one browser.',
    name: 'Leave empty for the server’s name.',
  },
  replacesHeaders: 'They replace the headers given before. One per line, such as Cookie: name=value.',
  newServer: 'This is another server: it gets no headers, cookies or password of the former URL. Give new ones if it needs them.',
  priorities: { high: 'high', normal: 'normal', low: 'low' },
  starts: { now: 'now', paused: 'paused', at: 'at a time' },
  conflicts: { unique: 'add a number', fail: 'fail', replace: 'replace', skip: 'keep the old file', update: 'fetch if newer' },

  didAdd: many('Added.', 'added.'), didPause: many('Paused.', 'paused.'), didStart: many('Resumed.', 'resumed.'), didCancel: many('Canceled.', 'canceled.'),
  didRemove: many('Removed; its file stays.', 'removed; their files stay.'),
  didDiscard: many('Removed, with the bytes received so far.', 'removed, with the bytes received so far.'),
  didRemoveBoth: (count, withFile) => `${count} removed; finished files ${withFile ? 'are deleted' : 'stay'}.`,
  didDelete: many('Removed with its file.', 'removed with their files.'), didChange: 'Changed.', didMove: many('Moved.', 'moved.'),
  staysInPriority: 'It stays among the transfers of its priority.', nothingToUndo: 'Nothing to undo.', discarded: 'Nothing was added.',
  tooLarge: name => `${name} has more than 4 MiB, so it is not a list of downloads.`,
  someFailed: many('One could not be changed.', 'could not be changed.'), cancelAsk: name => `Cancel ${name}?`,
  cancelWords: 'The bytes received so far are deleted.', discard: 'Discard', keepDownloading: 'Keep downloading', keep: 'Keep in the list',
  removeAsk: name => `Remove ${name}?`, removeWords: 'A file is deleted only if it has not changed since Ferry placed it.',
  removeManyWords: 'Unfinished ones lose the bytes received so far. Finished files stay.',

  wentWrong: 'What went wrong', showAll: 'Show all', showLess: 'Show less', partNames: { cookies: 'cookies', login: 'login', 'proxy login': 'proxy login', body: 'body', note: 'note' }, withheld: names => `Left out: ${names}.`,
  timeline: 'History', answer: 'Server response', sameCommand: 'Equivalent command', mapOf: words => `Parts of the file: ${words}`,
  segment: (place, part, speed, source) => `${place}: ${part}, ${speed}${source ? `, mirror ${source}` : ''}`,
  kinds: {
    submitted: 'added', suspended: 'paused', resumed: 'resumed', running: 'started', waiting: 'waiting', changed: 'changed', succeeded: 'finished', failed: 'failed',
    canceled: 'canceled',
  },

  addHeading: 'Add downloads', addCount: count => (count > 1 ? `Add ${count}` : 'Add'), changeOf: name => `Change ${name}`,
  rateOf: name => `Speed limit of ${name}`, signInTo: host => `Sign in to ${host}`, realm: realm => `The server asks for “${realm}”.`,
  secretHeading: 'Open Ferry', withHeaders: many('1 header', 'headers'), withMirrors: many('1 mirror', 'mirrors'), withChecksum: 'with checksum',
  alreadyThere: 'is in the list already', andMore: count => `and ${count} more`,
  keptTyped: 'Ferry is not responding. Your input is kept here; send it again when Ferry is back.',
  noAmount: typed => `“${typed}” is not an amount; write it as 500k or 8M.`, smallAmount: 'At least 1k.', noCount: most => `A whole number from 1 to ${most}.`,
  noURL: words => `“${words}” has no http or https URL.`, nothingToAdd: 'There is no URL here.', noChecksum: words => `“${words}” is not a checksum.`,
  noHeader: line => `“${line}” is not a header; write Name: value.`, noFolder: 'A folder must be an absolute path, such as /home/me/Downloads.',
  noUser: 'Enter a user name.', noTorrent: name => `${name || 'This'} is a torrent. Ferry fetches files over HTTP only.`,
  noList: name => `${name || 'This'} is not a text with links.`, noDate: 'Choose a date and a time.',
  curlFile: option => `${option} names a file, which the page cannot read.`, curlIgnored: option => `${option} is ignored.`,
  metalinkWrong: 'The Metalink document cannot be read, or has more than 2 MiB.',

  keys: [
    ['n', 'Add'], ['/', 'Search'], ['↑ ↓ Home End', 'Move through the list; with Shift, select'], ['Space', 'Select or deselect'], ['Ctrl+A', 'Select all shown'],
    ['Enter', 'Show the detail'], ['Esc', 'Close, deselect all'], ['p', 'Pause'], ['r', 'Resume, retry'], ['c', 'Cancel'], ['Delete', 'Remove'], ['Shift+Delete', 'Remove with file'],
    ['e F2', 'Change, rename'], ['Alt+↑ Alt+↓', 'Move'], ['Alt+Home Alt+End', 'Move to the top, to the bottom'], ['f', 'Retry all failed that are shown'], ['z Ctrl+Z', 'Undo'],
    ['s', 'Slow'], ['l', 'Limits'], ['d', 'Compact'], ['?', 'Help'],
  ],
};
