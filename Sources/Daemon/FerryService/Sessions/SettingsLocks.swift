import FerryCore

/// Serializes the changes of the settings of a session, or of the service (`nil`), both in the journal and in memory. In
/// order of arrival. Owned by ``SettingsChanges``.
struct SettingsLocks: Sendable {
    /// The callers that wait for each lock that is taken.
    private var lines: [SessionID?: [CheckedContinuation<Void, Never>]] = [:]

    func isTaken(_ session: SessionID?) -> Bool { lines[session] != nil }

    /// Takes the lock if it is free. Returns whether it was.
    mutating func take(_ session: SessionID?) -> Bool {
        guard lines[session] == nil else { return false }
        lines[session] = []
        return true
    }

    /// Resumes a continuation once it has the lock, which is taken.
    mutating func wait(_ session: SessionID?, _ continuation: CheckedContinuation<Void, Never>) {
        lines[session]?.append(continuation)
    }

    /// Releases the lock to the longest-waiting caller.
    mutating func leave(_ session: SessionID?) {
        guard var line = lines[session] else { return }
        guard !line.isEmpty else {
            lines[session] = nil
            return
        }
        let next = line.removeFirst()
        lines[session] = line
        next.resume()
    }
}
