// The texts of the page in English.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);
const bulk = verb => (count, isPart) => (count === '1' ? `${verb} 1` : isPart ? `${verb} ${count} shown` : `${verb} all ${count}`);

export default {
  add: 'Add', limits: 'Limits', help: 'Help', filter: 'Filter', search: 'Search', order: 'Order', reverse: 'Reverse the order', close: 'Close', undo: 'Undo',
  tryAgain: 'Try again', day: 'd', slow: 'Slow', session: 'Session', allSessions: 'All sessions', tags: 'Tags', allTags: 'All tags', transfers: 'Transfers',
  actionsOf: 'Actions for the selected transfers', dropHere: 'Drop links, text or a Metalink file', browser: 'Browser', selectAll: 'Select all shown',
  compact: 'Compact', limit: 'Speed limit', noLimit: 'No limit', otherLimit: 'Other…',

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
    unknown: 'Waits for a reason that this page does not know',
  },
  queued: { slot: nth => `Queued (${nth})`, session: nth => `Queued (${nth})`, host: nth => `Queued (${nth}) for its server` },
  ordinal: (place, rule) => `${place}${{ one: 'st', two: 'nd', few: 'rd' }[rule] ?? 'th'}`,
  held: time => `Its server asks for a pause: next attempt in ${time}`,
  nextTry: time => `Next attempt in ${time}`, tryingAgain: 'Retrying', tries: count => `(attempt ${count})`, begins: time => `Begins in ${time}`,
  noSpeed: 'no data at the moment', timeLeft: time => `${time} left`, connections: many('1 connection', 'connections'),
  sizeOf: (done, all) => `${done} of ${all}`, verified: algorithm => `${algorithm} verified`, differs: algorithm => `${algorithm} differs`,
  unchanged: 'already existed, unchanged', lengthUnverified: 'length not verified', insecure: 'certificate not verified',
  remedies: {
    pause: 'Pause', resume: 'Resume', tryNow: 'Try now', again: 'Try again', newURL: 'Give a new URL', keepBoth: 'Keep both', replace: 'Replace',
    otherFolder: 'Choose a folder', signIn: 'Sign in', keepAnyway: 'Keep it anyway', change: 'Change', cancel: 'Cancel', remove: 'Remove',
  },

  slowAt: speed => `Slow: ${speed}`, free: size => `${size} free`, openCount: count => `${count} open`,
  speedNow: speed => `Speed of the last three minutes, now ${speed}`,
  selected: (selected, shown, isAny) => (isAny ? `${selected} of ${shown} selected` : `${shown} shown`),
  actions: {
    start: 'Resume', pause: 'Pause', cancel: 'Cancel', remove: 'Remove', change: 'Change', top: 'To the top', up: 'Up', down: 'Down', bottom: 'To the bottom',
  },
  bulk: {
    pauseAll: bulk('Pause'), startAll: bulk('Resume'),
    retryFailed: (count, isPart) => (isPart ? `Retry ${count} shown` : `Retry ${count} failed`), clearFinished: (count, isPart) => (isPart ? `Clear ${count} shown` : `Clear ${count} finished`),
  },
  nothingThere: 'No transfers yet. Paste or drop a link here, or press Add.', nothingFound: 'No transfer matches this filter.',
  select: name => `Select ${name}`, progressOf: name => `Progress of ${name}`, drag: 'Drag to another place', count: many('1 transfer', 'transfers'),
  end: (name, state) => `${name}: ${state}`,
  goneTransfer: 'The transfer of this address is no longer in the list.',
  secretNeeded: 'This page needs the secret of the gateway.',
  codeOld: 'The code in this page’s address was used before or has expired. `ferry web` opens the page with a new one.',
  secretWrong: 'The secret is wrong, or it was replaced. Nothing you typed is lost.',

  backAgain: 'Ferry is responding again.', away: 'Ferry is not responding. Try again when it is back.',
  awayWords: 'Ferry is not responding. The list may be out of date; the page reconnects by itself.', awayShort: 'no response',
  odd: status => `The gateway responded with status ${status}.`,
};
