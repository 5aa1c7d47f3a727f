import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Synchronization

/// An attempt in progress: its task, its run once started, and its byte counters and limiters.
///
/// Owned by the service. ``Running`` decides when it stops.
final class Attempt {
    var run: (any AttemptRun)?
    var task: Task<Void, Never>?
    let progress = TransferProgress()
    let limiter: RateLimiter
    private(set) var gate: RateGate
    /// The direction of the transfer.
    private(set) var direction = TransferDirection.download
    private var meter = SpeedMeter()

    init(limiter: RateLimiter, gate: RateGate) {
        self.limiter = limiter
        self.gate = gate
    }

    /// Makes this an upload attempt. Its bytes pass one more rate limit.
    func uploads(through limiter: RateLimiter) {
        direction = .upload
        gate = gate.adding(limiter)
    }

    /// Whether resolving its host name takes long.
    var waitsForName: Bool { progress.waitsForName.load(ordering: .relaxed) }

    /// Returns the live part of the transfer's snapshot.
    func liveState(now: UInt64) -> Transfer.Live {
        let received = progress.received.load(ordering: .relaxed)
        let moved = direction == .upload ? progress.sent.load(ordering: .relaxed) : received
        meter.add(bytes: moved, now: now)
        return .running(
            received: received, expected: progress.expectedLength, speed: meter.bytesPerSecond,
            segments: progress.segments)
    }
}
