import FerryCore
import Foundation
import SeedKit
import Testing

@testable import FerryQueue

@Suite struct `Settings and orders of sessions` {
    @Test func `bound transfers by those of all and of their session`() throws {
        let limited = try SessionID("limited")
        var settings = ServiceSettings()
        settings.activeTransfers = 3
        var sessions = Sessions(settings)
        sessions.change(limited, to: SessionSettings(activeTransfers: 1, hostConnections: 1))
        let key = QueueKey(session: limited, origin: "a", priority: .normal)
        let other = QueueKey(session: .cli, origin: "a", priority: .normal)
        var limits = sessions.rules(throttledOrigins: ["held"])
        #expect(limits.limitsTransfers(of: limited) && !limits.limitsTransfers(of: .cli))
        limits.add(key)
        #expect(limits.obstacle(key) == .session && limits.obstacle(other) == nil)
        #expect(limits.obstacle(QueueKey(session: .cli, origin: "held", priority: .normal)) == .server)
        settings.activeTransfers = 1
        sessions.change(to: settings)
        limits = sessions.rules(throttledOrigins: [])
        limits.add(other)
        #expect(limits.isFull && sessions.settings.activeTransfers == 1)
    }

    /// The host connections requested by an attachment, and the session's setting after it.
    @Test(arguments: [(false, nil, nil), (false, 3, 3), (true, nil, 5), (true, 3, 3)] as [(Bool, Int?, Int?)])
    func `follow what a process says about connections`(isManager: Bool, said: Int?, then: Int?) throws {
        let id = try SessionID("s")
        var sessions = Sessions(ServiceSettings())
        sessions.change(id, to: SessionSettings(hostConnections: 5))
        let attachment = SessionAttachment(
            application: "app", identifier: "s", process: 1, isBackgroundLaunched: false, sendsLaunchEvents: true,
            connectionsPerHost: said, isManager: isManager)
        sessions.follow(attachment, of: id)
        #expect(sessions.settings(of: id).hostConnections == then)
    }

    @Test func `say which policy applies, and which place a transfer has`() throws {
        let id = try SessionID("s")
        var sessions = Sessions(ServiceSettings())
        var own = NetworkPolicy()
        own.isDiscretionary = true
        #expect(sessions.network(own, in: id) == own)
        var settings = SessionSettings()
        settings.network = NetworkPolicy()
        settings.network?.allowsCellular = false
        sessions.change(id, to: settings)
        let applied = sessions.network(own, in: id)
        #expect(!applied.allowsCellular && applied.isDiscretionary)
        #expect(!sessions.network(NetworkPolicy(), in: id).isDiscretionary)
        let (one, two) = (TransferID(rawValue: 1), TransferID(rawValue: 2))
        sessions.order(id, [two])
        #expect(sessions.rank(of: two, in: id) == 0 && sessions.rank(of: one, in: id) == .max)
        #expect(sessions.settings(of: id) == settings && sessions.settings(of: .cli) == SessionSettings())
    }
}

@Suite struct `The desk of apps` {
    private let now = Date(timeIntervalSince1970: 1_000_000)
    private let session: SessionID
    private let news = AppRegistry.Work(hasResults: true, isWorking: false, isAsking: false)

    init() throws { session = try SessionID("app/s") }

    private func attachment(
        _ process: Int32, isBackground: Bool = false, identifier: String = "s"
    ) -> SessionAttachment {
        SessionAttachment(
            application: "app", identifier: identifier, process: process, isBackgroundLaunched: isBackground,
            sendsLaunchEvents: true, connectionsPerHost: nil)
    }

    private func mark(_ process: Int32) -> ProcessMark { ProcessMark(process: process, started: 1, boot: "b") }

    /// Returns a registry with one session that was opened and closed. Its app has a launch command and undelivered
    /// events.
    private func apps() -> AppRegistry {
        var apps = AppRegistry()
        let token = apps.open(session, attachment(1), by: mark(1))
        _ = apps.close(session, token)
        apps.forgetHolder(of: session)
        apps.setCommand(LaunchCommand(arguments: ["/app"], workingFolder: nil, environment: [:]), of: "app")
        _ = apps.noteNews(of: session)
        return apps
    }

