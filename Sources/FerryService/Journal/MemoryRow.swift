import FerryCore
import Foundation

/// A transfer in memory, with what its indexes go by.
struct MemoryRow: Sendable {
    let record: TransferRecord
    /// Scheme, host and port of its URL; the URL itself where that has none.
    let origin: String
    /// The path that it has reserved; what its facts say may not be recorded yet.
    let destination: String?
    let phase: JournalPhase
    /// The line in which it waits; nil if it waits for a moment of its own, or not at all.
    let line: StoredQueueKey?
    let due: Date?

    /// - Parameters:
    ///   - origin: nil reads it from the URL.
    ///   - revision: how many forms of it there are with this one.
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

    /// What is stored in place of a row, with its reservation.
    ///
    /// - Parameter isCheckpoint: whether it says no more than what a run has found out: then its revision stays.
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

    /// Whether there may be something left on disk after its end.
    var leavesWork: Bool { (phase == .canceling || phase.isEnded) && record.facts.leavesWork }

    /// Whether it has ended and still has secrets that it had before.
    var hasOldSecrets: Bool { phase.isEnded && JournalSecrets(record) == .kept }

    /// Where one that succeeded has put its file.
    var placed: String? {
        guard phase == .succeeded, case .succeeded(let success) = record.outcome else { return nil }
        return success.path
    }

    private static func origin(of request: TransferRequest) -> String {
        (try? HTTPURL(parsing: request.url))?.origin.description ?? request.url
    }
}

extension PendingTransfer {
    /// What the queue needs to know of a row that waits.
    init(_ row: MemoryRow) {
        let record = row.record
        self.init(
            id: row.id, session: row.session, origin: row.origin, priority: record.request.priority,
            network: record.request.network, retry: record.retry?.moment, notBefore: record.request.notBefore,
            due: row.due,
            startsAfterRelaunch: record.attempts == 0 && record.facts.startsAfterRelaunch == true)
    }
}
