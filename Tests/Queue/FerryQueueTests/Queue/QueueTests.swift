import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

@Suite struct `The queue` {
    private static let start = Moment(
        clock: .now, active: ActiveTime.Instant(wall: Date(timeIntervalSince1970: 1_000_000), boot: "b", uptime: 100))

    func moment(_ seconds: Double = 0) -> Moment {
        var moment = Self.start
        moment.clock += .seconds(seconds)
        moment.active.wall += seconds
        moment.active.uptime += seconds
        return moment
    }

    func id(_ number: Int) -> TransferID { TransferID(rawValue: UInt64(number)) }

    func queue(active: Int = 2) -> Queue {
        var settings = ServiceSettings()
        settings.activeTransfers = active
        return Queue(settings, KnownConditions { _ in false }, lookAhead: 60)
    }

    func record(_ number: Int, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRecord {
        var request = TransferRequest(url: "https://a.test/\(number)", folder: "/f")
        change(&request)
        return TransferRecord(
            id: id(number), createdAt: Date(timeIntervalSince1970: 999_000), request: request, credentials: nil)
    }

    func report(_ change: (inout Conditions) -> Void = { _ in }) -> ConditionReport {
        var report = ConditionReport()
        report.known = [.reachability, .kind, .power]
        change(&report.conditions)
        return report
    }

    /// Returns a queue with transfers that are to run, and with known network conditions.
    func queue(with records: [TransferRecord], active: Int = 2) -> Queue {
        var queue = queue(active: active)
        for record in records { _ = queue.take(.eligible(Input.Eligible(record: record)), at: moment()) }
        _ = queue.take(.conditions(report()), at: moment())
        return queue
    }

    @Test func `gives slots to those that may run, and none once it ends`() {
        var queue = queue()
        let effects = queue.take(.eligible(Input.Eligible(record: record(1))), at: moment())
        #expect(effects.watched == [.reachability])
        // Nothing starts before the transfer's conditions are known.
        #expect(effects.started == [])
        let going = queue.take(.conditions(report()), at: moment())
        #expect(going.started == [id(1)] && queue.waitingTransfers.count == 0)
        let again = queue.take(.schedule, at: moment())
        #expect(again.started == [])
        _ = queue.take(.end, at: moment())
        _ = queue.take(.eligible(Input.Eligible(record: record(2))), at: moment())
        let ending = queue.take(.schedule, at: moment())
        #expect(ending.started == [] && queue.waitingTransfers.count == 1)
    }

    /// The conditions may become known while the orders of the sessions are read.
    @Test func `gives no slot before a start has read the order of the transfers`() {
        var queue = queue(active: 1)
        _ = queue.take(.recovered([]), at: moment())
        for number in [1, 2] { _ = queue.take(.eligible(Input.Eligible(record: record(number))), at: moment()) }
        let early = queue.take(.conditions(report()), at: moment())
        #expect(early.started == [])
        _ = queue.take(.order(.cli, [id(2), id(1)]), at: moment())
        let opened = queue.take(.opened, at: moment())
        #expect(opened.started == [id(2)])
        // A shutdown during the start is final.
        var ending = self.queue(active: 1)
        _ = ending.take(.recovered([]), at: moment())
        _ = ending.take(.end, at: moment())
        _ = ending.take(.opened, at: moment())
        _ = ending.take(.eligible(Input.Eligible(record: record(1))), at: moment())
        let last = ending.take(.conditions(report()), at: moment())
        #expect(last.started == [])
    }

    @Test func `lets the next one run when an attempt has ended, and this one after its delay`() {
        var queue = queue(with: [record(1), record(2)], active: 1)
        #expect(queue.running.ids == [id(1)])
        let next = NextAttempt(record: record(1), delay: 5, reason: .retry)
        let ended = queue.take(.ended(id(1), next), at: moment())
        #expect(ended.toldWaiting == [id(1)])
        let inspected = queue.take(.schedule, at: moment())
        #expect(inspected.started == [id(2)])
        _ = queue.take(.ended(id(2), nil), at: moment())
        #expect(queue.waitingTransfers.nextAlarm == moment(5).clock)
        let early = queue.take(.alarm, at: moment(4))
        #expect(early.started == [])
        let due = queue.take(.alarm, at: moment(5))
        #expect(due.started == [id(1)])
        let told = queue.act(.pause, record(1), at: moment(6))
        #expect(told.stopped == [id(1)])
        let stopped = queue.take(.ended(id(1), next), at: moment(6))
        #expect(
            stopped.toldWaiting == [] && queue.waitingTransfers.count == 0
                && queue.waitingTransfers.delay(of: id(1)) == nil)
        let rest = queue.take(.schedule, at: moment(6))
        #expect(rest.isRest)
    }

