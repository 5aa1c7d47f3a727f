package import FerryCore
package import FerryQueue
package import FerryRules
package import Foundation
package import Logging

/// Sample records and journals.
package enum Sample {
    package static let moment = Date(timeIntervalSince1970: 1_700_000_000.125)
    package static let quiet = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    package static func id(_ number: UInt64) -> TransferID { TransferID(rawValue: 1_700_000_000_000 << 20 + number) }

    package static func record(
        _ number: UInt64, session: String = "cli", tags: [String] = [], destination: String? = nil
    ) throws -> TransferRecord {
        var request = TransferRequest(url: "https://example.com/files/\(number).iso", folder: "/home/u/Downloads")
        request.session = try SessionID(session)
        request.tags = tags
        var record = TransferRecord(id: id(number), createdAt: moment, request: request, credentials: nil)
        record.facts.destination = destination
        return record
    }

    /// Returns a record with a value in every column.
    package static func fullRecord(_ number: UInt64) throws -> TransferRecord {
        var record = try record(number, session: "app", tags: ["a", "b"])
        record.request.timing.deadline = moment.addingTimeInterval(60)
        record.request.response.checksums = [try Checksum(parsing: "md5:00112233445566778899aabbccddeeff")]
        record.facts.partial = partial
        record.facts.name = "n"
        record.facts.destination = "/home/u/Downloads/n\(number)"
        record.facts.redirects = ["https://a.example/"]
        record.attempts = 3
        record.retry = RetryPlan(
            at: moment.addingTimeInterval(4.5), delay: 4.5, reason: .retry,
            error: ServiceError(.connectionLost, "Reset."))
        return record
    }

    package static let partial = PartialFacts(
        folder: "/home/u/Downloads", name: ".ferry-1.part", device: 1, inode: .max, folderDevice: 1, folderInode: 2)

    package static let success = Outcome.succeeded(Outcome.Success(path: "/home/u/Downloads/n", size: 5, verified: []))

    package static func insert(_ records: [TransferRecord], into journal: any Journal) async throws {
        try await journal.commit { transaction throws(ServiceError) in
            for record in records { try transaction.insert(record) }
        }
    }

    /// Stores a record and returns it as read back.
    package static func stored(_ record: TransferRecord, in journal: any Journal) async throws -> TransferRecord {
        try await insert([record], into: journal)
        guard let stored = try await journal.record(record.id) else {
            throw ServiceError(.unknownTransfer, "The record is not stored.")
        }
        return stored
    }
}
