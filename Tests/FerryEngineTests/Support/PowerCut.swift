import FerryCore
import FerryEngine
import FerryTesting
import Synchronization
import Testing

/// A power cut at the moment at which an engine comes to a step for the first time.
final class PowerCut: Sendable {
    private let step: LifecycleStep
    private let harness = Mutex<EngineHarness?>(nil)
    private let wasReached = Atomic(false)

    fileprivate init(at step: LifecycleStep) { self.step = step }

    /// Whether the engine has come to the step.
    var hasHappened: Bool { wasReached.load(ordering: .acquiring) }

    /// Brings the power back; what was not durable is lost.
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

/// Runs some code with an engine that loses its power at a step, and a scripted origin.
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
