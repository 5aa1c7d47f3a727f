package import FerryCore

/// Decides how a process stays attached to its session. A pure value.
///
/// The daemon sends events before its list is read, so that everything missing in the list arrives as an event. Events
/// already included in the list are recognized by number (``EventNumbers``).
package struct AttachmentMachine: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum State: Hashable, Sendable {
        /// No caller has requested the session. Leaves by `wanted` or `closed`.
        case idle
        /// An attempt to attach is in progress or scheduled. Leaves by `attached`, `refused` or `closed`.
        case attaching
        /// The daemon sends events, and its list is being read. Leaves by `listed`, `lost`, `refused` or `closed`.
        case listing
        /// Leaves by `lost`, `refused` or `closed`.
        case following
        /// Another process has the session. Leaves by `wanted` or `closed`.
        case refused(ServiceError)
        /// The client is done with the session.
        case closed
    }

    package enum Effect: Hashable, Sendable {
        case attach(after: Duration)
        /// Reads the list, then follows the events.
        case list
        /// Notifies the client that no events arrive until the next list.
        case notifyLost
        /// Notifies the client that no daemon is reachable. Once per outage.
        case notifyUnreachable(ServiceError)
        case notifyRefused(ServiceError)
        /// Resumes all callers waiting for the session to be attached.
        case release
        /// Resumes all callers waiting for an event number: the daemon has lost its journal.
        case forgetNumbers
        /// Acknowledges the delivered events after a delay.
        case acknowledge(after: Duration)
    }

    /// Delays between attempts to attach, of which the first follows a lost attachment.
    private static let backoff = Backoff(first: 0.05, longest: 1)

    /// How long a client waits for an unresponsive daemon.
    private let patience: Duration
    package private(set) var state = State.idle
    /// Whether the client has received a list since it requested the session.
    package private(set) var isListed = false
    /// Number of lists that the client has received.
    package private(set) var lists = 0
    package private(set) var numbers: EventNumbers
    /// Failed attempts since the session was last followed.
    private var failures = 0
    /// Why the last attempt failed, or `nil` if the daemon ended the stream.
    package private(set) var failure: ServiceError?
    /// When the session was requested, or lost.
    private var start: Instant?

    /// - Parameter acknowledges: Whether the daemon keeps events until their numbers are acknowledged.
    package init(patience: Duration, acknowledges: Bool) {
        self.patience = patience
        numbers = EventNumbers(acknowledges: acknowledges)
    }

    /// Whether it is still undecided if this process gets the session, so that waiting is worthwhile.
    package var isUnderWay: Bool {
        switch state {
        case .idle, .listing: true
        case .attaching: failure?.preventsStart != true
        case .following, .refused, .closed: false
        }
    }

    // MARK: The connection

    /// The client requests the session. After a refusal this retries: the other process may have ended.
    package mutating func wanted(at now: Instant) -> [Effect] {
        switch state {
        case .idle, .refused:
            state = .attaching
            isListed = false
            failures = 0
            failure = nil
            start = now
            return [.attach(after: .zero)]
        case .attaching, .listing, .following, .closed: return []
        }
    }

    /// The daemon has begun to send events.
    ///
    /// - Parameter last: Number of the last unacknowledged event that the daemon sends again, 0 if there is none.
    package mutating func attached(replaying last: Int64) -> [Effect] {
        guard state == .attaching else { return [] }
        state = .listing
        numbers.attached(replaying: last)
        return [.list]
    }

    /// The client has applied the list.
    ///
    /// - Parameter number: The list includes events up to this number.
    package mutating func listed(through number: Int64, at now: Instant) -> [Effect] {
        guard state == .listing else { return [] }
        state = .following
        isListed = true
        lists += 1
        failures = 0
        failure = nil
        var effects: [Effect] = [.release]
        if numbers.listed(through: number) == .ofAnotherJournal { effects.append(.forgetNumbers) }
        return effects + acknowledgement(at: now)
    }

    /// An attempt failed, or the connection was lost.
    ///
    /// - Parameter error: The error, or `nil` if the daemon ended the stream.
    package mutating func lost(_ error: ServiceError?, at now: Instant) -> [Effect] {
        switch state {
        case .following:
            state = .attaching
            start = now
            return [.notifyLost, .attach(after: delay)]
        case .attaching, .listing:
            state = .attaching
            failures += 1
            failure = error
            var effects: [Effect] = []
            if failures == 1, let error { effects.append(.notifyUnreachable(error)) }
            let isOutOfTime = start.map { $0.duration(to: now) > patience } ?? false
            if isOutOfTime || !isUnderWay { effects.append(.release) }
            return effects + [.attach(after: delay)]
        case .idle, .refused, .closed: return []
        }
    }

    private var delay: Duration { .seconds(Self.backoff.delay(afterFailures: failures + 1)) }

    /// Another process has the session. The next attempt is made when the client requests the session again.
    package mutating func refused(_ error: ServiceError) -> [Effect] {
        switch state {
        case .attaching, .listing, .following:
            let wasFollowed = state == .following
            state = .refused(error)
            isListed = false
            return (wasFollowed ? [.notifyLost] : []) + [.notifyRefused(error), .release]
        case .idle, .refused, .closed: return []
        }
    }

    /// The client is done with the session.
    package mutating func closed() -> [Effect] {
        state = .closed
        return [.release, .forgetNumbers]
    }

    // MARK: Events

    /// The client has applied an event.
    package mutating func took(_ number: Int64?, at now: Instant) -> [Effect] {
        numbers.took(number)
        return acknowledgement(at: now)
    }

    /// The daemon has responded to an acknowledgement, or does not respond.
    ///
    /// - Parameter number: The acknowledged number, or `nil` if the daemon does not respond.
    package mutating func acknowledged(through number: Int64?, at now: Instant) -> [Effect] {
        numbers.acknowledged(through: number)
        // A failed acknowledgement is repeated with the next event, or when the session is attached again.
        return number == nil ? [] : acknowledgement(at: now)
    }

    private mutating func acknowledgement(at now: Instant) -> [Effect] {
        guard state == .following, let delay = numbers.beginAcknowledgement(at: now) else { return [] }
        return [.acknowledge(after: delay)]
    }
}
