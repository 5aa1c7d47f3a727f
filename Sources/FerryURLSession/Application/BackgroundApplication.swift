public import Foundation
import FerryClient
import FerryCore
import FerryService
import Glibc
import Logging

/// The counterpart of UIKit's `UIApplication` in what concerns background sessions.
///
/// ```swift
/// BackgroundApplication.shared.run(delegate: AppDelegate())
/// ```
/// `run(delegate:)` connects the process to the daemon, so that the app is told when transfers of a session that it has
/// not open are done. With a launch command registered, the daemon also starts the app for that.
@preconcurrency @MainActor public final class BackgroundApplication {
    /// A key of the options that an app is launched with; there are none on Linux.
    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    /// Whether the app is in use.
    public enum State: Int, Sendable {
        case active = 0
        case inactive
        /// The daemon has launched the process for events, and ``BackgroundApplication/becomeActive()`` was not called.
        case background
    }

    public static let shared = BackgroundApplication()

    /// What identifies the app to the daemon: the variable `FERRY_APPLICATION_ID`, else the main bundle's identifier, else
    /// the real path of the executable.
    public nonisolated static var applicationIdentifier: String { ApplicationIdentity.current }

    public weak var delegate: (any BackgroundApplicationDelegate)?
    /// Keeps the delegate that `run(delegate:)` was given; the app may hold no other reference to it.
    private var retained: (any BackgroundApplicationDelegate)?
    var life = LaunchedLife(isBackground: ApplicationIdentity.launchedFor != nil)
    private var signals: TerminationSignals?
    private var exitCheck: Task<Void, Never>?
    private let logger = Logger(label: "ferry.application")

    private init() {}

    /// `.background` in a process that the daemon has launched for events, until ``becomeActive()``; else `.active`.
    public var applicationState: State { life.isBackground ? .background : .active }

    /// Says that the app is in use now: a process that the daemon has launched for events does not end after them, and the
    /// delay before the next launch is forgotten.
    public func becomeActive() {
        guard life.isBackground else { return }
        life.becameActive()
        ApplicationIdentity.becameActive()
        let service = DaemonService.shared.service
        Task(name: "becoming active") {
            try? await service.becomeActive(ApplicationIdentity.current, process: getpid())
        }
    }

    /// Stores how the daemon starts this app for the events of its background sessions.
    ///
    /// - Parameters:
    ///   - arguments: the program's absolute path, then its arguments; no shell is involved.
    ///   - workingDirectory: the folder that it starts in; nil is the user's home.
    ///   - environment: variables that are added to the daemon's environment and override it.
    /// - Throws: `TransferError` if the path is not absolute or no program, or if the daemon cannot be reached.
    public func registerLaunchCommand(
        _ arguments: [String], workingDirectory: URL? = nil, environment: [String: String] = [:]
    ) throws {
        try register(
            LaunchCommand(arguments: arguments, workingFolder: workingDirectory?.path, environment: environment))
    }

    /// Lets the daemon forget how this app is started: its events wait until its user starts it.
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

    /// Runs the app: signals, the connection to the daemon, and the main run loop. Call it on the main thread.
    ///
    /// A process that the daemon has launched ends with status 0 once its events are dealt with. SIGINT and SIGTERM are
    /// the user's force-quit: background transfers stop, and their tasks end with `URLError.cancelled` at the next start.
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

    /// Seconds after which a completion handler that was not called causes a warning.
    private static let handlerLimit = 30

    private func warnIfPending(_ call: Int) {
        guard life.pending[call] != nil else { return }
        logger.warning(
            """
            Warning: Application delegate received call to \
            -application:handleEventsForBackgroundURLSession:completionHandler: but the completion handler was never called.
            """)
        // A process that lived on would keep the session from the app that its user starts.
        completed(call)
    }

    private func completed(_ call: Int) {
        if life.completed(call) { endIfDone() }
    }

    /// Ends a launched process whose work is done.
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

    /// Seconds for which the end of the process waits for the daemon.
    private static let quitLimit = 10.0

    private func terminate(by signal: CInt) {
        delegate?.applicationWillTerminate(self)
        // The end of a task is told at the next start, not to a process that is about to end.
        EventGate.shared.close()
        // A daemon that does not run has nothing to end.
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
