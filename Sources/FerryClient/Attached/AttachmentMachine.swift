package import FerryCore

/// Decides how a process stays attached to its session. Performs nothing.
///
/// The daemon tells events before its list is read, so that what the list lacks comes as an event. Events that are in the list
/// already are known by their numbers (``EventNumbers``).
package struct AttachmentMachine: Sendable {
    package typealias Instant = ContinuousClock.Instant

    package enum State: Hashable, Sendable {
        /// No caller has asked for the session. Leaves by `wanted`.
        case idle
        /// An attempt to attach is under way, or due. Leaves by `attached`, `refused` or `closed`.
        case attaching
        /// The daemon tells events, and its list is read. Leaves by `listed`, `lost` or `closed`.
        case listing
        /// Leaves by `lost` or `closed`.
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
        /// Tells the client that it hears of nothing until it gets a list again.
        case notifyLost
        /// Tells the client that there is no daemon; once for each time without one.
        case notifyUnreachable(ServiceError)
        case notifyRefused(ServiceError)
        /// Lets all callers go on that wait for the session to be attached.
        case release
        /// Lets all callers go on that wait for an event's number: the daemon has lost its journal.
        case forgetNumbers
        /// Acknowledges what was told, when that has passed.
        case acknowledge(after: Duration)
    }

    private static let firstDelay: Duration = .milliseconds(50)
    private static let longestDelay: Duration = .seconds(1)

    /// How long a client waits for a daemon that does not answer.
    private let patience: Duration
    package private(set) var state = State.idle
    /// Whether the client has had a list since it asked for the session.
    package private(set) var isListed = false
    /// Lists that the client has had.
    package private(set) var lists = 0
    package private(set) var numbers: EventNumbers
    /// Attempts that have failed since the session was followed last.
    private var failures = 0
    /// Why the last of them has failed; nil if the daemon has ended the stream.
    package private(set) var failure: ServiceError?
    /// When the session was asked for, or lost.
    private var start: Instant?

    /// - Parameter acknowledges: whether the daemon keeps events until their numbers are acknowledged.
    package init(patience: Duration, acknowledges: Bool) {
        self.patience = patience
        numbers = EventNumbers(acknowledges: acknowledges)
    }

    /// Whether it is worth waiting to learn whether this process gets the session.
    package var isUnderWay: Bool {
        switch state {
        case .idle, .listing: true
        case .attaching: failure?.preventsStart != true
        case .following, .refused, .closed: false
        }
    }

    // MARK: The connection

    /// The client asks for the session. After a refusal that means again: the other process may have ended.
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

    /// The daemon has begun to tell events.
    ///
    /// - Parameter last: number of the last event that it tells again because it was not acknowledged; 0 if there is none.
    package mutating func attached(replaying last: Int64) -> [Effect] {
        guard state == .attaching else { return [] }
        state = .listing
        numbers.attached(replaying: last)
        return [.list]
    }

    /// The client has taken in the list.
    ///
    /// - Parameter number: events up to this one are in the list.
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

    /// An attempt has failed, or the connection is gone.
    ///
    /// - Parameter error: nil if the daemon has ended the stream.
    package mutating func lost(_ error: ServiceError?, at now: Instant) -> [Effect] {
        switch state {
        case .following:
            state = .attaching
            start = now
            return [.notifyLost, .attach(after: Self.firstDelay)]
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

    private var delay: Duration { min(Self.firstDelay * (1 << min(failures, 16)), Self.longestDelay) }

    /// Another process has the session: the next attempt is made when the client asks for it.
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

    /// The client has taken in an event.
    package mutating func took(_ number: Int64?, at now: Instant) -> [Effect] {
        numbers.took(number)
        return acknowledgement(at: now)
    }

    /// The daemon has answered an acknowledgement, or does not answer.
    ///
    /// - Parameter number: what was acknowledged; nil if the daemon does not answer.
    package mutating func acknowledged(through number: Int64?, at now: Instant) -> [Effect] {
        numbers.acknowledged(through: number)
        // A failed acknowledgement is made again with the next event, or when the session is attached again.
        return number == nil ? [] : acknowledgement(at: now)
    }

    private mutating func acknowledgement(at now: Instant) -> [Effect] {
        guard state == .following, let delay = numbers.beginAcknowledgement(at: now) else { return [] }
        return [.acknowledge(after: delay)]
    }
}
