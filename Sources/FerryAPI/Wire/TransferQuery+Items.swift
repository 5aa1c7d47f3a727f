// Ferry: FerryAPI
// The query of a list of transfers.

package import FerryCore

extension TransferQuery {
    /// The pages that a list may have.
    package static let limits = 1...1000

    /// The parameters that say this; what is as usual is left out.
    package var items: [QueryItem] {
        var items: [QueryItem] = []
        if let session { items.append(QueryItem("session", session.name)) }
        if !states.isEmpty { items.append(QueryItem("state", states.map(\.rawValue).joined(separator: ","))) }
        if let tag { items.append(QueryItem("tag", tag)) }
        if let after { items.append(QueryItem("after", after.description)) }
        if limit != TransferQuery().limit { items.append(QueryItem("limit", String(limit))) }
        if newestFirst { items.append(QueryItem("order", "newest")) }
        return items
    }

    /// - Throws: ``TransferError`` with code `invalid_request` naming the parameter that is unknown or wrong.
    package init(items: [QueryItem]) throws(TransferError) {
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
            case "after": after = try item.id()
            case "limit":
                guard let number = Int(item.value), Self.limits.contains(number) else {
                    throw item.invalid("1 to \(Self.limits.upperBound)")
                }
                limit = number
            case "order":
                guard ["newest", "oldest"].contains(item.value) else { throw item.invalid("newest or oldest") }
                newestFirst = item.value == "newest"
            default: throw item.unknown(among: ["session", "state", "tag", "after", "limit", "order", "omit"])
            }
        }
    }
}
