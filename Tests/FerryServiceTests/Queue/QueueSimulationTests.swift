import FerryCore
import FerrySimulation
import Testing

/// Clients, attempts, a journal, clocks and networks of one seed, around the queue that the service uses; see
/// docs/contributing.md#simulate-the-queue.
@Suite(.timeLimit(.minutes(5))) struct `The simulated queue` {
    @Test(arguments: 0..<10)
    func `keeps its laws, whatever happens, and comes to rest`(part: UInt64) {
        for seed in 1 + part * 5...5 + part * 5 {
            let history = Simulation.run(seed: seed)
            #expect(history.broken == nil, "seed \(seed): \(Simulation.shortened(history).text)")
        }
    }

    /// A history that does not repeat could not be shortened.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `does the same for the same seed`(seed: UInt64) {
        let (one, other) = (Simulation.run(seed: seed), Simulation.run(seed: seed))
        #expect(one.steps == other.steps)
        #expect(one.checks == other.checks)
        #expect(Simulation.replay(one.steps) == one.broken)
    }

    /// Mistakes, and seeds whose histories find them within their steps.
    private static let seeds: [(Mistake, UInt64)] =
        [
            (.startsWhatIsPaused, 2), (.linesUpWhatRuns, 1), (.losesADelay, 1), (.leavesASlotIdle, 1),
            (.startsTooMany, 5), (.losesAnEnd, 1), (.leavesTheOldLine, 39), (.beginsWhatIsToStop, 30),
            (.ignoresStops, 1), (.forgetsWhatIsWhole, 1), (.pausesManyInTheirLines, 2),
            (
                .losesTheEndOfALine,
                1
            ), (.setsAlarmsByTheWallClock, 10), (.forgetsDeadlines, 11), (.forgetsBeginDates, 1),
            (.forgetsDeadlinesOfTheResumed, 20), (.looksAheadInVain, 3), (.resumesAfterTheDelay, 15),
            (.ignoresTheNetwork, 4), (.watchesNothing, 1), (.ignoresPoliciesOfSessions, 1), (.holdsForADay, 1),
            (.holdsForTheDead, 10), (.keepsHoldsOfTheResumed, 1), (.storesWhatOthersHaveChanged, 4),
            (.settlesFromTheFirstRecord, 1), (.losesWhatHasNoRoom, 5), (.removesWhatIsWriting, 3),
            (.actsWithoutATurn, 2), (.answersBeforeTheCommit, 1), (.takesAFullDiskForSuccess, 3),
            (.answersSettingsBeforeTheCommit, 2), (.tellsTwice, 1), (.tellsAPauseOnceItHasStopped, 2),
            (.keepsPausesToItself, 1), (.listensFromNow, 1), (.countsEventsAnew, 1), (.forgetsWhatIsTimed, 1),
            (.takesUpWhatRests, 1), (.forgetsSettings, 4), (.forgetsSettingsOfSessions, 5),
            (.stopsOnlyWhatHasARun, 30), (.actsOnManyWithoutTurns, 5),
        ]

    /// Laws that no mistake breaks would say nothing.
    @Test(arguments: seeds)
    func `breaks a law when a mistake is made`(mistake: Mistake, seed: UInt64) {
        let history = Simulation.run(seed: seed, mistake: mistake)
        #expect(history.broken != nil)
        #expect(history.steps.count <= Simulation.length)
    }

    @Test func `is tried with forty mistakes at least`() { #expect(Set(Self.seeds.map(\.0)).count >= 40) }

    @Test func `shortens a history to the steps that break the law`() {
        let history = Simulation.run(seed: 1, mistake: .linesUpWhatRuns)
        let short = Simulation.shortened(history, mistake: .linesUpWhatRuns)
        #expect(short.count < 12)
        #expect(Simulation.replay(short, mistake: .linesUpWhatRuns) != nil)
        for index in short.indices {
            var fewer = short
            fewer.remove(at: index)
            let broken = Simulation.replay(fewer, mistake: .linesUpWhatRuns)
            #expect(broken.map(Simulation.law) != history.broken.map(Simulation.law))
        }
    }

    /// A step is printed as it is written.
    @Test(
        arguments: [
            (.act(.pause, 3), ".act(TransferAction.pause, 3)"),
            (.commit(2, .noRoom), ".commit(2, Optional(Fault.noRoom))"),
            (.answer(.wish(4), isFresh: true), ".answer(Errand.wish(4), isFresh: true)"),
            (.pass(seconds: 1.5), ".pass(seconds: 1.5)"), (.terminate, ".terminate"),
        ] as [(Step, String)])
    func `prints histories that a test can hold`(step: Step, text: String) {
        #expect(step.description == text)
    }
}
