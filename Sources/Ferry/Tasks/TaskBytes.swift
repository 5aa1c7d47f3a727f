import FerryCore
import Foundation

/// How much of a task's file is there.
struct TaskBytes {
    /// Bytes as they are shown: only a start from 0 takes any back.
    private(set) var received: Int64 = 0
    /// Bytes that the daemon has; after its death the durable ones, which may be fewer than it has said before.
    private(set) var held: Int64 = 0
    private(set) var expected: Int64?
    private(set) var startedOver = 0
    /// Whether the task was paused while it ran, and the daemon has not said yet how much of it is durable.
    private(set) var isUncertain = false
    /// Whether the task begins from 0 when it runs again.
    private var beginsAnew = false
    private var window = SpeedWindow()
    /// Made when an app reads it first; kept up to date from then on.
    private var shown: Progress?

    /// The bytes of a task that is made of a transfer which has started over before.
    init(startedOver: Int = 0) { self.startedOver = startedOver }

    /// Takes in what the daemon says; whether the bytes so far were given up.
    mutating func take(_ transfer: Transfer, wasRunning: Bool, at now: ContinuousClock.Instant) -> Bool {
        held = transfer.bytesReceived
        isUncertain = false
        let isActive = transfer.state == .running || transfer.state == .waiting
        let isRestarted = transfer.startedOver > startedOver || (beginsAnew && isActive)
        let isWhole = transfer.state == .succeeded
        // A failure that leaves nothing of what there was has given it up, and a whole file is never continued.
        let loses = transfer.state == .failed && held == 0 && received > 0
        if isRestarted || isWhole || loses { beginsAnew = isWhole || loses }
        received = isRestarted || isWhole ? held : max(received, held)
        expected = transfer.bytesExpected ?? (isRestarted ? nil : expected)
        startedOver = max(startedOver, transfer.startedOver)
        if wasRunning || transfer.state == .running { window.add(held, at: now) }
        return isRestarted
    }

    /// Takes in that no more bytes come without a call.
    mutating func cameToRest() { window.clear() }

    /// Takes in that the task was paused while it ran.
    mutating func wasPaused() { isUncertain = true }

    /// Bytes of the whole file; -1 until they are known.
    func total(in status: Status) -> Int64 {
        if let expected { return max(expected, received) }
        return status == .succeeded ? received : -1
    }

    /// Bytes of the last second.
    func speed(at now: ContinuousClock.Instant) -> Int64 { window.bytesPerSecond(at: now) }

    /// Whole seconds until the end at a speed; 0 if that is not known.
    func timeRemaining(atSpeed speed: Int64) -> Int64 {
        guard speed > 0, let expected, expected > received else { return 0 }
        return (expected - received).dividedRoundingUp(by: speed)
    }

    // MARK: The app's object

    /// Received and expected bytes; the same object each time.
    mutating func progress(in status: Status) -> Progress {
        if let shown { return shown }
        let progress = Progress(totalUnitCount: total(in: status))
        progress.completedUnitCount = received
        shown = progress
        return progress
    }

    func updateProgress(in status: Status) {
        guard let shown else { return }
        let total = total(in: status)
        if shown.totalUnitCount != total { shown.totalUnitCount = total }
        shown.completedUnitCount = received
    }
}

/// When a task was at work.
struct TaskDates {
    /// Seconds since 1970 at which the task first ran; 0 before.
    private(set) var start = 0.0
    /// Seconds since 1970 at which its latest attempt ended; 0 before.
    private(set) var end = 0.0

    mutating func take(_ transfer: Transfer) {
        if start == 0, let date = transfer.startedAt { start = date.timeIntervalSince1970 }
        if let date = transfer.finishedAt { end = date.timeIntervalSince1970 }
    }

    /// The task runs; the daemon's own date may come later, and the first one stays.
    mutating func started() { if start == 0 { start = Date().timeIntervalSince1970 } }

    mutating func ended() { end = Date().timeIntervalSince1970 }
}
