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
        var host = "files.example"
        let reason: WaitReason?

        init(
            _ name: String, _ reason: WaitReason?, loopback: Bool = false, host: String = "files.example",
            policy: (inout NetworkPolicy) -> Void = { _ in },
            _ change: (inout Conditions) -> Void
        ) {
            testDescription = name
            self.reason = reason
            isLoopback = loopback
            self.host = host
            policy(&self.policy)
            change(&conditions)
        }
    }

    private static let strict: @Sendable (inout NetworkPolicy) -> Void = {
        $0.allowsCellular = false
        $0.allowsExpensive = false
        $0.allowsConstrained = false
    }

    private static let isolated: @Sendable (inout Conditions) -> Void = { conditions in
        conditions.reachable = false
        conditions.subnets = [
            Subnet(.v4(0xC0A8_0700), prefix: 24), Subnet(.v6(high: 0xFD00_0001_0000_0000, low: 0), prefix: 64),
        ]
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
        Row("a host of an own subnet without a default route", nil, host: "192.168.7.9", Self.isolated),
        Row("a host of an own IPv6 subnet without a default route", nil, host: "[fd00:1::9]", Self.isolated),
        Row("a link-local address with its zone", nil, host: "[fe80::1%25eth0]", Self.isolated),
        Row("a name, which may have such an address", nil, host: "nas.local", Self.isolated),
        Row("another address without a default route", .network, host: "192.168.8.9", Self.isolated),
        Row("another IPv6 address without a default route", .network, host: "[2001:db8::1]", Self.isolated),
        Row("a name without any subnet", .network, host: "nas.local") { $0.reachable = false },
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
        let reason = ConditionRule.obstacle(
            row.policy, row.conditions, host: row.host, isLoopback: row.isLoopback)
        #expect(reason == row.reason)
    }

    @Test func `73 loopback is not looked up while nothing is in the way`() {
        var conditions = Conditions()
        conditions.expensive = true
        func look() -> Bool {
            Issue.record("looked up")
            return false
        }
        #expect(ConditionRule.obstacle(NetworkPolicy(), conditions, host: "h", isLoopback: look()) == nil)
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

    @Test(
        arguments: [
            (ErrorCode.hostNotFound, nil, true), (.dnsFailed, nil, true), (.connectFailed, ENETUNREACH, true),
            (.connectFailed, EHOSTUNREACH, true), (.connectFailed, ECONNREFUSED, false), (.httpStatus, nil, false),
        ] as [(ErrorCode, CInt?, Bool)])
    func `T10 a failure without a default route is the network's`(code: ErrorCode, errno: CInt?, isOffline: Bool) {
        let error = ServiceError(code, "It failed.", details: ErrorDetails(errno: errno))
        var conditions = Conditions()
        #expect(ConditionRule.explained(error, conditions, isLoopback: false) == error)
        conditions.reachable = false
        #expect(ConditionRule.explained(error, conditions, isLoopback: true) == error)
        let explained = ConditionRule.explained(error, conditions, isLoopback: false)
        #expect((explained.code == .offline) == isOffline && explained.message.hasSuffix("It failed."))
    }

    @Test func `T10 a new own subnet is a network that has come up, unless there is a default route`() {
        var (old, new) = (Conditions(), Conditions())
        new.subnets = [Subnet(.v4(0x0A00_0000), prefix: 8)]
        #expect(!new.cameUp(since: old))
        (old.reachable, new.reachable) = (false, false)
        #expect(new.cameUp(since: old) && !new.cameUp(since: new))
    }
}

@Suite struct `Subnets` {
    @Test(arguments: [
        ("10.0.0.0", 8, "10.255.1.2", true), ("10.0.0.0", 8, "11.0.0.1", false),
        ("192.168.1.128", 25, "192.168.1.127", false),
        ("192.168.1.128", 25, "192.168.1.129", true), ("1.2.3.4", 32, "1.2.3.4", true),
        ("1.2.3.4", 32, "1.2.3.5", false),
        ("fd00::", 8, "fdff::1", true), ("fd00::", 8, "fe00::1", false), ("fd00::", 8, "10.0.0.1", false),
        ("2001:db8::", 63, "2001:db8:0:1::", true), ("2001:db8::", 63, "2001:db8:0:2::", false),
    ])
    func `contain the addresses with their prefix`(subnet: String, prefix: Int, address: String, isInside: Bool) throws
    {
        let subnet = Subnet(try #require(IPAddress(subnet)), prefix: prefix)
        #expect(subnet.contains(try #require(IPAddress(address))) == isInside)
    }
}
