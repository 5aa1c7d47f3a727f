import FerryCore
import FerryRules
import Foundation
import SeedKit
import Testing

@testable import FerryQueue

@Suite struct `Transfers without a slot` {
    private let now = ContinuousClock.now
    private let a = QueueKey(session: .cli, origin: "a", priority: .normal)
    private let b = QueueKey(session: .cli, origin: "b", priority: .normal)

    private func id(_ number: Int) -> TransferID { TransferID(rawValue: UInt64(number)) }

    private func delay(_ seconds: Double, _ key: QueueKey, _ reason: WaitReason = .retry) -> DelayedTransfer {
        DelayedTransfer(key, seconds: seconds, reason, at: now)
    }

    private func order(_ waiting: WaitingTransfers) -> [TransferID] {
        var waiting = waiting
        var order: [TransferID] = []
        while let next = waiting.next(isInOrder: { _ in false }, mayRun: { _ in true }) { order.append(next.id) }
        return order
    }

    @Test func `stand in one place, the last that they were given`() {
        var waiting = WaitingTransfers(lookAhead: 60)
        waiting.insert(id(1), b)
        waiting.delay(id(1), delay(5, b))
        #expect(order(waiting) == [] && waiting.delay(of: id(1))?.key == b)
        waiting.insert(id(1), b)
        #expect(order(waiting) == [id(1)] && waiting.delay(of: id(1)) == nil)
        waiting.leave(id(1), b)
        #expect(order(waiting) == [])
    }

    @Test func `come into line when their moment has come, and by no earlier plan`() {
        var waiting = WaitingTransfers(lookAhead: 60)
        waiting.delay(id(1), delay(5, a))
        waiting.delay(id(1), delay(9, a))
        waiting.delay(id(2), delay(7, a))
        #expect(waiting.nextAlarm == now + .seconds(5))
        #expect(waiting.ring(at: now + .seconds(5)) == [] && order(waiting) == [])
        #expect(waiting.ring(at: now + .seconds(7)) == [] && order(waiting) == [id(2)])
        #expect(waiting.ring(at: now + .seconds(9)) == [] && order(waiting) == [id(1), id(2)])
        #expect(waiting.nextAlarm == nil)
    }

    @Test func `that wait for the app's answer set no alarm, and continue with the answer`() throws {
        var waiting = WaitingTransfers(lookAhead: 60)
        let other = try SessionID("other")
        let key = QueueKey(session: other, origin: "a", priority: .normal)
        for (number, key) in [(1, a), (2, key)] {
            waiting.delay(id(number), delay(TransferMachine.untilAnswered, key, .authentication))
        }
        waiting.delay(id(3), delay(1, a, .disk))
        #expect(waiting.asking == [.cli: 1, other: 1] && waiting.nextAlarm == now + .seconds(1))
        waiting.wake(waitingFor: .authentication, in: other, at: now)
        #expect(order(waiting) == [id(2)] && waiting.asking == [.cli: 1])
        waiting.wake(waitingFor: .disk, at: now)
        #expect(order(waiting) == [id(2), id(3)])
        #expect(waiting.waiting(for: .authentication).map(\.id) == [id(1)])
    }

    @Test(arguments: [WaitReason.retry, .disk, .authentication, .network])
    func `that may not begin yet wait for that time once their other reason is gone`(reason: WaitReason) {
        var waiting = WaitingTransfers(lookAhead: 60)
        waiting.delay(id(1), DelayedTransfer(a, seconds: 90, reason, begin: 20, at: now))
        waiting.wake(waitingFor: reason, at: now + .seconds(5))
        #expect(order(waiting) == [] && waiting.delay(of: id(1))?.reason == .beginDate)
        #expect(waiting.nextAlarm == now + .seconds(20))
        #expect(waiting.ring(at: now + .seconds(20)) == [] && order(waiting) == [id(1)])
        waiting.delay(id(2), DelayedTransfer(a, seconds: 90, reason, begin: 20, at: now))
        waiting.wake(waitingFor: reason, at: now + .seconds(20))
        #expect(order(waiting) == [id(1), id(2)])
    }

    @Test func `are notified of a throttled origin, and later ones find it throttled`() {
        var waiting = WaitingTransfers(lookAhead: 60)
        waiting.insert([id(1), id(2)], a)
        waiting.insert(id(3), b)
        #expect(waiting.hold("a", until: now + .seconds(9), by: id(7)) == [id(1), id(2)])
        #expect(waiting.throttledOrigins == ["a"] && waiting.holdEnd("a") == now + .seconds(9))
        _ = waiting.ring(at: now + .seconds(8))
        #expect(waiting.throttledOrigins == ["a"])
        _ = waiting.ring(at: now + .seconds(9))
        #expect(waiting.throttledOrigins == [])
        _ = waiting.hold("a", until: now + .seconds(20), by: id(7))
        #expect(!waiting.release(by: id(1)) && waiting.release(by: id(7)) && waiting.throttledOrigins == [])
    }

    @Test func `of a session get other keys wherever they wait, and others keep theirs`() throws {
        var waiting = WaitingTransfers(lookAhead: 60)
        let other = QueueKey(session: try SessionID("other"), origin: "a", priority: .normal)
        waiting.insert([id(1), id(2)], a)
        waiting.insert(id(3), other)
        waiting.delay(id(4), delay(5, a))
        let moved = waiting.changeKeys(of: .cli, to: { _, id in id.rawValue == 1 ? a : b }, lines: { _ in b })
        #expect(moved.map(\.new) == [a, b] && moved.map(\.old) == [a, a])
        #expect(waiting.waiting(with: a, limit: 9) == [id(1)] && waiting.waiting(with: b, limit: 9) == [id(2)])
        #expect(waiting.waiting(with: other, limit: 9) == [id(3)] && waiting.delay(of: id(4))?.key == b)
    }

