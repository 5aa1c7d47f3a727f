/// A part of the queue. Every transfer is in exactly one, except those being removed.
package enum QueuePart: String, CaseIterable, Codable, Sendable {
    /// Running transfers, and those waiting for a retry, disk space or their folder, in order of submission.
    case active
    /// Transfers waiting for a slot and suspended ones, in scheduling order: by priority, then by the session's order,
    /// then by submission.
    case waiting
    /// Finished transfers in order of completion, followed by those being canceled.
    case ended
}

/// A page of a part of the queue.
package struct QueueQuery: Hashable, Sendable {
    package var part: QueuePart
    /// Only transfers of this session. Nil means all.
    ///
    /// Across sessions, waiting transfers are ordered by priority, then by submission. A session's order applies only
    /// to the session.
    package var session: SessionID?
    /// Number of transfers before the page.
    package var offset = 0
    /// Maximum number of transfers on the page.
    package var limit = 100
    /// Whether to read from the end: the offset counts from there, and the last transfer comes first.
    package var reversed = false

    package init(
        _ part: QueuePart, session: SessionID? = nil, offset: Int = 0, limit: Int = 100, reversed: Bool = false
    ) {
        self.part = part
        self.session = session
        self.offset = offset
        self.limit = limit
        self.reversed = reversed
    }

    /// Allowed page sizes.
    package static let limits = 0...10_000

    /// - Throws: ``ServiceError`` with code `invalid_request` for a negative offset or a limit out of range.
    package func validate() throws(ServiceError) {
        guard Self.limits.contains(limit) else {
            throw ServiceError(.invalidRequest, "limit is 0 to \(Self.limits.upperBound), not \(limit).")
        }
        guard offset >= 0 else { throw ServiceError(.invalidRequest, "offset is 0 or more, not \(offset).") }
    }
}

/// Number of transfers in each part of the queue.
package struct QueueCounts: Hashable, Codable, Sendable {
    package var active: Int
    package var waiting: Int
    package var ended: Int

    package init(active: Int, waiting: Int, ended: Int) {
        self.active = active
        self.waiting = waiting
        self.ended = ended
    }
}

/// The new position of a waiting transfer.
package struct QueueMove: Hashable, Codable, Sendable {
    package enum Origin: String, CaseIterable, Codable, Sendable {
        case start, current, end
    }

    /// Positions from the origin, negative towards the start.
    package var offset: Int
    package var origin: Origin

    package init(_ offset: Int, from origin: Origin = .start) {
        self.offset = offset
        self.origin = origin
    }

    package enum CodingKeys: String, CodingKey, CaseIterable {
        case offset
        case origin = "from"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        offset = try box.decode(Int.self, forKey: .offset)
        origin = try box.decodeIfPresent(Origin.self, forKey: .origin) ?? .start
    }

    /// The resulting position.
    ///
    /// - Parameters:
    ///   - place: The current position in the whole queue.
    ///   - count: Length of the queue.
    ///   - allowed: The positions of its priority. Never empty.
    package func target(from place: Int, of count: Int, within allowed: Range<Int>) -> Int {
        let base =
            switch origin {
            case .start: 0
            case .current: place
            case .end: count - 1
            }
        let (sum, overflow) = base.addingReportingOverflow(offset)
        let requested = overflow ? (offset < 0 ? Int.min : Int.max) : sum
        return min(max(requested, allowed.lowerBound), allowed.upperBound - 1)
    }
}
