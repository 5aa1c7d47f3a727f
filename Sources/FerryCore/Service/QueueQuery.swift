/// A part of the queue. Every transfer is in one of them, but for one that is being removed.
package enum QueuePart: String, CaseIterable, Codable, Sendable {
    /// What runs, and what waits for its next attempt, for room on its disk or for its folder; in the order of submission.
    case active
    /// What waits for its turn or is suspended, in the order of the turns: by priority, then by the session's order, then by
    /// submission.
    case waiting
    /// What has ended, in the order of the ends; last what is being canceled.
    case ended
}

/// A page of a part of the queue.
package struct QueueQuery: Hashable, Sendable {
    package var part: QueuePart
    /// Only transfers of this session; nil is all.
    ///
    /// The waiting transfers of all sessions come by priority, then by submission: each session's order counts for it alone.
    package var session: SessionID?
    /// How many transfers come before the page.
    package var offset = 0
    /// How many transfers the page has at most.
    package var limit = 100
    /// Whether the part is read from its end: the offset counts from there, and the last transfer comes first.
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

    /// The transfers that a page may have.
    package static let limits = 0...10_000

    /// - Throws: ``ServiceError`` with code `invalid_request` for a negative offset or a limit out of its range.
    package func validate() throws(ServiceError) {
        guard Self.limits.contains(limit) else {
            throw ServiceError(.invalidRequest, "limit is 0 to \(Self.limits.upperBound), not \(limit).")
        }
        guard offset >= 0 else { throw ServiceError(.invalidRequest, "offset is 0 or more, not \(offset).") }
    }
}

/// How many transfers each part of the queue has.
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

/// Where a waiting transfer moves to.
package struct QueueMove: Hashable, Codable, Sendable {
    package enum Origin: String, CaseIterable, Codable, Sendable {
        case start, current, end
    }

    /// Places from the origin; negative ones are towards the start.
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

    /// The place that a transfer moves to.
    ///
    /// - Parameters:
    ///   - place: where it is in the whole line.
    ///   - count: how many transfers the line has.
    ///   - allowed: the places that it may have, which are those of its priority; never empty.
    package func target(from place: Int, of count: Int, within allowed: Range<Int>) -> Int {
        let base =
            switch origin {
            case .start: 0
            case .current: place
            case .end: count - 1
            }
        let (sum, overflow) = base.addingReportingOverflow(offset)
        let wished = overflow ? (offset < 0 ? Int.min : Int.max) : sum
        return min(max(wished, allowed.lowerBound), allowed.upperBound - 1)
    }
}
