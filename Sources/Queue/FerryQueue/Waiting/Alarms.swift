import FerryCore
import HeapModule

/// Pending alarms, earliest first. Owned by the service.
///
/// A superseded alarm stays until it goes off, or until superseded alarms are the majority. Repeated rescheduling thus
/// does not accumulate alarms.
struct Alarms: Sendable {
    /// Number of alarms below which superseded ones are not removed.
    private static let fewAlarms = 64

    private var heap = Heap<Alarm>()
    /// Causes with a single alarm that is pending.
    private var single: Set<Alarm.Cause> = []
    /// Number of alarms at which superseded ones are removed.
    private var limit = fewAlarms

    /// When the next alarm is due.
    var next: ContinuousClock.Instant? { heap.min?.due }
    var count: Int { heap.count }

    /// Adds an alarm.
    ///
    /// - Parameter isWanted: Returns whether an alarm has not been superseded.
    mutating func set(_ alarm: Alarm, isWanted: (Alarm) -> Bool) {
        if alarm.cause.isSingle, !single.insert(alarm.cause).inserted { return }
        heap.insert(alarm)
        guard heap.count > limit else { return }
        heap = Heap(heap.unordered.filter { $0 == alarm || $0.cause.isSingle || isWanted($0) })
        limit = max(Self.fewAlarms, 2 * heap.count)
    }

    /// Removes and returns the next alarm, if it is due.
    mutating func takeDue(at now: ContinuousClock.Instant) -> Alarm? {
        guard let next, next <= now, let alarm = heap.popMin() else { return nil }
        single.remove(alarm.cause)
        return alarm
    }
}

extension Alarm.Cause {
    /// Whether a second alarm with this cause would be redundant.
    fileprivate var isSingle: Bool {
        switch self {
        case .schedule, .lease, .sweep, .cleanUp, .settling, .trialEnds, .upkeep: true
        case .retry, .due, .release, .launch: false
        }
    }
}
