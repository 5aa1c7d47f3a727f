import FerryCore

@testable import FerryQueue
@testable import FerryService

/// Chooses the next step by a seed and the state of the world.
struct StepSource {
    private var numbers: SeededNumbers
    private var lastNumber = 0
    private var last = Step.pass(seconds: 0)
    /// The steps to begin with. Two slots make more of the queue visible.
    private var first: [Step] = [.settings(active: 2, perHost: 2)]

    init(seed: UInt64) {
        numbers = SeededNumbers(seed: ~seed)
        // An app that is launched has registered itself, which one step of many would seldom do in time.
        if numbers.once(in: 2) { first += [.registerLaunch(session: 1), .registerLaunch(session: 2)] }
    }

    /// Transfers that are there at the same time, at most.
    private static let mostTransfers = 14
    /// Calls that wait for their responses at the same time, at most.
    private static let mostCalls = 4

    mutating func next(in world: World) -> TimedStep {
        guard first.isEmpty else { return TimedStep(after: 60, step: first.removeFirst()) }
        // Clients often want the same things at once.
        if world.ledger.openCalls < Self.mostCalls, numbers.once(in: 6), let step = echo() {
            return TimedStep(after: numbers.below(12), step: step)
        }
        // Many steps in a burst, and time to come to rest.
        let after = numbers.once(in: 3) ? numbers.below(12) : numbers.below(numbers.once(in: 3) ? 400 : 120)
        let isBusy = world.ledger.openCalls >= Self.mostCalls
        let isSurrounding = isBusy || numbers.once(in: 5)
        last = isSurrounding ? surroundingStep() : clientStep(world)
        return TimedStep(after: after, step: last)
    }

    /// Returns a step similar to the last one, an action on the same transfers, or the time until their deadline.
    private mutating func echo() -> Step? {
        switch last {
        case .submit(_, let wanted), .submitBatch(_, _, let wanted), .submitList(_, _, let wanted):
            if wanted.deadline != nil, numbers.once(in: 2) { return .pass(seconds: 31) }
        default: break
        }
        switch last {
        case .submit(_, let wanted): return .submit(newNumbers(1), wanted)
        case .submitBatch(_, let count, let wanted): return .submitBatch(newNumbers(count), count: count, wanted)
        case .submitList(_, let count, let wanted): return .submitList(newNumbers(count), count: count, wanted)
        case .act(_, let some): return .act(numbers.one(of: TransferAction.allCases), some)
        case .actOnAll(_, let session): return .actOnAll(numbers.one(of: SessionAction.allCases), session: session)
        case .change(let number, _): return .act(numbers.one(of: TransferAction.allCases), [number])
        default: return nil
        }
    }

    /// Returns the first of so many numbers for new transfers.
    private mutating func newNumbers(_ count: Int) -> Int {
        lastNumber += count
        return lastNumber - count + 1
    }

    // MARK: Clients

    private mutating func clientStep(_ world: World) -> Step {
        let transfers = world.ledger.numbers
        guard !transfers.isEmpty else { return submission() }
        let number = numbers.one(of: transfers)
        let session = numbers.below(World.sessions.count)
        switch numbers.below(32) {
        case 0..<7 where transfers.count < Self.mostTransfers: return submission()
        case 0..<7: return .act(numbers.one(of: [.remove, .removeWithFile]), [number])
        case 7, 8: return .act(numbers.one(of: [.remove, .cancel, .cancel]), [number])
        case 9, 10, 11: return .act(.pause, [number])
        case 12, 13: return .act(.resume, [number])
        case 14: return .act(.retry, [number])
        case 15: return .act(numbers.one(of: TransferAction.allCases), Array(transfers.suffix(2 + numbers.below(3))))
        case 16: return .actOnAll(numbers.one(of: SessionAction.allCases), session: session)
        case 17: return .change(number, change())
        case 18: return .settings(active: 1 + numbers.below(4), perHost: 1 + numbers.below(3))
        case 19: return .session(session, limits())
        case 20: return .order(session, first: number)
        case 21: return numbers.once(in: 3) ? .quit(session: session) : .list(session: session)
        case 22: return .answerChallenges
        case 23: return .attach(session: session, isSlow: numbers.once(in: 3))
        case 24: return .leave(session: session)
        case 25, 26: return .listen(session: session, isSlow: numbers.once(in: 3))
        case 27: return numbers.once(in: 2) ? .connect(session: session) : .registerLaunch(session: session)
        case 28, 29: return .change(number, change())
        default: return .acknowledge(session: session)
        }
    }

    private mutating func submission() -> Step {
        var wanted = Wanted()
        wanted.session = numbers.below(World.sessions.count)
        wanted.host = numbers.below(World.hosts.count)
        wanted.isUrgent = numbers.once(in: 4)
        wanted.waitsForNetworks = !numbers.once(in: 4)
        wanted.allowsExpensive = !numbers.once(in: 3)
        wanted.isPaused = numbers.once(in: 10)
        if numbers.once(in: 8) { wanted.begins = Double(1 + numbers.below(40)) }
        if numbers.once(in: 6) { wanted.timeout = Double(1 + numbers.below(100)) }
        if numbers.once(in: 8) { wanted.deadline = Double(1 + numbers.below(100)) }
        let count = 2 + numbers.below(6)
        return switch numbers.below(8) {
        case 0: .submitBatch(newNumbers(count), count: count, wanted)
        case 1: .submitList(newNumbers(count), count: count, wanted)
        default: .submit(newNumbers(1), wanted)
        }
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

    private mutating func surroundingStep() -> Step {
        switch numbers.below(22) {
        case 0..<7: .pass(seconds: [0.5, 1, 3, 10, 31, 400][numbers.below(6)])
        case 7..<12: .networks(Networks(reachable: !numbers.once(in: 3), expensive: numbers.once(in: 3)))
        case 12, 13: .folders(answer: numbers.once(in: 2))
        case 14: .setWallClock(by: numbers.one(of: [-50, 20, 5000]))
        case 15, 16: .fillDisk(commits: 1 + numbers.below(3))
        case 17: numbers.once(in: 3) ? .breakJournal : .folders(answer: true)
        case 18, 19, 20: .kill(reboots: numbers.once(in: 3))
        default: .terminate
        }
    }
}
