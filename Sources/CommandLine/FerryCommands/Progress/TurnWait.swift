import FerryCore
import FerryFoundation

/// Notices that a command's transfers wait for their turn while others run, and says what the user can do.
struct TurnWait {
    /// Start of the time in which none of the command's transfers has run.
    private var since: Date?
    private var isSaid = false

    /// Seconds after which a wait is worth a sentence.
    static let longest: TimeInterval = 1

    /// - Parameters:
    ///   - waiting: One of the transfers that wait for their turn. Nil for none.
    ///   - othersRun: Whether another transfer of the command runs.
    /// - Returns: A sentence, once.
    mutating func sentence(of waiting: Transfer?, othersRun: Bool, now: Date) -> String? {
        guard let waiting, !othersRun else {
            since = nil
            return nil
        }
        let start = since ?? now
        since = start
        guard !isSaid, now.timeIntervalSince(start) >= Self.longest else { return nil }
        isSaid = true
        return Self.sentence(waiting)
    }

    private static func sentence(_ transfer: Transfer) -> String {
        let limit =
            switch transfer.reason {
            case .host: "to \(host(of: transfer)); `ferry limit --per-host NUMBER`"
            case .session:
                "of its session; `ferry limit --session \(transfer.session.name.escapingControls) --active NUMBER`"
            default: "of this user; `ferry limit --active NUMBER`"
            }
        return "waiting for earlier transfers \(limit) allows more at a time, `ferry list --state running` shows them"
    }

    private static func host(of transfer: Transfer) -> String {
        (try? HTTPURL(parsing: transfer.url))?.host.escapingControls ?? "its server"
    }
}
