@testable import FerryClient
import FerryCore
import Glibc
import Testing

@Suite struct `How a session stays attached` {
    private static let start = ContinuousClock.now
    private static let away = ServiceError(.daemonUnreachable, "There is no daemon.")
    private static let inUse = ServiceError(.sessionInUse, "Another process has it.")

    /// A reference to a machine, because `#expect` cannot mutate a value.
    private final class Session {
        private var machine: AttachmentMachine
        var now = start

        init(acknowledges: Bool = true) {
            machine = AttachmentMachine(patience: .seconds(5), acknowledges: acknowledges)
        }

        typealias Effects = [AttachmentMachine.Effect]
        var state: AttachmentMachine.State { machine.state }
        var isListed: Bool { machine.isListed }
        var isUnderWay: Bool { machine.isUnderWay }
        var failure: ServiceError? { machine.failure }
        var lists: Int { machine.lists }
        var numbers: EventNumbers { machine.numbers }
        func wanted() -> Effects { machine.wanted(at: now) }
        func attached(_ last: Int64 = 0) -> Effects { machine.attached(replaying: last) }
        @discardableResult func listed(_ number: Int64 = 0) -> Effects { machine.listed(through: number, at: now) }
        func lost(_ error: ServiceError? = away) -> Effects { machine.lost(error, at: now) }
        func refused() -> Effects { machine.refused(inUse) }
        func closed() -> Effects { machine.closed() }
        @discardableResult func took(_ number: Int64?) -> Effects { machine.took(number, at: now) }
        func acknowledged(_ number: Int64?) -> Effects { machine.acknowledged(through: number, at: now) }

        /// Attaches the session, with a list up to an event number.
        func follow(_ number: Int64 = 0, replaying last: Int64 = 0) {
            _ = wanted()
            _ = attached(last)
            listed(number)
        }
    }

    @Test func `the list is read once the daemon sends it, and then callers continue`() {
        let session = Session()
        #expect(session.wanted() == [.attach(after: .zero)])
        #expect(session.wanted().isEmpty)
        #expect(session.attached() == [.list] && !session.isListed)
        #expect(session.listed() == [.release])
        #expect(session.state == .following && session.isListed && session.lists == 1)
    }

    @Test func `attempts that fail come at growing intervals, and the client hears of the first`() {
        let session = Session()
        _ = session.wanted()
        #expect(session.lost() == [.notifyUnreachable(Self.away), .attach(after: .milliseconds(100))])
        let delays = (0..<5).flatMap { _ in session.lost() }
        #expect(delays == [200, 400, 800, 1000, 1000].map { .attach(after: .milliseconds($0)) })
        _ = session.attached()
        #expect(session.lost() == [.attach(after: .seconds(1))])
        _ = session.attached()
        session.listed()
        #expect(session.lost() == [.notifyLost, .attach(after: .milliseconds(50))])
        #expect(session.lost().first == .notifyUnreachable(Self.away))
    }

    @Test func `callers wait for a daemon that is away no longer than their patience`() {
        let session = Session()
        _ = session.wanted()
        session.now += .seconds(5)
        #expect(!session.lost().contains(.release))
        session.now += .seconds(1)
        #expect(session.lost().contains(.release))
        _ = session.attached()
        session.listed()
        _ = session.lost()
        #expect(!session.lost().contains(.release))
    }

    @Test func `without a program to start callers go on at once, and attempts go on until there is one`() {
        let session = Session()
        let missing = ServiceError(.daemonUnreachable, "No ferryd.", details: ErrorDetails(errno: ENOENT))
        #expect(session.wanted() == [.attach(after: .zero)] && session.isUnderWay)
        #expect(session.lost(missing) == [.notifyUnreachable(missing), .release, .attach(after: .milliseconds(100))])
        #expect(!session.isUnderWay && session.failure == missing)
        #expect(session.lost(missing) == [.release, .attach(after: .milliseconds(200))])
        _ = session.attached()
        #expect(session.isUnderWay)
        session.listed()
        #expect(session.failure == nil)
    }

