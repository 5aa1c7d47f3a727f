package import FerryFoundation

/// What a daemon leaves in its state folder until it has run for ``StartMode/trial`` seconds, or has ended well.
package struct StartMark: Hashable, Codable, Sendable {
    /// Daemons that a trap ended soon after their starts, before the one that wrote this; a kill in between changes nothing.
    package var traps: Int
    /// Transfers that were at work at the last trap.
    package var atWork: [TransferID]
    /// When the one that wrote this started.
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

/// What a trap, a signal by which a process ends itself, has left in the state folder.
package struct TrapNote: Hashable, Sendable {
    /// Transfers that were at work, each once.
    package var atWork: [TransferID]

    package init(atWork: [TransferID] = []) { self.atWork = atWork }

    /// Reads what `ferry_note_traps` writes: a line with the signal's number, then a line for each transfer. What cannot be
    /// read is left out.
    package init(_ text: String) {
        let lines = text.split(separator: "\n").dropFirst()
        atWork = Array(Set(lines.compactMap { TransferID(String($0)) })).sorted()
    }
}

/// How a daemon starts.
package enum StartMode: Hashable, Sendable {
    case usual
    /// Traps have ended the daemon again and again: the transfers that were at work fail, so that all others go on.
    case afterTraps(atWork: [TransferID])

    /// Seconds after which a trap is no failed start.
    package static let trial = 60.0
    /// Traps, each within so many seconds of its start, after which the transfers at work fail.
    private static let most = 2

    /// Decides by the mark and the note that were found, and gives the mark to leave.
    ///
    /// A trap without a mark came after the trial. One that was killed says nothing of its transfers.
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

    /// A sentence for the user about the crashes; nil after a usual start.
    package var warning: String? {
        guard case .afterTraps(let atWork) = self else { return nil }
        let beginning = "ferryd crashed twice, each time within a minute of its start."
        guard !atWork.isEmpty else {
            return "\(beginning) No transfer was at work. Files of ended transfers are cleaned up after the next start."
        }
        let named = atWork.prefix(16).map(\.description).joined(separator: " ")
        let others = atWork.count > 16 ? " and \(atWork.count - 16) more" : ""
        return "\(beginning) The transfers at work were stopped and have failed: \(named)\(others). All others go on. "
            + "`ferry retry ID` tries one again."
    }

    /// The failure of a transfer that was at work at the traps.
    package static func failure(of id: TransferID) -> ServiceError {
        ServiceError(
            .internal, "ferryd crashed twice while this transfer was at work. `ferry retry \(id)` tries it again.")
    }
}