    @Test func `gives a session to the process that opened it last, and only that one gives it back`() {
        var apps = AppRegistry()
        let first = apps.open(session, attachment(1), by: mark(1))
        let second = apps.open(session, attachment(1), by: mark(1))
        let isOld = apps.close(session, first)
        #expect(!isOld && apps.holder(of: session)?.process == 1)
        let isOpen = apps.close(session, second)
        #expect(isOpen && apps.holder(of: session) == nil)
        #expect(apps.registration(of: session)?.holder == mark(1))
        apps.forgetHolder(of: session)
        #expect(apps.registration(of: session)?.holder == nil)
    }

    @Test func `calls no app whose session is open, or whose process lives`() {
        var apps = apps()
        #expect(apps.mayCall(for: session, isAlive: { _ in true }) && apps.decide(session, news) == .launch)
        let token = apps.open(session, attachment(2), by: mark(2))
        #expect(!apps.mayCall(for: session, isAlive: { _ in false }) && apps.decide(session, news) == .none)
        _ = apps.close(session, token)
        #expect(!apps.mayCall(for: session, isAlive: { $0 == mark(2) }))
        #expect(apps.mayCall(for: session, isAlive: { _ in false }))
    }

    @Test func `notifies the latest run loop once, and again if it ends without attaching`() {
        var apps = apps()
        _ = apps.connect(ApplicationConnection(application: "app", process: 5, launchedFor: nil))
        let latest = apps.connect(ApplicationConnection(application: "app", process: 6, launchedFor: nil))
        #expect(apps.decide(session, news) == .notify)
        let told = apps.notify(session)
        #expect(told?.token == latest && told?.identifier == "s")
        _ = apps.noteNews(of: session)
        #expect(apps.decide(session, news) == .none)
        let application = apps.disconnect(latest)
        #expect(application == "app" && apps.decide(session, news) == .notify)
        let told2 = apps.notify(session)
        #expect(told2 != nil)
        let wasCalled = apps.takeEvents(of: session, attachment(5), at: now)
        #expect(wasCalled && apps.registration(of: session)?.notifiedAt == now)
        let isCalledAgain = apps.takeEvents(of: session, attachment(5), at: now)
        #expect(!isCalledAgain)
    }

    @Test func `repeats a launch that comes to nothing three times, after ever longer delays`() {
        var apps = apps()
        var rests: [Double] = []
        for round in 1...4 {
            #expect(apps.decide(session, news) == .launch)
            let order = apps.beginLaunch(for: session, first: 60, at: now)
            #expect(order?.identifier == "s" && apps.decide(session, news) == .none)
            apps.launched(Int32(round), of: "app", for: session)
            #expect(apps.decide(session, news) == .none)
            let ended = apps.ended(Int32(round))
            #expect(ended?.failed == [session])
            guard case .repeats(let rest) = apps.launchFailed(for: session, at: now) else {
                #expect(round == 4)
                continue
            }
            rests.append(rest)
            #expect(apps.decide(session, news) == .none)
            let isDue = apps.repeatLaunch(for: session)
            let isDueAgain = apps.repeatLaunch(for: session)
            #expect(isDue && !isDueAgain)
        }
        #expect(rests == [60, 120, 240] && apps.relaunchRest(of: session, at: now) == 480)
        #expect(!apps.mayCall(for: session, isAlive: { _ in false }))
        let saved = apps.beginForeground("app", saving: nil)
        #expect(saved.application?.relaunch == RelaunchDelay() && apps.relaunchRest(of: session, at: now) == 0)
    }

    /// The starting process attaches, or its session is quit, before its launch is known to have failed.
    @Test(arguments: [true, false])
    func `forgets a launch whose session is opened or quit meanwhile`(isQuit: Bool) {
        var apps = apps()
        _ = apps.beginLaunch(for: session, first: 60, at: now)
        if isQuit { apps.quit(session, at: now) } else { _ = apps.open(session, attachment(9), by: mark(9)) }
        let failure = apps.launchFailed(for: session, at: now)
        #expect(failure == nil && apps.decide(session, news) == .none)
        guard isQuit else { return }
        _ = apps.noteNews(of: session)
        #expect(apps.decide(session, news) == .none)
        let saved = apps.beginForeground("app", saving: nil)
        #expect(saved.registrations.map(\.id) == [session] && apps.decide(session, news) == .launch)
    }

