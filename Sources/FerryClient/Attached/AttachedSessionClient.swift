package import FerryCore

/// What a library makes of its session: the list first, then the events.
///
/// All calls come one after the other and say what the daemon has said; the client changes its tasks by nothing else.
package protocol AttachedSessionClient: AnyObject, Sendable {
    /// The transfers that the client shows; asked for before the list is read.
    var shownTransfers: Set<TransferID> { get }

    /// Called before each attempt to attach.
    func willAttach(to service: any SessionService) async throws(ServiceError)

    /// Another process has the session and is about to lose it to this one.
    ///
    /// - Parameter lastTask: the highest task number that the session has had so far.
    func isHeld(lastTask: Int)

    /// Called once the session is attached, before its list is read.
    func willList(_ service: any SessionService) async throws(ServiceError)

    /// Takes in all transfers of the session.
    func take(_ listing: SessionListing)

    /// Takes in an event, each durable one once.
    func take(_ signal: SessionSignal, _ place: EventNumbers.Place)

    /// The connection is gone: nothing is told until the next list.
    func lost()

    /// There is no daemon; said once until the session is attached.
    func isUnreachable(_ error: ServiceError)

    /// Another process has the session.
    func isRefused(_ error: ServiceError)

    /// Returns once the callbacks of everything that was taken in have returned, so that it may be acknowledged.
    func hasTold() async
}

extension AttachedSessionClient {
    package func willAttach(to service: any SessionService) async throws(ServiceError) {}
    package func willList(_ service: any SessionService) async throws(ServiceError) {}
    package func isHeld(lastTask: Int) {}
    package func lost() {}
    package func isUnreachable(_ error: ServiceError) {}
    package func isRefused(_ error: ServiceError) {}
    package func hasTold() async {}
}

/// What the daemon has when a session is attached.
package struct SessionListing: Sendable {
    package let attached: SessionSignal.Attached
    /// In the order of submission.
    package let transfers: [Transfer]
    /// What the client showed before the list was read, and is not in it. A transfer that was submitted meanwhile may be in
    /// neither.
    package let gone: Set<TransferID>

    init(attached: SessionSignal.Attached, transfers: [Transfer], shown: Set<TransferID>) {
        self.attached = attached
        self.transfers = transfers
        gone = shown.subtracting(transfers.lazy.map(\.id))
    }
}

/// Where a session is, and as what this process attaches to it.
package struct AttachmentPlace: Sendable {
    package let session: SessionID
    /// What the process says of itself; asked for at each attempt, since an app may have become active meanwhile.
    package let attachment: @Sendable () -> SessionAttachment
    /// The daemon's service; opens or reaches it.
    package let service: @Sendable () async throws(ServiceError) -> any SessionService
    /// The turns of that daemon's sessions in this process.
    package let attachmentLocks: AttachmentLocks
    /// How long callers wait for a daemon that does not answer.
    package let patience: Duration
    /// Threads that callers may wait for, holding all of Swift's own.
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
