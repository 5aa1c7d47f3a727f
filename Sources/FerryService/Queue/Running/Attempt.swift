import FerryCore
import FerryEngine
import Synchronization

/// An attempt that is under way: its task, its run once there is one, and what counts and slows its bytes.
///
/// Owned by the service. What becomes of it is decided by ``Running``.
final class Attempt {
    var run: TransferRun?
    var task: Task<Void, Never>?
    let progress = TransferProgress()
    let limiter: RateLimiter
    private(set) var gate: RateGate
    /// The direction of its file.
    private(set) var direction = TransferDirection.download
    private var meter = SpeedMeter()

    init(limiter: RateLimiter, gate: RateGate) {
        self.limiter = limiter
        self.gate = gate
    }

    /// Makes it an attempt at an upload, whose bytes pass one more limit.
    func uploads(through limiter: RateLimiter) {
        direction = .upload
        gate = gate.adding(limiter)
    }

    /// Whether the look-up of its host's name takes long.
    var waitsForName: Bool { progress.waitsForName.load(ordering: .relaxed) }

    /// How its transfer is shown.
    func liveState(now: UInt64) -> Transfer.Live {
        let received = progress.received.load(ordering: .relaxed)
        let moved = direction == .upload ? progress.sent.load(ordering: .relaxed) : received
        meter.add(bytes: moved, now: now)
        return .running(
            received: received, expected: progress.expectedLength, speed: meter.bytesPerSecond,
            segments: progress.segments)
    }
}

/// When, and why only then, a transfer whose attempt has ended is tried again.
struct NextAttempt: Sendable {
    let record: TransferRecord
    /// Seconds; 0 is at once, if there is a slot.
    let delay: Double
    let reason: WaitReason
    /// What it waits for, where the journal could not record that.
    var error: ServiceError?

    /// This try with a request that was changed while the last attempt was being settled.
    func following(_ request: TransferRequest) -> NextAttempt {
        var record = record
        record.request = request
        let isNew = request.hasOtherAddress(than: self.record.request)
        return NextAttempt(
            record: record, delay: isNew ? 0 : delay, reason: isNew ? .retry : reason, error: isNew ? nil : error)
    }
}
