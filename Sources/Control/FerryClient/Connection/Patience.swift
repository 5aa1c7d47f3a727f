/// How long a user waits for an unresponsive daemon.
///
/// A call may take long, such as a pause until the bytes are durable. Meanwhile a second request checks the daemon,
/// which responds to it immediately as long as it is alive.
package struct Patience: Sendable {
    /// Time until the daemon is checked, and again after each response.
    package var question: Duration = .milliseconds(1500)
    /// Time until the user is notified that the daemon does not respond.
    package var notice: Duration = .seconds(2)
    /// Time until the daemon is given up.
    package var limit: Duration = .seconds(10)
    /// Shows a sentence to the user.
    package var notify: @Sendable (String) -> Void
    /// Sleeps, and throws when canceled. The machine's sleep time does not count.
    package var sleep: @Sendable (Duration) async throws -> Void = { duration in
        try await Task.sleep(for: duration, clock: .suspending)
    }

    package init(notify: @escaping @Sendable (String) -> Void) { self.notify = notify }

    /// Returns true once the daemon has been silent for too long, and false once the task is canceled.
    ///
    /// - Parameters:
    ///   - line: The sentence shown to the user meanwhile.
    ///   - ask: Sends the daemon a request. Returns when it has responded or the task is canceled.
    func isExhausted(saying line: String, ask: @escaping @Sendable () async -> Void) async -> Bool {
        while !Task.isCancelled {
            guard (try? await sleep(question)) != nil else { return false }
            let answered = await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    await ask()
                    return true
                }
                group.addTask {
                    do {
                        try await sleep(notice - question)
                        notify(line)
                        try await sleep(limit - notice)
                        return false
                    } catch {
                        return true
                    }
                }
                defer { group.cancelAll() }
                return await group.next() ?? true
            }
            if !answered { return !Task.isCancelled }
        }
        return false
    }
}