    @Test func `attempts the waiting transfers at once when a network comes up`() {
        for reason in [WaitReason.retry, .network] {
            var queue = queue(with: [record(1)])
            let next = NextAttempt(record: record(1), delay: 500, reason: reason)
            _ = queue.take(.ended(id(1), next), at: moment())
            _ = queue.take(.conditions(report { $0.reachable = false }), at: moment())
            #expect(queue.waitingTransfers.delay(of: id(1)) != nil)
            let up = queue.take(.conditions(report()), at: moment(1))
            #expect(up.started == [id(1)])
        }
    }

    /// The alarm may have gone off after the run had ended, when there was nothing to stop.
    @Test func `sets the alarm of a deadline again when an attempt ends`() {
        var bounded = record(1)
        bounded.request.timing.deadline = moment(30).wall
        var queue = queue(with: [bounded])
        _ = queue.take(.alarm, at: moment(30))
        #expect(!queue.waitingTransfers.haveAlarms.contains(id(1)))
        _ = queue.take(.ended(id(1), NextAttempt(record: bounded, delay: 60, reason: .retry)), at: moment(29))
        #expect(queue.waitingTransfers.haveAlarms.contains(id(1)))
    }

    /// The start of a run after something has happened to its transfer.
    @Test(arguments: ["nothing", "stop", "address", "priority", "network"])
    func `informs a starting run of the changes since its transfer got the slot`(event: String) {
        var queue = queue(with: [record(1)])
        var changed = record(1).request
        switch event {
        case "stop": _ = queue.act(.pause, record(1), at: moment())
        case "address":
            changed.url = "https://b.test/1"
            var record = record(1)
            record.request = changed
            _ = queue.take(.changed(record, replacing: self.record(1)), at: moment())
        case "priority":
            changed.timing.priority = .high
            var record = record(1)
            record.request = changed
            _ = queue.take(.changed(record, replacing: self.record(1)), at: moment())
        case "network":
            let effects = queue.take(.conditions(report { $0.reachable = false }), at: moment())
            // It has no run to stop.
            #expect(effects.stopped == [])
        default: break
        }
        let effects = queue.take(.began(id(1), record(1)), at: moment())
        #expect(effects.followed == (["address", "priority"].contains(event) ? [changed] : []))
        #expect(effects.stopped.isEmpty == ["nothing", "priority"].contains(event))
    }

    @Test func `lets transfers follow the networks`() {
        let hurried = record(3) { $0.transport.network.waits = false }
        var queue = queue(with: [record(1), record(2), hurried], active: 1)
        _ = queue.take(.began(id(1), record(1)), at: moment())
        let down = queue.take(.conditions(report { $0.reachable = false }), at: moment())
        #expect(down.stopped == [id(1)] && down.started == [id(3)] && down.toldReasons == [id(2)])
        _ = queue.take(.ended(id(1), NextAttempt(record: record(1), delay: 9, reason: .retry)), at: moment())
        let idle = queue.take(.schedule, at: moment())
        #expect(idle.started == [])
        let up = queue.take(.conditions(report()), at: moment())
        // A transfer that waits for a retry can start at once.
        #expect(up.started == [id(1)] && up.renewsConnections && up.toldReasons == [id(2)])
        let same = queue.take(.conditions(report()), at: moment())
        #expect(same.isEmpty)
    }

