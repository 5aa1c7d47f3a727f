import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Synchronization
import Testing

/// A power cut when an engine first reaches a step.
final class PowerCut: Sendable {
    private let step: LifecycleStep
    private let harness = Mutex<EngineHarness?>(nil)
    private let wasReached = Atomic(false)

    fileprivate init(at step: LifecycleStep) { self.step = step }

    /// Whether the engine has reached the step.
    var hasHappened: Bool { wasReached.load(ordering: .acquiring) }

    /// Restores power. Everything that was not durable is lost.
    func end(_ loss: FaultyDisk.Loss = .bytesAndLengths) throws {
        guard let harness = harness.withLock({ $0 }) else { return }
        harness.disk.restorePower()
        harness.journal.restore()
        try harness.disk.forgetUnsynced(loss)
    }

    fileprivate func threaten(_ other: EngineHarness?) { harness.withLock { $0 = other } }

    fileprivate func reach(_ step: LifecycleStep) {
        guard step == self.step, !wasReached.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let harness = harness.withLock { $0 }
        harness?.journal.cut()
        harness?.disk.cutPower()
    }
}

/// Runs `body` with a scripted origin and an engine that loses power at a step.
func withPowerCut(
    at step: LifecycleStep, _ script: OriginScript, configured change: (inout Engine.Configuration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation,
    _ body: (EngineHarness, ScriptedOrigin, PowerCut) async throws -> Void
) async throws {
    let cut = PowerCut(at: step)
    defer { cut.threaten(nil) }
    try await withEngine(
        script,
        configured: { configuration in
            configuration.reached = { cut.reach($0) }
            change(&configuration)
        }, location
    ) { harness, origin in
        cut.threaten(harness)
        try await body(harness, origin, cut)
    }
}
