package import FerryFoundation

/// What decisions about a transfer depend on, and what they change.
///
/// Small, for there may be a million: ``TransferMachine`` decides on it for one transfer as for many. The names are those of
/// ``TransferRecord``, which makes one.
package struct TransferCore: Hashable, Sendable {
    package var id: TransferID
    @Beside package private(set) var revision: Revision
    package var intent: TransferIntent
    /// How it has ended; nil while it lives.
    package var outcome: Outcome.Kind?
    /// Tries that were started.
    package var attempts = 0
    package var retry: RetryMoment?
    /// The moment before which nothing is asked.
    package var notBefore: Date?
    package var deadline: Date?
    /// Seconds that it may be under way.
    package var resourceTimeout: Double?
    package var active = ActiveTime()
    /// Changes of the version in a row without finishing.
    package var restarts = 0
    /// Whether it starts only after the delay that follows its app's launches.
    package var startsAfterRelaunch = false
    /// Whether it may have something on disk besides a finished file.
    package var leavesWork = false
    /// Whether its file is a result that only its client may have.
    package var isSpooled = false
    /// Whether its request had secrets, which were forgotten.
    package var secretsForgotten = false

    package init(id: TransferID, revision: Revision = Revision(), intent: TransferIntent, outcome: Outcome.Kind? = nil)
    {
        self.id = id
        _revision = Beside(wrappedValue: revision)
        self.intent = intent
        self.outcome = outcome
    }

    /// Whether the scheduler may pick it.
    package var isEligible: Bool { outcome == nil && intent == .run }

    /// Whether it waits for a moment of its own, or may do so.
    package var waitsForMoment: Bool { retry != nil || notBefore != nil || startsAfterRelaunch }

    /// When the time of a transfer that may run ends, by the wall clock; nil for all others.
    package var due: Date? {
        guard isEligible else { return nil }
        return TimeBounds(deadline: deadline, resourceTimeout: resourceTimeout, active: active).due
    }

    /// Brings all numbers into their ranges, whatever the journal had.
    package mutating func clampNumbers() {
        let care = OutOfRangePolicy<Never>.clamp
        care.apply(.count, to: &attempts)
        care.apply(.count, to: &restarts)
        if var moment = retry {
            care.apply(.delay, to: &moment.delay)
            retry = moment
        }
    }
}

/// Which form of a row a value was read from: rises with each stored change but the checkpoints of an attempt.
package struct Revision: Hashable, Sendable {
    /// 0 for a value that is in no journal, or in one of a version without revisions.
    package let number: Int64

    package init(_ number: Int64 = 0) { self.number = number }
}

/// A property that stands beside what a value says: values that say the same are equal, whatever it has in each.
@propertyWrapper package struct Beside<Value: Sendable>: Hashable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (_: Beside, _: Beside) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension TransferRecord {
    /// What decisions depend on. Setting it stores what they change; an outcome is only ever taken away by them.
    package var core: TransferCore {
        get {
            var core = TransferCore(id: id, revision: revision, intent: intent, outcome: outcome?.kind)
            core.attempts = attempts
            core.retry = retry?.moment
            core.notBefore = request.notBefore
            core.deadline = request.deadline
            core.resourceTimeout = request.resourceTimeout
            core.active = active
            core.restarts = facts.restarts
            core.startsAfterRelaunch = facts.startsAfterRelaunch == true
            core.leavesWork = facts.leavesWork
            core.isSpooled = request.spooled
            core.secretsForgotten = request.secretsForgotten
            return core
        }
        set {
            intent = newValue.intent
            if newValue.outcome == nil {
                outcome = nil
                finishedAt = nil
            }
            if newValue.retry == nil { retry = nil }
            active = newValue.active
            attempts = newValue.attempts
            if facts.restarts != newValue.restarts { facts.restarts = newValue.restarts }
        }
    }
}