    /// A regression: a file that was being placed when the network was lost waited for the network.
    @Test(arguments: [false, true]) func `lets a file be placed without a network`(inMemory: Bool) {
        var queue = queue(with: [record(1), record(2)], active: 2)
        for number in 1...2 { _ = queue.take(.began(id(number), record(number)), at: moment()) }
        _ = queue.take(.whole(id(1), inMemory: inMemory), at: moment())
        let down = queue.take(.conditions(report { $0.reachable = false }), at: moment())
        #expect(down.stopped == [id(2)])
    }

    @Test func `tells transfers that they wait for their host, once, and then the next reason`() {
        var queue = queue(active: 4)
        var settings = queue.sessions.settings
        settings.connectionsPerHost = 2
        _ = queue.take(.settings(settings, report()), at: moment())
        for number in 1...3 {
            _ = queue.take(.eligible(Input.Eligible(record: record(number))), at: moment())
        }
        let full = queue.take(.conditions(report()), at: moment())
        #expect(full.started == [id(1), id(2)] && full.toldReasons == [id(3)])
        #expect(queue.limits.obstacle(queue.sessions.key(record(3))) == .host)
        let again = queue.take(.schedule, at: moment())
        #expect(again.toldReasons == [])
        // While all slots are taken, no other reason is reported.
        settings.activeTransfers = 2
        let fuller = queue.take(.settings(settings, report()), at: moment())
        #expect(fuller.toldReasons == [])
        _ = queue.take(.session(.cli, SessionSettings(activeTransfers: 2)), at: moment())
        settings.activeTransfers = 4
        let other = queue.take(.settings(settings, report()), at: moment())
        #expect(other.toldReasons == [id(3)])
    }

    @Test func `follows settings at once`() throws {
        var queue = queue(with: (1...4).map { record($0) }, active: 1)
        var settings = queue.sessions.settings
        settings.activeTransfers = 3
        let more = queue.take(.settings(settings, report()), at: moment())
        #expect(more.started == [id(2), id(3)])
        for number in 1...3 { _ = queue.take(.began(id(number), record(number)), at: moment()) }
        let fewer = queue.take(.session(.cli, SessionSettings(activeTransfers: 1)), at: moment())
        #expect(fewer.stopped == [id(3), id(2)] && fewer.started == [])
        for number in [2, 3] {
            _ = queue.take(
                .ended(id(number), NextAttempt(record: record(number), delay: 0, reason: .retry)), at: moment())
        }
        let inspected = queue.take(.schedule, at: moment())
        #expect(inspected.started == [] && queue.waitingTransfers.count == 3)
        _ = queue.take(.order(.cli, [id(4), id(3)]), at: moment())
        _ = queue.take(.ended(id(1), nil), at: moment())
        let ordered = queue.take(.schedule, at: moment())
        #expect(ordered.started == [id(4)])
        var policy = SessionSettings(activeTransfers: 1)
        policy.network = NetworkPolicy()
        policy.network?.allowsExpensive = false
        let asked = queue.take(.session(.cli, policy), at: moment())
        #expect(asked.readsPolicies == [.cli])
        let own = Dictionary(uniqueKeysWithValues: (1...4).map { (id($0), NetworkPolicy()) })
        let followed = queue.take(.policies(own, .cli), at: moment())
        #expect(followed.watched == [.reachability, .kind])
        #expect(queue.waitingTransfers.keys.allSatisfy { !$0.network.allowsExpensive })
        #expect(queue.running.key(of: id(4))?.network.allowsExpensive == false)
    }

