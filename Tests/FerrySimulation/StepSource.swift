import FerryCore

@testable import FerryService

/// Chooses what happens next, by a seed and what there is to happen to.
struct StepSource {
    private var numbers: SeededNumbers

    init(seed: UInt64) { numbers = SeededNumbers(seed: seed) }

    /// Transfers that are there at the same time, at most.
    private static let mostTransfers = 14

    /// Calls that wait for their answers at the same time, at most.
    private static let mostCalls = 4

    mutating func next(in world: SimulatedWorld) -> Step {
        // Operations in progress are continued most of the time.
        let isBusy = world.ledger.calls >= Self.mostCalls || world.surroundings.isEnding
        switch numbers.below(isBusy ? 17 : 22) {
        case 0..<4: if let step = journalStep(world) { return step }
        case 4..<11: if let step = answerStep(world) { return step }
        case 11..<16: if let step = attemptStep(world) { return step }
        default: break
        }
        if isBusy, let step = answerStep(world) ?? journalStep(world) { return step }
        return numbers.below(5) == 0 ? surroundingStep(world) : clientStep(world)
    }

    private mutating func journalStep(_ world: SimulatedWorld) -> Step? {
        guard world.journal.waitingChanges > 0 else { return nil }
        return .commit(1 + numbers.below(3), numbers.once(in: 16) ? .noRoom : nil)
    }

    private mutating func answerStep(_ world: SimulatedWorld) -> Step? {
        let waiting = world.journal.waitingAnswers
        guard !waiting.isEmpty else { return nil }
        // The oldest come first mostly.
        return .answer(numbers.once(in: 2) ? waiting[0] : numbers.one(of: waiting), isFresh: numbers.once(in: 2))
    }

    // MARK: Attempts

    private mutating func attemptStep(_ world: SimulatedWorld) -> Step? {
        let ids = world.attempts.ids
        guard !ids.isEmpty else { return nil }
        let id = numbers.one(of: ids)
        guard let attempt = world.attempts[id], attempt.hasRun, !attempt.isSettling else {
            return numbers.once(in: 6) ? .losePatience(id.number) : nil
        }
        switch numbers.below(12) {
        case 0, 1: return .progress(id.number, .checkpoint)
        case 2: return .progress(id.number, .whole(inMemory: numbers.once(in: 2)))
        case 3: return .progress(id.number, attempt.lendsSlot ? .foundName : .slowName)
        case 4: return .losePatience(id.number)
        default: return .end(id.number, attempt.isToStop && !numbers.once(in: 4) ? .stopped : ending())
        }
    }

    private mutating func ending() -> Ending {
        switch numbers.below(8) {
        case 0..<3: return .success
        case 3: return .busy(seconds: [2, 30, 90_000][numbers.below(3)])
        case 4: return .challenge
        default:
            // Ends that depend on the row of the table alone; a broken journal ends the process.
            // The simulated transfers are downloads.
            let codes = ErrorCode.allCases.filter { ![.journalFailed, .fileChanged, .uploadConflict].contains($0) }
            return .failure(numbers.once(in: 2) ? .connectionLost : numbers.one(of: codes))
        }
    }

    // MARK: Clients

    private mutating func clientStep(_ world: SimulatedWorld) -> Step {
        let rows = world.journal.rows.rows.ids(of: nil, in: Set(JournalPhase.allCases))
        guard let id = rows.isEmpty ? nil : numbers.one(of: rows) else { return submission(world) }
        let session = numbers.below(Surroundings.sessions.count)
        switch numbers.below(24) {
        case 0..<6 where rows.count < Self.mostTransfers: return submission(world)
        case 0..<6: return .act(numbers.one(of: [.remove, .removeWithFile]), id.number)
        case 6, 7: return .act(numbers.one(of: [.remove, .cancel, .cancel]), id.number)
        case 8, 9, 10: return .act(.pause, id.number)
        case 11, 12: return .act(.resume, id.number)
        case 13: return .act(.retry, id.number)
        case 14: return .actOnAll(numbers.one(of: SessionAction.allCases), session: session)
        case 15: return .change(id.number, change())
        case 16: return .settings(active: 1 + numbers.below(4), perHost: 1 + numbers.below(3))
        case 17: return .session(session, limits())
        case 18:
            let name = world.journal.record(id)?.request.session
            return .order(Surroundings.sessions.firstIndex { $0 == name } ?? 0, first: id.number)
        case 19: return .attach(session: session)
        case 20: return numbers.once(in: 3) ? .quit(session: session) : .leave(session: session)
        case 21, 22: return .listen(session: session)
        default: return .acknowledge(session: session)
        }
    }

    private mutating func submission(_ world: SimulatedWorld) -> Step {
        var wanted = Wanted()
        wanted.session = numbers.below(Surroundings.sessions.count)
        wanted.host = numbers.below(Surroundings.hosts.count)
        wanted.isUrgent = numbers.once(in: 4)
        wanted.waitsForNetworks = !numbers.once(in: 4)
        wanted.allowsExpensive = !numbers.once(in: 3)
        wanted.isPaused = numbers.once(in: 10)
        if numbers.once(in: 8) { wanted.begins = Double(1 + numbers.below(40)) }
        if numbers.once(in: 6) { wanted.timeout = Double(1 + numbers.below(100)) }
        if numbers.once(in: 8) { wanted.deadline = Double(1 + numbers.below(100)) }
        let number = world.ledger.lastAsked.number + 1
        // One list at a time: which of several is read first is not the seed's to say.
        let hasList = Surroundings.sessions.contains(where: world.queue.waitingTransfers.hasBacklog)
        return numbers.once(in: 6) && !hasList
            ? .submitMany(number, count: 2 + numbers.below(3), wanted) : .submit(number, wanted)
    }

    private mutating func change() -> Change {
        switch numbers.below(4) {
        case 0: .priority(isUrgent: numbers.once(in: 2))
        case 1: .address
        case 2: .begins(numbers.once(in: 2) ? nil : Double(numbers.below(20)))
        default: .network(allowsExpensive: numbers.once(in: 2))
        }
    }

    private mutating func limits() -> Limits {
        var limits = Limits()
        limits.active = [nil, 1, 2][numbers.below(3)]
        limits.perHost = [nil, 1][numbers.below(2)]
        limits.inOrder = numbers.once(in: 2)
        limits.allowsExpensive = [nil, nil, true, false][numbers.below(4)]
        return limits
    }

    // MARK: Surroundings

    private mutating func surroundingStep(_ world: SimulatedWorld) -> Step {
        switch numbers.below(18) {
        case 0..<7: .pass(seconds: [0.5, 1, 3, 10, 31, 400][numbers.below(6)])
        case 7..<12: .networks(Networks(reachable: !numbers.once(in: 3), expensive: numbers.once(in: 3)))
        case 12, 13: .folders(answer: numbers.once(in: 3))
        case 14: .setWallClock(by: numbers.one(of: [-50, 20, 5000]))
        case 15, 16: .kill(reboots: numbers.once(in: 3))
        default: .terminate
        }
    }
}
