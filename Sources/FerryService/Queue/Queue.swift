import FerryCore
import FerryEngine
import Foundation

/// What is queued and what runs, and what decides about it: a value without clock, random numbers and I/O.
///
/// The service tells it what happens and performs what follows. Nothing else changes a room of it.
///
/// ```
///   let effects = queue.take(.ended(id, next), at: .now)
/// ```
struct Queue: Sendable {
    /// How many of a line are read at once.
    static let lineWindow = 256
    /// How many transfers of a line are told that their host is at its limit; later ones keep the reason that they were told.
    static let hostNotificationLimit = 100

    private var state: QueueState

    /// - Parameters:
    ///   - lastID: the last id that was ever given; nil is none.
    ///   - lookAhead: seconds for which it is known whose time has passed.
    init(
        _ settings: ServiceSettings, _ conditions: KnownConditions, lastID: TransferID? = nil, lookAhead: Double
    ) {
        state = QueueState(settings, conditions, lastID: lastID, lookAhead: lookAhead)
    }

    /// Decides what follows from something that has happened.
    mutating func take(_ input: Input, at moment: Moment) -> [Effect] { state.take(input, at: moment) }

    // MARK: Questions

    /// Transfers that have no slot.
    var waitingTransfers: WaitingTransfers { state.waitingTransfers }

    /// Transfers that have a slot.
    var running: Running { state.running }

    /// The settings, and the order of each session's transfers.
    var sessions: Sessions { state.sessions }

    /// Networks and power.
    var conditions: KnownConditions { state.conditions }

    /// The ids that were given.
    var ids: IDSource { state.ids }

    /// What may run beside the transfers that have a slot.
    var limits: SlotLimits { state.limits }

    /// WaitingTransfers whose first transfers were told that their host is at its limit.
    var crowded: Set<QueueKey> { state.crowded }

    /// Apps and the processes that have sessions open.
    var apps: AppRegistry { state.apps }

    // MARK: Answers at once

    /// Gives ids that follow each other; returns the first of them.
    mutating func giveIDs(_ count: Int = 1, at now: Date) -> TransferID { state.ids.next(count, at: now) }

    /// Makes a process the one that has a session open; returns what names this opening.
    mutating func open(_ id: SessionID, _ attachment: SessionAttachment, by mark: ProcessMark?) -> Int {
        state.apps.open(id, attachment, by: mark)
    }

    /// Notes that the process that has opened a session takes its events; returns whether it was told of them.
    mutating func takeEvents(of id: SessionID, _ attachment: SessionAttachment, at now: Date) -> Bool {
        state.apps.takeEvents(of: id, attachment, at: now)
    }

    /// Notes which listener has a session's events; returns whether the session is still open as it was then.
    mutating func follows(_ id: SessionID, _ token: Int, listener: Int) -> Bool {
        state.apps.follows(id, token, listener: listener)
    }

    /// Notes that a process listens with its run loop; returns what names its connection.
    mutating func connect(_ connection: ApplicationConnection) -> Int { state.apps.connect(connection) }

    /// Takes up what a run has recorded.
    mutating func take(_ facts: TransferFacts, of id: TransferID) { state.running.take(facts, of: id) }

    /// Keeps the digest of the bytes on disk for the next attempt; nil forgets the one that is kept.
    mutating func keep(_ digest: RunningDigest?, of id: TransferID) { state.running.keep(digest, of: id) }

    /// Takes out the digest that the last attempt has left.
    mutating func takeDigest(of id: TransferID) -> RunningDigest? { state.running.takeDigest(of: id) }

    /// Decides what follows from an attempt's report, as ``QueueState/judge(_:of:_:at:)`` does.
    mutating func judge(
        _ report: RunReport, of stored: TransferRecord, _ jitter: Jitter, at moment: Moment
    ) -> Verdict? { state.judge(report, of: stored, jitter, at: moment) }

    /// The end of an attempt that has succeeded, where its transfer is as it was when the attempt began; nil if it has not.
    func success(_ report: RunReport, of id: TransferID, at moment: Moment) -> (TransferRecord, Outcome)? {
        state.success(report, of: id, at: moment)
    }

    // MARK: Ends of time

    /// Seconds until another look at a transfer that cannot be ended at this moment.
    static let deadlineRecheckDelay = 0.02

    /// Whether the time of a transfer that may run is over.
    static func isOver(_ record: TransferRecord, at moment: Moment) -> Bool {
        record.timeBounds.rest(at: moment.active).map { $0 < 0.001 } ?? false
    }

    /// What ends a transfer whose time is over.
    static func overdue(_ record: TransferRecord) -> ServiceError? {
        var machine = TransferMachine(record)
        guard case .finish(.failed(let error)) = machine.deadlinePassed() else { return nil }
        return error
    }
}

/// Gives transfers their ids, which rise with the time of submission, also if the clock is set back.
struct IDSource: Sendable {
    /// The last id that an earlier process gave.
    let lastOfOthers: TransferID
    private(set) var last: TransferID

    /// - Parameter last: the last id that was ever given; nil is none.
    init(last: TransferID?) {
        lastOfOthers = last ?? TransferID(rawValue: 0)
        self.last = lastOfOthers
    }

    mutating func next(at now: Date) -> TransferID { next(1, at: now) }

    /// Gives ids that follow each other; returns the first of them.
    mutating func next(_ count: Int, at now: Date) -> TransferID {
        let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000))
        let first = TransferID.next(after: last, milliseconds: milliseconds)
        last = first.advanced(by: max(1, count) - 1)
        return first
    }
}
