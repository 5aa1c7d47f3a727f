package import FerryCore

/// Lists a part of the queue, one page at a time. The query is a `QueueQuery`, optionally with
/// ``ListTransfers/omitsUsual``.
package enum ListQueue: Endpoint {
    package typealias Response = TransferPage
    package static let route = Route(.get, "/queue", "Lists a part of the queue in its order, a page at a time.")

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown, invalid or missing parameter.
    package static func query(_ items: [QueryItem]) throws(ServiceError) -> (query: QueueQuery, isShort: Bool) {
        let (others, isShort) = try ListTransfers.takeForm(items)
        return (try QueueQuery(items: others), isShort)
    }
}

/// Counts the transfers of each part of the queue.
package enum CountQueue: Endpoint {
    package typealias Response = QueueCounts
    package static let route = Route(.get, "/queue/counts", "Counts the transfers of each part of the queue.")

    /// - Throws: ``ServiceError`` with code `invalid_request` for an unsupported query.
    package static func session(_ query: [QueryItem]) throws(ServiceError) -> SessionID? {
        var session: SessionID?
        for item in query {
            guard item.name == "session" else { throw item.unknown(among: ["session"]) }
            session = try SessionID(item.value)
        }
        return session
    }
}

/// Moves a waiting or suspended transfer within its session's queue.
package enum MoveTransfer: Endpoint {
    package typealias Request = QueueMove
    package static let route = Route(
        .post, "/transfers/{id}/move", "Moves a waiting or suspended transfer within its session's queue.")

    package struct Response: Hashable, Codable, Sendable {
        /// The new position in the queue, counted from 0, or `nil` if the transfer is not in the queue.
        package var place: Int?

        package init(place: Int?) { self.place = place }
    }
}

extension QueueMove: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

extension QueueQuery {
    /// The query's parameters, without default values.
    package var items: [QueryItem] {
        let usual = QueueQuery(part)
        var items = [QueryItem("part", part.rawValue)]
        if let session { items.append(QueryItem("session", session.name)) }
        if offset != usual.offset { items.append(QueryItem("offset", String(offset))) }
        if limit != usual.limit { items.append(QueryItem("limit", String(limit))) }
        if reversed { items.append(QueryItem("order", "last")) }
        return items
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown, invalid or missing parameter.
    package init(items: [QueryItem]) throws(ServiceError) {
        let parts = QueuePart.allCases.map(\.rawValue).joined(separator: ", ")
        self.init(.active)
        var part: QueuePart?
        for item in items {
            switch item.name {
            case "part":
                part = QueuePart(rawValue: item.value)
                if part == nil { throw item.invalid("one of \(parts)") }
            case "session": session = try SessionID(item.value)
            case "offset":
                guard let number = Int(item.value), number >= 0 else { throw item.invalid("0 or more") }
                offset = number
            case "limit":
                guard let number = Int(item.value), Self.limits.contains(number) else {
                    throw item.invalid("0 to \(Self.limits.upperBound)")
                }
                limit = number
            case "order":
                guard ["first", "last"].contains(item.value) else { throw item.invalid("first or last") }
                reversed = item.value == "last"
            default: throw item.unknown(among: ["part", "session", "offset", "limit", "order", "omit"])
            }
        }
        guard let part else { throw ServiceError(.invalidRequest, "part is missing; it is one of \(parts).") }
        self.part = part
    }
}
