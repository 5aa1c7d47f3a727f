import FerryCore
import Testing

@testable import FerryQueue

@Suite struct `Alarms of the queue` {
    private static let now = ContinuousClock.now

    private static func retry(_ number: UInt64, after seconds: Double) -> Alarm {
        Alarm(due: now + .seconds(seconds), cause: .retry(TransferID(rawValue: number)))
    }

    @Test func `ring in their order, and none before its time`() {
        var alarms = Alarms()
        for (number, seconds) in [(1, 5), (2, 3), (3, 4)] as [(UInt64, Double)] {
            alarms.set(Self.retry(number, after: seconds)) { _ in true }
        }
        #expect(alarms.next == Self.now + .seconds(3))
        #expect(alarms.takeDue(at: Self.now) == nil)
        let later = Self.now + .seconds(4)
        #expect(alarms.takeDue(at: later) == Self.retry(2, after: 3))
        #expect(alarms.takeDue(at: later) == Self.retry(3, after: 4))
        #expect(alarms.takeDue(at: later) == nil)
        #expect(alarms.next == Self.now + .seconds(5))
    }

    @Test func `of the service itself ring once for all who set them`() {
        var alarms = Alarms()
        alarms.set(Alarm(due: Self.now, cause: .settling)) { _ in true }
        alarms.set(Alarm(due: Self.now - .seconds(1), cause: .settling)) { _ in true }
        #expect(alarms.count == 1)
        #expect(alarms.takeDue(at: Self.now)?.cause == .settling)
        #expect(alarms.takeDue(at: Self.now) == nil)
        alarms.set(Alarm(due: Self.now, cause: .settling)) { _ in true }
        #expect(alarms.count == 1)
    }

    /// An alarm in the far future must not accumulate with every response and every change, for up to a hundred years.
    @Test func `of plans that were replaced do not add up`() {
        var alarms = Alarms()
        alarms.set(Alarm(due: Self.now + .seconds(9), cause: .sweep)) { _ in true }
        for round in 1...10_000 {
            let latest = Self.retry(1, after: Double(round) * 1e5)
            alarms.set(latest) { $0 == latest }
        }
        #expect(alarms.count <= 65)
        #expect(alarms.takeDue(at: Self.now + .seconds(9))?.cause == .sweep)
    }

    @Test func `with a waiting caller all stay, however many they are`() {
        var alarms = Alarms()
        for number: UInt64 in 1...10_000 { alarms.set(Self.retry(number, after: Double(number))) { _ in true } }
        #expect(alarms.count == 10_000)
    }
}
