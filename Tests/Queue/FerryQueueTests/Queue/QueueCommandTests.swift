import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

/// Commands, once the journal has them, and deadlines.
extension `The queue` {
    @Test func `removes a suspended transfer from its queue, and stops a running one`() {
        var queue = queue(with: [record(1), record(2), record(3)], active: 1)
        _ = queue.take(.began(id(1), record(1)), at: moment())
        let waiting = queue.act(.pause, record(2), at: moment())
        #expect(waiting.stopped.isEmpty)
        let running = queue.act(.pause, record(1), at: moment())
        #expect(running.stopped == [id(1)] && queue.running.disposition(of: id(1)) == .stops)
        _ = queue.pass(.waited(late: [id(1)]), after: running, at: moment())
        #expect(queue.running.disposition(of: id(1)) == .isAbandoned)
        let ended = queue.take(.ended(id(1), NextAttempt(record: record(1), delay: 0, reason: .retry)), at: moment())
        #expect(ended.cleansUp)
        let inspected = queue.take(.schedule, at: moment())
        #expect(inspected.started == [id(3)] && queue.waitingTransfers.count == 0)
        _ = queue.act(.resume, record(2), at: moment())
        #expect(queue.waitingTransfers.count == 1)
    }

    @Test func `asks a throttling server again when a session's transfers are started`() throws {
        // Another transfer of the session was told to wait, and the started one waits only for the server.
        for teller in [1, 2] {
            var queue = queue(with: [record(1)])
            let origin = try HTTPURL(parsing: "https://a.test/1").origin
            _ = queue.take(.held(origin, seconds: 60, id(teller)), at: moment())
            _ = queue.act(.pause, record(1), at: moment())
            _ = queue.take(.ended(id(1), nil), at: moment())
            let pending = PendingTransfer(
                id: id(1), session: .cli, origin: origin.description, priority: .normal,
                network: record(1).request.transport.network, retry: nil, notBefore: nil, due: nil,
                startsAfterRelaunch: false)
            let restart = Input.Restart(ids: [id(1)], session: .cli, pending: [pending])
            _ = queue.take(.restarted(restart), at: moment())
            let inspected = queue.take(.schedule, at: moment())
            #expect(inspected.started == [id(1)])
        }
    }

    @Test func `asks a server again once the transfer is removed that it told to wait`() throws {
        let origin = try HTTPURL(parsing: "https://a.test/1").origin
        for input in [Input.finished([(id(1), 5)]), .finished([(id(1), nil)]), .gone([id(1)])] {
            var queue = queue(with: [record(1)])
            _ = queue.take(.held(origin, seconds: 60, id(1)), at: moment())
            let finished = queue.take(input, at: moment())
            #expect(finished.plansSchedule && queue.waitingTransfers.throttledOrigins.isEmpty)
            // Several completions at a time cause one scheduling pass.
            let ended = queue.take(.ended(id(1), nil), at: moment())
            #expect(!ended.plansSchedule)
            _ = queue.take(.deferredSchedule, at: moment())
            let again = queue.take(.ended(id(1), nil), at: moment())
            #expect(again.plansSchedule)
        }
    }

    /// The ended transfer may have had no attempt whose end would fill the slots.
    @Test func `fills a slot when an end wakes a transfer that waits for the disk`() {
        for input in [Input.finished([(id(2), nil)]), .gone([id(2)])] {
            var queue = queue(with: [record(1)])
            let full = NextAttempt(record: record(1), delay: 60, reason: .disk)
            _ = queue.take(.ended(id(1), full), at: moment())
            _ = queue.take(.deferredSchedule, at: moment())
            let ended = queue.take(input, at: moment())
            #expect(ended.plansSchedule)
            let scheduled = queue.take(.deferredSchedule, at: moment())
            #expect(scheduled.started == [id(1)])
        }
    }