    @Test func `a session that another process has is asked for again by the client alone`() {
        let session = Session()
        _ = session.wanted()
        #expect(session.refused() == [.notifyRefused(Self.inUse), .release])
        #expect(session.lost().isEmpty && session.attached().isEmpty && session.refused().isEmpty)
        #expect(session.wanted() == [.attach(after: .zero)])
    }

    @Test func `a session that was lost to another process has no list`() {
        let session = Session()
        session.follow()
        _ = session.lost()
        #expect(session.isListed)
        _ = session.refused()
        #expect(!session.isListed)
        _ = session.wanted()
        #expect(!session.isListed)
    }

    @Test func `nothing follows the close`() {
        let session = Session()
        session.follow()
        #expect(session.closed() == [.release, .forgetNumbers])
        #expect(session.lost().isEmpty && session.wanted().isEmpty && session.refused().isEmpty)
        #expect(session.attached().isEmpty && session.took(4).isEmpty)
    }

    // MARK: Numbers

    @Test func `an event is in the list, new, or was taken in before`() {
        let session = Session()
        session.follow(10, replaying: 9)
        #expect(session.numbers.place(of: 9) == .init(isListed: true, isCaughtUp: true))
        #expect(session.numbers.place(of: 8) == .init(isListed: true, isCaughtUp: false))
        session.took(9)
        #expect(session.numbers.place(of: 9) == nil)
        #expect(session.numbers.place(of: 11) == .init(isListed: false, isCaughtUp: true))
        #expect(session.numbers.place(of: nil) == .init(isListed: false, isCaughtUp: true))
    }

    /// An event that was not acknowledged before the daemon died is delivered again at the next attachment.
    @Test func `an event that is sent again after a restart of the daemon is not delivered again`() {
        let session = Session()
        session.follow()
        session.took(5)
        _ = session.lost()
        _ = session.attached(6)
        session.listed(6)
        #expect(session.numbers.place(of: 5) == nil)
        #expect(session.numbers.place(of: 6) == .init(isListed: true, isCaughtUp: true))
    }

    /// A damaged journal is set aside. The new daemon's event numbers start again at 1, and none was delivered yet.
    @Test func `a daemon that has lost its journal counts from small numbers again`() {
        let session = Session()
        session.follow()
        session.took(500)
        _ = session.acknowledged(500)
        _ = session.lost()
        _ = session.attached(0)
        #expect(session.listed(2) == [.release, .forgetNumbers])
        #expect(session.numbers.place(of: 3) == .init(isListed: false, isCaughtUp: true))
        #expect(session.took(3) == [.acknowledge(after: .milliseconds(200))])
    }

    // MARK: Acknowledgements

    @Test func `received events are acknowledged at once, then a few times a second`() {
        let session = Session()
        session.follow()
        #expect(session.took(1) == [.acknowledge(after: .zero)])
        #expect(session.took(2).isEmpty)
        session.now += .milliseconds(50)
        #expect(session.acknowledged(1) == [.acknowledge(after: .milliseconds(150))])
        #expect(session.acknowledged(2).isEmpty)
        #expect(session.took(nil).isEmpty)
    }

    @Test func `an acknowledgement that fails is made again at the next event, or after the next list`() {
        let session = Session()
        session.follow()
        session.took(1)
        #expect(session.acknowledged(nil).isEmpty)
        session.now += .seconds(1)
        #expect(session.took(2) == [.acknowledge(after: .zero)])
        _ = session.lost()
        #expect(session.acknowledged(nil).isEmpty)
        _ = session.attached(2)
        session.now += .seconds(1)
        #expect(session.listed(2) == [.release, .acknowledge(after: .zero)])
    }

    @Test func `a session whose transfers are removed one by one acknowledges no numbers`() {
        let session = Session(acknowledges: false)
        session.follow()
        #expect(session.took(1).isEmpty)
    }
}
