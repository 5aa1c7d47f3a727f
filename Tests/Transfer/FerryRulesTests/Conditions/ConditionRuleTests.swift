import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Why a transfer cannot run` {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var policy = NetworkPolicy()
        var conditions = Conditions()
        var isLoopback = false
        let reason: WaitReason?

        init(
            _ name: String, _ reason: WaitReason?, loopback: Bool = false,
            policy: (inout NetworkPolicy) -> Void = { _ in },
            _ change: (inout Conditions) -> Void
        ) {
            testDescription = name
            self.reason = reason
            isLoopback = loopback
            policy(&self.policy)
            change(&conditions)
        }
    }

    private static let strict: @Sendable (inout NetworkPolicy) -> Void = {
        $0.allowsCellular = false
        $0.allowsExpensive = false
        $0.allowsConstrained = false
    }

    @Test(arguments: [
        Row("everything is allowed", nil) {
            $0.cellular = true
            $0.expensive = true
            $0.constrained = true
            $0.externalPower = false
        },
        Row("good conditions", nil, policy: strict) { _ in },
        Row("no network", .network) { $0.reachable = false },
        Row("no network comes before all others", .network, policy: strict) {
            $0.reachable = false
            $0.cellular = true
        },
        Row("cellular", .cellular, policy: { $0.allowsCellular = false }) { $0.cellular = true },
        Row("cellular is not expensive", nil, policy: { $0.allowsExpensive = false }) { $0.cellular = true },
        Row("expensive", .expensive, policy: { $0.allowsExpensive = false }) { $0.expensive = true },
        Row("expensive is not cellular", nil, policy: { $0.allowsCellular = false }) { $0.expensive = true },
        Row("constrained", .constrained, policy: { $0.allowsConstrained = false }) { $0.constrained = true },
        Row("constrained is not expensive", nil, policy: { $0.allowsExpensive = false }) { $0.constrained = true },
        Row("cellular first, as Apple names it", .cellular, policy: strict) {
            $0.cellular = true
            $0.expensive = true
            $0.constrained = true
        },
        Row("discretionary on battery", .power, policy: { $0.isDiscretionary = true }) { $0.externalPower = false },
        Row("discretionary on a metered network", .expensive, policy: { $0.isDiscretionary = true }) {
            $0.expensive = true
        },
        Row("discretionary on a mobile network that costs nothing", nil, policy: { $0.isDiscretionary = true }) {
            $0.cellular = true
        },
        Row("battery matters to no other policy", nil, policy: strict) { $0.externalPower = false },
        Row("loopback without a network", nil, loopback: true, policy: strict) { $0.reachable = false },
        Row("loopback over anything", nil, loopback: true, policy: strict) {
            $0.cellular = true
            $0.expensive = true
            $0.constrained = true
        },
        Row("loopback on battery", .power, loopback: true, policy: { $0.isDiscretionary = true }) {
            $0.reachable = false
            $0.externalPower = false
        },
        Row("loopback that is included", .network, loopback: true) {
            $0.reachable = false
            $0.includesLoopback = true
        },
    ])
    func `71 to 74 why a transfer cannot run`(_ row: Row) {
        #expect(ConditionRule.obstacle(row.policy, row.conditions, isLoopback: row.isLoopback) == row.reason)
    }

    @Test func `73 loopback is not looked up while nothing is in the way`() {
        var conditions = Conditions()
        conditions.expensive = true
        func look() -> Bool {
            Issue.record("looked up")
            return false
        }
        #expect(ConditionRule.obstacle(NetworkPolicy(), conditions, isLoopback: look()) == nil)
    }

    @Test(
        arguments: [
            (.network, true, nil), (.cellular, true, .cellular), (.expensive, true, .expensive),
            (.constrained, true, .constrained), (.power, false, nil),
        ] as [(WaitReason, Bool, WaitReason?)])
    func `71 a transfer that does not wait fails as offline and names the rule`(
        _ reason: WaitReason, _ fails: Bool, _ network: WaitReason?
    ) {
        #expect(ConditionRule.error(reason, NetworkPolicy()) == nil)
        let error = ConditionRule.error(reason, NetworkPolicy(waits: false))
        #expect((error != nil) == fails)
        guard let error else { return }
        #expect(error.code == .offline && error.details.network == network && error.details.urlError == -1009)
    }

    @Test(
        arguments: [
            (false, [], true, [], true), (true, [1], true, [1, 2], true), (true, [1, 2], true, [2], false),
            (true, [1], true, [1], false), (true, [1], false, [], false), (true, [], true, [], false),
            (true, [1], true, [2], true),
        ] as [(Bool, Set<UInt32>, Bool, Set<UInt32>, Bool)])
    func `73 a network comes up`(
        _ wasReachable: Bool, _ before: Set<UInt32>, _ isReachable: Bool, _ after: Set<UInt32>, _ cameUp: Bool
    ) {
        var old = Conditions()
        old.reachable = wasReachable
        old.uplinks = before
        var new = Conditions()
        new.reachable = isReachable
        new.uplinks = after
        #expect(new.cameUp(since: old) == cameUp)
    }

    @Test func `only what a transfer depends on is watched`() {
        #expect(NetworkPolicy().needs == .reachability)
        #expect(NetworkPolicy(allowsConstrained: false, waits: false).needs == .reachability)
        #expect(NetworkPolicy(allowsCellular: false).needs == [.reachability, .kind])
        #expect(NetworkPolicy(allowsExpensive: false).needs == [.reachability, .kind])
        #expect(NetworkPolicy(isDiscretionary: true).needs == [.reachability, .kind, .power])
    }
}