    @Test func `waits after a start for apps that live through it`() {
        var apps = AppRegistry()
        let isNothing = apps.settle(asking: [])
        #expect(!isNothing)
        var registration = SessionRegistration(application: "app", identifier: "s", sendsLaunchEvents: true)
        registration.holder = mark(1)
        apps.recover([:], [(session, registration, false)])
        let isSet = apps.settle(asking: [session])
        #expect(isSet && !apps.mayCall(for: session, isAlive: { _ in false }))
        let considered = apps.endSettling()
        #expect(considered == [session] && apps.mayCall(for: session, isAlive: { _ in false }))
        #expect(apps.mayComeBack { _ in true } && !apps.mayComeBack { _ in false })
        _ = apps.open(session, attachment(1), by: mark(1))
        #expect(!apps.mayComeBack { _ in true })
    }

    @Test func `knows who is at work in the background`() {
        var apps = apps()
        _ = apps.beginLaunch(for: session, first: 60, at: now)
        apps.launched(7, of: "app", for: session)
        _ = apps.open(session, attachment(7), by: mark(7))
        #expect(apps.isInBackground(session))
        apps.becameActive(7, of: "app")
        #expect(!apps.isInBackground(session))
        _ = apps.open(session, attachment(8, isBackground: true), by: mark(8))
        #expect(apps.isInBackground(session))
        apps.becameActive(8, of: "other")
        #expect(apps.isInBackground(session))
        apps.becameActive(8, of: "app")
        #expect(!apps.isInBackground(session))
    }

    /// In any order of events, an app is launched only for a session that is not open, has undelivered events and was
    /// not quit. At most four launches in a row fail.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `calls an app only when there is something to call it for`(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var apps = apps()
        var (isOpen, isQuit, hasNews) = (false, false, true)
        var (token, process) = (0, Int32(100))
        var launching: Int32?
        var isDelayed = false
        var vain = 0
        for _ in 0..<400 {
            switch Int.random(in: 0...7, using: &numbers) {
            case 0:
                token = apps.open(session, attachment(50), by: mark(50))
                (isOpen, launching, isDelayed, vain) = (true, nil, false, 0)
            case 1:
                let wasOpen = apps.close(session, token)
                #expect(wasOpen == isOpen)
                apps.forgetHolder(of: session)
                isOpen = false
            case 2:
                _ = apps.noteNews(of: session)
                hasNews = true
            case 3 where isOpen:
                let wasCalled = apps.takeEvents(of: session, attachment(50, isBackground: true), at: now)
                #expect(wasCalled)
                hasNews = false
            case 4:
                apps.quit(session, at: now)
                (isQuit, hasNews, launching, isDelayed, vain) = (true, false, nil, false, 0)
            case 5:
                _ = apps.beginForeground("app", saving: nil)
                isQuit = false
            case 6:
                // The last started process ends.
                guard let ended = apps.ended(process) else { continue }
                #expect(ended.failed == (launching == process ? [session] : []))
                for id in ended.failed {
                    let failure = apps.launchFailed(for: id, at: now)
                    vain += 1
                    #expect((failure == .gaveUp) == (vain > LaunchRule.repetitions))
                    isDelayed = failure != .gaveUp
                    if failure == .gaveUp { (hasNews, vain) = (false, 0) }
                }
                launching = nil
            default:
                let isDue = apps.repeatLaunch(for: session)
                #expect(isDue == isDelayed)
                isDelayed = false
            }
            let mayCall = apps.mayCall(for: session, isAlive: { _ in false })
            #expect(mayCall == (hasNews && !isOpen))
            guard mayCall, apps.decide(session, news) == .launch else { continue }
            #expect(!isOpen && !isQuit && hasNews && launching == nil && !isDelayed)
            guard apps.beginLaunch(for: session, first: 60, at: now) != nil else {
                Issue.record("no order")
                continue
            }
            process += 1
            apps.launched(process, of: "app", for: session)
            launching = process
        }
    }
}
