import ArgumentParser
import FerryCore

/// A shell's request for completions at the cursor.
///
/// The scripts of `ferry completions` call `---completion VERB… -- ARGUMENT WORDS…`, as swift-argument-parser generates
/// them.
struct CompletionRequest: Hashable {
    enum Subject: Hashable {
        case transfers, sessions, tags
        /// The words of manual pages.
        case pages
        case settings
    }

    let subject: Subject
    /// The separator between a word and its description. Nil if the shell shows no descriptions.
    let separator: String?
    /// Whether to add a final blank: zsh's script removes the last word.
    let endsWithBlank: Bool

    static let mark = "---completion"

    /// - Parameters:
    ///   - arguments: The arguments from the marker on.
    ///   - shell: The variable `SAP_SHELL`.
    /// - Returns: Nil for an argument without completions.
    init?(_ arguments: [String], shell: String?) {
        guard arguments.first == Self.mark, let end = arguments.firstIndex(of: "--"), end + 1 < arguments.count else {
            return nil
        }
        let (verb, argument) = (arguments[1..<end].last, arguments[end + 1])
        switch argument {
        case "--session": subject = .sessions
        case "--tag": subject = .tags
        default:
            guard argument.hasPrefix("positional@") else { return nil }
            switch verb {
            case QuitCommand._commandName: subject = .sessions
            case ManualCommand._commandName: subject = .pages
            case SettingsCommand._commandName: subject = .settings
            default: subject = .transfers
            }
        }
        separator = shell == "zsh" ? ":" : shell == "fish" ? "\t" : nil
        endsWithBlank = shell == "zsh"
    }

    /// Maximum number of offered transfers, newest first.
    static let mostTransfers = 200

    /// The lines for the shell's script, if they need no daemon.
    var linesWithoutDaemon: [String]? {
        let lines: [String]
        switch subject {
        case .transfers, .sessions, .tags: return nil
        case .pages:
            let words = (try? CommandTree.ofFerry().leaves.flatMap(\.words)) ?? []
            lines = Set(words).sorted().map { line($0, about: "") }
        case .settings: lines = DaemonSetting.all.map { line($0.name + "=", about: $0.meaning) }
        }
        return endsWithBlank ? lines + [" "] : lines
    }

    /// The lines for the shell's script.
    func lines(in service: any SessionService) async throws(ServiceError) -> [String] {
        var lines: [String] = []
        switch subject {
        case .pages, .settings: return linesWithoutDaemon ?? []
        case .transfers:
            lines.append(line(TransferWords.newest, about: "the newest transfer"))
            for transfer in try await Self.newest(service) {
                lines.append(line(transfer.id.description, about: "\(transfer.state.word) \(transfer.displayName)"))
            }
        case .sessions:
            for session in try await service.sessions() where Self.isPlain(session.id.name) {
                let count = session.transfers.values.reduce(0, +)
                lines.append(line(session.id.name, about: "\(count) transfers"))
            }
        case .tags:
            let tags = Set(try await Self.newest(service).flatMap(\.tags))
            lines = tags.filter(Self.isPlain).sorted().map { line($0, about: "") }
        }
        return endsWithBlank ? lines + [" "] : lines
    }

    private static func newest(_ service: any SessionService) async throws(ServiceError) -> [Transfer] {
        var query = TransferQuery()
        (query.newestFirst, query.limit) = (true, mostTransfers)
        return try await service.transfers(query).transfers
    }

    private func line(_ word: String, about description: String) -> String {
        guard let separator, !description.isEmpty else { return word }
        return word + separator + description.escapingControls
    }

    /// Whether a word needs no quoting in any shell: bash expands the words that it gets.
    private static func isPlain(_ word: String) -> Bool {
        !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-/@+,%=".utf8.contains(byte)
                }
            }
    }
}

extension CompletionKind {
    /// Words requested from ferry by the shell. ``CompletionRequest`` answers.
    static var ofFerry: CompletionKind { .custom { _, _, _ in [] } }
}
