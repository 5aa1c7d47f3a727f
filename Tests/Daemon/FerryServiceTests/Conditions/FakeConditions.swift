import FerryCore
import FerryQueue
import FerryRules
import FerryService
import Synchronization

/// Conditions set by a test.
final class FakeConditions: ConditionSource {
    private struct State {
        var report = ConditionReport()
        var watched: ConditionNeeds = []
        var pace: Int?
        var answers = true
        var changed: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    let concernsLoopback = false

    init(_ change: (inout Conditions) -> Void = { _ in }) {
        state.withLock { change(&$0.report.conditions) }
    }

    var report: ConditionReport { state.withLock(\.report) }

    /// Conditions that transfers depend on.
    var watched: ConditionNeeds { state.withLock(\.watched) }

    /// Seconds between checks of the power supply.
    var pace: Int? { state.withLock(\.pace) }

    func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void) {
        let answers = state.withLock { state in
            state.watched.formUnion(needs)
            state.changed = changed
            if state.answers { state.report.known.formUnion(needs) }
            return state.answers
        }
        if answers { changed() }
    }

    func pollPower(every seconds: Int?) { state.withLock { $0.pace = seconds } }

    func stop() { state.withLock { $0.changed = nil } }

    func set(_ change: (inout Conditions) -> Void) {
        let changed = state.withLock { state in
            change(&state.report.conditions)
            return state.changed
        }
        changed?()
    }

    /// Suppresses reports until `answer`.
    func keepSilent() { state.withLock { $0.answers = false } }

    func answer() {
        let changed = state.withLock { state in
            state.answers = true
            state.report.known = state.watched
            return state.changed
        }
        changed?()
    }
}
