/// Wakes the service at the moment of its next alarm; nothing wakes one that has none.
struct AlarmClock {
    private var task: Task<Void, Never>?
    private var moment: ContinuousClock.Instant?

    /// Rings at a moment in place of the one before; nil is never.
    mutating func set(_ next: ContinuousClock.Instant?, ring: @escaping @Sendable () async -> Void) {
        guard next != moment else { return }
        stop()
        moment = next
        guard let next else { return }
        task = Task(name: "next alarm of the queue") {
            try? await Task.sleep(until: next, clock: .continuous)
            guard !Task.isCancelled else { return }
            await ring()
        }
    }

    /// Notes that it has rung.
    mutating func rang() { moment = nil }

    mutating func stop() {
        task?.cancel()
        moment = nil
    }
}
