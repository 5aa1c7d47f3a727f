/// How long a person waits for a daemon that says nothing.
///
/// A call may take its time, such as a pause until the bytes are durable. So the daemon is asked something else beside it,
/// which it answers at once as long as it lives.
package struct Patience: Sendable {
    /// Time until the daemon is asked whether it lives, and again after each answer.
    package var question: Duration = .milliseconds(1500)
    /// Time until the person is told that it does not answer.
    package var notice: Duration = .seconds(2)
    /// Time until it is given up.
    package var limit: Duration = .seconds(10)
    /// Tells the person a sentence.
    package var tell: @Sendable (String) -> Void
    /// Throws when it is canceled. The time that the machine sleeps is not the daemon's.
    package var sleep: @Sendable (Duration) async throws -> Void = { duration in
        try await Task.sleep(for: duration, clock: .suspending)
    }

    package init(tell: @escaping @Sendable (String) -> Void) { self.tell = tell }

    /// Returns true once the daemon has said nothing for too long, and false once the task is canceled.
    ///
    /// - Parameters:
    ///   - line: What the person is told meanwhile.
    ///   - ask: Asks the daemon something; returns when it has answered, or the task is canceled.
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
                        tell(line)
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
