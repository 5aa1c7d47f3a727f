import FerryCore
import FerryRules
import FerryService
import FerryTesting

/// Tests of network and power conditions, and of the transfers' reactions.
protocol ConditionSuite {}

extension ConditionSuite {
    static var body: SeededBody { SeededBody(seed: 9, size: 300_000) }
    static var heldOnce: OriginScript { OriginScript(body, .on(.request(1), .hold("first", at: .body(100_000)))) }

    /// Runs `body` with a service that treats all hosts as remote.
    func withFarService(
        _ kind: ServiceKind, _ conditions: FakeConditions, _ script: OriginScript? = nil,
        _ tweak: Tweak = { _ in }, _ body: (ServiceBed) async throws -> Void
    ) async throws {
        try await withService(
            kind, script ?? OriginScript(Self.body),
            {
                $0.machine.conditions = conditions
                $0.isLoopback = { _ in false }
                tweak(&$0)
            }, body)
    }

    static var strict: NetworkPolicy {
        NetworkPolicy(allowsCellular: false, allowsExpensive: false, allowsConstrained: false, isDiscretionary: true)
    }

    static func worsen(_ conditions: inout Conditions, _ reason: WaitReason, _ isWorse: Bool = true) {
        switch reason {
        case .network: conditions.reachable = !isWorse
        case .cellular: conditions.cellular = isWorse
        case .expensive: conditions.expensive = isWorse
        case .constrained: conditions.constrained = isWorse
        default: conditions.externalPower = !isWorse
        }
    }
}
