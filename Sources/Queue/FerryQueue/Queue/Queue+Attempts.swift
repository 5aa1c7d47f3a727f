import FerryCore
package import FerryRules

/// Types for the start and the result of an attempt.
extension Queue {
    /// How an attempt begins.
    package enum Start: Sendable {
        /// With a run.
        case run
        /// With an outcome, without a run.
        case finish(Outcome)
        /// Not now.
        case again(NextAttempt)
        /// Not at all.
        case none
    }

    /// The state to store after an attempt, and the effects once it is stored.
    package struct Verdict: Sendable {
        package let record: TransferRecord
        /// The transfer's next action. The service stores the record first, with the outcome if there is one.
        package let action: TransferMachine.Action
        /// Effects on other transfers, independent of the stored state.
        package let effects: [Effect]
    }

    /// Random jitter and scale of delays. Passed in where needed.
    package struct Jitter: Sendable {
        /// From 0 up to, but not including, 1.
        package var random: Double
        /// Factor for every delay.
        package var delayScale: Double

        package init(random: Double, delayScale: Double) {
            self.random = random
            self.delayScale = delayScale
        }
    }
}
