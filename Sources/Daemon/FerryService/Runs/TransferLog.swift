import FerryCore
import FerryRules
import Foundation
import Logging

/// The daemon's log of transfers: one line for each start, each failure that is retried, and each completion.
struct TransferLog: Sendable {
    let logger: Logger

    func began(_ record: TransferRecord) {
        guard record.attempts == 1 else { return }
        logger.notice("started", metadata: ["transfer": "\(record.id)", "url": "\(Self.shown(record))"])
    }

    func failed(_ record: TransferRecord, _ error: ServiceError, seconds: Double) {
        logger.notice(
            "failed, and retried",
            metadata: [
                "transfer": "\(record.id)", "attempt": "\(record.attempts)", "error": "\(error)",
                "next": "in \(Int(seconds.rounded(.up))) s",
            ])
    }

    func ended(_ record: TransferRecord, _ outcome: Outcome) {
        switch outcome {
        case .succeeded(let success):
            logger.notice(
                success.unchanged ? "unchanged" : "succeeded",
                metadata: [
                    "transfer": "\(record.id)", "file": "\(success.path)", "size": "\(ByteText.of(success.size))",
                ])
        case .failed(let error):
            logger.notice(
                "failed",
                metadata: ["transfer": "\(record.id)", "url": "\(Self.shown(record))", "error": "\(error)"])
        case .canceled: logger.notice("canceled", metadata: ["transfer": "\(record.id)"])
        }
    }

    /// Returns the URL without password, query and fragment, which may contain secrets.
    private static func shown(_ record: TransferRecord) -> String {
        let url = record.request.url
        let end = url.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        return String(url[..<(end ?? url.endIndex)])
    }
}
