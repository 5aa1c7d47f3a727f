import FerryCore

/// What a starting daemon says to the client that started it.
enum ReadinessReport: Equatable {
    case ready
    case refused(TransferError)
    /// It ended, or closed the pipe, without a word.
    case silent
    /// It has said nothing in time.
    case late

    /// Reads `ready`, or `error <code> <sentence>`.
    init(line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "ready": self = .ready
        case "error" where words.count == 3:
            let code = ErrorCode(rawValue: String(words[1])) ?? .daemonUnreachable
            self = .refused(TransferError(code, String(words[2]).escapingControls))
        default: self = .silent
        }
    }
}