    @Test func `rings for transfers whose time passes, and not while they are held`() {
        var queue = queue(with: [])
        let bounded = record(1) { $0.timing.deadline = Date(timeIntervalSince1970: 1_000_005) }
        _ = queue.take(.due([DueTransfer(id: id(1), due: moment(5).wall)]), at: moment())
        let early = queue.take(.alarm, at: moment(4))
        #expect(early.overdue == [])
        let late = queue.take(.alarm, at: moment(5))
        #expect(late.overdue == [id(1)])
        _ = queue.take(.hold([id(1)], .commit), at: moment(5))
        let held = queue.take(.overdue([bounded]), at: moment(5))
        #expect(held.isEmpty)
        _ = queue.take(.release([id(1)], .commit), at: moment(6))
        let again = queue.take(.alarm, at: moment(6))
        #expect(again.overdue == [id(1)])
    }

    @Test func `waits for the moment at which a transfer may begin, and for the delay after launches`() throws {
        var queue = queue(with: [])
        let begin = Date(timeIntervalSince1970: 1_000_030)
        _ = queue.take(
            .eligible(Input.Eligible(record: record(1) { $0.timing.notBefore = begin }, delay: 3)), at: moment())
        #expect(queue.waitingTransfers.delay(of: id(1))?.reason == .beginDate)
        _ = queue.take(.conditions(report()), at: moment())
        let session = try SessionID("app/s")
        let attachment = SessionAttachment(
            application: "app", identifier: "s", process: 1, isBackgroundLaunched: true, sendsLaunchEvents: true,
            connectionsPerHost: nil)
        let command = LaunchCommand(arguments: ["/app"], workingFolder: nil, environment: [:])
        _ = queue.take(.app(.command(command, of: "app")), at: moment())
        launch(session, attachment, of: &queue, at: moment())
        var late = record(2) { $0.session = session }
        late.facts.startsAfterRelaunch = true
        _ = queue.take(.eligible(Input.Eligible(record: late)), at: moment(10))
        #expect(queue.waitingTransfers.delay(of: id(2))?.reason == .relaunch)
        #expect(queue.waitingTransfers.delay(of: id(2))?.until == moment(60).clock)
        let foreground = queue.take(.app(.foreground("app", saving: nil)), at: moment(11))
        #expect(foreground.savesForeground)
        let going = queue.take(.relaunchDelay(of: "app"), at: moment(11))
        #expect(going.started == [id(2)])
        // A transfer with an earlier attempt does not wait for it.
        late.attempts = 1
        _ = queue.take(.ended(id(2), nil), at: moment(11))
        launch(session, attachment, of: &queue, at: moment(11))
        _ = queue.take(.eligible(Input.Eligible(record: late)), at: moment(11))
        #expect(queue.waitingTransfers.delay(of: id(2)) == nil)
    }

    /// Launches a session's app for its events.
    private func launch(
        _ session: SessionID, _ attachment: SessionAttachment, of queue: inout Queue, at moment: Moment
    ) {
        let token = queue.open(session, attachment, by: nil)
        let closed = queue.take(.app(.closed(session, token)), at: moment)
        #expect(closed.detached == [session])
        let news = queue.take(.app(.news(of: session)), at: moment)
        #expect(news.considered == [session])
        let work = AppRegistry.Work(hasResults: true, isWorking: false, isAsking: false)
        let launching = queue.take(.app(.considered(session, work, firstDelay: 60)), at: moment)
        #expect(launching.launched == [session])
    }

