import FerryCore
import FerryQueue

/// The listeners of the hub, with the events that are pending for each.
///
/// A listener whose queue is full falls behind: it is offered nothing until it has taken the pending events. It then
/// catches up from the journal and the ``EventBacklog``.
///
/// Many listeners that only watch (``EventListener/isPaced``) are not woken for each event, but together after a pause,
/// so that each delivers several events at once.
struct EventListeners {
    /// Maximum number of paced listeners that are woken for each event.
    static let fewPaced = 16
    /// Each paced listener lengthens the pause by this: about the time to deliver a group of events.
    static let pausePerListener = Duration.microseconds(100)

    private var listeners: [Int: EventListener] = [:]
    private var nextID = 0
    /// The listeners that are not behind.
    private var current: Set<Int> = []
    /// The number of paced listeners.
    private var paced = 0
    private var backlog = EventBacklog()
    /// Number of the last durable event that was offered.
    private var last: Int64

    init(lastNumber: Int64) { last = lastNumber }

    var count: Int { listeners.count }

    /// The shortest sample interval of any listener, or `nil` if none wants samples.
    var sampleInterval: Double? { listeners.values.compactMap(\.subscription.progressInterval).min() }

    // Changed in place: a copy of a listener would copy its whole queue.
    subscript(id: Int) -> EventListener? {
        get { listeners[id] }
        _modify { yield &listeners[id] }
    }

    mutating func add(_ listener: EventListener) -> Int {
        let id = nextID
        nextID += 1
        listeners[id] = listener
        current.insert(id)
        if listener.isPaced { paced += 1 }
        return id
    }

    mutating func remove(_ id: Int) -> EventListener? {
        guard let listener = listeners.removeValue(forKey: id) else { return nil }
        current.remove(id)
        if listener.isPaced { paced -= 1 }
        trimBacklog()
        return listener
    }

    // MARK: Waking

    mutating func wake() { for id in listeners.keys { listeners[id]?.wake() } }

    /// Wakes the listeners with pending events.
    mutating func wakePending() {
        for id in listeners.keys where listeners[id]?.isAsleep == true { listeners[id]?.wake() }
    }

    /// Wakes the listeners with pending events, except paced listeners while there are many of them.
    ///
    /// - Returns: The pause after which to call ``wakePending()``, or `nil` if no listener waits for it.
    mutating func wakePrompt() -> Duration? {
        let isCrowded = paced > Self.fewPaced
        var hasPaced = false
        for id in current where listeners[id]?.isAsleep == true {
            if isCrowded, listeners[id]?.isPaced == true { hasPaced = true } else { listeners[id]?.wake() }
        }
        return hasPaced ? Self.pausePerListener * paced : nil
    }

    // MARK: Events

    /// Offers an event or a run to all listeners that are not behind.
    mutating func offer(_ delivery: EventOrder.Delivery) {
        for id in current {
            guard listeners[id]?.isFull == false else {
                current.remove(id)
                listeners[id]?.fallBehind(at: backlog.end)
                // Only the others are woken with the events that they are offered.
                listeners[id]?.wake()
                continue
            }
            switch delivery {
            case .event(let event): listeners[id]?.offer(event)
            case .run(let run): listeners[id]?.offer(run)
            }
        }
        note(delivery)
    }

    /// Queues the durable events through `number` to be read from the journal.
    mutating func skip(through number: Int64) {
        for id in current { listeners[id]?.skip(after: last, through: number) }
        last = max(last, number)
    }

    /// Removes and returns a listener's next item. A listener that is behind and has none left catches up.
    mutating func take(_ id: Int) -> EventQueue.Item? {
        if listeners[id]?.needsBacklog == true {
            listeners[id]?.catchUp(with: backlog, through: last)
            current.insert(id)
            trimBacklog()
        }
        return listeners[id]?.next()
    }

    private mutating func note(_ delivery: EventOrder.Delivery) {
        switch delivery {
        case .run(let run): last = max(last, run.last)
        case .event(let event):
            if let number = event.number {
                last = max(last, number)
            } else if current.count < listeners.count {
                backlog.append(event, after: last)
            }
        }
    }

    private mutating func trimBacklog() {
        if current.count == listeners.count { backlog.removeAll() }
    }
}
