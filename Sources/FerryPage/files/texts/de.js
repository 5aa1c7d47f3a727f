// The texts of the page in German.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);

export default {
  add: 'Hinzufügen', limits: 'Grenzen', help: 'Hilfe', filter: 'Filter', search: 'Suchen', order: 'Reihenfolge', reverse: 'Reihenfolge umkehren', close: 'Schließen',
  cancel: 'Abbrechen', save: 'Sichern', open: 'Öffnen', copy: 'Kopieren', copied: 'Kopiert.', undo: 'Rückgängig', tryAgain: 'Noch einmal', day: 'T', more: 'Mehr',
  slow: 'Langsam', delete: 'Mit Datei entfernen', session: 'Sitzung', allSessions: 'Alle Sitzungen', tags: 'Schlagwörter', allTags: 'Alle Schlagwörter',
  transfers: 'Übertragungen', actionsOf: 'Aktionen für die gewählten Übertragungen', dropHere: 'Links, Text oder ein Metalink-Dokument hier ablegen',
  letterKeys: 'Tasten, die einzelne Buchstaben sind', browser: 'Browser',
  languages: { en: 'English', de: 'Deutsch' },

  labels: {
    source: 'URLs, ein curl-Befehl oder ein Metalink-Dokument', url: 'URL', name: 'Name', folder: 'Ordner', start: 'Start', not_before: 'Beginnt', checksums: 'Prüfsumme',
    connections: 'Verbindungen', rate_limit: 'Höchsttempo', priority: 'Priorität', on_conflict: 'Wenn es den Namen gibt', headers: 'Header', user: 'Benutzer',
    password: 'Passwort', proxy: 'Proxy', tags: 'Schlagwörter', secret: 'Geheimnis oder Kopplungscode', language: 'Sprache', slow_rate_limit: 'Höchsttempo, solange „Langsam“ an ist',
    active_transfers: 'Übertragungen zugleich', connections_per_host: 'Verbindungen zu einem Server',
    final_url: 'Endgültige URL', redirects: 'Weiterleitung', destination: 'Datei', size: 'Größe', session: 'Sitzung', created_at: 'Hinzugefügt', finished_at: 'Beendet',
    attempts: 'Versuche', started_over: 'Von vorn begonnen', bytes_spent: 'Insgesamt empfangen', etag: 'ETag', last_modified: 'Last-Modified', content_type: 'Typ',
    verified: 'Prüfsumme', proofs: 'Geprüft', notes: 'Hinweis', id: 'Kennung', status: 'Status',
  },
  hints: {
    source: 'Header und Cookies eines curl-Befehls kommen mit.', url: 'Eine neue URL muss zu denselben Bytes führen: was da ist, bleibt.',
    checksums: 'Etwa sha256:… oder die Ziffern allein.', connections: '1 bis 64; leer entscheidet Ferry.', rate_limit: 'Etwa 500k oder 8M; leer ist keine Grenze.',
    headers: 'Je eine Zeile, etwa Cookie: name=wert oder Referer: https://…', proxy: 'http://, https://, socks5:// oder socks5h://', tags: 'Mit Kommas dazwischen.',
    slow_rate_limit: 'Das kleinere von beiden gilt.', secret: '`ferry gateway secret` zeigt das Geheimnis, `ferry gateway pair` einen Code für einen Browser.',
    name: 'Leer ist, wie der Server sagt.',
  },
  priorities: { high: 'hoch', normal: 'normal', low: 'niedrig' },
  starts: { now: 'sofort', paused: 'angehalten', at: 'zu einer Zeit' },
  conflicts: { unique: 'nummerieren', fail: 'fehlschlagen', replace: 'ersetzen', skip: 'lassen', update: 'holen, wenn neuer' },

  states: { running: 'Läuft', waiting: 'Wartet', suspended: 'Angehalten', succeeded: 'Fertig', failed: 'Fehlgeschlagen', canceled: 'Abgebrochen' },
  filters: { all: 'Alle', open: 'Offen' },
  orders: { turn: 'An der Reihe', name: 'Name', size: 'Größe', done: 'Anteil', speed: 'Tempo', left: 'Restzeit', added: 'Hinzugefügt', finished: 'Beendet' },
  reasons: {
    slot: 'Wartet auf einen freien Platz', session: 'Wartet auf einen freien Platz der Sitzung', host: 'Wartet auf eine Verbindung, die der Server erlaubt',
    retry: 'Wartet auf den nächsten Versuch', server: 'Wartet, weil der Server eine Pause will', disk: 'Wartet auf Platz', network: 'Wartet auf das Netz',
    cellular: 'Wartet auf ein Netz, das kein Mobilfunk ist', expensive: 'Wartet auf ein Netz ohne Volumentarif',
    constrained: 'Wartet auf ein Netz, das nicht geschont werden soll', power: 'Wartet auf Strom vom Netz', begin_date: 'Wartet auf seine Zeit',
    relaunch: 'Wartet auf seine App, die eben gestartet wurde', authentication: 'Wartet auf Benutzer und Passwort',
    expired: 'Wartet auf eine neue URL: diese ist abgelaufen', destination: 'Wartet auf seinen Ordner', shutdown: 'Wartet auf den nächsten Start des Dienstes',
    unknown: 'Wartet auf etwas, das eine neuere Seite benennen kann',
  },
  nextTry: time => `Nächster Versuch in ${time}`, tryingAgain: 'Neuer Versuch', tries: count => `(Versuch ${count})`, begins: time => `Beginnt in ${time}`,
  noSpeed: 'im Moment keine Daten', timeLeft: time => `noch ${time}`, connections: count => `${count} Verbindungen`, sizeOf: (done, all) => `${done} von ${all}`,
  verified: algorithm => `${algorithm} geprüft`, differs: algorithm => `${algorithm} weicht ab`, unchanged: 'war schon da, unverändert',
  lengthUnverified: 'Länge nicht geprüft', insecure: 'Zertifikat nicht geprüft',
  remedies: {
    pause: 'Anhalten', resume: 'Fortsetzen', tryNow: 'Jetzt versuchen', again: 'Noch einmal', newURL: 'Neue URL angeben', keepBoth: 'Beide behalten', replace: 'Ersetzen',
    otherFolder: 'Ordner wählen', signIn: 'Anmelden', keepAnyway: 'Trotzdem behalten', change: 'Ändern',
  },

  slowAt: speed => `Langsam: ${speed}`, free: size => `${size} frei`, openCount: count => `${count} offen`, speedNow: speed => `Tempo der letzten drei Minuten, jetzt ${speed}`,
  selected: (selected, shown) => (selected ? `${selected} von ${shown} gewählt` : `${shown} angezeigt`),
  actions: {
    start: 'Fortsetzen', pause: 'Anhalten', cancel: 'Abbrechen', remove: 'Entfernen', change: 'Ändern', top: 'Ganz nach oben', up: 'Nach oben', down: 'Nach unten',
    bottom: 'Ganz nach unten', retryFailed: 'Noch einmal versuchen', clearFinished: 'Fertige aufräumen', pauseAll: 'Alle anhalten', startAll: 'Alle fortsetzen',
  },
  nothingThere: 'Noch keine Übertragungen. Einen Link hier einfügen oder ablegen, oder Hinzufügen drücken.', nothingFound: 'Keine Übertragung passt zu diesem Filter.',
  select: name => `${name} wählen`, progressOf: name => `Fortschritt von ${name}`, drag: 'An einen anderen Platz ziehen', count: count => `${count} Übertragungen`,
  end: (name, state) => `${name}: ${state}`,

  didAdd: many('Hinzugefügt.', 'hinzugefügt.'), didPause: many('Angehalten.', 'angehalten.'), didStart: many('Geht weiter.', 'gehen weiter.'),
  didCancel: many('Abgebrochen.', 'abgebrochen.'), didRemove: many('Entfernt; die Datei bleibt.', 'entfernt; ihre Dateien bleiben.'),
  didDelete: many('Mit der Datei entfernt.', 'mit ihren Dateien entfernt.'), didChange: 'Geändert.', didMove: many('Verschoben.', 'verschoben.'),
  staysInPriority: 'Sie bleibt unter denen ihrer Priorität.', nothingToUndo: 'Es gibt nichts rückgängig zu machen.',
  someFailed: many('Eine ließ sich nicht ändern.', 'ließen sich nicht ändern.'),
  cancelAsk: name => `${name} abbrechen?`, cancelWords: 'Was bisher davon da ist, wird gelöscht.',
  removeAsk: name => `${name} entfernen?`, removeWords: 'Eine Datei, die auch gelöscht wird, muss noch so sein, wie sie abgelegt wurde.',

  timeline: 'Was geschah', answer: 'Antwort des Servers', sameCommand: 'Dasselbe als Befehl', mapOf: words => `Teile der Datei: ${words}`,
  segment: (place, part, speed, source) => `${place}: ${part}, ${speed}${source ? `, Spiegel ${source}` : ''}`,
  kinds: {
    submitted: 'hinzugefügt', suspended: 'angehalten', resumed: 'fortgesetzt', running: 'gestartet', waiting: 'wartet', changed: 'geändert', succeeded: 'fertig',
    failed: 'fehlgeschlagen', canceled: 'abgebrochen',
  },

  addHeading: 'Übertragungen hinzufügen', addCount: count => (count > 1 ? `${count} hinzufügen` : 'Hinzufügen'), changeOf: name => `${name} ändern`,
  rateOf: name => `Höchsttempo von ${name}`, signInTo: host => `Bei ${host} anmelden`, realm: realm => `Der Server fragt nach „${realm}“.`, secretHeading: 'Ferry öffnen',
  secretNeeded: 'Diese Seite braucht das Geheimnis des Gateways.', secretWrong: 'Das Geheimnis stimmt nicht oder nicht mehr. Was hier offen ist, bleibt.',
  withHeaders: count => `${count} Header`, withMirrors: count => `${count} Spiegel`, withChecksum: 'mit Prüfsumme', alreadyThere: 'ist schon in der Liste',
  andMore: count => `und ${count} weitere`,

  away: 'Ferry antwortet nicht. Nichts wurde geändert.', awayWords: 'Ferry antwortet nicht. Was hier steht, kann alt sein; es geht von selbst weiter.',
  awayShort: 'keine Antwort', keptTyped: 'Ferry antwortet nicht. Die Eingaben bleiben hier stehen; bitte noch einmal senden, wenn Ferry wieder da ist.',
  odd: status => `Das Gateway hat mit ${status} geantwortet.`,
  noAmount: typed => `„${typed}“ ist keine Menge; möglich sind 500k oder 8M.`, smallAmount: 'Mindestens 1k.', noCount: most => `Eine ganze Zahl von 1 bis ${most}.`,
  noURL: words => `„${words}“ enthält keine URL mit http oder https.`, nothingToAdd: 'Hier ist keine URL.', noChecksum: words => `„${words}“ ist keine Prüfsumme.`,
  noHeader: line => `„${line}“ ist kein Header; möglich ist Name: Wert.`, noFolder: 'Ein Ordner ist ein absoluter Pfad, etwa /home/ich/Downloads.',
  noDate: 'Bitte Datum und Uhrzeit wählen.', curlFile: option => `${option} nennt eine Datei, die die Seite nicht lesen kann.`,
  curlIgnored: option => `${option} wird weggelassen.`, metalinkWrong: 'Das Metalink-Dokument lässt sich nicht lesen, oder es hat mehr als 2 MiB.',

  keys: [
    ['n', 'Hinzufügen'], ['/', 'Suchen'], ['↑ ↓ Pos1 Ende', 'Durch die Liste gehen; mit Umschalt unterwegs wählen'], ['Leertaste', 'Wählen oder nicht'],
    ['Strg+A', 'Alle angezeigten wählen'], ['Enter', 'Einzelheiten zeigen'], ['Esc', 'Schließen, nichts wählen'], ['p', 'Anhalten'], ['r', 'Fortsetzen, noch einmal'],
    ['c', 'Abbrechen'], ['Entf', 'Entfernen'], ['Umschalt+Entf', 'Mit Datei entfernen'], ['e F2', 'Ändern, umbenennen'], ['Alt+↑ Alt+↓', 'Verschieben'],
    ['Alt+Pos1 Alt+Ende', 'Ganz nach oben, ganz nach unten'], ['f', 'Fehlgeschlagene noch einmal'], ['z Strg+Z', 'Rückgängig'], ['s', 'Langsam'], ['l', 'Grenzen'], ['?', 'Hilfe'],
  ],

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
    disk_full: 'Die Platte ist voll.', disk_io: 'Lesen oder Schreiben auf der Platte schlug fehl.', file_too_large: 'Das Dateisystem erlaubt keine Datei dieser Größe.',
    partial_lost: 'Was schon da war, ist verschwunden.', destination_unwritable: 'In den Ordner lässt sich nicht schreiben.',
    destination_exists: 'Eine andere Datei ist schon da.', placement_failed: 'Die Datei ließ sich nicht an ihren Platz bringen.',
    deadline_exceeded: 'Die Frist ist abgelaufen.', canceled: 'Abgebrochen.', invalid_url: 'Das ist keine URL, die sich holen lässt.',
    unsupported_scheme: 'Nur http und https werden geholt.', request_not_replaceable: 'Das lässt sich hier nicht mehr ändern.',
    unknown_transfer: 'Diese Übertragung gibt es nicht mehr.', session_in_use: 'Ein anderes Programm hat die Sitzung geöffnet.', daemon_unreachable: 'Ferry ist nicht erreichbar.',
    journal_failed: 'Das Journal ließ sich nicht lesen oder schreiben.', internal: 'Ferry hat selbst einen Fehler gemacht.',
  },
};
