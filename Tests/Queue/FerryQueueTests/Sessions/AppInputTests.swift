import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

/// The queue's decisions about apps, and about the sessions that outlive them.
@Suite struct `Apps in the queue` {
    private let session: SessionID
    private let attachment: SessionAttachment
    private let start = Moment(
        clock: .now, active: ActiveTime.Instant(wall: Date(timeIntervalSince1970: 1_000_000), boot: "b", uptime: 100))

    init() throws {
        session = try SessionID("app/s")
        attachment = SessionAttachment(
            application: "app", identifier: "s", process: 1, isBackgroundLaunched: false, sendsLaunchEvents: true,
            connectionsPerHost: nil)
    }

    private func moment(_ seconds: Double) -> Moment {
        var moment = start
        moment.clock += .seconds(seconds)
        moment.active.wall += seconds
        moment.active.uptime += seconds
        return moment
    }

    /// Returns a queue that knows an app with one session, which no process has open.
    private func queue() -> Queue {
        var queue = Queue(ServiceSettings(), KnownConditions { _ in false }, lookAhead: 60)
        let command = LaunchCommand(arguments: ["/app"], workingFolder: nil, environment: [:])
        _ = queue.take(.app(.command(command, of: "app")), at: start)
        let token = queue.open(session, attachment, by: nil)
        _ = queue.take(.app(.closed(session, token)), at: start)
        return queue
    }

    private func considered(_ isWorking: Bool = false) -> Input {
        let work = AppRegistry.Work(hasResults: true, isWorking: isWorking, isAsking: false)
        return .app(.considered(session, work, firstDelay: 1))
    }

    /// The listener of a session's news, and the decision for it, also once the service is about to stop.
    @Test(arguments: ["nobody", "run loop", "working", "ending"])
    func `start an app once all has ended, or tell its run loop`(listener: String) {
        var queue = queue()
        let news = queue.take(.app(.news(of: session)), at: start)
        #expect(news.considered == [session])
        if listener == "run loop" {
            _ = queue.connect(ApplicationConnection(application: "app", process: 1, launchedFor: nil))
        }
        if listener == "ending" { _ = queue.take(.end, at: start) }
        let effects = queue.take(considered(listener == "working"), at: start)
        #expect(effects.launched == (listener == "nobody" ? [session] : []))
        #expect(effects.toldApps == (listener == "run loop" ? ["s"] : []))
        let again = queue.take(considered(), at: start)
        #expect(again.launched == (listener == "working" ? [session] : []))
    }

    @Test func `repeat a launch that came to nothing after its delay, and give up in the end`() {
        var queue = queue()
        _ = queue.take(.app(.news(of: session)), at: start)
        var time = 0.0
        for _ in 0..<LaunchRule.repetitions {
            let launching = queue.take(considered(), at: moment(time))
            #expect(launching.launched == [session])
            let failed = queue.take(.app(.launchFailed(session)), at: moment(time))
            #expect(failed.isEmpty)
            let early = queue.take(considered(), at: moment(time))
            #expect(early.launched.isEmpty)
            time += 100_000
            let rung = queue.take(.alarm, at: moment(time))
            #expect(rung.considered == [session])
        }
        let launching = queue.take(considered(), at: moment(time))
        #expect(launching.launched == [session])
        _ = queue.take(.app(.launched(7, of: "app", for: session)), at: moment(time))
        let ended = queue.take(.app(.processEnded(7)), at: moment(time))
        #expect(ended.givenUp == [session] && ended.considered == [session])
        let unknown = queue.take(.app(.processEnded(7)), at: moment(time))
        #expect(unknown.isEmpty)
    }

    /// Events of several sessions, or of one again, must not launch an app that is being launched or has not attached.
    @Test func `launch an app once, however many of its sessions have news`() throws {
        var queue = queue()
        let other = try SessionID("app/t")
        let second = SessionAttachment(
            application: "app", identifier: "t", process: 1, isBackgroundLaunched: false, sendsLaunchEvents: true,
            connectionsPerHost: nil)
        let token = queue.open(other, second, by: nil)
        _ = queue.take(.app(.closed(other, token)), at: start)
        for session in [session, other] { _ = queue.take(.app(.news(of: session)), at: start) }
        let launching = queue.take(considered(), at: start)
        #expect(launching.launched == [session])
        let work = AppRegistry.Work(hasResults: true, isWorking: false, isAsking: false)
        // While it is being started, and once it runs and has not connected.
        for _ in 0..<2 {
            for session in [session, other] {
                let again = queue.take(.app(.considered(session, work, firstDelay: 1)), at: start)
                #expect(again.launched.isEmpty)
            }
            _ = queue.take(.app(.launched(7, of: "app", for: session)), at: start)
        }
        // It has ended without having attached: the other session needs it still.
        _ = queue.take(.app(.processEnded(7)), at: start)
        let next = queue.take(.app(.considered(other, work, firstDelay: 1)), at: start)
        #expect(next.launched == [other])
    }

    @Test func `release a session once, and consider it where the service continues`() {
        var queue = queue()
        let token = queue.open(session, attachment, by: nil)
        let other = queue.open(session, attachment, by: nil)
        let late = queue.take(.app(.closed(session, token)), at: start)
        #expect(late.isEmpty)
        let closed = queue.take(.app(.closed(session, other)), at: start)
        #expect(closed.detached == [session])
        let loop = queue.connect(ApplicationConnection(application: "app", process: 1, launchedFor: nil))
        let gone = queue.take(.app(.disconnected(loop)), at: start)
        #expect(gone.considered == [session])
        let twice = queue.take(.app(.disconnected(loop)), at: start)
        #expect(twice.isEmpty)
        let last = queue.connect(ApplicationConnection(application: "app", process: 1, launchedFor: nil))
        _ = queue.take(.end, at: start)
        let ending = queue.take(.app(.disconnected(last)), at: start)
        #expect(ending.isEmpty)
    }

    @Test func `consider every session once apps have had the time to reattach`() {
        var queue = queue()
        _ = queue.take(.app(.settling(after: 5)), at: start)
        #expect(queue.waitingTransfers.nextAlarm == moment(5).clock)
        _ = queue.take(.app(.news(of: session)), at: start)
        #expect(!queue.apps.mayCall(for: session, isAlive: { _ in false }))
        let settled = queue.take(.app(.settled), at: moment(5))
        #expect(settled.considered == [session])
        #expect(queue.apps.mayCall(for: session, isAlive: { _ in false }))
        _ = queue.take(.app(.quit(session)), at: moment(5))
        #expect(!queue.apps.mayCall(for: session, isAlive: { _ in false }))
        let started = queue.take(.app(.foreground("app", saving: nil)), at: moment(5))
        #expect(started.savesForeground)
    }
}

extension [Effect] {
    fileprivate var toldApps: [String] {
        compactMap { if case .notifyApp(_, let session) = $0 { session } else { nil } }
    }
}
