import FerryCore
import FerryRules
import FerryFoundation

/// A transfer in memory, with the values of its indexes.
struct MemoryRow: Sendable {
    let record: TransferRecord
    /// Scheme, host and port of the URL, or the URL itself if it has none.
    let origin: String
    /// The reserved path. The recorded facts may not contain it yet.
    let destination: String?
    let phase: JournalPhase
    /// The queue in which the transfer waits. `nil` if it waits for a moment of its own, or not at all.
    let line: StoredQueueKey?
    let due: Date?

    /// - Parameters:
    ///   - origin: `nil` derives it from the URL.
    ///   - revision: The number of versions of the row, including this one.
    init(_ record: TransferRecord, origin: String? = nil, destination: String?, revision: Int64 = 1) {
        var record = record
        record.revision = Revision(revision)
        self.record = record
        let origin = origin ?? Self.origin(of: record.request)
        self.origin = origin
        self.destination = record.outcome == nil ? destination : nil
        phase = JournalPhase(intent: record.intent, outcome: record.outcome?.kind)
        line = phase == .pending ? StoredQueueKey(record, origin: origin) : nil
        due = phase == .pending ? record.due : nil
    }

    /// Creates the row that replaces `old`, with its reservation.
    ///
    /// - Parameter isCheckpoint: Whether the change only records a run's progress. The revision then stays the same.
    init(_ record: TransferRecord, inPlaceOf old: MemoryRow, destination: String?, isCheckpoint: Bool = false) {
        let isSameURL = record.request.url == old.record.request.url
        self.init(
            record, origin: isSameURL ? old.origin : nil, destination: destination,
            revision: old.record.revision.number + (isCheckpoint ? 0 : 1))
    }

    var id: TransferID { record.id }
    var session: SessionID { record.request.session }
    var isTimed: Bool { phase == .pending && line == nil }
    var isLive: Bool { !phase.isEnded }

    /// Whether files may be left on disk after the transfer has finished.
    var leavesWork: Bool { (phase == .canceling || phase.isEnded) && record.facts.leavesWork }

    /// Whether the transfer has finished and still has secrets in the journal.
    var hasOldSecrets: Bool { phase.isEnded && JournalSecrets(record) == .kept }

    /// The path of a succeeded transfer's file.
    var placed: String? {
        guard phase == .succeeded, case .succeeded(let success) = record.outcome else { return nil }
        return success.path
    }

    private static func origin(of request: TransferRequest) -> String {
        (try? HTTPURL(parsing: request.url))?.origin.description ?? request.url
    }
}

extension PendingTransfer {
    /// Creates the queue's view of a pending row.
    init(_ row: MemoryRow) {
        let record = row.record
        self.init(
            id: row.id, session: row.session, origin: row.origin, priority: record.request.timing.priority,
            network: record.request.transport.network, retry: record.retry?.moment,
            notBefore: record.request.timing.notBefore,
            due: row.due,
            startsAfterRelaunch: record.attempts == 0 && record.facts.startsAfterRelaunch == true)
    }
}
