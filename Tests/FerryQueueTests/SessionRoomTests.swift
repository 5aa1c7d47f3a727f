import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite struct `Settings and orders of sessions` {
    @Test func `bound transfers by those of all and of their session`() throws {
        let limited = try SessionID("limited")
        var settings = ServiceSettings()
        settings.activeTransfers = 3
        var sessions = Sessions(settings)
        sessions.change(limited, to: SessionSettings(activeTransfers: 1, hostConnections: 1))
        let key = QueueKey(session: limited, origin: "a", priority: .normal)
        let other = QueueKey(session: .cli, origin: "a", priority: .normal)
        var limits = sessions.rules(heldOrigins: ["held"])
        #expect(limits.limitsTransfers(of: limited) && !limits.limitsTransfers(of: .cli))
        limits.add(key)
        #expect(limits.obstacle(key) == .session && limits.obstacle(other) == nil)
        #expect(limits.obstacle(QueueKey(session: .cli, origin: "held", priority: .normal)) == .server)
        settings.activeTransfers = 1
        sessions.change(to: settings)
        limits = sessions.rules(heldOrigins: [])
        limits.add(other)
        #expect(limits.isFull && sessions.settings.activeTransfers == 1)
    }

    /// What an attachment says about connections, and what its session has after it.
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
    private let news = SessionDesk.Work(hasResults: true, isWorking: false, isAsking: false)

    init() throws { session = try SessionID("app/s") }

    private func attachment(
        _ process: Int32, isBackground: Bool = false, identifier: String = "s"
    ) -> SessionAttachment {
        SessionAttachment(
            application: "app", identifier: identifier, process: process, isBackgroundLaunched: isBackground,
            sendsLaunchEvents: true, connectionsPerHost: nil)
    }

    private func mark(_ process: Int32) -> ProcessMark { ProcessMark(process: process, started: 1, boot: "b") }

    /// A desk with one session that was open and is not, whose app has a command and something to be told.
    private func desk() -> SessionDesk {
        var desk = SessionDesk()
        let token = desk.open(session, attachment(1), by: mark(1))
        _ = desk.close(session, token)
        desk.forgetHolder(of: session)
        desk.setCommand(LaunchCommand(arguments: ["/app"], workingFolder: nil, environment: [:]), of: "app")
        _ = desk.noteNews(of: session)
        return desk
    }

    @Test func `gives a session to the process that opened it last, and only that one gives it back`() {
        var desk = SessionDesk()
        let first = desk.open(session, attachment(1), by: mark(1))
        let second = desk.open(session, attachment(1), by: mark(1))
        let isOld = desk.close(session, first)
        #expect(!isOld && desk.holder(of: session)?.process == 1)
        let isOpen = desk.close(session, second)
        #expect(isOpen && desk.holder(of: session) == nil)
        #expect(desk.registration(of: session)?.holder == mark(1))
        desk.forgetHolder(of: session)
        #expect(desk.registration(of: session)?.holder == nil)
    }

    @Test func `calls no app whose session is open, or whose process lives`() {
        var desk = desk()
        #expect(desk.mayCall(for: session, isAlive: { _ in true }) && desk.decide(session, news) == .launch)
        let token = desk.open(session, attachment(2), by: mark(2))
        #expect(!desk.mayCall(for: session, isAlive: { _ in false }) && desk.decide(session, news) == .none)
        _ = desk.close(session, token)
        #expect(!desk.mayCall(for: session, isAlive: { $0 == mark(2) }))
        #expect(desk.mayCall(for: session, isAlive: { _ in false }))
    }

    @Test func `tells the latest run loop once, and again if that ends without having attached`() {
        var desk = desk()
        _ = desk.connect(ApplicationConnection(application: "app", process: 5, launchedFor: nil))
        let latest = desk.connect(ApplicationConnection(application: "app", process: 6, launchedFor: nil))
        #expect(desk.decide(session, news) == .tell)
        let told = desk.tell(session)
        #expect(told?.token == latest && told?.identifier == "s")
        _ = desk.noteNews(of: session)
        #expect(desk.decide(session, news) == .none)
        let application = desk.disconnect(latest)
        #expect(application == "app" && desk.decide(session, news) == .tell)
        let told2 = desk.tell(session)
        #expect(told2 != nil)
        let wasCalled = desk.takeEvents(of: session, attachment(5), at: now)
        #expect(wasCalled && desk.registration(of: session)?.toldAt == now)
        let isCalledAgain = desk.takeEvents(of: session, attachment(5), at: now)
        #expect(!isCalledAgain)
    }

    @Test func `repeats a launch that comes to nothing three times, after ever longer delays`() {
        var desk = desk()
        var rests: [Double] = []
        for round in 1...4 {
            #expect(desk.decide(session, news) == .launch)
            let order = desk.beginLaunch(for: session, first: 60, at: now)
            #expect(order?.identifier == "s" && desk.decide(session, news) == .none)
            desk.launched(Int32(round), of: "app", for: session)
            #expect(desk.decide(session, news) == .none)
            let ended = desk.ended(Int32(round))
            #expect(ended?.failed == [session])
            guard case .repeats(let rest) = desk.launchFailed(for: session, at: now) else {
                #expect(round == 4)
                continue
            }
            rests.append(rest)
            #expect(desk.decide(session, news) == .none)
            let isDue = desk.repeatLaunch(for: session)
            let isDueAgain = desk.repeatLaunch(for: session)
            #expect(isDue && !isDueAgain)
        }
        #expect(rests == [60, 120, 240] && desk.relaunchRest(of: session, at: now) == 480)
        #expect(!desk.mayCall(for: session, isAlive: { _ in false }))
        let saved = desk.beginForeground("app", saving: nil)
        #expect(saved.application?.relaunch == RelaunchDelay() && desk.relaunchRest(of: session, at: now) == 0)
    }

    /// The process that is being made attaches, or its session is quit, before its launch is known to have failed.
    @Test(arguments: [true, false])
    func `forgets a launch whose session is opened or quit meanwhile`(isQuit: Bool) {
        var desk = desk()
        _ = desk.beginLaunch(for: session, first: 60, at: now)
        if isQuit { desk.quit(session, at: now) } else { _ = desk.open(session, attachment(9), by: mark(9)) }
        let failure = desk.launchFailed(for: session, at: now)
        #expect(failure == nil && desk.decide(session, news) == .none)
        guard isQuit else { return }
        _ = desk.noteNews(of: session)
        #expect(desk.decide(session, news) == .none)
        let saved = desk.beginForeground("app", saving: nil)
        #expect(saved.registrations.map(\.id) == [session] && desk.decide(session, news) == .launch)
    }

    @Test func `waits after a start for apps that live through it`() {
        var desk = SessionDesk()
        let isNothing = desk.settle(asking: [])
        #expect(!isNothing)
        var registration = SessionRegistration(application: "app", identifier: "s", sendsLaunchEvents: true)
        registration.holder = mark(1)
        desk.recover([:], [(session, registration, false)])
        let isSet = desk.settle(asking: [session])
        #expect(isSet && !desk.mayCall(for: session, isAlive: { _ in false }))
        let considered = desk.endSettling()
        #expect(considered == [session] && desk.mayCall(for: session, isAlive: { _ in false }))
        #expect(desk.mayComeBack { _ in true } && !desk.mayComeBack { _ in false })
        _ = desk.open(session, attachment(1), by: mark(1))
        #expect(!desk.mayComeBack { _ in true })
    }

    @Test func `knows who is at work in the background`() {
        var desk = desk()
        _ = desk.beginLaunch(for: session, first: 60, at: now)
        desk.launched(7, of: "app", for: session)
        _ = desk.open(session, attachment(7), by: mark(7))
        #expect(desk.isInBackground(session))
        desk.becameActive(7, of: "app")
        #expect(!desk.isInBackground(session))
        _ = desk.open(session, attachment(8, isBackground: true), by: mark(8))
        #expect(desk.isInBackground(session))
        desk.becameActive(8, of: "other")
        #expect(desk.isInBackground(session))
        desk.becameActive(8, of: "app")
        #expect(!desk.isInBackground(session))
    }

    /// Whatever happens in which order, an app is called only for a session that is not open, has something to be told and was
    /// not quit, and at most four processes in a row are started in vain.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `calls an app only when there is something to call it for`(seed: UInt64) {
        var numbers = SplitMix(seed: seed)
        var desk = desk()
        var (isOpen, isQuit, hasNews) = (false, false, true)
        var (token, process) = (0, Int32(100))
        var launching: Int32?
        var isDelayed = false
        var vain = 0
        for _ in 0..<400 {
            switch Int.random(in: 0...7, using: &numbers) {
            case 0:
                token = desk.open(session, attachment(50), by: mark(50))
                (isOpen, launching, isDelayed, vain) = (true, nil, false, 0)
            case 1:
                let wasOpen = desk.close(session, token)
                #expect(wasOpen == isOpen)
                desk.forgetHolder(of: session)
                isOpen = false
            case 2:
                _ = desk.noteNews(of: session)
                hasNews = true
            case 3 where isOpen:
                let wasCalled = desk.takeEvents(of: session, attachment(50, isBackground: true), at: now)
                #expect(wasCalled)
                hasNews = false
            case 4:
                desk.quit(session, at: now)
                (isQuit, hasNews, launching, isDelayed, vain) = (true, false, nil, false, 0)
            case 5:
                _ = desk.beginForeground("app", saving: nil)
                isQuit = false
            case 6:
                // The process that was started last ends.
                guard let ended = desk.ended(process) else { continue }
                #expect(ended.failed == (launching == process ? [session] : []))
                for id in ended.failed {
                    let failure = desk.launchFailed(for: id, at: now)
                    vain += 1
                    #expect((failure == .gaveUp) == (vain > LaunchRule.repetitions))
                    isDelayed = failure != .gaveUp
                    if failure == .gaveUp { (hasNews, vain) = (false, 0) }
                }
                launching = nil
            default:
                let isDue = desk.repeatLaunch(for: session)
                #expect(isDue == isDelayed)
                isDelayed = false
            }
            let mayCall = desk.mayCall(for: session, isAlive: { _ in false })
            #expect(mayCall == (hasNews && !isOpen))
            guard mayCall, desk.decide(session, news) == .launch else { continue }
            #expect(!isOpen && !isQuit && hasNews && launching == nil && !isDelayed)
            guard desk.beginLaunch(for: session, first: 60, at: now) != nil else {
                Issue.record("no order")
                continue
            }
            process += 1
            desk.launched(process, of: "app", for: session)
            launching = process
        }
    }
}
