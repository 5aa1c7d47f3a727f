package import FerryCore

/// A library's view of its session: the list first, then the events.
///
/// All calls are made one after the other and report what the daemon said. The client changes its tasks only in
/// response to them.
package protocol AttachedSessionClient: AnyObject, Sendable {
    /// The transfers that the client shows. Read before the list is requested.
    var shownTransfers: Set<TransferID> { get }

    /// Called before each attempt to attach.
    func willAttach(to service: any SessionService) async throws(ServiceError)

    /// The highest task number of the session so far.
    var lastTask: Int { get }

    /// Another process, or an earlier object of this one, has the session and is about to lose it to this object.
    ///
    /// - Parameter lastTask: The highest task number of the session so far.
    func isHeld(lastTask: Int)

    /// Called once the session is attached, before its list is read.
    func willList(_ service: any SessionService) async throws(ServiceError)

    /// Applies the list of all transfers of the session.
    func take(_ listing: SessionListing)

    /// Applies an event. Each durable event is passed once.
    func take(_ signal: SessionSignal, _ place: EventNumbers.Place)

    /// The connection is lost. No events arrive until the next list.
    func lost()

    /// No daemon is reachable. Called once until the session is attached.
    func isUnreachable(_ error: ServiceError)

    /// Another process has the session.
    func isRefused(_ error: ServiceError)

    /// Returns once the callbacks of everything applied have returned, so that it may be acknowledged.
    func hasTold() async
}

extension AttachedSessionClient {
    package var lastTask: Int { 0 }
    package func willAttach(to service: any SessionService) async throws(ServiceError) {}
    package func willList(_ service: any SessionService) async throws(ServiceError) {}
    package func isHeld(lastTask: Int) {}
    package func lost() {}
    package func isUnreachable(_ error: ServiceError) {}
    package func isRefused(_ error: ServiceError) {}
    package func hasTold() async {}
}

/// The daemon's transfers when a session is attached.
package struct SessionListing: Sendable {
    package let attached: SessionSignal.Attached
    /// In the order of submission.
    package let transfers: [Transfer]
    /// Transfers that the client showed before the list was read and that are not in the list. A transfer submitted in
    /// between may be in neither.
    package let gone: Set<TransferID>

    init(attached: SessionSignal.Attached, transfers: [Transfer], shown: Set<TransferID>) {
        self.attached = attached
        self.transfers = transfers
        gone = shown.subtracting(transfers.lazy.map(\.id))
    }
}

/// The location of a session, and how this process attaches to it.
package struct AttachmentPlace: Sendable {
    package let session: SessionID
    /// Returns this process's description of itself. Called for each attempt, since an app may have become active
    /// meanwhile.
    package let attachment: @Sendable () -> SessionAttachment
    /// Returns the daemon's service, after opening or reaching it.
    package let service: @Sendable () async throws(ServiceError) -> any SessionService
    /// The locks of that daemon's sessions within this process.
    package let attachmentLocks: AttachmentLocks
    /// How long callers wait for an unresponsive daemon.
    package let patience: Duration
    /// Executor for tasks that callers may wait for while they block all of Swift's own threads.
    package let executor: any TaskExecutor

    package init(
        session: SessionID, attachment: @escaping @Sendable () -> SessionAttachment,
        service: @escaping @Sendable () async throws(ServiceError) -> any SessionService,
        attachmentLocks: AttachmentLocks,
        patience: Duration, executor: any TaskExecutor
    ) {
        self.session = session
        self.attachment = attachment
        self.service = service
        self.attachmentLocks = attachmentLocks
        self.patience = patience
        self.executor = executor
    }
}
