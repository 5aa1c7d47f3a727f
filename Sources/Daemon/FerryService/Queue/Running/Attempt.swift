import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Synchronization

/// An attempt in progress: its task, its run once started, and its byte counters and limiters.
///
/// ``Running`` decides when it stops.
final class Attempt: Sendable {
    private struct State {
        var run: (any AttemptRun)?
        var task: Task<Void, Never>?
        var gate: RateGate
        var direction = TransferDirection.download
        var meter = SpeedMeter()
    }

    let progress = TransferProgress()
    let limiter: RateLimiter
    private let state: Mutex<State>

    init(limiter: RateLimiter, gate: RateGate) {
        self.limiter = limiter
        state = Mutex(State(gate: gate))
    }

    /// The run, once it has started.
    var run: (any AttemptRun)? {
        get { state.withLock(\.run) }
        set { state.withLock { $0.run = newValue } }
    }

    /// The task that performs the attempt.
    var task: Task<Void, Never>? {
        get { state.withLock(\.task) }
        set { state.withLock { $0.task = newValue } }
    }

    /// The limits that its bytes pass.
    var gate: RateGate { state.withLock(\.gate) }

    /// Makes this an upload attempt. Its bytes pass one more rate limit.
    func uploads(through limiter: RateLimiter) {
        state.withLock { state in
            state.direction = .upload
            state.gate = state.gate.adding(limiter)
        }
    }

    /// Whether resolving its host name takes long.
    var waitsForName: Bool { progress.waitsForName.load(ordering: .relaxed) }

    /// Applies a changed request.
    func follow(_ request: TransferRequest) async {
        limiter.rate = request.transport.rateLimit
        gate.setPriority(request.timing.priority)
        await run?.follow(request)
    }

    // MARK: Snapshots

    /// Returns the transfer with its current byte counts and speed.
    ///
    /// - Parameters:
    ///   - now: The time that the machine has been awake, in nanoseconds.
    ///   - isWhole: Whether all bytes have been received.
    func shown(_ record: TransferRecord, now: UInt64, isWhole: Bool) -> Transfer {
        var shown = Transfer(record, live: liveState(now: now))
        shown.sending.sent = max(shown.sending.sent, progress.sent.load(ordering: .relaxed))
        let verified = progress.verified.load(ordering: .relaxed)
        shown.own.verifiedLength = verified < 0 ? nil : verified
        shown.own.waitsForVerification = verified < 0 && isWhole && !record.request.response.checksums.isEmpty
        shown.bytesSpent = max(shown.bytesSpent, progress.spent.load(ordering: .relaxed))
        return shown
    }

    private func liveState(now: UInt64) -> Transfer.Live {
        let received = progress.received.load(ordering: .relaxed)
        let sent = progress.sent.load(ordering: .relaxed)
        let speed = state.withLock { state in
            state.meter.add(bytes: state.direction == .upload ? sent : received, now: now)
            return state.meter.bytesPerSecond
        }
        return .running(
            received: received, expected: progress.expectedLength, speed: speed, segments: progress.segments)
    }
}
