// Ferry: FerryCommands
// How a transfer ended, on one line.

import FerryCore

/// Says how a transfer ended, and where its file is.
enum EndSentence {
    /// Nil while it has not ended.
    static func of(_ transfer: Transfer) -> String? {
        switch transfer.state {
        case .succeeded:
            let file = (transfer.destination ?? transfer.folder).escapingControls
            if transfer.unchanged { return "unchanged: \(file)" }
            var line = "saved: \(file) (\(ByteText.of(transfer.bytesReceived)))"
            if !transfer.lengthVerified { line += ", length unverified" }
            return line
        case .failed:
            let error = transfer.error.map { "\($0.message.escapingControls) (\($0.word.escapingControls))" }
            return "failed: \(transfer.displayName): \(error ?? "for an unknown reason")"
        case .canceled: return "canceled: \(transfer.displayName)"
        case .waiting, .running, .suspended, .unknown: return nil
        }
    }
}
