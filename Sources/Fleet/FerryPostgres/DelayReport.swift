import Dispatch
import FerryCore
import Synchronization

/// Says what the database waits for while a call has no answer.
final class DelayReport: Sendable {
    private let address: DatabaseAddress
    private let process: Int32
    private let handler: @Sendable (String) -> Void
    private let hasAnswer = Atomic(false)

    /// - Parameter process: The server's process that performs the call.
    init(_ address: DatabaseAddress, process: Int32, _ handler: @escaping @Sendable (String) -> Void) {
        (self.address, self.process, self.handler) = (address, process, handler)
    }

    /// The answer is late. Asks the server over another connection, on another thread.
    func begin() {
        DispatchQueue.global().async { [self] in
            let reason = reason
            guard !hasAnswer.load(ordering: .relaxed) else { return }
            handler("The fleet's database has not answered for 2 seconds: \(reason)")
        }
    }

    /// The call has ended: nothing is said any more.
    func end() { hasAnswer.store(true, ordering: .relaxed) }

    private var reason: String {
        do {
            let patience = PostgresConnection.Patience(limit: 5)
            let row = try PostgresConnection(address).transaction(Self.question, ["\(process)"], patience).rows.first
            return Self.reason(row ?? [])
        } catch {
            return "it may be stopped or overloaded."
        }
    }

    /// A pooler's number of the process is not the server's, so any session that waits for a standby counts.
    private static let question = """
        SELECT CASE a.wait_event WHEN 'SyncRep' THEN 'standby' END, current_setting('synchronous_standby_names'),
          array_to_string(pg_blocking_pids(a.pid), ', ')
        FROM pg_stat_activity a WHERE a.pid = $1::int OR a.wait_event = 'SyncRep' ORDER BY a.pid = $1::int DESC LIMIT 1
        """

    /// - Parameter row: Whether it waits for a standby, the names of the standbys, and the processes whose locks it waits for.
    static func reason(_ row: [String?]) -> String {
        guard row.count == 3 else { return "it may be stopped or overloaded." }
        if row[0] != nil {
            return
                "it waits for a synchronous standby, as synchronous_standby_names = '\((row[1] ?? "").escapingControls)' says. Start the standby, or change that setting."
        }
        if let blockers = row[2], !blockers.isEmpty {
            return "it waits for a lock of process \(blockers): see pg_stat_activity."
        }
        return "it is still working."
    }
}