    /// The effect of a changed request on a transfer that waits for a retry, and on a running one.
    @Test(
        arguments: [
            ("rate", 9, false, false), ("address", 0, true, true), ("priority", 9, true, false),
            ("network", 9, true, true), ("begin", 20, true, false),
        ] as [(String, Double, Bool, Bool)])
    func `applies a changed request to waiting and running transfers`(
        change: String, delay: Double, changesPlace: Bool, stops: Bool
    ) {
        var changed = record(1)
        switch change {
        case "rate": changed.request.transport.rateLimit = 5
        case "address": changed.request.url = "https://b.test/1"
        case "priority": changed.request.timing.priority = .high
        case "network": changed.request.transport.network.allowsExpensive = false
        default: changed.request.timing.notBefore = moment(20).wall
        }
        var queue = queue(with: [])
        _ = queue.take(.conditions(report { $0.expensive = true }), at: moment())
        let delayed = Input.Eligible(record: record(1), delay: 9)
        _ = queue.take(.eligible(delayed), at: moment())
        _ = queue.take(.conditions(report { $0.expensive = true }), at: moment())
        _ = queue.take(.changed(changed, replacing: record(1)), at: moment())
        #expect((queue.waitingTransfers.delay(of: id(1))?.rest(at: moment().clock) ?? 0) == delay)
        #expect(queue.waitingTransfers.count == (delay == 0 ? 1 : 0))
        _ = queue.take(.changed(record(1), replacing: changed), at: moment())
        _ = queue.take(.alarm, at: moment(30))
        #expect(queue.running.ids == [id(1)])
        _ = queue.take(.began(id(1), record(1)), at: moment(30))
        let effects = queue.take(.changed(changed, replacing: record(1)), at: moment(30))
        #expect(effects.followed == [changed.request])
        #expect(effects.stopped.isEmpty != stops)
        if changesPlace, change == "priority" { #expect(queue.running.key(of: id(1))?.priority == .high) }
    }

    /// Pending transfers from the journal are outdated if something happened to them since they were read.
    @Test(arguments: ["nothing", "action", "end"])
    func `adopts the transfers of its order, except those changed since it was read`(event: String) {
        var queue = queue(with: [record(9)], active: 1)
        let pending = PendingTransfer(
            id: id(1), session: .cli, origin: "https://a.test:443", priority: .normal, network: NetworkPolicy(),
            retry: nil, notBefore: nil, due: nil, startsAfterRelaunch: false)
        _ = queue.take(.ordering(.cli), at: moment())
        if event == "action" { _ = queue.act(.pause, record(1), at: moment()) }
        if event == "end" { _ = queue.take(.ended(id(1), nil), at: moment()) }
        _ = queue.take(.ordered([pending], .cli), at: moment())
        #expect(queue.waitingTransfers.count == (event == "nothing" ? 1 : 0))
        _ = queue.take(.ordering(.cli), at: moment())
        _ = queue.take(.ordered([pending], .cli), at: moment())
        #expect(queue.waitingTransfers.count == 1)
    }

    /// The session's own policy hides the request's: the key stays the same, but the transfer's queue in the journal
    /// changes.
    @Test func `queues a transfer that the journal has in another queue now`() {
        var queue = queue(with: [record(9)], active: 1)
        var settings = SessionSettings()
        settings.network = NetworkPolicy()
        _ = queue.take(.session(.cli, settings), at: moment())
        _ = queue.take(.policies([:], .cli), at: moment())
        var changed = record(1)
        changed.request.transport.network.allowsExpensive = false
        _ = queue.take(.changed(changed, replacing: record(1)), at: moment())
        #expect(queue.waitingTransfers.waiting(with: queue.sessions.key(changed), limit: 9) == [id(1)])
    }

    @Test func `starts no held transfer before its release, and then in its turn`() {
        var queue = queue(with: [record(1), record(2), record(3)], active: 1)
        func take(_ input: Input) -> [Effect] { queue.take(input, at: moment()) }
        _ = take(.hold([id(2)], .commit))
        _ = take(.ended(id(1), nil))
        #expect(take(.deferredSchedule).started == [id(3)])
        let released = take(.release([id(2)], .commit))
        #expect(released.freed == [id(2)] && released.plansSchedule)
        #expect(queue.waitingTransfers.waiting(with: queue.sessions.key(record(2)), limit: 9) == [id(2)])
        // One whose turn has not come is where it was.
        _ = take(.eligible(Input.Eligible(record: record(4), delay: 5)))
        _ = take(.hold([id(2), id(4)], .commit))
        #expect(!take(.release([id(2), id(4)], .commit)).plansSchedule)
        #expect(queue.waitingTransfers.count == 1 && queue.waitingTransfers.delay(of: id(4)) != nil)
    }

    /// The turn of a held transfer came, and then it was to rest, to wait elsewhere, or finished.
    @Test(arguments: ["paused", "paused with its session", "delayed", "changed", "finished", "ended"])
    func `discards the turn of a held transfer that is not to run now`(event: String) {
        var queue = queue(with: [record(1)], active: 1)
        _ = queue.take(.hold([id(2)], .commit), at: moment())
        _ = queue.take(.eligible(Input.Eligible(record: record(2))), at: moment())
        _ = queue.take(.ended(id(1), nil), at: moment())
        #expect(queue.take(.schedule, at: moment()).started == [] && queue.waitingTransfers.count == 0)
        var changed = record(2)
        switch event {
        case "paused", "paused with its session":
            _ = queue.take(.release([id(2)], .commit), at: moment())
            let scope = event == "paused" ? Act.Scope.named : .session(.cli, isNamed: false)
            let begun = queue.take(.act(Act(.pause, on: [id(2)], scope)), at: moment())
            #expect(queue.take(.schedule, at: moment()).started == [] && queue.waitingTransfers.count == 0)
            let events = EventRun(kind: .suspended, session: .cli, at: moment().wall, first: 1, ids: [id(2)])
            let stored =
                event == "paused"
                ? Act.Committed.each([(id(2), .done(nil, record(2)))])
                : .stopped([Act.Stopped(ids: [id(2)], events: events)])
            _ = queue.pass(.committed(stored), after: begun, at: moment())
        case "delayed": _ = queue.take(.eligible(Input.Eligible(record: record(2), delay: 5)), at: moment())
        case "changed":
            changed.request.timing.priority = .high
            _ = queue.take(.changed(changed, replacing: record(2)), at: moment())
        case "finished": _ = queue.take(.finished([(id(2), nil)]), at: moment())
        default:
            _ = queue.take(.end, at: moment())
        }
        _ = queue.take(.release([id(2)], .commit), at: moment())
        let started = queue.take(.schedule, at: moment()).started
        #expect(started == (event == "changed" ? [id(2)] : []))
        if event == "changed" { #expect(queue.running.key(of: id(2))?.priority == .high) }
        #expect((queue.waitingTransfers.delay(of: id(2)) != nil) == (event == "delayed"))
    }

    @Test func `cleans up after an operation that an action did not wait for`() {
        var queue = queue(with: [])
        _ = queue.take(.hold([id(1)], .files), at: moment())
        let asked = queue.take(.act(Act(.cancel, on: [id(1)], .named)), at: moment())
        let stored = queue.pass(.committed(.each([(id(1), .done(nil, record(1)))])), after: asked, at: moment())
        _ = queue.pass(.waited(late: [id(1)]), after: stored, at: moment())
        let released = queue.take(.release([id(1)], .files), at: moment())
        #expect(released.cleansUp && released.freed == [id(1)])
    }

    /// The outcome may reach the queue before the change that is stored.
    @Test func `puts no finished transfer back after its change`() {
        var queue = queue(with: [record(1)], active: 1)
        _ = queue.take(.hold([id(2)], .commit), at: moment())
        _ = queue.take(.finished([(id(2), nil)]), at: moment())
        var moved = record(2)
        moved.request.timing.priority = .high
        _ = queue.take(.changed(moved, replacing: record(2)), at: moment())
        _ = queue.take(.release([id(2)], .commit), at: moment())
        #expect(queue.waitingTransfers.count == 0)
    }

    @Test(arguments: [true, false]) func `gives new keys to held transfers of a session whose policy changed`(
        isReleased: Bool
    ) {
        var queue = queue(with: [record(1)], active: 1)
        func take(_ input: Input) -> [Effect] { queue.take(input, at: moment()) }
        _ = take(.hold([id(2)], .commit))
        _ = take(.eligible(Input.Eligible(record: record(2))))
        _ = take(.ended(id(1), nil))
        #expect(take(.schedule).started == [])
        var settings = SessionSettings()
        settings.network = NetworkPolicy(allowsExpensive: false)
        #expect(take(.session(.cli, settings)).readsPolicies == [.cli])
        if isReleased { _ = take(.release([id(2)], .commit)) }
        _ = take(.policies([id(2): NetworkPolicy()], .cli))
        if !isReleased { _ = take(.release([id(2)], .commit)) }
        _ = take(.schedule)
        #expect(queue.running.key(of: id(2)) == queue.sessions.key(record(2)))
    }

    /// The handling of a transfer whose alarm rings.
    @Test(arguments: ["waits", "runs", "begins", "has time left"])
    func `ends a transfer whose time is over, wherever it is`(place: String) {
        let bounded = record(1) { $0.timing.deadline = Date(timeIntervalSince1970: 1_000_005) }
        var queue = queue(with: place == "waits" ? [] : [bounded])
        if place == "waits" { _ = queue.take(.eligible(Input.Eligible(record: bounded, delay: 9)), at: moment()) }
        if place == "runs" { _ = queue.take(.began(id(1), bounded), at: moment()) }
        _ = queue.take(.due([DueTransfer(id: id(1), due: moment(5).wall)]), at: moment())
        let late = place == "has time left" ? moment(4) : moment(5)
        _ = queue.take(.alarm, at: moment(5))
        let effects = queue.take(.overdue([bounded]), at: late)
        #expect(effects.started == (place == "waits" ? [id(1)] : []))
        #expect(queue.running.onlyEnds(id(1)) == (place == "waits"))
        #expect(effects.stopped == (place == "runs" ? [id(1)] : []))
        // If it cannot be ended yet, its alarm rings again.
        #expect(queue.waitingTransfers.haveAlarms.isEmpty == (place == "waits" || place == "runs"))
        #expect(queue.waitingTransfers.delay(of: id(1)) == nil)
    }

    /// The start of an attempt, by the state of its transfer.
    @Test(arguments: ["ready", "paused", "overdue", "early", "unreadable", "forbidden", "forbidden, and waits"])
    func `begins an attempt as its transfer asks`(state: String) {
        var given = record(1)
        switch state {
        case "paused": given.intent = .suspend
        case "overdue": given.request.timing.deadline = moment().wall
        case "early": given.request.timing.notBefore = moment(9).wall
        case "unreadable": given.outcome = .failed(ServiceError(.journalFailed, "unreadable"))
        case "forbidden": given.request.transport.network.waits = false
        default: break
        }
        var queue = queue(with: [record(1)])
        if state.hasPrefix("forbidden") { _ = queue.take(.conditions(report { $0.reachable = false }), at: moment()) }
        let start =
            switch queue.start(of: given, at: moment()) {
            case .run: "run"
            case .finish(.failed(let error)): error.code.rawValue
            case .finish(let outcome): outcome.state.rawValue
            case .again(let next): "again \(next.reason.rawValue)"
            case .none: "none"
            }
        let expected = [
            "ready": "run", "paused": "none", "overdue": "deadline_exceeded", "early": "again begin_date",
            "unreadable": "journal_failed", "forbidden": "offline", "forbidden, and waits": "run",
        ]
        #expect(start == expected[state])
        _ = queue.act(.pause, record(1), at: moment())
        if case .none = queue.start(of: record(1), at: moment()) {} else { Issue.record("A stopped attempt begins.") }
    }

    /// An alarm may go off before the deadline was put off, or the network may come back.
    @Test func `takes no slot to end a transfer, and queues it again if it is not to end`() {
        var overdue = record(1) { $0.timing.deadline = moment().wall }
        overdue.retry = RetryPlan(
            at: moment(9).wall, delay: 20, reason: .retry, error: ServiceError(.connectionLost, "lost"))
        var queue = queue(with: [], active: 1)
        let ending = queue.take(.overdue([overdue]), at: moment())
        #expect(ending.started == [id(1)])
        let other = queue.take(.eligible(Input.Eligible(record: record(2))), at: moment())
        _ = queue.take(.conditions(report()), at: moment())
        #expect(other.started == [] && queue.running.contains(id(2)))
        overdue.request.timing.deadline = moment(60).wall
        guard case .again(let next) = queue.start(of: overdue, at: moment()) else {
            Issue.record("A transfer with time left does not wait again.")
            return
        }
        #expect(next.delay == 9)
        _ = queue.take(.ended(id(1), next), at: moment())
        #expect(queue.waitingTransfers.delay(of: id(1)) != nil && queue.waitingTransfers.haveAlarms == [id(1)])
    }

    /// A record is read as overdue, and its transfer gets another priority before the queue takes the record.
    @Test func `ends an overdue transfer in whatever line it stands now`() {
        let old = record(2) { $0.timing.deadline = moment().wall }
        var changed = old
        changed.request.timing.priority = Priority(clamping: 9)
        var queue = queue(with: [record(1), old], active: 1)
        _ = queue.take(.changed(changed, replacing: old), at: moment())
        #expect(queue.waitingTransfers.count == 1)
        let ending = queue.take(.overdue([old]), at: moment())
        #expect(ending.started == [id(2)] && queue.waitingTransfers.count == 0)
    }

    /// The journal may have no space for the outcome.
    @Test func `ends an overdue transfer again after the delay of its failed end`() {
        let overdue = record(1) { $0.timing.deadline = moment().wall }
        var queue = queue(with: [])
        _ = queue.take(.overdue([overdue]), at: moment())
        _ = queue.take(.ended(id(1), NextAttempt(record: overdue, delay: 30, reason: .disk)), at: moment())
        let early = queue.take(.alarm, at: moment(29))
        let late = queue.take(.alarm, at: moment(30))
        #expect(early.overdue == [] && late.overdue == [id(1)])
    }

    @Test func `looks ahead again and again`() {
        var queue = queue(with: [])
        let first = queue.take(.lookAhead, at: moment())
        #expect(first.dueLooks.map(\.start) == [nil])
        let next = queue.waitingTransfers.nextAlarm ?? moment().clock
        let seconds = (next - moment().clock) / .seconds(1)
        #expect(seconds > 0)
        let second = queue.take(.alarm, at: moment(seconds))
        #expect(second.dueLooks.map(\.start) == first.dueLooks.map(\.end))
        _ = queue.take(.due([DueTransfer(id: id(1), due: moment(seconds + 1).wall)]), at: moment(seconds))
        let rung = queue.take(.alarm, at: moment(seconds + 2))
        #expect(rung.overdue == [id(1)])
    }

    @Test func `stops everything at its end`() {
        var queue = queue(with: [record(1), record(2)])
        _ = queue.take(.began(id(1), record(1)), at: moment())
        let effects = queue.take(.end, at: moment())
        #expect(Set(effects.stopped) == [id(1), id(2)])
        let ended = queue.take(.ended(id(1), NextAttempt(record: record(1), delay: 0, reason: .retry)), at: moment())
        #expect(ended.freed == [id(1)] && ended.count == 1 && queue.waitingTransfers.count == 0)
    }
}

extension Queue {
    /// Commits a command on a transfer, as the record shows it.
    mutating func act(_ command: TransferCommand, _ record: TransferRecord, at moment: Moment) -> [Effect] {
        let begun = take(.act(Act(command, on: [record.id], .named)), at: moment)
        return pass(.committed(.each([(record.id, .done(nil, record))])), after: begun, at: moment)
    }

    /// Passes the result of the last effect, an action's step.
    mutating func pass(_ news: Act.News, after effects: [Effect], at moment: Moment) -> [Effect] {
        guard case .act(let ticket, _)? = effects.last else { return [] }
        return take(.acted(news, ticket), at: moment)
    }
}
