// Ferry: FerryService
// How long events are kept that nobody acknowledges.

import FerryCore
import FerryStore
import Foundation

extension LocalTransferService {
    /// Seconds for which an event waits for its session's acknowledgement.
    private static let eventLifetime = 30.0 * 86_400
    /// Events of the command line's session that are kept: its commands come and go, and none acknowledges for all.
    static let commandLineEvents = 10_000

    /// Lets events go that waited too long.
    func trimEvents() async throws(TransferError) {
        let moment = Date().addingTimeInterval(-Self.eventLifetime)
        try await journal.commit { transaction throws(TransferError) in
            try transaction.trimEvents(olderThan: moment, keepingPerSession: 0)
            try transaction.trimEvents(of: .cli, keeping: Self.commandLineEvents)
        }
    }

    /// Trims again after every thousand outcomes, so that a daemon that never ends stays small too.
    func noteOutcome() async {
        outcomesSinceTrim += 1
        guard outcomesSinceTrim >= 1000 else { return }
        outcomesSinceTrim = 0
        // The outcome is stored, whatever becomes of old events.
        do throws(TransferError) { try await trimEvents() } catch {
            if !isShuttingDown { noteFailure(error) }
        }
    }
}
