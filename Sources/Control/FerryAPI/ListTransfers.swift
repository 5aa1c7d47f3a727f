package import FerryCore

/// Lists transfers, one page at a time. The query is a `TransferQuery`, optionally with ``omitsUsual``.
package enum ListTransfers: Endpoint {
    package typealias Response = TransferPage
    package static let route = Route(.get, "/transfers", "Lists transfers, a page at a time.")

    /// Requests transfers without the keys that have their default values.
    package static let omitsUsual = QueryItem("omit", "usual")

    /// A page of transfers without the keys that have their default values.
    package struct ShortPage: Encodable, Sendable {
        private let transfers: [Transfer.Short]
        private let next: TransferID?

        package init(_ page: TransferPage) {
            transfers = page.transfers.map(Transfer.Short.init)
            next = page.next
        }
    }

    /// Parses the query, and whether default values are omitted.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown or invalid parameter.
    package static func query(_ items: [QueryItem]) throws(ServiceError) -> (query: TransferQuery, isShort: Bool) {
        let (others, isShort) = try takeForm(items)
        return (try TransferQuery(items: others), isShort)
    }

    /// Separates the parameter that requests the short form from the others.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for another form.
    static func takeForm(_ items: [QueryItem]) throws(ServiceError) -> (others: [QueryItem], isShort: Bool) {
        let others = items.filter { $0.name != omitsUsual.name }
        for item in items where item.name == omitsUsual.name && item.value != omitsUsual.value {
            throw item.invalid(omitsUsual.value)
        }
        return (others, others.count < items.count)
    }
}

extension TransferQuery {
    /// Allowed page sizes.
    package static let limits = 1...1000

    /// The query's parameters, without default values.
    package var items: [QueryItem] {
        var items: [QueryItem] = []
        if let session { items.append(QueryItem("session", session.name)) }
        if !states.isEmpty { items.append(QueryItem("state", states.map(\.rawValue).joined(separator: ","))) }
        if let tag { items.append(QueryItem("tag", tag)) }
        if let tagPrefix { items.append(QueryItem("tag_prefix", tagPrefix)) }
        if let after { items.append(QueryItem("after", after.description)) }
        if limit != TransferQuery().limit { items.append(QueryItem("limit", String(limit))) }
        if newestFirst { items.append(QueryItem("order", "newest")) }
        return items
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` naming the unknown or invalid parameter.
    package init(items: [QueryItem]) throws(ServiceError) {
        self.init()
        for item in items {
            switch item.name {
            case "session": session = try SessionID(item.value)
            case "state":
                for word in item.value.split(separator: ",") {
                    guard let state = TransferState.known.first(where: { $0.rawValue == word }) else {
                        throw item.invalid("one of \(TransferState.known.map(\.rawValue).joined(separator: ", "))")
                    }
                    states.append(state)
                }
            case "tag": tag = item.value
            case "tag_prefix": tagPrefix = item.value
            case "after": after = try item.id()
            case "limit":
                guard let number = Int(item.value), Self.limits.contains(number) else {
                    throw item.invalid("1 to \(Self.limits.upperBound)")
                }
                limit = number
            case "order":
                guard ["newest", "oldest"].contains(item.value) else { throw item.invalid("newest or oldest") }
                newestFirst = item.value == "newest"
            default:
                throw item.unknown(among: ["session", "state", "tag", "tag_prefix", "after", "limit", "order", "omit"])
            }
        }
    }
}