    /// The end of an attempt, the user's intent at that time, and the expected verdict.
    @Test(
        arguments: [
            ("success", .run, "finish"), ("success", .suspend, "finish"), ("stop", .run, "again"),
            ("stop", .suspend, "rest"), ("failure", .run, "again"), ("failure", .suspend, "rest"),
            ("refusal", .run, "again"), ("mistake", .run, "finish"),
        ] as [(String, TransferIntent, String)])
    func `judges what an attempt reports by what the journal says`(
        end: String, intent: TransferIntent, expected: String
    ) throws {
        var queue = queue(with: [record(1), record(2)], active: 1)
        _ = queue.take(.began(id(1), record(1)), at: moment())
        var stored = record(1)
        stored.intent = intent
        var busy = ErrorDetails()
        busy.httpStatus = 503
        let result: TransferMachine.AttemptEnd =
            switch end {
            case "success": .succeeded(Outcome.Success(path: "/f/1", size: 9, verified: []))
            case "stop": .stopped
            case "failure": .failed(ServiceError(.connectionLost, "lost"), retryAfter: nil)
            case "refusal": .failed(ServiceError(.serverBusy, "busy", details: busy), retryAfter: "60")
            default: .failed(ServiceError(.invalidRequest, "wrong"), retryAfter: nil)
            }
        let report = try runReport(result)
        let jitter = Queue.Jitter(random: 0.5, delayScale: 1)
        let judged = queue.judge(report, of: stored, jitter, at: moment())
        let verdict = try #require(judged)
        switch verdict.action {
        case .finish: #expect(expected == "finish")
        case .enqueue(let delay, _): #expect(expected == "again" && (delay > 0) == (end != "stop"))
        default: #expect(expected == "rest" && verdict.action == .rest)
        }
        // A server's Retry-After for one transfer holds the others until that time.
        #expect(queue.waitingTransfers.holdEnd("https://a.test:443") == (end == "refusal" ? moment(60).clock : nil))
        #expect(verdict.effects.toldReasons == (end == "refusal" ? [id(2)] : []))
        let success = queue.success(report, of: id(1), at: moment())
        #expect((success != nil) == (end == "success"))
        _ = queue.take(.ended(id(1), nil), at: moment())
        let late = queue.judge(report, of: stored, jitter, at: moment())
        #expect(late == nil)
    }

    private func runReport(_ result: TransferMachine.AttemptEnd) throws -> RunReport {
        RunReport(
            result: result, refusedBy: try HTTPURL(parsing: "https://a.test/1").origin,
            facts: Boxed(wrappedValue: TransferFacts()), cost: AttemptCost(), digest: nil)
    }

    @Test func `judges an attempt by the request as it was changed meanwhile, and counts the attempt`() throws {
        var queue = queue(with: [record(1)])
        var tried = record(1)
        tried.attempts = 3
        _ = queue.take(.began(id(1), tried), at: moment())
        let report = try runReport(.failed(ServiceError(.offline, "no network"), retryAfter: nil))
        let jitter = Queue.Jitter(random: 0.5, delayScale: 1)
        let hurried = record(1) { $0.transport.network.waits = false }
        let failed = queue.judge(report, of: hurried, jitter, at: moment())
        #expect(try #require(failed).record.attempts == 3)
        guard case .finish(.failed) = failed?.action else {
            Issue.record("A transfer that does not wait for a network waits for one.")
            return
        }
        let waits = queue.judge(report, of: record(1), jitter, at: moment())
        guard case .enqueue = waits?.action else {
            Issue.record("A transfer that waits for a network fails.")
            return
        }
    }

    @Test func `waits for an answer without end, and holds an origin no longer than the longest hold`() throws {
        var queue = queue(with: [record(1)])
        _ = queue.take(.began(id(1), record(1)), at: moment())
        let challenge = AuthenticationChallenge(
            scheme: .basic, realm: nil, host: "a.test", port: 443, isSecure: true, isProxy: false)
        let jitter = Queue.Jitter(random: 0.5, delayScale: 0.5)
        let asked = queue.judge(
            try runReport(.challenged(.authentication(challenge))), of: record(1), jitter, at: moment())
        #expect(asked?.action == .enqueue(after: TransferMachine.untilAnswered, .authentication))
        #expect(asked?.record.facts.challenge == .authentication(challenge))
        var busy = ErrorDetails()
        busy.httpStatus = 429
        let report = try runReport(
            .failed(ServiceError(.serverBusy, "busy", details: busy), retryAfter: "999999999"))
        _ = queue.judge(report, of: record(1), jitter, at: moment())
        #expect(queue.waitingTransfers.holdEnd("https://a.test:443") == moment(Origin.longestHold / 2).clock)
    }
}
