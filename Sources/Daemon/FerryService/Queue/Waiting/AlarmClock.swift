import FerryEngine

/// Wakes the service for its next alarm. Without an alarm, it never wakes.
struct AlarmClock {
    private var task: Task<Void, Never>?
    private var moment: ContinuousClock.Instant?

    /// Sets the wake-up time, replacing the previous one. `nil` is never.
    mutating func set(
        _ next: ContinuousClock.Instant?, by clock: any MachineClock, ring: @escaping @Sendable () async -> Void
    ) {
        guard next != moment else { return }
        stop()
        moment = next
        guard let next else { return }
        task = Task(name: "next alarm of the queue") {
            try? await clock.sleep(until: next)
            guard !Task.isCancelled else { return }
            await ring()
        }
    }

    /// Records that the wake-up has happened.
    mutating func rang() { moment = nil }

    mutating func stop() {
        task?.cancel()
        moment = nil
    }
}
