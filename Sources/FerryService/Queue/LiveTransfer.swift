// Ferry: FerryService
// A transfer that has a slot.

import FerryCore
import FerryEngine
import Synchronization

/// A transfer that has a slot.
struct LiveTransfer: Sendable {
    var key: QueueKey
    var record: TransferRecord? {
        get { box?.record }
        set { box = newValue.map(RecordBox.init) }
    }
    /// Holds the record apart: whoever looks at all that run copies none.
    var box: RecordBox?
    var run: TransferRun?
    /// A request that was changed before there was a run to tell.
    var changed: TransferRequest?
    var task: Task<Void, Never>?
    let progress: TransferProgress
    let limiter: RateLimiter
    let gate: RateGate
    var meter = SpeedMeter()
    /// Whether it is to stop as soon as there is something to stop.
    var isStopping = false
    /// Whether it is over its session's limits and gives its slot back.
    var isExcess = false
    /// Whether it is only being placed, and needs no connection.
    var isWhole = false

    /// How it is shown.
    func liveState(now: UInt64) -> Transfer.Live {
        .running(
            received: progress.received.load(ordering: .relaxed), expected: progress.expectedLength,
            speed: meter.bytesPerSecond, segments: progress.segments)
    }
}

/// A record that many values share.
final class RecordBox: Sendable {
    let record: TransferRecord

    init(_ record: TransferRecord) { self.record = record }
}
