/// What a background session asks of the daemon beyond its transfers: ownership, launch and force-quit.
package protocol SessionService: TransferService {
    /// Attaches this process to a session; it stays attached while it reads the stream and its connection lasts.
    ///
    /// The first signal is `.attached`, or `.held` before it where a launched process has the session and its user has started this
    /// one; then come the session's events as `events` gives them, durable ones and samples.
    /// - Throws: ``ServiceError`` with code `session_in_use` while another live process is attached.
    func attach(_ session: SessionID, _ attachment: SessionAttachment) async throws(ServiceError)
        -> AsyncThrowingStream<SessionSignal, any Error>

    /// Connects an app's run loop; while it reads the stream, the app is asked to handle events before it is launched.
    func connect(_ application: ApplicationConnection) async throws(ServiceError)
        -> AsyncThrowingStream<ApplicationSignal, any Error>

    /// Says that a process that was launched for its events has become active.
    func becomeActive(_ application: String, process: Int32) async throws(ServiceError)

    /// Stores how an app is launched; nil forgets it.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` if the program is no absolute path of an executable file.
    func registerLaunchCommand(_ command: LaunchCommand?, of application: String) async throws(ServiceError)

    /// Force-quits: every unfinished transfer ends as canceled with what is needed to continue it, transfers of managers are
    /// suspended, and nothing is launched until the app is started by its user.
    func quit(_ selection: QuitSelection) async throws(ServiceError) -> [ActionResult]

    /// Stores in which order a session's transfers get their turns; transfers that are not named come after, the oldest first.
    ///
    /// Ids that the session does not have are left out.
    func reorder(_ session: SessionID, _ ids: TransferIDRuns) async throws(ServiceError)

    // MARK: Many at once

    /// All transfers of a session, in the order of submission.
    func allTransfers(of session: SessionID) async throws(ServiceError) -> [Transfer]

    /// Stores all items of a batch in one transaction, with ids in their order.
    ///
    /// An item that is refused does not hold back the others. One whose destination is refused is stored as failed, so
    /// that it can be started again; where the items are lines, a folder that is refused refuses them all. In the same
    /// transaction go on the transfers that `starts` names, as by the action `start`.
    /// - Throws: ``ServiceError`` only if the call as a whole failed: then none of them was stored. Its code is
    ///   `invalid_request` if the templates are not all of one session.
    func submit(_ batch: TransferBatch) async throws(ServiceError) -> TransferBatch.Report

    /// Acts on many transfers of a session in one transaction, and returns once everything is done.
    ///
    /// - Parameter ids: nil is all transfers of the session; then transfers that have succeeded are not started. Of the ids
    ///   that the session does not have, the first ``SessionAction/mostUnknown`` are among the report's failures.
    /// - Throws: ``ServiceError`` only if the call as a whole failed: then nothing was done.
    func act(
        _ action: SessionAction, in session: SessionID, on ids: TransferIDRuns?
    ) async throws(ServiceError) -> SessionAction.Report
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

/// What a session's client does to its transfers; on many in one transaction.
package enum SessionAction: String, CaseIterable, Codable, Sendable {
    /// Stops what waits or runs and keeps its bytes.
    case pause
    /// Lets go on what is suspended, failed or canceled; one that waits for a retry tries at once. One that has succeeded
    /// starts again from 0 if its file is not the one that it fetched.
    case start
    /// Forgets what has not succeeded, and removes its partial files.
    case cancel
    /// Forgets all; finished files stay.
    case remove
    /// Forgets all and deletes the files that were fetched, where they are still the same files.
    case removeWithFile = "remove_with_file"

    /// Ids that the session does not have, as far as a report names them: a short text may name very many.
    package static let mostUnknown = 1000

    /// What an action came to.
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

/// What is force-quit: one session, or all of an app.
package enum QuitSelection: Hashable, Codable, Sendable {
    case session(SessionID)
    case application(String)
}