    /// A regression: a transfer kept its place in the queue if it was paused during a change of its session's network
    /// policy. Its key changes at once, but its queue only after the journal was read.
    @Test(arguments: [false, true])
    func `are left also by a transfer that is known by its new key already`(isChanged: Bool) {
        var waiting = WaitingTransfers(lookAhead: 60)
        waiting.insert([id(1), id(2)], a)
        waiting.delay(id(3), delay(5, a))
        waiting.beginChangingKeys(of: .cli)
        // The journal returns no key for transfers that are about to leave.
        if isChanged {
            _ = waiting.changeKeys(of: .cli, to: { _, id in id.rawValue == 2 ? b : nil }, lines: { _ in b })
        }
        #expect(waiting.ring(at: now + .seconds(5)) == [])
        waiting.leave(id(1), b)
        waiting.leave(id(3), b)
        #expect(waiting.count == 1)
        waiting.leave(id(2), b)
        #expect(waiting.count == 0)
    }

    @Test func `have one alarm for the end of their time, and another one after it`() {
        var waiting = WaitingTransfers(lookAhead: 60)
        let wall = ActiveTime.Instant(wall: Date(timeIntervalSince1970: 1000), boot: "b", uptime: 10)
        waiting.setDue(id(1), Date(timeIntervalSince1970: 1005), rest: 5, at: wall, now)
        waiting.setDue(id(1), Date(timeIntervalSince1970: 1002), rest: 2, at: wall, now)
        waiting.setDue(id(2), Date(timeIntervalSince1970: 2000), rest: 1000, at: wall, now)
        #expect(waiting.nextAlarm == now + .seconds(5))
        #expect(waiting.ring(at: now + .seconds(5)) == [.due(id(1))] && waiting.nextAlarm == nil)
        waiting.dueRang(id(1))
        waiting.ringDue(id(1), at: now + .seconds(6))
        #expect(waiting.ring(at: now + .seconds(6)) == [.due(id(1))])
    }

    /// A plain list of every transfer's place agrees after any sequence of changes.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `stand where a plain list says, whatever happens`(seed: UInt64) {
        enum Place: Equatable {
            case line(QueueKey)
            case delayed(QueueKey, until: Double)
        }
        var numbers = SplitMix(seed: seed)
        var waiting = WaitingTransfers(lookAhead: 60)
        var places: [TransferID: Place] = [:]
        var clock = 0.0
        let keys = [a, b]
        for _ in 0..<400 {
            let one = id(Int.random(in: 1...12, using: &numbers))
            let key = keys[Int.random(in: 0...1, using: &numbers)]
            switch Int.random(in: 0...6, using: &numbers) {
            case 0, 1:
                // A transfer leaves its queue under the key that it has there.
                if case .line(let old) = places[one] { waiting.leave(one, old) }
                waiting.insert(one, key)
                places[one] = .line(key)
            case 2, 3:
                if case .line(let old) = places[one] { waiting.leave(one, old) }
                let until = clock + Double(Int.random(in: 1...9, using: &numbers))
                waiting.delay(one, delay(until, key))
                places[one] = .delayed(key, until: until)
            case 4:
                clock += Double(Int.random(in: 1...4, using: &numbers))
                #expect(waiting.ring(at: now + .seconds(clock)) == [])
                for (one, place) in places {
                    guard case .delayed(let key, let until) = place, until <= clock else { continue }
                    places[one] = .line(key)
                }
            case 5:
                waiting.leave([one], of: .cli)
                places[one] = nil
            default:
                let next = waiting.next(isInOrder: { _ in false }, mayRun: { $0 == key })
                let waiting = places.filter { $0.value == .line(key) }.keys.min()
                #expect(next?.id == waiting && next.map(\.key) == waiting.map { _ in key })
                if let waiting { places[waiting] = nil }
            }
            for key in keys {
                #expect(waiting.waiting(with: key, limit: 99) == places.filter { $0.value == .line(key) }.keys.sorted())
            }
            let moments = places.values.compactMap { if case .delayed(_, let until) = $0 { until } else { nil } }
            for (one, place) in places {
                guard case .delayed(let key, let until) = place else { continue }
                #expect(waiting.delay(of: one)?.key == key && waiting.delay(of: one)?.until == now + .seconds(until))
            }
            // An obsolete alarm may still ring. A needed alarm is never missing.
            if let earliest = moments.min() {
                #expect(waiting.nextAlarm.map { $0 <= now + .seconds(earliest) } == true)
            }
        }
    }
}

@Suite struct `Ids of transfers` {
    @Test func `rise, also when the clock is set back, and follow each other in a group`() {
        var ids = IDSource(last: nil)
        #expect(ids.lastOfOthers == TransferID(rawValue: 0))
        let first = ids.next(at: Date(timeIntervalSince1970: 1000))
        let second = ids.next(at: Date(timeIntervalSince1970: 10))
        let group = ids.next(5, at: Date(timeIntervalSince1970: 10))
        #expect(first < second && second < group && ids.last == group.advanced(by: 4))
        var later = IDSource(last: ids.last)
        #expect(later.lastOfOthers == ids.last)
        #expect(later.next(at: .distantPast) > ids.last)
    }
}
