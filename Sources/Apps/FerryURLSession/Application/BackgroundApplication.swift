public import Foundation
import FerryClient
import FerryCore
import FerryService
import Glibc
import Logging

/// The counterpart of UIKit's `UIApplication` for background sessions.
///
/// ```swift
/// BackgroundApplication.shared.run(delegate: AppDelegate())
/// ```
/// `run(delegate:)` connects the process to the daemon, which notifies the app when the transfers of a session that it
/// does not have open have finished. If the app has registered a launch command, the daemon also launches the app for
/// these events.
@preconcurrency @MainActor public final class BackgroundApplication {
    /// A key of the app's launch options. There are none on Linux.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// The app's state.
    public enum State: Int, Sendable {
        case active = 0
        case inactive
        /// The daemon launched the process for events, and the app has not called
        /// ``BackgroundApplication/becomeActive()``.
        case background
    }

    public static let shared = BackgroundApplication()

    /// The app's identifier for the daemon: the variable `FERRY_APPLICATION_ID`, else the main bundle's identifier,
    /// else the real path of the executable.
    public nonisolated static var applicationIdentifier: String { ApplicationIdentity.current }

    public weak var delegate: (any BackgroundApplicationDelegate)?
    /// Retains the delegate of `run(delegate:)`, since the app may hold no other reference to it.
    private var retained: (any BackgroundApplicationDelegate)?
    var life = LaunchedLife(isBackground: ApplicationIdentity.launchedFor != nil)
    private var signals: TerminationSignals?
    private var exitCheck: Task<Void, Never>?
    private let logger = Logger(label: "ferry.application")

    private init() {}

    /// `.background` in a process that the daemon launched for events, until ``becomeActive()`` is called; otherwise
    /// `.active`.
    public var applicationState: State { life.isBackground ? .background : .active }

    /// Marks the app as in use. A process that the daemon launched for events then does not exit after them, and the
    /// delay before the next launch is reset.
    public func becomeActive() {
        guard life.isBackground else { return }
        life.becameActive()
        ApplicationIdentity.becameActive()
        let service = DaemonService.shared.service
        Task(name: "becoming active") {
            try? await service.becomeActive(ApplicationIdentity.current, process: getpid())
        }
    }

    /// Registers the command that the daemon runs to launch this app for the events of its background sessions.
    ///
    /// - Parameters:
    ///   - arguments: The program's absolute path, then its arguments. No shell is involved.
    ///   - workingDirectory: The working directory of the program; nil is the user's home.
    ///   - environment: Variables that are added to the daemon's environment and override it.
    /// - Throws: `TransferError` if the path is not absolute or is not a program, or if the daemon cannot be reached.
    public func registerLaunchCommand(
        _ arguments: [String], workingDirectory: URL? = nil, environment: [String: String] = [:]
    ) throws {
        try register(
            LaunchCommand(arguments: arguments, workingFolder: workingDirectory?.path, environment: environment))
    }

    /// Unregisters the launch command. Events then wait until the user starts the app.
    ///
    /// - Throws: `TransferError` if the daemon cannot be reached.
    public func unregisterLaunchCommand() throws { try register(nil) }

    private func register(_ command: LaunchCommand?) throws {
        let service = DaemonService.shared.service
        do throws(ServiceError) {
            try Blocking.wait { () async throws(ServiceError) in
                try await service.registerLaunchCommand(command, of: ApplicationIdentity.current)
            }
        } catch {
            throw TransferError(error)
        }
    }

    // MARK: Running

    /// Runs the app: installs the signal handlers, connects to the daemon and runs the main run loop. Call it on the
    /// main thread.
    ///
    /// A process that the daemon launched exits with status 0 once its events are handled. SIGINT and SIGTERM act as a
    /// force-quit by the user: background transfers stop, and their tasks complete with `URLError.cancelled` at the
    /// next start.
    public func run(delegate: any BackgroundApplicationDelegate) -> Never {
        EventGate.shared.hold()
        self.delegate = delegate
        retained = delegate
        signals = TerminationSignals { [weak self] signal in self?.terminate(by: signal) }
        connect()
        _ = delegate.application(self, didFinishLaunchingWithOptions: nil)
        if let session = ApplicationIdentity.launchedFor {
            handleEvents(of: session)
            EventGate.shared.open()
        }
        while true { _ = RunLoop.main.run(mode: .default, before: .distantFuture) }
    }

    /// Keeps a connection to the daemon, which reports events of sessions that no process has open.
    private func connect() {
        let service = DaemonService.shared.service
        Task(name: "connection to the daemon") { [weak self] in
            while true {
                let connection = ApplicationConnection(
                    application: ApplicationIdentity.current, process: getpid(),
                    launchedFor: ApplicationIdentity.isBackground ? ApplicationIdentity.launchedFor : nil)
                do {
                    for try await signal in try await service.connect(connection) {
                        if case .handleEvents(let session) = signal { self?.handleEvents(of: session) }
                    }
                } catch {
                    self?.logger.debug("the connection to the daemon ended", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func handleEvents(of session: String) {
        let call = life.calledToHandleEvents(of: session)
        BackgroundSessions.shared.calledToHandleEvents(of: session)
        Task(name: "completion handler of \(session)") { [weak self] in
            try? await Task.sleep(for: .seconds(Self.handlerLimit))
            self?.warnIfPending(call)
        }
        delegate?.application(self, handleEventsForBackgroundURLSession: session) {
            Task(name: "end of the events of \(session)") { @MainActor in BackgroundApplication.shared.completed(call) }
        }
    }

    /// Seconds after which a warning is logged for a completion handler that has not been called.
    private static let handlerLimit = 30

    private func warnIfPending(_ call: Int) {
        guard life.pending[call] != nil else { return }
        logger.warning(
            """
            Warning: Application delegate received call to \
            -application:handleEventsForBackgroundURLSession:completionHandler: but the completion handler was never called.
            """)
        // A process that continued to run would hold the session, and the app that the user starts could not open it.
        completed(call)
    }

    private func completed(_ call: Int) {
        if life.completed(call) { endIfDone() }
    }

    /// Exits a launched process once its work is done.
    func endIfDone() {
        guard exitCheck == nil, life.isBackground else { return }
        exitCheck = Task(name: "end of a launched process") { [weak self] in
            await BackgroundSessions.shared.waitUntilQuiet()
            self?.exitCheck = nil
            guard let self, self.life.ends(isQuiet: true) else { return }
            exit(0)
        }
    }

    // MARK: The end

    /// Maximum time that the exiting process waits for the daemon, in seconds.
    private static let quitLimit = 10.0

    private func terminate(by signal: CInt) {
        delegate?.applicationWillTerminate(self)
        // The next start reports the completion of a task, since this process is about to exit.
        EventGate.shared.close()
        // Without a running daemon there are no transfers to stop.
        let daemon = DaemonService.shared.passive()
        Blocking.wait(seconds: Self.quitLimit) {
            if signal == SIGTERM,
                await ShutdownNotice.isPreparing(environment: ProcessInfo.processInfo.environment)
            {
                return
            }
            _ = try? await daemon.quit(.application(ApplicationIdentity.current))
        }
        TerminationSignals.end(by: signal)
    }
}
