// The texts of the dialogs and the detail in German.

const many = (one, others) => count => (count === 1 ? one : `${count} ${others}`);

export default {
  cancel: 'Abbrechen', save: 'Sichern', open: 'Öffnen', copy: 'Kopieren', copied: 'Kopiert.', more: 'Mehr', delete: 'Mit Datei entfernen',
  letterKeys: 'Tasten benutzen, die einzelne Buchstaben sind', notifyAtEnd: 'Melden, wenn eine Übertragung endet, während diese Seite im Hintergrund ist',
  notifyDenied: 'Der Browser erlaubt dieser Seite keine Mitteilungen.',
  languages: { en: 'English', de: 'Deutsch' },

  labels: {
    source: 'URLs, ein curl-Befehl oder ein Metalink-Dokument', url: 'URL', name: 'Name', folder: 'Ordner', start: 'Start', not_before: 'Beginnt', checksums: 'Prüfsumme',
    connections: 'Verbindungen', rate_limit: 'Höchsttempo', priority: 'Priorität', on_conflict: 'Wenn es den Namen gibt', headers: 'Header', user: 'Benutzer',
    password: 'Passwort', proxy: 'Proxy', tags: 'Schlagwörter', secret: 'Geheimnis oder Kopplungscode', language: 'Sprache', slow_rate_limit: 'Höchsttempo, solange „Langsam“ an ist',
    active_transfers: 'Übertragungen zugleich', connections_per_host: 'Verbindungen zu einem Server',
    mirrors: 'Spiegel', final_url: 'Endgültige URL', redirects: 'Weiterleitung', destination: 'Datei', size: 'Größe', session: 'Sitzung', created_at: 'Hinzugefügt', finished_at: 'Beendet',
    attempts: 'Versuche', started_over: 'Von vorn begonnen', bytes_spent: 'Insgesamt empfangen', etag: 'ETag', last_modified: 'Last-Modified', content_type: 'Typ',
    verified: 'Prüfsumme', proofs: 'Geprüft', notes: 'Hinweis', id: 'Kennung', status: 'Status',
  },
  hints: {
    source: 'Header und Cookies eines curl-Befehls werden übernommen.', url: 'Eine neue URL muss zu denselben Bytes führen: was da ist, bleibt.',
    checksums: 'Etwa sha256:… oder die Ziffern allein.', connections: '1 bis 64; leer: Ferry entscheidet.', rate_limit: 'Etwa 500k oder 8M; leer: unbegrenzt.',
    headers: 'Je eine Zeile, etwa Cookie: name=wert oder Referer: https://…', proxy: 'http://, https://, socks5:// oder socks5h://', tags: 'Mit Kommas dazwischen.',
    slow_rate_limit: 'Das kleinere von beiden gilt.', secret: '`ferry gateway secret` zeigt das Geheimnis, `ferry gateway pair` einen Code für einen Browser.',
    name: 'Leer: der Name vom Server.',
  },
  replacesHeaders: 'Sie ersetzen die bisherigen Header. Je eine Zeile, etwa Cookie: name=wert.',
  newServer: 'Das ist ein anderer Server: er bekommt keine Header, Cookies und Passwörter der bisherigen URL. Braucht er welche, hier angeben.',
  priorities: { high: 'hoch', normal: 'normal', low: 'niedrig' },
  starts: { now: 'sofort', paused: 'angehalten', at: 'zu einem Zeitpunkt' },
  conflicts: { unique: 'nummerieren', fail: 'fehlschlagen', replace: 'ersetzen', skip: 'überspringen', update: 'holen, wenn neuer' },

  didAdd: many('Hinzugefügt.', 'hinzugefügt.'), didPause: many('Angehalten.', 'angehalten.'), didStart: many('Geht weiter.', 'gehen weiter.'),
  didCancel: many('Abgebrochen.', 'abgebrochen.'), didRemove: many('Entfernt; die Datei bleibt.', 'entfernt; ihre Dateien bleiben.'),
  didDiscard: many('Entfernt, mit dem, was schon da war.', 'entfernt, mit dem, was schon da war.'),
  didRemoveBoth: (count, withFile) => `${count} entfernt; fertige Dateien ${withFile ? 'sind gelöscht' : 'bleiben'}.`,
  didDelete: many('Mit der Datei entfernt.', 'mit ihren Dateien entfernt.'), didChange: 'Geändert.', didMove: many('Verschoben.', 'verschoben.'),
  staysInPriority: 'Die Übertragung bleibt innerhalb ihrer Priorität.', nothingToUndo: 'Es gibt nichts rückgängig zu machen.',
  discarded: 'Nichts wurde hinzugefügt.',
  tooLarge: name => `${name} hat mehr als 4 MiB und ist keine Liste von Downloads.`,
  someFailed: many('Eine ließ sich nicht ändern.', 'ließen sich nicht ändern.'),
  cancelAsk: name => `${name} abbrechen?`, cancelWords: 'Was bisher davon da ist, wird gelöscht.', discard: 'Verwerfen', keepDownloading: 'Weiter laden',
  keep: 'In der Liste lassen', removeAsk: name => `${name} entfernen?`, removeWords: 'Eine Datei wird nur gelöscht, wenn sie seither niemand geändert hat.',
  removeManyWords: 'Unfertige verlieren, was bisher da ist. Fertige Dateien bleiben.',

  wentWrong: 'Was schiefging', showAll: 'Alles zeigen', showLess: 'Weniger zeigen', partNames: { cookies: 'Cookies', login: 'Anmeldung', 'proxy login': 'Anmeldung am Proxy', body: 'Inhalt', note: 'Notiz' }, withheld: names => `Weggelassen: ${names}.`,
  timeline: 'Was geschah', answer: 'Antwort des Servers', sameCommand: 'Dasselbe als Befehl', mapOf: words => `Teile der Datei: ${words}`,
  segment: (place, part, speed, source) => `${place}: ${part}, ${speed}${source ? `, Spiegel ${source}` : ''}`,
  kinds: {
    submitted: 'hinzugefügt', suspended: 'angehalten', resumed: 'fortgesetzt', running: 'gestartet', waiting: 'wartet', changed: 'geändert', succeeded: 'fertig',
    failed: 'fehlgeschlagen', canceled: 'abgebrochen',
  },

  addHeading: 'Übertragungen hinzufügen', addCount: count => (count > 1 ? `${count} hinzufügen` : 'Hinzufügen'), changeOf: name => `${name} ändern`,
  rateOf: name => `Höchsttempo von ${name}`, signInTo: host => `Bei ${host} anmelden`, realm: realm => `Der Server fragt nach „${realm}“.`,
  secretHeading: 'Ferry öffnen', withHeaders: many('1 Header', 'Header'), withMirrors: many('1 Spiegel', 'Spiegel'), withChecksum: 'mit Prüfsumme',
  alreadyThere: 'ist schon in der Liste', andMore: count => `und ${count} weitere`,
  keptTyped: 'Ferry antwortet nicht. Die Eingaben bleiben hier stehen; bitte noch einmal senden, wenn Ferry wieder da ist.',
  noAmount: typed => `„${typed}“ ist keine Menge; möglich sind 500k oder 8M.`, smallAmount: 'Mindestens 1k.',
  noCount: most => `Eine ganze Zahl von 1 bis ${most}.`,
  noURL: words => `„${words}“ enthält keine URL mit http oder https.`, nothingToAdd: 'Hier ist keine URL.',
  noChecksum: words => `„${words}“ ist keine Prüfsumme.`,
  noHeader: line => `„${line}“ ist kein Header; möglich ist Name: Wert.`, noFolder: 'Ein Ordner ist ein absoluter Pfad, etwa /home/ich/Downloads.',
  noUser: 'Bitte einen Benutzer angeben.', noTorrent: name => `${name || 'Das'} ist ein Torrent. Ferry holt Dateien nur über HTTP.`,
  noList: name => `${name || 'Das'} ist kein Text mit Links.`, noDate: 'Bitte Datum und Uhrzeit wählen.',
  curlFile: option => `${option} nennt eine Datei, die die Seite nicht lesen kann.`,
  curlIgnored: option => `${option} wird weggelassen.`, metalinkWrong: 'Das Metalink-Dokument lässt sich nicht lesen, oder es hat mehr als 2 MiB.',

  keys: [
    ['n', 'Hinzufügen'], ['/', 'Suchen'], ['↑ ↓ Pos1 Ende', 'Durch die Liste gehen; mit Umschalt unterwegs wählen'], ['Leertaste', 'Auswahl umschalten'],
    ['Strg+A', 'Alle angezeigten wählen'], ['Enter', 'Einzelheiten zeigen'], ['Esc', 'Schließen, Auswahl aufheben'], ['p', 'Anhalten'], ['r', 'Fortsetzen, noch einmal'],
    ['c', 'Abbrechen'], ['Entf', 'Entfernen'], ['Umschalt+Entf', 'Mit Datei entfernen'], ['e F2', 'Ändern, umbenennen'], ['Alt+↑ Alt+↓', 'Verschieben'],
    ['Alt+Pos1 Alt+Ende', 'Ganz nach oben, ganz nach unten'], ['f', 'Angezeigte fehlgeschlagene noch einmal'], ['z Strg+Z', 'Rückgängig'], ['s', 'Langsam'], ['l', 'Grenzen'], ['d', 'Kompakt'], ['?', 'Hilfe'],
  ],
};
