package import FerryCore

/// Streams events as they happen, one per line. The query is an `EventSubscription`.
package enum StreamEvents: Endpoint {
    package typealias Response = TransferEvent
    package static let route = Route(.get, "/events", "Sends events as they happen, one per line.")
}

extension EventSubscription {
    /// Allowed intervals between progress samples, in seconds.
    package static let intervals = 0.05...60

    /// The query's parameters, without default values.
    package var items: [QueryItem] {
        var items: [QueryItem] = []
        if let after { items.append(QueryItem("after", String(after))) }
        if let session { items.append(QueryItem("session", session.name)) }
        if let ids { items.append(QueryItem("ids", ids.sorted().map(\.description).joined(separator: ","))) }
        if let progressInterval { items.append(QueryItem("progress", String(progressInterval))) }
        if endsAlone { items.append(QueryItem("ends", "true")) }
        if omitsSuccesses { items.append(QueryItem("brief", "true")) }
        if endsWithTransfers { items.append(QueryItem("until_ended", "true")) }
        return items
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown or invalid parameter.
    package init(items: [QueryItem]) throws(ServiceError) {
        self.init()
        for item in items {
            switch item.name {
            case "after":
                guard let number = Int64(item.value), number >= 0 else { throw item.invalid("the number of an event") }
                after = number
            case "session": session = try SessionID(item.value)
            case "ids":
                var named = ids ?? []
                for word in item.value.split(separator: ",") { named.insert(try QueryItem("ids", String(word)).id()) }
                ids = named
            case "progress":
                guard let seconds = Double(item.value), Self.intervals.contains(seconds) else {
                    throw item.invalid("0.05 to 60 seconds")
                }
                progressInterval = seconds
            case "ends": endsAlone = try item.bool()
            case "brief": omitsSuccesses = try item.bool()
            case "until_ended": endsWithTransfers = try item.bool()
            default: throw item.unknown(among: ["after", "session", "ids", "progress", "ends", "brief", "until_ended"])
            }
        }
        if endsWithTransfers, ids == nil {
            throw ServiceError(.invalidRequest, "until_ended needs ids: the transfers to wait for.")
        }
    }
}
