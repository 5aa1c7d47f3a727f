import ArgumentParser
import FerryCore

/// Credentials by host from `~/.netrc` (the netrc page of ftp(1), and https://everything.curl.dev/usingcurl/netrc.html).
///
/// An entry that cannot be read is skipped, unless it is for a host of the command.
struct Netrc {
    private struct Entry {
        /// Line of its first word.
        let line: Int
        /// Nil matches every host.
        let host: String?
        var port: Int? = nil
        var user: String?
        var password: String?
        /// Whether a word could not be read.
        var isDamaged = false

        /// Whether it has anything to send. An entry without a login or a password only names a host.
        var hasLogin: Bool { user != nil || password != nil }

        func login(for host: String) -> GivenLogin {
            GivenLogin(host: host, port: port, user: user ?? "", password: password ?? "")
        }
    }

    private let path: String
    private var entries: [Entry] = []
    private(set) var skipped = SkippedLines()

    init(_ text: String, from path: String) {
        self.path = path
        var words = NetrcWords(text)
        var entry: Entry?
        while let word = words.keyword() {
            let line = words.line
            switch word {
            case "machine":
                append(entry.take())
                guard case .word(let name)? = words.value() else {
                    skipped.append(line)
                    continue
                }
                entry = Self.entry(name, line: line)
                if entry?.isDamaged == true { skipped.append(line) }
            case "default":
                append(entry.take())
                entry = Entry(line: line, host: nil)
            case "macdef":
                _ = words.value()
                words.skipParagraph()
            case "login", "user", "password", "account", "port", "protocol":
                let value = words.value()
                guard entry != nil, case .word(let text)? = value else {
                    damage(&entry, line)
                    continue
                }
                Self.set(word, text, in: &entry)
            // A password with a blank and without quotation marks looks like this.
            default: damage(&entry, line)
            }
        }
        append(entry)
    }

    /// Remark about the skipped entries, or nil.
    var remark: String? { skipped.remark(path, kind: "a readable entry of a netrc file") }

    /// Whether it has an entry for a URL.
    func names(_ url: HTTPURL) -> Bool { entry(for: url) != nil }

    /// The credentials to send with transfers of these URLs: those of the hosts by name, in the file's order, and those
    /// of `default` for other hosts of the URLs. Hosts met in redirects never get the credentials of `default`.
    ///
    /// - Throws: `ValidationError` with the line of an entry for one of the URLs that cannot be read.
    func logins(for urls: [HTTPURL]) throws -> [GivenLogin] {
        var own: [GivenLogin] = []
        for url in urls {
            guard let entry = entry(for: url) else { continue }
            guard !entry.isDamaged else {
                throw ValidationError(
                    "The entry for \(url.host) in line \(entry.line) of “\(path.escapingControls)” cannot be read; write a password with blanks or “#” in quotation marks."
                )
            }
            if entry.hasLogin, entry.host == nil { own.append(entry.login(for: url.host)) }
        }
        let named = entries.compactMap { entry in
            entry.isDamaged || !entry.hasLogin ? nil : entry.host.map(entry.login)
        }
        var seen: Set<GivenLogin> = []
        return (named + own).filter { seen.insert($0).inserted }
    }

    private func entry(for url: HTTPURL) -> Entry? {
        entries.first { entry in
            guard let host = entry.host else { return true }
            return host == url.host && (entry.port ?? url.port) == url.port
        }
    }

    /// Skips an entry, which is named once, or a word before the first entry.
    private mutating func damage(_ entry: inout Entry?, _ line: Int) {
        if entry?.isDamaged != true { skipped.append(line) }
        entry?.isDamaged = true
    }

    private mutating func append(_ entry: Entry?) {
        guard var entry else { return }
        // The daemon would refuse the whole request for one login with a control character or a wrong port.
        if !entry.isDamaged, (try? entry.login(for: entry.host ?? "default").admitted()) == nil {
            skipped.append(entry.line)
            entry.isDamaged = true
        }
        entries.append(entry)
    }

    /// The entry for a host name, an address, or `HOST:PORT`. It is damaged if the name is none of them.
    private static func entry(_ name: String, line: Int) -> Entry {
        let isIPv6 = name.count { $0 == ":" } > 1 && !name.hasPrefix("[")
        guard let url = try? HTTPURL(parsing: "http://\(isIPv6 ? "[\(name)]" : name)/"), url.credentials == nil,
            url.path == "/", url.query == nil
        else { return Entry(line: line, host: name, isDamaged: true) }
        return Entry(line: line, host: url.host, port: name.hasSuffix(":\(url.port)") ? url.port : nil)
    }

    private static func set(_ word: String, _ value: String, in entry: inout Entry?) {
        switch word {
        case "login", "user": entry?.user = value
        case "password": entry?.password = value
        case "port":
            // Emacs writes service names, such as “https”, which restrict nothing here.
            entry?.port = Int(value)
        default: break
        }
    }
}
