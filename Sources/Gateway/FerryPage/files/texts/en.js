// The texts of the page in English.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);

export default {
  add: 'Add', limits: 'Limits', help: 'Help', filter: 'Filter', search: 'Search', order: 'Order', reverse: 'Reverse the order', close: 'Close', cancel: 'Cancel',
  save: 'Save', open: 'Open', copy: 'Copy', copied: 'Copied.', undo: 'Undo', tryAgain: 'Try again', day: 'd', more: 'More', slow: 'Slow', delete: 'Remove with file',
  session: 'Session', allSessions: 'All sessions', tags: 'Tags', allTags: 'All tags', transfers: 'Transfers', actionsOf: 'Actions for the selected transfers',
  dropHere: 'Drop links, text or a Metalink file', letterKeys: 'Keys that are single letters', browser: 'Browser',
  languages: { en: 'English', de: 'Deutsch' },

  labels: {
    source: 'URLs, a curl command or a Metalink document', url: 'URL', name: 'Name', folder: 'Folder', start: 'Start', not_before: 'Begins', checksums: 'Checksum',
    connections: 'Connections', rate_limit: 'Speed limit', priority: 'Priority', on_conflict: 'If the name is taken', headers: 'Headers', user: 'User',
    password: 'Password', proxy: 'Proxy', tags: 'Tags', secret: 'Secret or pairing code', language: 'Language', slow_rate_limit: 'Speed limit while “Slow” is on',
    active_transfers: 'Transfers at the same time', connections_per_host: 'Connections to one server',
    final_url: 'Final URL', redirects: 'Redirect', destination: 'File', size: 'Size', session: 'Session', created_at: 'Added', finished_at: 'Finished', attempts: 'Attempts',
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
  newServer: 'This is another server: it gets no headers, cookies or password of the former URL. Give new ones if it needs them.',
  priorities: { high: 'high', normal: 'normal', low: 'low' },
  starts: { now: 'now', paused: 'paused', at: 'at a time' },
  conflicts: { unique: 'add a number', fail: 'fail', replace: 'replace', skip: 'keep the old file', update: 'fetch if newer' },

  states: { running: 'Running', waiting: 'Waiting', suspended: 'Paused', succeeded: 'Finished', failed: 'Failed', canceled: 'Canceled' },
  filters: { all: 'All', open: 'Open' },
  orders: { turn: 'Queue', name: 'Name', size: 'Size', done: 'Done', speed: 'Speed', left: 'Time left', added: 'Added', finished: 'Finished' },
  reasons: {
    slot: 'Waits for a free slot', session: 'Waits for a free slot of its session', host: 'Waits for a connection to its server',
    retry: 'Waits for the next attempt', server: 'Waits for its server, which asks for a pause', disk: 'Waits for disk space', network: 'Waits for the network',
    cellular: 'Waits for a network that is not cellular', expensive: 'Waits for a network that is not metered',
    constrained: 'Waits for a network without low data mode', power: 'Waits for external power', lease: 'Waits for a lease from its program', begin_date: 'Waits for its time',
    relaunch: 'Waits, because its app was just launched', authentication: 'Waits for a user and password',
    expired: 'Waits for a new URL: this one has expired', destination: 'Waits for its folder', shutdown: 'Waits for the next start of the daemon', label: 'Waits for a worker with its label',
    unknown: 'Waits for a reason of a newer version',
  },
  nextTry: time => `Next attempt in ${time}`, tryingAgain: 'Retrying', tries: count => `(attempt ${count})`, begins: time => `Begins in ${time}`,
  noSpeed: 'no data at the moment', timeLeft: time => `${time} left`, connections: count => `${count} connections`, sizeOf: (done, all) => `${done} of ${all}`,
  verified: algorithm => `${algorithm} verified`, differs: algorithm => `${algorithm} differs`, unchanged: 'already existed, unchanged',
  lengthUnverified: 'length not verified', insecure: 'certificate not verified',
  remedies: {
    pause: 'Pause', resume: 'Resume', tryNow: 'Try now', again: 'Try again', newURL: 'Give a new URL', keepBoth: 'Keep both', replace: 'Replace',
    otherFolder: 'Choose a folder', signIn: 'Sign in', keepAnyway: 'Keep it anyway', change: 'Change',
  },

  slowAt: speed => `Slow: ${speed}`, free: size => `${size} free`, openCount: count => `${count} open`, speedNow: speed => `Speed of the last three minutes, now ${speed}`,
  selected: (selected, shown) => (selected ? `${selected} of ${shown} selected` : `${shown} shown`),
  actions: {
    start: 'Resume', pause: 'Pause', cancel: 'Cancel', remove: 'Remove', change: 'Change', top: 'To the top', up: 'Up', down: 'Down', bottom: 'To the bottom',
    retryFailed: 'Retry failed', clearFinished: 'Clear finished', pauseAll: 'Pause all', startAll: 'Resume all',
  },
  nothingThere: 'No transfers yet. Paste or drop a link here, or press Add.', nothingFound: 'No transfer matches this filter.',
  select: name => `Select ${name}`, progressOf: name => `Progress of ${name}`, drag: 'Drag to another place', count: count => `${count} transfers`,
  end: (name, state) => `${name}: ${state}`,

  didAdd: many('Added.', 'added.'), didPause: many('Paused.', 'paused.'), didStart: many('Resumed.', 'resumed.'), didCancel: many('Canceled.', 'canceled.'),
  didRemove: many('Removed; its file stays.', 'removed; their files stay.'), didDelete: many('Removed with its file.', 'removed with their files.'),
  didChange: 'Changed.', didMove: many('Moved.', 'moved.'), staysInPriority: 'It stays among the transfers of its priority.', nothingToUndo: 'Nothing to undo.', discarded: 'Nothing was added.', tooLarge: name => `${name} has more than 4 MiB, so it is not a list of downloads.`,
  someFailed: many('One could not be changed.', 'could not be changed.'),
  cancelAsk: name => `Cancel ${name}?`, cancelWords: 'The bytes received so far are deleted.',
  removeAsk: name => `Remove ${name}?`, removeWords: 'A file is deleted only if it has not changed since Ferry placed it.',
  removeManyWords: 'Unfinished ones lose the bytes received so far. Finished files stay.',

  timeline: 'History', answer: 'Server response', sameCommand: 'Equivalent command', mapOf: words => `Parts of the file: ${words}`,
  segment: (place, part, speed, source) => `${place}: ${part}, ${speed}${source ? `, mirror ${source}` : ''}`,
  kinds: {
    submitted: 'added', suspended: 'paused', resumed: 'resumed', running: 'started', waiting: 'waiting', changed: 'changed', succeeded: 'finished', failed: 'failed',
    canceled: 'canceled',
  },

  addHeading: 'Add downloads', addCount: count => (count > 1 ? `Add ${count}` : 'Add'), changeOf: name => `Change ${name}`, rateOf: name => `Speed limit of ${name}`,
  signInTo: host => `Sign in to ${host}`, realm: realm => `The server asks for “${realm}”.`, secretHeading: 'Open Ferry',
  secretNeeded: 'This page needs the secret of the gateway.',
  codeOld: 'The code in this page’s address was used before or has expired. `ferry web` opens the page with a new one.', secretWrong: 'The secret is wrong, or it was replaced. Nothing you typed is lost.',
  withHeaders: count => `${count} headers`, withMirrors: count => `${count} mirrors`, withChecksum: 'with checksum', alreadyThere: 'is in the list already',
  andMore: count => `and ${count} more`,

  away: 'Ferry is not responding. Try again when it is back.', awayWords: 'Ferry is not responding. The list may be out of date; the page reconnects by itself.', awayShort: 'no response',
  keptTyped: 'Ferry is not responding. Your input is kept here; send it again when Ferry is back.', odd: status => `The gateway responded with status ${status}.`,
  noAmount: typed => `“${typed}” is not an amount; write it as 500k or 8M.`, smallAmount: 'At least 1k.', noCount: most => `A whole number from 1 to ${most}.`,
  noURL: words => `“${words}” has no http or https URL.`, nothingToAdd: 'There is no URL here.', noChecksum: words => `“${words}” is not a checksum.`,
  noHeader: line => `“${line}” is not a header; write Name: value.`, noFolder: 'A folder must be an absolute path, such as /home/me/Downloads.',
  noDate: 'Choose a date and a time.', curlFile: option => `${option} names a file, which the page cannot read.`, curlIgnored: option => `${option} is ignored.`,
  metalinkWrong: 'The Metalink document cannot be read, or has more than 2 MiB.',

  keys: [
    ['n', 'Add'], ['/', 'Search'], ['↑ ↓ Home End', 'Move through the list; with Shift, select'], ['Space', 'Select or deselect'], ['Ctrl+A', 'Select all shown'],
    ['Enter', 'Show the detail'], ['Esc', 'Close, deselect all'], ['p', 'Pause'], ['r', 'Resume, retry'], ['c', 'Cancel'], ['Delete', 'Remove'], ['Shift+Delete', 'Remove with file'],
    ['e F2', 'Change, rename'], ['Alt+↑ Alt+↓', 'Move'], ['Alt+Home Alt+End', 'Move to the top, to the bottom'], ['f', 'Retry all failed'], ['z Ctrl+Z', 'Undo'],
    ['s', 'Slow'], ['l', 'Limits'], ['?', 'Help'],
  ],
};
