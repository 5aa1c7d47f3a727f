import FerryCore
import Foundation

@testable import FerryService

/// The queue with simulated clients, attempts, journal, clocks and networks. A value driven by the steps of a history.
///
/// This type performs the service's part. Operations that take time wait for a step. The queue, the machine and the
/// journal's rows are the real ones. The same steps lead to the same world.
package struct SimulatedWorld {
    typealias Next = SimulatedJournal.Next

    var clock = VirtualClock()
    var journal = SimulatedJournal()
    var queue: Queue
    var attempts = Attempts()
    var turns = SimulatedTurns()
    var gatherings = Gatherings()
    var hub = SimulatedHub(last: 0)
    var ledger = Ledger()
    var surroundings = Surroundings()
    /// Continuations to run after the current step.
    var soon: [Next] = []
    let mistake: Mistake?
    var laws = Laws()

    package init(mistake: Mistake? = nil) {
        self.mistake = mistake
        queue = Queue(surroundings.first, KnownConditions { _ in false }, lookAhead: Self.lookAhead)
        ledger.told(nil as ServiceSettings?)
        start()
        drain()
    }

    /// Seconds for which it is known whose time passes.
    static let lookAhead = 60.0

    /// The broken law, or `nil`.
    package var broken: String? { laws.broken }
    /// How often a law was looked at.
    package var checks: Int { laws.checks }

    // MARK: Steps

    /// Performs a step and checks the laws.
    ///
    /// - Returns: False if the step does not apply and has no effect.
    @discardableResult
    package mutating func take(_ step: Step) -> Bool {
        guard broken == nil, happens(step) else { return false }
        drain()
        if mistake != .leavesASlotIdle { tell(.schedule) }
        drain()
        check()
        return true
    }

    private mutating func happens(_ step: Step) -> Bool {
        if surroundings.isEnding {
            // A process that ends takes no calls.
            switch step {
            case .submit, .submitMany, .act, .actOnAll, .change, .settings, .session, .order, .attach, .quit,
                .terminate, .acknowledge:
                return false
            default: break
            }
        }
        switch step {
        case .submit(let number, let wanted): return submit(number, 1, wanted)
        case .submitMany(let number, let count, let wanted): return submit(number, count, wanted)
        case .act(let action, let number): return act(action, number)
        case .actOnAll(let action, let session): return actOnAll(action, session)
        case .change(let number, let change): return self.change(number, change)
        case .settings(let active, let perHost): return change(active: active, perHost: perHost)
        case .session(let session, let limits): return change(session, limits)
        case .order(let session, let first): return order(session, first: first)
        case .attach(let session): return attach(session)
        case .leave(let session): return leave(session)
        case .quit(let session): return quit(session)
        case .listen(let session): return listen(session)
        case .acknowledge(let session): return acknowledge(session)
        case .progress(let number, let progress): return self.progress(number, progress)
        case .end(let number, let ending): return end(number, ending)
        case .losePatience(let number): return losePatience(number)
        case .commit(let count, let fault): return journal.store(count, fault)
        case .answer(let errand, let isFresh):
            guard let next = journal.answer(errand, isFresh: isFresh) else { return false }
            next(&self)
        case .pass(let seconds): pass(seconds)
        case .setWallClock(let seconds): clock.setWallClock(by: seconds)
        case .networks(let networks): return change(networks)
        case .folders(let answer): return setFolders(answer)
        case .kill(let reboots): kill(reboots: reboots)
        case .terminate: terminate()
        }
        return true
    }

    /// Runs all continuations that wait for nothing.
    mutating func drain() {
        while !soon.isEmpty { soon.removeFirst()(&self) }
    }

    mutating func require(_ holds: Bool, _ law: @autoclosure () -> String) {
        if !holds { laws.fail(law()) }
    }

    // MARK: The queue

    /// The moment as it comes with an input.
    var moment: Moment { mistake == .setsAlarmsByTheWallClock ? clock.momentByWallClock : clock.moment }

    func key(_ record: TransferRecord) -> QueueKey { queue.sessions.key(record) }

    mutating func tell(_ input: Input) { perform(queue.take(input, at: moment)) }

    mutating func perform(_ effects: [Effect]) {
        // Sets have no order that a seed says.
        let failing = effects.compactMap { if case .fail(let id, let reason) = $0 { (id, reason) } else { nil } }
        for (id, reason) in failing.sorted(by: { $0.0 < $1.0 }) { soon.append { $0.fail(id, reason) } }
        for effect in effects { perform(effect) }
    }

    private mutating func perform(_ effect: Effect) {
        switch effect {
        case .start(let id, let key): start(id, key)
        case .stop(let id, let error):
            if mistake == .ignoresStops || mistake == .ignoresTheNetwork && error != nil { return }
            stopRun(id, error)
        case .endOverdue(let ids): soon.append { $0.pass(due: ids.sorted()) }
        case .readOn(let reading): read(reading)
        case .work(let cause): work(cause)
        case .watch:
            if mistake != .watchesNothing { soon.append { $0.tell(.conditions($0.surroundings.report)) } }
        case .rest: require(queue.running.isEmpty, "rest while something runs")
        case .notifyWaiting(let record): notifyWaiting(record)
        case .consider(let session): consider(session)
        case .detached(let session):
            if !surroundings.isEnding { saveRegistration(of: session) }
            consider(session)
        case .saveForeground(let foreground):
            for (session, _) in foreground.registrations { saveRegistration(of: session) }
        case .notifyApp, .launch, .launchGivenUp, .endSignals: break
        case .cleanUp: cleanUp()
        case .readDue(let start, let end): readDue(after: start, through: end)
        case .deferSchedule: soon.append { $0.tell(.deferredSchedule) }
        // The input's sender handles these.
        case .expire, .fail, .takenOut, .readPolicies: break
        case .follow, .pollPower, .renewConnections, .conditionsChanged, .limits, .sessionLimits, .notifyReasons: break
        }
    }

    private mutating func notifyWaiting(_ record: TransferRecord) {
        require(record.isEligible, "\(record.id) is told to wait, and is not to run")
    }

    // MARK: The journal

    mutating func commit<Value>(
        _ errand: Errand, ofRunning: Bool = false,
        _ body: @escaping (MemoryTransaction) throws(ServiceError) -> Value,
        then next: @escaping (inout SimulatedWorld, Result<Value, ServiceError>) -> Void
    ) {
        journal.commit(errand, ofRunning: ofRunning, body, then: next)
    }

    mutating func read<Value>(
        _ errand: Errand, _ body: @escaping (MemoryTransaction) throws(ServiceError) -> Value,
        then next: @escaping (inout SimulatedWorld, Result<Value, ServiceError>) -> Void
    ) {
        journal.read(errand, body, then: next)
    }

    // MARK: Turns

    mutating func takeTurn(_ id: TransferID, _ next: @escaping Next) {
        if mistake == .actsWithoutATurn || turns.take(id) { return next(&self) }
        turns.wait(id, next)
    }

    mutating func takeTurns(_ ids: some Collection<TransferID>, _ next: @escaping Next) {
        guard let first = ids.first else { return next(&self) }
        let rest = Array(ids.dropFirst())
        takeTurn(first) { $0.takeTurns(rest, next) }
    }

    mutating func leaveTurn(_ id: TransferID) {
        if let next = turns.leave(id) { soon.append(next) }
        if mistake != .forgetsTheEndsOfTurns { tell(.unlocked(id)) }
    }
}

extension TransferID {
    init(_ number: Int) { self.init(rawValue: UInt64(number)) }
    var number: Int { Int(rawValue) }
}

extension Result {
    var value: Success? { try? get() }
}
