import FerryCore

/// What is queued and what runs, and what decides about it: a value without clock, random numbers and I/O.
///
/// Its rooms are values with private state that know nothing of each other. The service owns it, tells it what happens and
/// performs what follows.
struct Queue: Sendable {
    /// The settings, and the order of each session's transfers.
    var sessions: Sessions
    /// Apps and the processes that have sessions open.
    var desk = SessionDesk()
    /// Networks and power.
    var conditions: KnownConditions

    init(_ settings: ServiceSettings, _ conditions: KnownConditions) {
        sessions = Sessions(settings)
        self.conditions = conditions
    }
}
