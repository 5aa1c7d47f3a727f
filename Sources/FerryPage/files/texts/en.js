// The texts of the page in English.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);

export default {
  add: 'Add', limits: 'Limits', help: 'Help', filter: 'Filter', search: 'Search', order: 'Order', reverse: 'Reverse the order', close: 'Close', cancel: 'Cancel',
  save: 'Save', open: 'Open', copy: 'Copy', copied: 'Copied.', undo: 'Undo', tryAgain: 'Try again', day: 'd', more: 'More', slow: 'Slow', delete: 'Remove with file',
  session: 'Session', allSessions: 'All sessions', tags: 'Tags', allTags: 'All tags', transfers: 'Transfers', actionsOf: 'Actions for the chosen transfers',
  dropHere: 'Drop links, text or a Metalink file', letterKeys: 'Keys that are single letters', browser: 'Browser',
  languages: { en: 'English', de: 'Deutsch' },

  labels: {
    source: 'URLs, a curl command or a Metalink document', url: 'URL', name: 'Name', folder: 'Folder', start: 'Start', not_before: 'Begins', checksums: 'Checksum',
    connections: 'Connections', rate_limit: 'Speed limit', priority: 'Priority', on_conflict: 'If the name is taken', headers: 'Headers', user: 'User',
    password: 'Password', proxy: 'Proxy', tags: 'Tags', secret: 'Secret or pairing code', language: 'Language', slow_rate_limit: 'Speed limit while “Slow” is on',
    active_transfers: 'Transfers at the same time', connections_per_host: 'Connections to one server',
    final_url: 'Final URL', redirects: 'Redirect', destination: 'File', size: 'Size', session: 'Session', created_at: 'Added', finished_at: 'Ended', attempts: 'Tries',
    started_over: 'Started over', bytes_spent: 'Received in all', etag: 'ETag', last_modified: 'Last-Modified', content_type: 'Type', verified: 'Digest', proofs: 'Verified',
    notes: 'Note', id: 'Id', status: 'Status',
  },
  hints: {
    source: 'Headers and cookies of a curl command come along.', url: 'A new URL must lead to the same bytes: what is there is kept.',
    checksums: 'Such as sha256:… or the digits alone.', connections: '1 to 64; leave empty and Ferry decides.', rate_limit: 'Such as 500k or 8M; leave empty for no limit.',
    headers: 'A line each, such as Cookie: name=value or Referer: https://…', proxy: 'http://, https://, socks5:// or socks5h://', tags: 'With commas between.',
    slow_rate_limit: 'The lower of both counts.', secret: '`ferry gateway secret` prints the secret, `ferry gateway pair` a code for one browser.',
    name: 'Leave empty for the server’s name.',
  },
  priorities: { high: 'high', normal: 'normal', low: 'low' },
  starts: { now: 'now', paused: 'paused', at: 'at a time' },
  conflicts: { unique: 'number it', fail: 'fail', replace: 'replace', skip: 'leave it', update: 'fetch if newer' },

  states: { running: 'Running', waiting: 'Waiting', suspended: 'Paused', succeeded: 'Finished', failed: 'Failed', canceled: 'Canceled' },
  filters: { all: 'All', open: 'Open' },
  orders: { turn: 'Turn', name: 'Name', size: 'Size', done: 'Done', speed: 'Speed', left: 'Time left', added: 'Added', finished: 'Finished' },
  reasons: {
    slot: 'Waits for a free slot', session: 'Waits for a free slot of its session', host: 'Waits for a connection that its server allows',
    retry: 'Waits for the next try', server: 'Waits for its server, which wants a pause', disk: 'Waits for room', network: 'Waits for the network',
    cellular: 'Waits for a network that is not mobile', expensive: 'Waits for a network that is not metered',
    constrained: 'Waits for a network that need not be spared', power: 'Waits for external power', begin_date: 'Waits for its time',
    relaunch: 'Waits for its app, which was launched a moment ago', authentication: 'Waits for a user and password',
    expired: 'Waits for a new URL: this one has expired', destination: 'Waits for its folder', shutdown: 'Waits for the next start of the daemon',
    unknown: 'Waits for something that a newer page can name',
  },
  nextTry: time => `Next try in ${time}`, tryingAgain: 'Trying again', tries: count => `(try ${count})`, begins: time => `Begins in ${time}`,
  noSpeed: 'no data at the moment', timeLeft: time => `${time} left`, connections: count => `${count} connections`, sizeOf: (done, all) => `${done} of ${all}`,
  verified: algorithm => `${algorithm} verified`, differs: algorithm => `${algorithm} differs`, unchanged: 'was there, unchanged',
  lengthUnverified: 'length not verified', insecure: 'certificate not verified',
  remedies: {
    pause: 'Pause', resume: 'Resume', tryNow: 'Try now', again: 'Try again', newURL: 'Give a new URL', keepBoth: 'Keep both', replace: 'Replace',
    otherFolder: 'Choose a folder', signIn: 'Sign in', keepAnyway: 'Keep it anyway', change: 'Change',
  },

  slowAt: speed => `Slow: ${speed}`, free: size => `${size} free`, openCount: count => `${count} open`, speedNow: speed => `Speed of the last three minutes, now ${speed}`,
  selected: (selected, shown) => (selected ? `${selected} of ${shown} chosen` : `${shown} shown`),
  actions: {
    start: 'Resume', pause: 'Pause', cancel: 'Cancel', remove: 'Remove', change: 'Change', top: 'To the top', up: 'Up', down: 'Down', bottom: 'To the bottom',
    retryFailed: 'Retry failed', clearFinished: 'Clear finished', pauseAll: 'Pause all', startAll: 'Resume all',
  },
  nothingThere: 'No transfers yet. Paste or drop a link here, or press Add.', nothingFound: 'No transfer fits this filter.',
  select: name => `Choose ${name}`, progressOf: name => `Progress of ${name}`, drag: 'Drag to another place', count: count => `${count} transfers`,
  end: (name, state) => `${name}: ${state}`,

  didAdd: many('Added.', 'added.'), didPause: many('Paused.', 'paused.'), didStart: many('Goes on.', 'go on.'), didCancel: many('Canceled.', 'canceled.'),
  didRemove: many('Removed; its file stays.', 'removed; their files stay.'), didDelete: many('Removed with its file.', 'removed with their files.'),
  didChange: 'Changed.', didMove: many('Moved.', 'moved.'), staysInPriority: 'It stays among those of its priority.', nothingToUndo: 'There is nothing to undo.', discarded: 'Nothing was added.', tooLarge: name => `${name} has more than 4 MiB, so it is no list of downloads.`,
  someFailed: many('One could not be changed.', 'could not be changed.'),
  cancelAsk: name => `Cancel ${name}?`, cancelWords: 'The bytes that are there so far are deleted.',
  removeAsk: name => `Remove ${name}?`, removeWords: 'A file is deleted only if nobody has changed it since Ferry put it there.',

  timeline: 'What happened', answer: 'Answer of the server', sameCommand: 'The same as a command', mapOf: words => `Parts of the file: ${words}`,
  segment: (place, part, speed, source) => `${place}: ${part}, ${speed}${source ? `, mirror ${source}` : ''}`,
  kinds: {
    submitted: 'added', suspended: 'paused', resumed: 'resumed', running: 'started', waiting: 'waits', changed: 'changed', succeeded: 'finished', failed: 'failed',
    canceled: 'canceled',
  },

  addHeading: 'Add downloads', addCount: count => (count > 1 ? `Add ${count}` : 'Add'), changeOf: name => `Change ${name}`, rateOf: name => `Speed limit of ${name}`,
  signInTo: host => `Sign in to ${host}`, realm: realm => `The server asks for “${realm}”.`, secretHeading: 'Open Ferry',
  secretNeeded: 'This page needs the secret of the gateway.', secretWrong: 'The secret is wrong, or it was replaced. Nothing you typed is lost.',
  withHeaders: count => `${count} headers`, withMirrors: count => `${count} mirrors`, withChecksum: 'with checksum', alreadyThere: 'is in the list already',
  andMore: count => `and ${count} more`,

  away: 'Ferry does not answer. Try again when it is back.', awayWords: 'Ferry does not answer. What you see may be old; this goes on by itself.', awayShort: 'no answer',
  keptTyped: 'Ferry does not answer. What you typed is kept here; send it again when Ferry is back.', odd: status => `The gateway answered ${status}.`,
  noAmount: typed => `“${typed}” is no amount; write it as 500k or 8M.`, smallAmount: 'At least 1k.', noCount: most => `A whole number from 1 to ${most}.`,
  noURL: words => `“${words}” has no URL of http or https.`, nothingToAdd: 'There is no URL here.', noChecksum: words => `“${words}” is no checksum.`,
  noHeader: line => `“${line}” is no header; write Name: value.`, noFolder: 'A folder is an absolute path, such as /home/me/Downloads.',
  noDate: 'Choose a date and a time.', curlFile: option => `${option} names a file, which the page cannot read.`, curlIgnored: option => `${option} is left out.`,
  metalinkWrong: 'The Metalink document cannot be read, or has more than 2 MiB.',

  keys: [
    ['n', 'Add'], ['/', 'Search'], ['↑ ↓ Home End', 'Go through the list; with Shift, choose on the way'], ['Space', 'Choose or not'], ['Ctrl+A', 'Choose all that are shown'],
    ['Enter', 'Show the detail'], ['Esc', 'Close, choose none'], ['p', 'Pause'], ['r', 'Resume, try again'], ['c', 'Cancel'], ['Delete', 'Remove'], ['Shift+Delete', 'Remove with file'],
    ['e F2', 'Change, rename'], ['Alt+↑ Alt+↓', 'Move'], ['Alt+Home Alt+End', 'Move to the top, to the bottom'], ['f', 'Try all failed again'], ['z Ctrl+Z', 'Undo'],
    ['s', 'Slow'], ['l', 'Limits'], ['?', 'Help'],
  ],
};
