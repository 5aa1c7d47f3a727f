package import FerryCore
package import FerryFoundation

/// The part of a transfer that decisions depend on and change.
///
/// Small, since there may be a million: ``TransferMachine`` decides on it for one transfer as for many. Property names
/// match ``TransferRecord``.
package struct TransferCore: Hashable, Sendable {
    package var id: TransferID
    @Beside package private(set) var revision: Revision
    package var intent: TransferIntent
    /// The kind of outcome, or nil while the transfer is live.
    package var outcome: Outcome.Kind?
    /// Number of attempts started.
    package var attempts = 0
    package var retry: RetryMoment?
    /// Earliest date of the first request.
    package var notBefore: Date?
    package var deadline: Date?
    /// Resource timeout in seconds.
    package var resourceTimeout: Double?
    package var active = ActiveTime()
    /// Consecutive version changes without completion.
    package var restarts = 0
    /// Whether it starts only after its app's relaunch delay.
    package var startsAfterRelaunch = false
    /// Whether it may have files on disk besides a placed file.
    package var leavesWork = false
    /// Whether its file is a result reserved for its client.
    package var isSpooled = false
    /// Whether its request had secrets that were removed.
    package var secretsForgotten = false

    package init(id: TransferID, revision: Revision = Revision(), intent: TransferIntent, outcome: Outcome.Kind? = nil)
    {
        self.id = id
        _revision = Beside(wrappedValue: revision)
        self.intent = intent
        self.outcome = outcome
    }

    /// Whether the scheduler may start it.
    package var isEligible: Bool { outcome == nil && intent == .run }

    /// Whether it is or may be delayed until a date.
    package var waitsForMoment: Bool { retry != nil || notBefore != nil || startsAfterRelaunch }

    /// The date when the time of an eligible transfer is over, by the wall clock, or nil for others.
    package var due: Date? {
        guard isEligible else { return nil }
        return TimeBounds(deadline: deadline, resourceTimeout: resourceTimeout, active: active).due
    }

    /// Clamps all numbers to their ranges, whatever the journal contained.
    package mutating func clampNumbers() {
        let policy = OutOfRangePolicy<Never>.clamp
        policy.apply(.count, to: &attempts)
        policy.apply(.count, to: &restarts)
        if var moment = retry {
            policy.apply(.delay, to: &moment.delay)
            retry = moment
        }
    }
}

/// Version of a stored value. Increases with each stored change except checkpoints of an attempt.
package struct Revision: Hashable, Sendable {
    /// 0 for a value outside the journal, or from a journal version without revisions.
    package let number: Int64

    package init(_ number: Int64 = 0) { self.number = number }
}

/// A property that is ignored when the enclosing values are compared.
@propertyWrapper package struct Beside<Value: Sendable>: Hashable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package static func == (_: Beside, _: Beside) -> Bool { true }
    package func hash(into _: inout Hasher) {}
}

extension TransferRecord {
    /// The part that decisions depend on. Setting it stores the changes. It can remove an outcome but not add one.
    package var core: TransferCore {
        get {
            var core = TransferCore(id: id, revision: revision, intent: intent, outcome: outcome?.kind)
            core.attempts = attempts
            core.retry = retry?.moment
            core.notBefore = request.timing.notBefore
            core.deadline = request.timing.deadline
            core.resourceTimeout = request.timing.resourceTimeout
            core.active = active
            core.restarts = facts.restarts
            core.startsAfterRelaunch = facts.startsAfterRelaunch == true
            core.leavesWork = facts.leavesWork
            core.isSpooled = request.file.spooled
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
