import ArgumentParser
import FerryCore

/// Credentials by host from `~/.netrc` (the netrc page of ftp(1), and https://curl.se/docs/manpage.html#--netrc).
struct Netrc {
    private struct Entry {
        /// Nil matches every host.
        let machine: String?
        var login = ""
        var password: String?
    }

    private var entries: [Entry] = []

    /// - Throws: `ValidationError` with the line of an invalid word. The word may be secret and is not included.
    init(_ text: String, from path: String) throws {
        var words = Words(text)
        func value(_ key: String) throws -> String {
            guard let word = words.next() else {
                throw ValidationError("“\(path.escapingControls)” ends after “\(key)”, which needs a value.")
            }
            return word
        }
        while let word = words.next() {
            switch word {
            case "machine": entries.append(Entry(machine: try value(word).lowercased()))
            case "default": entries.append(Entry(machine: nil))
            case "login" where !entries.isEmpty: entries[entries.count - 1].login = try value(word)
            case "password" where !entries.isEmpty: entries[entries.count - 1].password = try value(word)
            case "account" where !entries.isEmpty: _ = try value(word)
            case "macdef":
                _ = try value(word)
                words.skipParagraph()
            default:
                throw ValidationError(
                    "Line \(words.line) of “\(path.escapingControls)” has an unexpected word for a netrc file.")
            }
        }
    }

    /// The credentials for a host, or nil.
    func login(of host: String) -> Login? {
        let found = entries.first { $0.machine == nil || $0.machine == host.lowercased() }
        guard let found, !found.login.isEmpty, let password = found.password else { return nil }
        return Login(user: found.login, password: password)
    }

    /// Adds credentials to a URL without its own.
    func added(to url: String) -> String {
        guard let parsed = try? HTTPURL(parsing: url), let login = login(of: parsed.origin.host) else { return url }
        return login.added(to: url)
    }

    /// The words of a file, separated by whitespace or in quotation marks. A backslash escapes the next character.
    private struct Words {
        private var rest: Substring
        private(set) var line = 1

        init(_ text: String) { rest = text[...] }

        mutating func next() -> String? {
            while let character = rest.first {
                if character == "#" {
                    rest = rest.drop { !$0.isNewline }
                } else if character.isWhitespace {
                    if character.isNewline { line += 1 }
                    rest.removeFirst()
                } else {
                    return character == "\"" ? quoted() : plain()
                }
            }
            return nil
        }

        private mutating func plain() -> String {
            let word = rest.prefix { !$0.isWhitespace }
            rest = rest[word.endIndex...]
            return String(word)
        }

        private mutating func quoted() -> String {
            rest.removeFirst()
            var word = ""
            while let character = rest.popFirst(), character != "\"" {
                if character.isNewline { line += 1 }
                word.append(character == "\\" ? rest.popFirst() ?? character : character)
            }
            return word
        }

        /// Skips a macro, which ends with an empty line.
        mutating func skipParagraph() {
            while let character = rest.popFirst() {
                guard character.isNewline else { continue }
                line += 1
                if rest.first?.isNewline ?? true { return }
            }
        }
    }
}
