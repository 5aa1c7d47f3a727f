import FerryCore
import FerryRules
import Foundation
import Testing

@testable import FerryQueue

@Suite struct `Conditions that are known` {
    private func known(concernsLoopback: Bool = false) -> KnownConditions {
        KnownConditions(concernsLoopback: concernsLoopback) { $0 == "here.test" }
    }

    private func key(
        _ host: String = "there.test", _ change: (inout NetworkPolicy) -> Void = { _ in }
    ) -> QueueKey {
        var policy = NetworkPolicy()
        change(&policy)
        return QueueKey(session: .cli, origin: "https://\(host):443", priority: .normal, network: policy)
    }

    private func report(
        _ known: ConditionNeeds, _ change: (inout Conditions) -> Void = { _ in }
    ) -> ConditionReport {
        var report = ConditionReport()
        report.known = known
        change(&report.conditions)
        return report
    }

    @Test func `are watched from the first transfer that depends on them, and once`() {
        var known = known()
        let ignored = known.take(report(.reachability) { $0.reachable = false }, constrained: false)
        #expect(ignored == nil && known.areGood)
        let nothing = known.depend(on: key("here.test"))
        #expect(nothing == nil)
        let first = known.depend(on: key())
        let second = known.depend(on: key())
        #expect(first == .reachability && second == nil)
        let mobile = known.depend(on: key { $0.allowsCellular = false })
        #expect(mobile == [.reachability, .kind])
        let discretionary = known.depend(on: key("here.test") { $0.isDiscretionary = true })
        #expect(discretionary == .power)
    }

    @Test func `let a transfer run once all is known that it depends on`() {
        var known = known()
        _ = known.depend(on: key())
        #expect(!known.isSettled(key()) && !known.isPermitted(key()) && known.isPermitted(key("here.test")))
        let change = known.take(report(.reachability), constrained: false)
        #expect(change == KnownConditions.Change(cameUp: false))
        #expect(known.isPermitted(key()))
        let same = known.take(report(.reachability), constrained: false)
        #expect(same == nil)
        _ = known.depend(on: key { $0.allowsExpensive = false })
        #expect(known.isPermitted(key()) && !known.isPermitted(key { $0.allowsExpensive = false }))
    }

    @Test func `report the obstacle, and when a network has come up`() {
        var known = known()
        _ = known.depend(on: key())
        // A network that was never known has not come up.
        let first = known.take(report(.reachability) { $0.reachable = false }, constrained: false)
        #expect(first == KnownConditions.Change(cameUp: false))
        #expect(known.obstacle(key()) == .network && known.obstacle(key("here.test")) == nil && !known.areGood)
        let second = known.take(report(.reachability), constrained: false)
        #expect(second == KnownConditions.Change(cameUp: true) && known.obstacle(key()) == nil)
        let third = known.take(report(.reachability), constrained: true)
        #expect(third == KnownConditions.Change(cameUp: false))
        #expect(known.obstacle(key { $0.allowsConstrained = false }) == .constrained && known.obstacle(key()) == nil)
    }

    @Test func `of a source that concerns this machine too are watched for its hosts`() {
        var known = known(concernsLoopback: true)
        let needs = known.depend(on: key("here.test"))
        #expect(needs == .reachability)
        _ = known.take(
            report(.reachability) {
                $0.reachable = false
                $0.includesLoopback = true
            }, constrained: false)
        #expect(known.obstacle(key("here.test")) == .network)
    }

    @Test func `of power are checked as often as running and waiting transfers need`() {
        var known = known()
        let unwatched = known.setPace(isWaiting: true, isRunning: true)
        #expect(unwatched == nil)
        _ = known.depend(on: key { $0.isDiscretionary = true })
        let steps: [(Bool, Bool, KnownConditions.Pace?)] = [
            (true, false, .every(seconds: 15)), (true, false, nil), (true, true, .every(seconds: 3)),
            (false, true, nil), (false, false, .never), (false, false, nil),
        ]
        for (isWaiting, isRunning, expected) in steps {
            let pace = known.setPace(isWaiting: isWaiting, isRunning: isRunning)
            #expect(pace == expected)
        }
    }
}
