// The texts of the page in German.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);
const bulk = verb => (count, isPart) => (count === '1' ? `1 ${verb}` : isPart ? `${count} angezeigte ${verb}` : `Alle ${count} ${verb}`);

export default {
  add: 'Hinzufügen', limits: 'Grenzen', help: 'Hilfe', filter: 'Filter', search: 'Suchen', order: 'Reihenfolge', reverse: 'Reihenfolge umkehren',
  close: 'Schließen', undo: 'Rückgängig', tryAgain: 'Noch einmal', day: 'T', slow: 'Langsam', session: 'Sitzung', allSessions: 'Alle Sitzungen',
  tags: 'Schlagwörter', allTags: 'Alle Schlagwörter', transfers: 'Übertragungen', actionsOf: 'Aktionen für die gewählten Übertragungen',
  dropHere: 'Links, Text oder ein Metalink-Dokument hier ablegen', browser: 'Browser', selectAll: 'Alle angezeigten wählen', compact: 'Kompakt',
  limit: 'Höchsttempo', noLimit: 'Unbegrenzt', otherLimit: 'Anderes…',

  states: { running: 'Läuft', waiting: 'Wartet', suspended: 'Angehalten', succeeded: 'Fertig', failed: 'Fehlgeschlagen', canceled: 'Abgebrochen' },
  filters: { all: 'Alle', open: 'Offen' },
  orders: { turn: 'An der Reihe', name: 'Name', size: 'Größe', done: 'Anteil', speed: 'Tempo', left: 'Restzeit', added: 'Hinzugefügt', finished: 'Beendet' },
  reasons: {
    slot: 'Wartet auf einen freien Platz', session: 'Wartet auf einen freien Platz der Sitzung', host: 'Wartet auf eine Verbindung, die der Server erlaubt',
    retry: 'Wartet auf den nächsten Versuch', server: 'Wartet, weil der Server eine Pause will', disk: 'Wartet auf Platz', network: 'Wartet auf das Netz',
    cellular: 'Wartet auf ein Netz, das kein Mobilfunk ist', expensive: 'Wartet auf ein Netz ohne Volumentarif',
    constrained: 'Wartet auf ein Netz, das nicht geschont werden soll', power: 'Wartet auf Netzstrom', lease: 'Wartet auf die Freigabe durch sein Programm', begin_date: 'Wartet auf seine Zeit',
    relaunch: 'Wartet auf seine App, die eben gestartet wurde', authentication: 'Wartet auf Benutzer und Passwort',
    expired: 'Wartet auf eine neue URL: diese ist abgelaufen', destination: 'Wartet auf seinen Ordner', shutdown: 'Wartet auf den nächsten Start des Dienstes', label: 'Wartet auf einen Worker mit seinem Label',
    unknown: 'Wartet auf etwas, das eine neuere Seite benennen kann',
  },
  queued: { slot: nth => `In der Schlange (${nth})`, session: nth => `In der Schlange (${nth})`, host: nth => `In der Schlange für den Server (${nth})` },
  ordinal: place => `${place}.`, held: time => `Der Server will eine Pause: nächster Versuch in ${time}`,
  nextTry: time => `Nächster Versuch in ${time}`, tryingAgain: 'Neuer Versuch', tries: count => `(Versuch ${count})`, begins: time => `Beginnt in ${time}`,
  noSpeed: 'im Moment keine Daten', timeLeft: time => `noch ${time}`, connections: many('1 Verbindung', 'Verbindungen'),
  sizeOf: (done, all) => `${done} von ${all}`, verified: algorithm => `${algorithm} geprüft`, differs: algorithm => `${algorithm} weicht ab`,
  unchanged: 'war schon da, unverändert', lengthUnverified: 'Länge nicht geprüft', insecure: 'Zertifikat nicht geprüft',
  remedies: {
    pause: 'Anhalten', resume: 'Fortsetzen', tryNow: 'Jetzt versuchen', again: 'Noch einmal', newURL: 'Neue URL angeben', keepBoth: 'Beide behalten', replace: 'Ersetzen',
    otherFolder: 'Ordner wählen', signIn: 'Anmelden', keepAnyway: 'Trotzdem behalten', change: 'Ändern', cancel: 'Abbrechen', remove: 'Entfernen',
  },

  slowAt: speed => `Langsam: ${speed}`, free: size => `${size} frei`, openCount: count => `${count} offen`,
  speedNow: speed => `Tempo der letzten drei Minuten, jetzt ${speed}`,
  selected: (selected, shown, isAny) => (isAny ? `${selected} von ${shown} gewählt` : `${shown} angezeigt`),
  actions: {
    start: 'Fortsetzen', pause: 'Anhalten', cancel: 'Abbrechen', remove: 'Entfernen', change: 'Ändern', top: 'Ganz nach oben', up: 'Nach oben', down: 'Nach unten',
    bottom: 'Ganz nach unten',
  },
  bulk: {
    pauseAll: bulk('anhalten'), startAll: bulk('fortsetzen'),
    retryFailed: (count, isPart) => (isPart ? `${count} angezeigte wiederholen` : `${count} wiederholen`), clearFinished: (count, isPart) => (isPart ? `${count} angezeigte aufräumen` : `${count} fertige aufräumen`),
  },
  nothingThere: 'Noch keine Übertragungen. Einen Link hier einfügen oder ablegen, oder Hinzufügen drücken.',
  nothingFound: 'Keine Übertragung passt zu diesem Filter.', select: name => `${name} wählen`, progressOf: name => `Fortschritt von ${name}`,
  drag: 'An einen anderen Platz ziehen', count: many('1 Übertragung', 'Übertragungen'),
  end: (name, state) => `${name}: ${state}`,
  goneTransfer: 'Die Übertragung dieser Adresse ist nicht mehr in der Liste.',
  secretNeeded: 'Diese Seite braucht das Geheimnis des Gateways.',
  codeOld: 'Der Code in der Adresse dieser Seite wurde schon benutzt oder ist abgelaufen. `ferry web` öffnet die Seite mit einem neuen.',
  secretWrong: 'Das Geheimnis stimmt nicht, oder es wurde ersetzt. Nichts Getipptes geht verloren.',

  backAgain: 'Ferry antwortet wieder.', away: 'Ferry antwortet nicht. Bitte noch einmal, wenn es wieder da ist.',
  awayWords: 'Ferry antwortet nicht. Was hier steht, kann alt sein; es geht von selbst weiter.',
  awayShort: 'keine Antwort', odd: status => `Das Gateway hat mit ${status} geantwortet.`,

  errors: {
    offline: 'Es gibt kein Netz, das benutzt werden darf.', dns_failed: 'Der Name des Servers ließ sich nicht auflösen.', host_not_found: 'Diesen Server gibt es nicht.',
    connect_failed: 'Der Server ist nicht erreichbar oder weist die Verbindung ab.', connection_lost: 'Die Verbindung brach ab.', timed_out: 'Der Server antwortet nicht.',
    too_slow: 'Die Übertragung war zu langsam.', proxy_failed: 'Der Proxy hat versagt oder abgelehnt.', proxy_auth_required: 'Der Proxy verlangt Benutzer und Passwort.',
    tls_failed: 'Mit dem Server kam keine sichere Verbindung zustande.', tls_certificate: 'Das Zertifikat des Servers stimmt nicht.',
    server_busy: 'Der Server bittet, später wiederzukommen.', not_found: 'Die Datei gibt es auf dem Server nicht.', http_status: 'Der Server hat die Datei verweigert.',
    auth_required: 'Der Server verlangt Benutzer und Passwort.', url_expired: 'Die URL ist abgelaufen.', bad_response: 'Die Antwort des Servers ist fehlerhaft.',
    range_mismatch: 'Der Server gab einen falschen Teil der Datei.', resource_changed: 'Die Datei auf dem Server hat sich zu oft geändert.',
    budget_exceeded: 'Es wurde zu viel vergeblich empfangen.', too_many_redirects: 'Der Server leitet zu oft weiter.', redirect_refused: 'Der Weiterleitung wird nicht gefolgt.',
    too_large: 'Die Datei ist größer als erlaubt.', length_mismatch: 'Die Größe stimmt nicht.', digest_mismatch: 'Die Prüfsumme stimmt nicht.',
    file_changed: 'Die Datei wurde während des Hochladens geändert.', upload_conflict: 'Der Server behauptet mehr, als ihm gesendet wurde.',
    disk_full: 'Die Platte ist voll.', disk_io: 'Lesen oder Schreiben auf der Platte schlug fehl.', file_too_large: 'Das Dateisystem erlaubt keine Datei dieser Größe.',
    partial_lost: 'Was schon da war, ist verschwunden.', destination_unwritable: 'In den Ordner lässt sich nicht schreiben.',
    destination_exists: 'Eine andere Datei ist schon da.', placement_failed: 'Die Datei ließ sich nicht an ihren Platz bringen.',
    deadline_exceeded: 'Die Frist ist abgelaufen.', canceled: 'Abgebrochen.', invalid_url: 'Das ist keine URL, die sich holen lässt.',
    unsupported_scheme: 'Nur http und https werden geholt.', request_not_replaceable: 'Das lässt sich hier nicht mehr ändern.',
    unknown_transfer: 'Diese Übertragung gibt es nicht mehr.', session_in_use: 'Ein anderes Programm hat die Sitzung geöffnet.', daemon_unreachable: 'Ferry ist nicht erreichbar.',
    journal_failed: 'Das Journal ließ sich nicht lesen oder schreiben.', internal: 'Ferry hat selbst einen Fehler gemacht.',
    queue_unreachable: 'Die gemeinsame Warteschlange ist nicht erreichbar.',
    queue_unsuitable: 'Die Datenbank passt nicht zu diesem Worker.', worker_in_use: 'Ein anderer Worker mit diesem Namen läuft.',
    worker_lost: 'Der Worker ging verloren.',
  },
};
