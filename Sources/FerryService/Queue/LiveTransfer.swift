// Ferry: FerryService
// A transfer that has a slot.

import FerryCore
import FerryEngine
import Synchronization

/// A transfer that has a slot. Owned by the service, which looks at all of them whenever one comes or goes: none is copied.
final class LiveTransfer {
    var key: QueueKey
    var record: TransferRecord?
    var run: TransferRun?
    /// A request that was changed before there was a run to tell.
    var changed: TransferRequest?
    var task: Task<Void, Never>?
    let progress = TransferProgress()
    let limiter: RateLimiter
    let gate: RateGate
    var meter = SpeedMeter()
    /// Whether it is to stop as soon as there is something to stop.
    var isStopping = false
    /// Whether an action was answered before its run had ended.
    var isLeft = false
    /// Whether it is over its session's limits and gives its slot back.
    var isExcess = false
    /// Whether it is only being placed, and needs no connection.
    var isWhole = false
    /// Whether all its bytes are in memory, and its file is made and placed together with others.
    var isInMemory = false

    /// Whether it has given a slot away already while its host's name was looked up; it keeps this one.
    let keepsSlot: Bool

    init(key: QueueKey, limiter: RateLimiter, gate: RateGate, keepsSlot: Bool = false) {
        self.key = key
        self.keepsSlot = keepsSlot
        self.limiter = limiter
        self.gate = gate
    }

    /// Whether its slot is for others, as the look-up of its host's name takes long.
    var lendsSlot: Bool { !keepsSlot && progress.waitsForName.load(ordering: .relaxed) }

    /// How it is shown.
    func liveState(now: UInt64) -> Transfer.Live {
        .running(
            received: progress.received.load(ordering: .relaxed), expected: progress.expectedLength,
            speed: meter.bytesPerSecond, segments: progress.segments)
    }
}
