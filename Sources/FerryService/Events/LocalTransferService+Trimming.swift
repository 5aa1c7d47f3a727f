// Ferry: FerryService
// How long events are kept that nobody acknowledges.

import FerryCore
import Foundation

extension LocalTransferService {
    /// Lets events go that waited too long, or are too many.
    func trimEvents() async throws(TransferError) {
        let now = Date()
        let sessions = try await journal.read { reader throws(TransferError) in try reader.sessionsWithEvents() }
        for session in sessions {
            let limits = configuration.retention.limits(isAcknowledged: isRegistered(session), now: now)
            var hasMore = true
            while hasMore, !isShuttingDown {
                hasMore = try await journal.commit(ofRunning: true) { transaction throws(TransferError) in
                    try transaction.trimEvents(of: session, limits)
                }
            }
        }
    }

    /// How many events of a long list are stored: the next trimming would let the others go.
    func keptEvents(of session: SessionID) -> Int {
        isRegistered(session) ? .max : configuration.retention.mostUnacknowledged
    }

    /// Whether an app is registered for a session, and will take its events.
    private func isRegistered(_ session: SessionID) -> Bool { queue.desk.contains(session) }

    /// Trims again after every thousand outcomes, so that a daemon that never rests stays small too.
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
