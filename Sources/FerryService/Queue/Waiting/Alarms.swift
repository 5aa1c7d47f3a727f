import FerryCore
import HeapModule

/// What is due, the earliest first. Owned by the service.
///
/// An alarm whose plan was replaced stays until it rings or until such alarms are the most, so that plans that are replaced
/// over and over do not add up.
struct Alarms: Sendable {
    /// Number of alarms below which unwanted ones are not looked for.
    private static let fewAlarms = 64

    private var heap = Heap<Alarm>()
    /// Causes of which there is one alarm, and that have one.
    private var single: Set<Alarm.Cause> = []
    /// How many alarms there may be before unwanted ones are dropped.
    private var limit = fewAlarms

    /// When the next one is due.
    var next: ContinuousClock.Instant? { heap.min?.due }
    var count: Int { heap.count }

    /// Adds an alarm.
    ///
    /// - Parameter isWanted: whether the plan of an alarm still holds.
    mutating func set(_ alarm: Alarm, isWanted: (Alarm) -> Bool) {
        if alarm.cause.isSingle, !single.insert(alarm.cause).inserted { return }
        heap.insert(alarm)
        guard heap.count > limit else { return }
        heap = Heap(heap.unordered.filter { $0 == alarm || $0.cause.isSingle || isWanted($0) })
        limit = max(Self.fewAlarms, 2 * heap.count)
    }

    /// Takes out the next alarm, if it is due.
    mutating func takeDue(at now: ContinuousClock.Instant) -> Alarm? {
        guard let next, next <= now, let alarm = heap.popMin() else { return nil }
        single.remove(alarm.cause)
        return alarm
    }
}

extension Alarm.Cause {
    /// Whether a second alarm with this cause says nothing new.
    fileprivate var isSingle: Bool {
        switch self {
        case .schedule, .sweep, .cleanUp, .settling, .trialEnds, .upkeep: true
        case .retry, .due, .release, .launch: false
        }
    }
}
