import Dispatch
import FerryCore
import Glibc
import Synchronization

/// Says what the database waits for while a call takes long. One call at a time.
final class DelayReporter: Sendable {
    private struct State {
        /// Increases when a call begins and when it ends.
        var call = 0
        /// The server's process that performs the call.
        var process: Int32?
        var quietUntil: ContinuousClock.Instant?
    }

    private let address: DatabaseAddress
    private let handler: @Sendable (String) -> Void
    private let state = Mutex(State())
    /// Time after which a caller says what it waits for.
    private static let patience = DispatchTimeInterval.seconds(2)
    /// Time between two reports. Each asks the server over a connection of its own.
    private static let interval = Duration.seconds(60)

    init(_ address: DatabaseAddress, _ handler: @escaping @Sendable (String) -> Void) {
        (self.address, self.handler) = (address, handler)
    }

    /// A call begins, with the connection that it needs.
    func begin() {
        let call = state.withLock { state in
            state.call += 1
            return state.call
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { [weak self] in self?.report(call) }
    }

    /// A process of the server performs the call now.
    func isPerformed(by process: Int32) { state.withLock { $0.process = process } }

    /// The call has ended: nothing is said about it any more.
    func end() {
        state.withLock { state in
            state.call += 1
            state.process = nil
        }
    }

    private func report(_ call: Int) {
        let now = ContinuousClock.now
        let (isDue, process) = state.withLock { state in
            guard state.call == call, state.quietUntil.map({ $0 <= now }) ?? true else { return (false, Int32?.none) }
            state.quietUntil = now + Self.interval
            return (true, state.process)
        }
        guard isDue else { return }
        let reason = reason(process, of: call)
        guard isCurrent(call) else { return }
        handler("The fleet's database has not answered for 2 seconds: \(reason)")
    }

    private func isCurrent(_ call: Int) -> Bool { state.withLock { $0.call == call } }

    private func reason(_ process: Int32?, of call: Int) -> String {
        guard let process else { return "it does not let this program in yet." }
        do {
            let connection = try PostgresConnection(address)
            var row: [String?]?
            // A call that has waited too long for a lock is repeated, and waits for nothing in between.
            for _ in 0..<Self.mostQuestions where isCurrent(call) {
                row = try connection.transaction(Self.question, ["\(process)"], within: 5).rows.first
                if row?[0] == "t" || row?[2]?.isEmpty == false { break }
                usleep(200_000)
            }
            return Self.reason(row, process)
        } catch {
            return "it answers nobody. It may be stopped or overloaded."
        }
    }

    private static let mostQuestions = 5

    /// A pooler's number of the process is not the server's, so any session of the login that waits for a standby counts.
    private static let question = """
        SELECT a.wait_event = 'SyncRep', current_setting('synchronous_standby_names'),
          array_to_string(pg_blocking_pids(a.pid), ', ')
        FROM pg_stat_activity a WHERE a.pid = $1::int OR a.wait_event = 'SyncRep' AND a.usename = session_user
        ORDER BY a.pid = $1::int DESC LIMIT 1
        """

    /// - Parameter row: Whether the process waits for a standby, the names of the standbys, and the processes whose locks it
    ///   waits for. `nil` if the process is not known.
    static func reason(_ row: [String?]?, _ process: Int32) -> String {
        guard let row, row.count == 3 else { return "it answers others. A pooler may have no free connection." }
        if row[0] == "t" {
            return
                "it waits for a synchronous standby, as synchronous_standby_names = '\((row[1] ?? "").escapingControls)' says. Start the standby, or change that setting."
        }
        switch row[2] {
        case "0": return "it waits for a lock of a prepared transaction. See pg_prepared_xacts."
        case let blockers? where !blockers.isEmpty:
            return "it waits for a lock of process \(blockers). See pg_stat_activity."
        default: return "its process \(process) is busy or stopped. See pg_stat_activity."
        }
    }
}
