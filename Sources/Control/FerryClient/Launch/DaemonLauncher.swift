import FerryAPI
import Dispatch
import FerryCore
import FerryFoundation
import FerrySystem

/// Starts the daemon and waits until it responds. Any number of clients may do so at once.
struct DaemonLauncher: Sendable {
    private let paths: FerryPaths
    private let environment: [String: String]
    private let limit: Duration
    let patience: Patience?

    // A daemon that ends at once is started again, since it may have met another one that was just ending.
    private static let starts = 5
    /// Delays after failed starts.
    private static let backoff = Backoff(first: 0.05, longest: 1)

    init(_ configuration: ClientConfiguration) {
        paths = configuration.paths
        environment = configuration.environment
        limit = configuration.startLimit
        patience = configuration.patience
    }

    /// Starts a daemon, unless another client's daemon is about to respond.
    ///
    /// - Parameter answers: Returns whether a daemon responds.
    /// - Throws: ``ServiceError`` with code `daemon_unreachable`, or the reason reported by the daemon.
    func launch(answers: () async throws(ServiceError) -> Bool) async throws(ServiceError) {
        let executable = try executable()
        let end = ContinuousClock.now + limit
        let reminder = patience.map(remind)
        defer { reminder?.cancel() }
        var failures = 0
        while true {
            if DaemonProcess.isLocked(paths.lock) {
                // A daemon started by another process is starting or ending. It will respond soon, or release the lock.
                await pause()
            } else {
                let report = try await start(executable, until: end)
                switch report {
                case .ready: break
                case .late: throw late()
                case .refused(let error) where error.code != .daemonUnreachable: throw error
                case .refused, .silent:
                    if !DaemonProcess.isLocked(paths.lock) { failures += 1 }
                    if failures == Self.starts { throw failed(report) }
                    await pause(.seconds(Self.backoff.delay(afterFailures: failures)))
                }
            }
            if try await answers() { return }
            if ContinuousClock.now >= end { throw late() }
        }
    }

    func executable() throws(ServiceError) -> String {
        try DaemonExecutable(
            environment: environment, program: DaemonProcess.runningProgram, refusal: DaemonProcess.refusal
        ).find()
    }

    private func start(
        _ executable: String, until end: ContinuousClock.Instant
    ) async throws(ServiceError) -> ReadinessReport {
        try PrivateFolder.make(paths.stateFolder)
        let process = try DaemonProcess.spawn(executable, environment: environment, log: paths.log)
        return await withCheckedContinuation { continuation in
            // Not a task: reading the pipe blocks, up to the limit.
            DispatchQueue.global().async { continuation.resume(returning: process.report(until: end)) }
        }
    }

    /// Notifies the user of a slow start.
    private func remind(_ patience: Patience) -> Task<Void, Never> {
        Task(name: "word about a daemon that starts slowly") { [paths] in
            guard (try? await patience.sleep(patience.notice)) != nil else { return }
            let holder = DaemonProcess.lockHolder(paths.lock)
            let name = holder.map { "daemon (process \($0))" } ?? "daemon"
            patience.notify("The \(name) has not responded yet; waiting.")
        }
    }

    private func pause(_ time: Duration = .milliseconds(25)) async { try? await Task.sleep(for: time) }

    private func failed(_ report: ReadinessReport) -> ServiceError {
        if case .refused(let error) = report { return error }
        return ServiceError(.daemonUnreachable, "The daemon ended before it was ready. " + lastWords)
    }

    private func late() -> ServiceError {
        let name = DaemonProcess.lockHolder(paths.lock).map { "daemon (process \($0))" } ?? "daemon"
        return ServiceError(
            .daemonUnreachable, "The \(name) did not respond within \(limit.components.seconds) s. " + lastWords)
    }

    private var lastWords: String {
        let path = paths.log.escapingControls
        guard let tail = LogTail.lines(of: paths.log, count: 5), !tail.isEmpty else {
            return "Its log, \(path), is empty."
        }
        return "Its log, \(path), ends with:\n" + tail.map { "  " + $0.escapingControls }.joined(separator: "\n")
    }
}

/// The report of a starting daemon to the client that started it.
enum ReadinessReport: Equatable {
    case ready
    case refused(ServiceError)
    /// The daemon ended, or closed the pipe, without a report.
    case silent
    /// The daemon has reported nothing in time.
    case late

    /// Parses `ready`, or `error <code> <sentence>`.
    init(line: String) {
        let words = line.split(separator: " ", maxSplits: 2)
        switch words.first {
        case "ready": self = .ready
        case "error" where words.count == 3:
            let code = ErrorCode(rawValue: String(words[1])) ?? .daemonUnreachable
            self = .refused(ServiceError(code, String(words[2]).escapingControls))
        default: self = .silent
        }
    }
}
