/// The daemon's operations for background sessions: ownership, launch and force-quit.
package protocol SessionService: TransferService {
    /// Attaches this process to a session for as long as it reads the stream and its connection lasts.
    ///
    /// The first signal is `.attached`, or `.held` before it if a launched process is attached and the user has started
    /// this one. The session's durable events and progress follow, as `events` delivers them.
    /// - Throws: ``ServiceError`` with code `session_in_use` while another live process is attached.
    func attach(_ session: SessionID, _ attachment: SessionAttachment) async throws(ServiceError)
        -> AsyncThrowingStream<SessionSignal, any Error>

    /// Connects an app's run loop. While it reads the stream, the app is asked to handle events before it is launched.
    func connect(_ application: ApplicationConnection) async throws(ServiceError)
        -> AsyncThrowingStream<ApplicationSignal, any Error>

    /// Records that a process launched for its events has become active.
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError)

    /// Stores an app's launch command. Nil removes it.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the program is not the absolute path of an executable
    ///   file.
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError)

    /// Force-quits sessions: unfinished transfers end as canceled with resume data, transfers of managers are
    /// suspended, and nothing is launched until the user starts the app.
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult]

    /// Sets the order of a session's transfers. Unlisted transfers follow, oldest first.
    ///
    /// Ids that the session does not have are ignored.
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError)

    /// Extends a session's lease: its transfers that need one run until then. A renewal never shortens it.
    ///
    /// Forgotten when the service ends. Both sides read the same clock of the machine, so that a renewal that was held up
    /// extends nothing beyond its end.
    /// - Parameter end: Seconds since boot, sleep included.
    /// - Throws: ``ServiceError`` with code `invalid_request` if the end is more than ``SessionID/longestLease`` away.
    func renewLease(of session: SessionID, until end: Double) async throws(ServiceError)

    // MARK: Many at once

    /// Returns all transfers of a session, in order of submission.
    func allTransfers(of session: SessionID) async throws(ServiceError) -> [Transfer]

    /// Submits all items of a batch in one transaction, with ids in their order.
    ///
    /// A refused item does not affect the others. One with a refused destination is stored as failed, so that it can be
    /// restarted; for a list of URLs, a refused folder refuses all. The same transaction starts the transfers of
    /// `starts`, as the action `start` does.
    /// - Throws: ``ServiceError`` only if the call as a whole failed. Then nothing was stored. The code is
    ///   `invalid_request` if the templates belong to several sessions.
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report

    /// Performs an action on many transfers of a session in one transaction. Returns once everything is done.
    ///
    /// - Parameter ids: Nil means all transfers of the session, of which succeeded ones are not started. The first
    ///   ``SessionAction/mostUnknown`` unknown ids are reported as failures.
    /// - Throws: ``ServiceError`` only if the call as a whole failed. Then nothing was done.
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report
}

extension SessionID {
    /// Maximum length of a session's lease in seconds.
    package static let longestLease = 3600.0
}

extension SessionService {
    package func allTransfers(of session: SessionID) async throws(ServiceError) -> [Transfer] {
        var query = TransferQuery()
        query.session = session
        query.limit = 1000
        var all: [Transfer] = []
        repeat {
            let page = try await transfers(query)
            all += page.transfers
            query.after = page.next
        } while query.after != nil
        return all
    }
}

/// An action of a session's client on its transfers. Performed on many in one transaction.
package enum SessionAction: String, CaseIterable, Codable, Sendable {
    /// Stops waiting and running transfers and keeps their bytes.
    case pause
    /// Starts suspended, failed and canceled transfers. One waiting for a retry is attempted at once. A succeeded one
    /// restarts from byte 0 if its file has changed or is missing.
    case start
    /// Removes transfers that have not succeeded, failed and canceled ones included, with their partial files.
    case cancel
    /// Removes all transfers. Finished files stay.
    case remove
    /// Removes all transfers and deletes their finished files where unchanged.
    case removeWithFile = "remove_with_file"

    /// Maximum number of unknown ids in a report, since a short text may name very many.
    package static let mostUnknown = 1000

    /// The outcome of an action.
    package struct Report: Hashable, Codable, Sendable {
        /// Number of the latest durable event when everything was done.
        package var lastEvent: Int64
        /// The transfers for which it failed.
        package var failures: [ActionResult]

        package init(lastEvent: Int64, failures: [ActionResult]) {
            self.lastEvent = lastEvent
            self.failures = failures
        }

        private enum CodingKeys: String, CodingKey {
            case failures
            case lastEvent = "last_event"
        }
    }
}

/// The target of a force-quit: one session, or all sessions of an app.
package enum QuitSelection: Hashable, Codable, Sendable {
    case session(SessionID)
    case application(String)
}
