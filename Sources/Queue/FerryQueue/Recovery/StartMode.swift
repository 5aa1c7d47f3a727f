package import FerryCore
package import FerryFoundation

/// The mark that a daemon leaves in its state folder until it has run for ``StartMode/trial`` seconds, or has ended
/// cleanly.
package struct StartMark: Hashable, Codable, Sendable {
    /// Number of daemons before this one that trapped soon after their start. A kill in between does not change it.
    package var traps: Int
    /// Transfers running at the last trap.
    package var atWork: [TransferID]
    /// Start of the daemon that wrote the mark.
    package var startedAt: Date

    package init(traps: Int = 0, atWork: [TransferID] = [], startedAt: Date) {
        self.traps = traps
        self.atWork = atWork
        self.startedAt = startedAt
    }

    enum CodingKeys: String, CodingKey {
        case traps
        case atWork = "at_work"
        case startedAt = "started_at"
    }
}

/// The note that a trap, a signal by which a process ends itself, leaves in the state folder.
package struct TrapNote: Hashable, Sendable {
    /// Transfers that were running, without duplicates.
    package var atWork: [TransferID]

    package init(atWork: [TransferID] = []) { self.atWork = atWork }

    /// Parses the output of `ferry_note_traps`: a line with the signal's number, then one line per transfer. Unreadable
    /// lines are skipped.
    package init(_ text: String) {
        let lines = text.split(separator: "\n").dropFirst()
        atWork = Array(Set(lines.compactMap { TransferID(String($0)) })).sorted()
    }
}

/// The start mode of a daemon.
package enum StartMode: Hashable, Sendable {
    case usual
    /// The daemon has trapped repeatedly: the transfers that were running fail, so that all others continue.
    case afterTraps(atWork: [TransferID])

    /// Seconds after which a trap does not count as a failed start.
    package static let trial = 60.0
    /// Number of traps, each within the trial of its start, after which the running transfers fail.
    private static let most = 2

    /// Decides by the mark and the note found, and returns the new mark.
    ///
    /// A trap without a mark happened after the trial. A kill says nothing about the transfers.
    package static func decide(
        _ mark: StartMark?, _ note: TrapNote?, now: Date
    ) -> (mode: StartMode, mark: StartMark) {
        guard let mark else { return (.usual, StartMark(startedAt: now)) }
        var next = mark
        next.startedAt = now
        if let note {
            next.traps = min(max(0, mark.traps), most) + 1
            if !note.atWork.isEmpty { next.atWork = note.atWork }
        }
        return (next.traps >= most ? .afterTraps(atWork: next.atWork) : .usual, next)
    }

    /// Transfers that fail at this start.
    package var suspects: [TransferID] {
        if case .afterTraps(let atWork) = self { atWork } else { [] }
    }

    /// A warning for the user about the crashes, or nil after a normal start.
    package var warning: String? {
        guard case .afterTraps(let atWork) = self else { return nil }
        let beginning = "ferryd crashed twice, each time within a minute of its start."
        guard !atWork.isEmpty else {
            return
                "\(beginning) No transfer was running. Files of finished transfers are cleaned up after the next start."
        }
        let named = atWork.prefix(16).map(\.description).joined(separator: " ")
        let others = atWork.count > 16 ? " and \(atWork.count - 16) more" : ""
        return
            "\(beginning) The running transfers were stopped and have failed: \(named)\(others). All others continue. "
            + "`ferry retry ID` restarts one."
    }
}
