import FerryCore
import Testing

@testable import FerrySimulation

/// Random clients, attempts, journals, clocks and networks around the service's queue. See
/// docs/contributing.md#simulate-the-queue.
@Suite(.timeLimit(.minutes(5))) struct `The simulated queue` {
    @Test(arguments: 0..<10)
    func `keeps its invariants, whatever happens, and becomes idle`(part: UInt64) {
        for seed in 1 + part * 5...5 + part * 5 {
            let history = Simulation.run(seed: seed)
            #expect(history.broken == nil, "seed \(seed): \(Simulation.shortened(history).text)")
        }
    }

    /// Shortened histories that once broke a law.
    @Test(
        arguments: [
            // A transfer that changed its queue, hidden by its session's policy, was not in any queue that was read.
            [
                .answer(.start, isFresh: true),
                .session(1, Limits(active: nil, perHost: nil, inOrder: false, allowsExpensive: true)),
                .submitMany(18, count: 4, wanted(session: 1, host: 1, isUrgent: true, deadline: 73)), .commit(2, nil),
                .change(19, .network(allowsExpensive: false)),
            ],
            // A transfer challenged by its server started too early once the credentials were there.
            [
                .answer(.start, isFresh: false), .submitMany(3, count: 3, wanted(session: 2, host: 0)), .commit(3, nil),
                .answer(.submission(3), isFresh: true), .submit(13, wanted(session: 2, host: 1, begins: 36)),
                .commit(2, nil), .answer(.submission(13), isFresh: true), .pass(seconds: 400), .change(13, .begins(19)),
                .answer(.records, isFresh: false), .end(13, .challenge),
            ],
            // Transfers removed by a failed removal were restored under their old keys after a change of their session.
            [
                .answer(.start, isFresh: true), .submit(1, wanted(session: 1, host: 0)),
                .submitMany(13, count: 2, wanted(session: 0, host: 0, isUrgent: true)),
                .session(0, Limits(active: 2, perHost: 1, inOrder: true, allowsExpensive: false)), .commit(3, nil),
                .terminate, .answer(.start, isFresh: true), .actOnAll(.removeWithFile, session: 0),
                .session(0, Limits(active: 2, perHost: nil, inOrder: false, allowsExpensive: nil)), .commit(3, nil),
                .answer(.many(0), isFresh: false), .answer(.session(0), isFresh: true), .commit(3, .noRoom),
            ],
            // The same, where the session's policy was being read when the removal took them out.
            [
                .answer(.start, isFresh: true),
                .submitMany(3, count: 3, wanted(session: 1, host: 1, allowsExpensive: false)), .commit(3, nil),
                .answer(.submission(3), isFresh: true), .order(1, first: 5), .commit(1, nil),
                .answer(.order(1), isFresh: true),
                .session(1, Limits(active: 1, perHost: nil, inOrder: false, allowsExpensive: true)), .commit(3, nil),
                .actOnAll(.removeWithFile, session: 1), .answer(.session(1), isFresh: true),
                .answer(.many(1), isFresh: false), .change(3, .address), .commit(2, .noRoom),
            ],
            // The end of an attempt was stored after a change but reported before it. The change then made the transfer
            // ready.
            [
                .answer(.start, isFresh: true), .submit(2, wanted(session: 2, host: 0, allowsExpensive: false)),
                .commit(1, nil), .answer(.submission(2), isFresh: false), .change(2, .network(allowsExpensive: true)),
                .answer(.lookup(2), isFresh: true), .commit(3, nil), .answer(.records, isFresh: true),
                .end(2, .success), .commit(2, nil), .answer(.ends, isFresh: true),
            ],
            // The same, with an end that was decided again after the change.
            [
                .answer(.start, isFresh: true), .submit(2, wanted(session: 0, host: 1, begins: 31)), .commit(1, nil),
                .answer(.submission(2), isFresh: true), .pass(seconds: 31), .answer(.records, isFresh: true),
                .change(2, .address), .answer(.lookup(2), isFresh: true), .end(2, .failure(.digestMismatch)),
                .commit(1, nil), .answer(.report(2), isFresh: true), .commit(1, nil), .answer(.ends, isFresh: false),
            ],
            // A page of the journal was read before a transfer's deadline passed, and made the transfer ready again.
            [
                .answer(.start, isFresh: true), .submit(4, wanted(session: 0, host: 0)),
                .submit(5, wanted(session: 2, host: 0, isPaused: true)), .commit(2, nil),
                .answer(.submission(4), isFresh: false), .answer(.submission(5), isFresh: false), .act(.pause, 4),
                .submit(
                    8,
                    Wanted(
                        session: 2, host: 0, isUrgent: true, waitsForNetworks: false, allowsExpensive: true,
                        isPaused: false, begins: nil, timeout: nil, deadline: nil)), .commit(3, nil),
                .answer(.submission(8), isFresh: true), .settings(active: 4, perHost: 3), .change(5, .address),
                .commit(3, nil), .answer(.lookup(4), isFresh: false), .answer(.lookup(5), isFresh: true),
                .answer(.settings, isFresh: true), .submitMany(11, count: 2, wanted(session: 2, host: 1, deadline: 19)),
                .commit(2, .noRoom), .pass(seconds: 31), .commit(3, nil), .act(.cancel, 11),
                .submit(13, wanted(session: 0, host: 1)), .answer(.submission(11), isFresh: false), .act(.remove, 5),
                .answer(.change(5), isFresh: true), .pass(seconds: 3),
                .submit(14, wanted(session: 2, host: 0, isUrgent: true)), .answer(.overdue(12), isFresh: false),
                .answer(.lookup(11), isFresh: true), .commit(2, nil), .commit(2, nil),
                .answer(.lookup(5), isFresh: true), .answer(.overdue(12), isFresh: false),
                .answer(.submission(13), isFresh: true), .answer(.submission(14), isFresh: false), .commit(1, nil),
                .answer(.command(11), isFresh: true), .commit(1, .noRoom), .act(.pause, 8),
                .answer(.lookup(11), isFresh: true), .answer(.lookup(8), isFresh: false), .answer(.ends, isFresh: true),
                .commit(2, nil), .submit(15, wanted(session: 2, host: 1)), .commit(1, nil),
                .answer(.submission(15), isFresh: false), .answer(.ends, isFresh: true),
                .answer(.records, isFresh: true), .answer(.records, isFresh: true), .answer(.line, isFresh: false),
                .answer(.records, isFresh: false), .commit(2, nil), .answer(.ends, isFresh: true),
                .answer(.line, isFresh: false),
            ],
        ] as [[Step]])
    func `keeps its laws in histories that broke one`(steps: [Step]) {
        let broken = Simulation.replay(steps)
        #expect(broken == nil)
    }

    private static func wanted(
        session: Int, host: Int, isUrgent: Bool = false, allowsExpensive: Bool = true, begins: Double? = nil,
        isPaused: Bool = false, deadline: Double? = nil
    ) -> Wanted {
        Wanted(
            session: session, host: host, isUrgent: isUrgent, waitsForNetworks: true,
            allowsExpensive: allowsExpensive, isPaused: isPaused, begins: begins, timeout: nil, deadline: deadline)
    }

    /// Only a reproducible history can be shortened.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `does the same for the same seed`(seed: UInt64) {
        let (one, other) = (Simulation.run(seed: seed), Simulation.run(seed: seed))
        #expect(one.steps == other.steps)
        #expect(one.checks == other.checks)
        #expect(Simulation.replay(one.steps) == one.broken)
    }

    /// Mistakes, with seeds whose histories detect them within their steps.
    private static let seeds: [(Mistake, UInt64)] =
        [
            (.startsWhatIsPaused, 2), (.forgetsAStop, 25), (.linesUpWhatRuns, 1), (.losesADelay, 1),
            (.leavesASlotIdle, 1), (.startsTooMany, 2), (.losesAnEnd, 1), (.forgetsChangesOfWhatRuns, 2),
            (.leavesTheOldLine, 2), (.beginsWhatIsToStop, 3), (.ignoresStops, 1), (.forgetsWhatIsWhole, 4),
            (.pausesManyInTheirLines, 8), (.losesWhatCannotBeRemoved, 5), (.losesTheEndOfALine, 5),
            (.setsAlarmsByTheWallClock, 60), (.forgetsDeadlines, 2), (.forgetsBeginDates, 6),
            (.forgetsDeadlinesOfTheResumed, 3), (.looksAheadInVain, 3), (.resumesAfterTheDelay, 1),
            (.ignoresTheNetwork, 3), (.watchesNothing, 1), (.ignoresPoliciesOfSessions, 8), (.holdsForADay, 3),
            (.holdsForTheDead, 5), (.keepsHoldsOfTheResumed, 3), (.storesWhatOthersHaveChanged, 28),
            (.settlesFromTheFirstRecord, 11), (.losesWhatHasNoRoom, 4), (.endsWhatHasEnded, 11),
            (.waitsForNoStop, 11), (.removesWhatIsWriting, 1), (.actsWithoutATurn, 2), (.answersBeforeTheCommit, 1),
            (.takesAFullDiskForSuccess, 3), (.answersSettingsBeforeTheCommit, 2), (.tellsTwice, 1),
            (.tellsAPauseOnceItHasStopped, 1), (.keepsPausesToItself, 1), (.listensFromNow, 1),
            (.countsEventsAnew, 2), (.needsFoldersToStart, 28), (.forgetsWhatIsTimed, 2), (.takesUpWhatRests, 2),
            (.forgetsSettings, 2), (.forgetsSettingsOfSessions, 5), (.forgetsOrders, 21), (.stopsOnlyWhatHasARun, 3),
            (.startsWhileItEnds, 10), (.actsOnManyWithoutTurns, 1),
        ]

    /// Laws that no mistake breaks would prove nothing.
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

    /// A step is printed as its source code.
    @Test(
        arguments: [
            (.act(.pause, 3), ".act(TransferAction.pause, 3)"),
            (.commit(2, .noRoom), ".commit(2, Optional(Fault.noRoom))"),
            (.answer(.command(4), isFresh: true), ".answer(Errand.command(4), isFresh: true)"),
            (.pass(seconds: 1.5), ".pass(seconds: 1.5)"), (.terminate, ".terminate"),
        ] as [(Step, String)])
    func `prints histories that a test can hold`(step: Step, text: String) {
        #expect(step.description == text)
    }
}
