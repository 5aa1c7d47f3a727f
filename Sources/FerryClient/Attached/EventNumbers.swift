/// How far a session's durable events have come, by their numbers, which rise as long as the daemon has its journal.
///
/// A number is acknowledged after the client has taken the event in. Until then the daemon tells it again at each attachment.
package struct EventNumbers: Hashable, Sendable {
    /// What an event is to a client that has taken in a list.
    package struct Place: Hashable, Sendable {
        /// Whether the list shows what the event has made of its transfers.
        package let isListed: Bool
        /// Whether everything has come with it that the daemon tells again.
        package let isCaughtUp: Bool

        package init(isListed: Bool = false, isCaughtUp: Bool = true) {
            self.isListed = isListed
            self.isCaughtUp = isCaughtUp
        }
    }

    package enum Journal: Hashable, Sendable { case ofTheseNumbers, ofAnotherJournal }

    /// Time between two acknowledgements at least: each costs the daemon a write.
    private static let spacing: Duration = .milliseconds(200)

    private let acknowledges: Bool
    /// The last that the daemon tells again on this connection.
    package private(set) var replayed: Int64 = 0
    /// Events up to this one are in the list.
    private var listed: Int64 = 0
    /// The last that has come and was taken in.
    package private(set) var streamed: Int64 = 0
    private var acknowledged: Int64 = 0
    private var isAcknowledging = false
    private var lastAcknowledgement: ContinuousClock.Instant?

    init(acknowledges: Bool) { self.acknowledges = acknowledges }

    /// The last that was taken in, by the list or by itself.
    package var applied: Int64 { max(listed, streamed) }

    /// What an event is to the client; nil for one that it has taken in before.
    package func place(of number: Int64?) -> Place? {
        guard let number else { return Place(isListed: false, isCaughtUp: streamed >= replayed) }
        guard number > streamed else { return nil }
        return Place(isListed: number <= listed, isCaughtUp: number >= replayed)
    }

    mutating func attached(replaying last: Int64) { replayed = last }

    mutating func listed(through number: Int64) -> Journal {
        listed = number
        // A daemon that has neither this event nor later ones does not have the journal that numbered it.
        guard max(number, replayed) < streamed else { return .ofTheseNumbers }
        streamed = 0
        acknowledged = 0
        return .ofAnotherJournal
    }

    mutating func took(_ number: Int64?) { streamed = max(streamed, number ?? 0) }

    /// Begins an acknowledgement if one is due and none is under way.
    ///
    /// - Returns: after what time it is to be made.
    mutating func beginAcknowledgement(at now: ContinuousClock.Instant) -> Duration? {
        guard acknowledges, !isAcknowledging, acknowledged < streamed else { return nil }
        isAcknowledging = true
        let due = max(lastAcknowledgement.map { $0 + Self.spacing } ?? now, now)
        lastAcknowledgement = due
        return now.duration(to: due)
    }

    mutating func acknowledged(through number: Int64?) {
        isAcknowledging = false
        // An acknowledgement of another journal's numbers says nothing of these.
        if let number, number <= streamed { acknowledged = max(acknowledged, number) }
    }
}
