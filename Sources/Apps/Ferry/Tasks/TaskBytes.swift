import FerryCore
import Foundation

/// The byte counts of a task's file.
struct TaskBytes {
    /// The displayed bytes. Only a restart from byte 0 decreases them.
    private(set) var received: Int64 = 0
    /// The daemon's bytes. After a crash of the daemon these are the durable ones, possibly fewer than before.
    private(set) var held: Int64 = 0
    private(set) var expected: Int64?
    private(set) var startedOver = 0
    /// Whether the task was paused while running, and its durable bytes are not known yet.
    private(set) var isUncertain = false
    /// Whether the task restarts from byte 0 when it next runs.
    private var restarts = false
    private var window = SpeedWindow()
    /// Created when an app first reads it, and kept up to date from then on.
    private var shown: Progress?

    /// - Parameters:
    ///   - expected: The size that the app expects, in bytes.
    ///   - startedOver: Number of restarts from byte 0 before this process knew the transfer.
    init(expected: Int64? = nil, startedOver: Int = 0) {
        self.expected = expected
        self.startedOver = startedOver
    }

    /// Processes the daemon's counts. Returns whether the previous bytes were dropped.
    mutating func take(_ transfer: Transfer, wasRunning: Bool, at now: ContinuousClock.Instant) -> Bool {
        held = transfer.bytesReceived
        isUncertain = false
        let isActive = transfer.state == .running || transfer.state == .waiting
        let isRestarted = transfer.startedOver > startedOver || (restarts && isActive)
        let isWhole = transfer.state == .succeeded
        // A failure without bytes has dropped them, and a complete file is never resumed.
        let loses = transfer.state == .failed && held == 0 && received > 0
        if isRestarted || isWhole || loses { restarts = isWhole || loses }
        received = isRestarted || isWhole ? held : max(received, held)
        expected = transfer.bytesExpected ?? (isRestarted ? nil : expected)
        startedOver = max(startedOver, transfer.startedOver)
        if wasRunning || transfer.state == .running { window.add(held, at: now) }
        return isRestarted
    }

    /// Records that no more bytes arrive without a call.
    mutating func cameToRest() { window.clear() }

    /// Records that the task was paused while running.
    mutating func wasPaused() { isUncertain = true }

    /// Returns the size of the whole file in bytes. -1 while unknown.
    func total(in status: Status) -> Int64 {
        if let expected { return max(expected, received) }
        return status == .succeeded ? received : -1
    }

    /// Bytes received in the last second.
    func speed(at now: ContinuousClock.Instant) -> Int64 { window.bytesPerSecond(at: now) }

    /// Returns the whole seconds until the end at a speed. 0 if unknown.
    func timeRemaining(atSpeed speed: Int64) -> Int64 {
        guard speed > 0, let expected, expected > received else { return 0 }
        return (expected - received).dividedRoundingUp(by: speed)
    }

    // MARK: The app's object

    /// Returns the received and expected bytes. Always the same object.
    mutating func progress(in status: Status) -> Progress {
        if let shown { return shown }
        let units = units(in: status)
        let progress = Progress(totalUnitCount: units.total)
        progress.completedUnitCount = units.completed
        shown = progress
        return progress
    }

    func updateProgress(in status: Status) {
        guard let shown else { return }
        let units = units(in: status)
        if shown.totalUnitCount != units.total { shown.totalUnitCount = units.total }
        shown.completedUnitCount = units.completed
    }

    /// The counts of the app's object. A finished empty file is one of one unit, since a `Progress` without units is
    /// never finished.
    private func units(in status: Status) -> (completed: Int64, total: Int64) {
        let total = total(in: status)
        return total == 0 && status == .succeeded ? (1, 1) : (received, total)
    }
}

/// Start and end of a task's work.
struct TaskDates {
    /// The first start in seconds since 1970. 0 before.
    private(set) var start = 0.0
    /// The end of the latest attempt in seconds since 1970. 0 before.
    private(set) var end = 0.0

    mutating func take(_ transfer: Transfer) {
        if start == 0, let date = transfer.times.start { start = date.timeIntervalSince1970 }
        if let date = transfer.times.end { end = date.timeIntervalSince1970 }
    }

    /// Records that the task runs. The daemon's own date may come later. The first one stays.
    mutating func started() { if start == 0 { start = Date().timeIntervalSince1970 } }

    mutating func ended() { end = Date().timeIntervalSince1970 }
}
