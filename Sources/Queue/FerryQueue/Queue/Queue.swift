package import FerryCore
package import FerryRules
package import FerryFoundation

/// The transfer queue and its scheduling decisions.
///
/// Pure value: no clock, randomness or I/O. The service passes events in and performs the returned effects. All changes
/// go through this type.
///
/// ```
///   let effects = queue.take(.ended(id, next), at: moment)
/// ```
package struct Queue: Sendable {
    /// Number of rows usually read at once for a queue.
    package static let lineWindow = 256
    /// Maximum number of transfers per queue to notify that their host is at its limit. Later ones keep their last
    /// reason.
    package static let hostNotificationLimit = 100

    private var state: QueueState

    /// - Parameters:
    ///   - lastID: The last id ever assigned, or `nil` if none.
    ///   - lookAhead: How far ahead deadlines are loaded, in seconds.
    ///   - lineWindow: Number of rows read at once for a queue.
    package init(
        _ settings: ServiceSettings, _ conditions: KnownConditions, lastID: TransferID? = nil, lookAhead: Double,
        lineWindow: Int = lineWindow
    ) {
        state = QueueState(
            settings, conditions, lastID: lastID, lookAhead: lookAhead, lineWindow: lineWindow)
    }

    /// Handles an event and returns the effects to perform.
    package mutating func take(_ input: Input, at moment: Moment) -> [Effect] { state.take(input, at: moment) }

    // MARK: Questions

    /// Transfers without a slot.
    package var waitingTransfers: WaitingTransfers { state.waitingTransfers }

    /// Transfers with a slot.
    package var running: Running { state.running }

    /// Transfers that do not start before an operation on them has ended.
    package var held: HeldTransfers { state.held }

    /// Whether a transfer has a slot, or an operation works on its files.
    package func isBusy(_ id: TransferID) -> Bool { running.contains(id) || held.contains(id, for: .files) }

    /// Whether an operation on a transfer is in progress: an action, or one that holds it.
    package func isOperatedOn(_ id: TransferID) -> Bool {
        held.contains(id) || state.actions.values.contains { $0.ids.contains(id) }
    }

    /// The settings, and the order of each session's transfers.
    package var sessions: Sessions { state.sessions }

    /// Network and power conditions.
    package var conditions: KnownConditions { state.conditions }

    /// The source of transfer ids.
    package var ids: IDSource { state.ids }

    /// Capacity left by the running transfers.
    package var limits: SlotLimits { state.limits }

    /// Keys of the queues in which the first transfers were notified that their host is at its limit.
    package var crowded: Set<QueueKey> { state.crowded }

    /// Apps, and the processes that have sessions open.
    package var apps: AppRegistry { state.apps }

    /// Returns what a command for a session's transfers depends on besides the rows.
    package func situation(of ids: [TransferID], in session: SessionID, at moment: Moment) -> BulkCommandSituation {
        state.actRooms(at: moment).situation(of: ids, in: session)
    }

    // MARK: Answers at once

    /// Assigns consecutive ids and returns the first.
    package mutating func giveIDs(_ count: Int = 1, at now: Date) -> TransferID { state.ids.next(count, at: now) }

    /// Makes a process the holder of a session. Returns the token of this opening.
    package mutating func open(_ id: SessionID, _ attachment: SessionAttachment, by mark: ProcessMark?) -> Int {
        state.apps.open(id, attachment, by: mark)
    }

    /// Records that the session's holder takes its events. Returns whether it was notified of them.
    package mutating func takeEvents(of id: SessionID, _ attachment: SessionAttachment, at now: Date) -> Bool {
        state.apps.takeEvents(of: id, attachment, at: now)
    }

    /// Records the listener of a session's events. Returns whether the session is still held under this token.
    package mutating func follows(_ id: SessionID, _ token: Int, listener: Int) -> Bool {
        state.apps.follows(id, token, listener: listener)
    }

    /// Records a listening run loop. Returns the connection's token.
    package mutating func connect(_ connection: ApplicationConnection) -> Int { state.apps.connect(connection) }

    /// Stores the facts that a run has recorded.
    package mutating func take(_ facts: TransferFacts, of id: TransferID) { state.running.take(facts, of: id) }

    /// Decides how the attempt of a transfer begins, as ``QueueState/start(of:at:)`` does.
    package func start(of record: TransferRecord, at moment: Moment) -> Start { state.start(of: record, at: moment) }

    /// Decides on an attempt's report, as ``QueueState/judge(_:of:_:at:)`` does.
    package mutating func judge(
        _ report: RunReport, of stored: TransferRecord, _ jitter: Jitter, at moment: Moment
    ) -> Verdict? { state.judge(report, of: stored, jitter, at: moment) }

    /// Returns the outcome of a successful attempt if its transfer has not changed since the attempt started, else
    /// `nil`.
    package func success(_ report: RunReport, of id: TransferID, at moment: Moment) -> (TransferRecord, Outcome)? {
        state.success(report, of: id, at: moment)
    }

    // MARK: Deadlines

    /// Delay before checking again a transfer that cannot be ended yet, in seconds.
    package static let deadlineRecheckDelay = 0.02

    /// Whether an unfinished transfer has passed its deadline.
    package static func isOver(_ record: TransferRecord, at moment: Moment) -> Bool {
        record.timeBounds.rest(at: moment.active).map { $0 < 0.001 } ?? false
    }

    /// Returns the error of a transfer that has passed its deadline.
    package static func overdue(_ record: TransferRecord) -> ServiceError? {
        var machine = TransferMachine(record)
        guard case .finish(.failed(let error)) = machine.deadlinePassed() else { return nil }
        return error
    }
}

/// Assigns transfer ids. They increase with submission time, even if the clock is set back.
package struct IDSource: Sendable {
    /// The last id assigned by an earlier process.
    package let lastOfOthers: TransferID
    package private(set) var last: TransferID

    /// - Parameter last: The last id ever assigned, or `nil` if none.
    package init(last: TransferID?) {
        lastOfOthers = last ?? TransferID(rawValue: 0)
        self.last = lastOfOthers
    }

    package mutating func next(at now: Date) -> TransferID { next(1, at: now) }

    /// Assigns consecutive ids and returns the first.
    package mutating func next(_ count: Int, at now: Date) -> TransferID {
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000))
        let first = TransferID.next(after: last, milliseconds: milliseconds)
        last = first.advanced(by: max(1, count) - 1)
        return first
    }
}
