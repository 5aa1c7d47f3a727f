/// A session's progress through its durable events, by number. Numbers increase as long as the daemon keeps its
/// journal.
///
/// A number is acknowledged after the client has applied the event. Until then the daemon sends the event again at each
/// attachment.
package struct EventNumbers: Hashable, Sendable {
    /// The position of an event relative to the list that the client has applied.
    package struct Place: Hashable, Sendable {
        /// Whether the list already includes the event's effect.
        package let isListed: Bool
        /// Whether all events that the daemon sends again have arrived, including this one.
        package let isCaughtUp: Bool

        package init(isListed: Bool = false, isCaughtUp: Bool = true) {
            self.isListed = isListed
            self.isCaughtUp = isCaughtUp
        }
    }

    package enum Journal: Hashable, Sendable { case ofTheseNumbers, ofAnotherJournal }

    /// Minimum time between two acknowledgements. Each costs the daemon a write.
    private static let spacing: Duration = .milliseconds(200)

    private let acknowledges: Bool
    /// Number of the last event that the daemon sends again on this connection.
    package private(set) var replayed: Int64 = 0
    /// Number up to which the list includes events.
    private var listed: Int64 = 0
    /// Number of the last event that arrived and was applied.
    package private(set) var streamed: Int64 = 0
    private var acknowledged: Int64 = 0
    private var isAcknowledging = false
    private var lastAcknowledgement: ContinuousClock.Instant?

    init(acknowledges: Bool) { self.acknowledges = acknowledges }

    /// Number of the last event that was applied, from the list or by itself.
    package var applied: Int64 { max(listed, streamed) }

    /// Returns an event's position, or `nil` for an event that was already applied.
    package func place(of number: Int64?) -> Place? {
        guard let number else { return Place(isListed: false, isCaughtUp: streamed >= replayed) }
        guard number > streamed else { return nil }
        return Place(isListed: number <= listed, isCaughtUp: number >= replayed)
    }

    mutating func attached(replaying last: Int64) { replayed = last }

    mutating func listed(through number: Int64) -> Journal {
        listed = number
        // A daemon that has neither this event nor later ones has another journal.
        guard max(number, replayed) < streamed else { return .ofTheseNumbers }
        streamed = 0
        acknowledged = 0
        return .ofAnotherJournal
    }

    mutating func took(_ number: Int64?) { streamed = max(streamed, number ?? 0) }

    /// Begins an acknowledgement if one is due and none is in progress.
    ///
    /// - Returns: The delay before it is sent.
    mutating func beginAcknowledgement(at now: ContinuousClock.Instant) -> Duration? {
        guard acknowledges, !isAcknowledging, acknowledged < streamed else { return nil }
        isAcknowledging = true
        let due = max(lastAcknowledgement.map { $0 + Self.spacing } ?? now, now)
        lastAcknowledgement = due
        return now.duration(to: due)
    }

    mutating func acknowledged(through number: Int64?) {
        isAcknowledging = false
        // An acknowledgement of another journal's numbers does not apply to these.
        if let number, number <= streamed { acknowledged = max(acknowledged, number) }
    }
}
