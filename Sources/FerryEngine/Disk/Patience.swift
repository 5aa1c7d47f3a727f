// Ferry: FerryEngine
// Waiting for what may never come.

/// Waiting for what may never come, such as the end of a call on a disk that does not answer.
package enum Patience {
    /// Waits for some work, and no longer than a limit; what has not ended then goes on by itself.
    ///
    /// - Returns: whether it has ended.
    @discardableResult
    package static func wait(
        atMost limit: Duration, for work: @escaping @Sendable () async -> Void
    ) async -> Bool {
        let (ends, end) = AsyncStream.makeStream(of: Bool.self)
        Task(name: "what is waited for") {
            await work()
            end.yield(true)
        }
        let clock = Task(name: "the limit of a wait") {
            try? await Task.sleep(for: limit)
            end.yield(false)
        }
        defer { clock.cancel() }
        for await isOver in ends { return isOver }
        return false
    }
}
