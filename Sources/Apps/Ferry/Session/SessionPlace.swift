import FerryClient
import FerryCore
import FerryURLSession
import Foundation
import Glibc

/// The service that carries out a session's transfers: the daemon, or this process.
struct SessionPlace: Sendable {
    /// Whether the daemon carries them out, so that they outlive the process.
    let isDaemon: Bool
    /// The managers' identifier. Empty in this process.
    let identifier: String
    let session: SessionID
    let service: @Sendable () async throws(ServiceError) -> any SessionService
    /// The daemon's folder of partial files referenced by resume data.
    let spool: String
    /// Whether the daemon launches the app when all downloads have finished. Set by the first manager of the identifier.
    var sendsLaunchEvents = true
    /// The program's environment for requests, as it was when the session was created.
    let caller = CallerEnvironment.ofApp
    private let attachmentLocks: AttachmentLocks
    private let application: String
    /// The session's name within its application.
    private let name: String

    /// The session of an identifier in the daemon, or nil if the identifier is invalid.
    init?(_ daemon: DaemonService, identifier: String) {
        let service = daemon.service
        self.init(
            isDaemon: true, identifier: identifier, application: ApplicationIdentity.current, name: identifier,
            attachmentLocks: daemon.attachmentLocks, spool: daemon.spool
        ) { service }
    }

    /// A session of this process only.
    init?(inProcess number: String) {
        self.init(
            isDaemon: false, identifier: "", application: "local", name: number, attachmentLocks: AttachmentLocks(),
            spool: DaemonService.shared.spool
        ) {
            () async throws(ServiceError) -> any SessionService in
            try await LocalService.shared.sessionService()
        }
    }

    private init?(
        isDaemon: Bool, identifier: String, application: String, name: String, attachmentLocks: AttachmentLocks,
        spool: String,
        service: @escaping @Sendable () async throws(ServiceError) -> any SessionService
    ) {
        self.isDaemon = isDaemon
        self.identifier = identifier
        self.application = application
        self.name = name
        self.attachmentLocks = attachmentLocks
        self.service = service
        self.spool = spool
        guard let session = try? Self.attachment(application, name, isDaemon: isDaemon).session() else { return nil }
        self.session = session
    }

    /// Returns the place to attach the session.
    ///
    /// - Parameter patience: Seconds for which calls wait for the daemon.
    func attachmentPlace(patience: Double) -> AttachmentPlace {
        AttachmentPlace(
            session: session,
            // Computed each time: an app that has become active no longer counts as launched in the background.
            attachment: { [self] in
                var attachment = Self.attachment(application, name, isDaemon: isDaemon)
                attachment.sendsLaunchEvents = attachment.sendsLaunchEvents && sendsLaunchEvents
                return attachment
            },
            service: service, attachmentLocks: attachmentLocks, patience: .seconds(patience),
            executor: BlockingExecutor.shared)
    }

    private static func attachment(_ application: String, _ name: String, isDaemon: Bool) -> SessionAttachment {
        var attachment = SessionAttachment(
            application: application, identifier: name, process: getpid(),
            isBackgroundLaunched: isDaemon && ApplicationIdentity.isBackground, sendsLaunchEvents: isDaemon,
            connectionsPerHost: nil)
        attachment.isManager = true
        return attachment
    }

    /// Returns the note of a task's transfer.
    func note(_ data: String) -> ClientNote {
        ClientNote(application: application, identifier: name, task: 0, kind: .download, data: data)
    }

    /// Whether the daemon has launched this process for this session.
    var isLaunchedForThis: Bool { isDaemon && ApplicationIdentity.launchedFor == identifier }
}
