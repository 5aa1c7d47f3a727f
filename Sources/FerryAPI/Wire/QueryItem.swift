// Ferry: FerryAPI
// One parameter of a query.

package import FerryCore

/// One parameter of a query.
package struct QueryItem: Hashable, Sendable {
    package let name: String
    package let value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }

    package static func encode(_ items: [QueryItem]) -> String {
        items.map { PercentEncoding.encode($0.name) + "=" + PercentEncoding.encode($0.value) }.joined(separator: "&")
    }

    /// Reads what stands after the question mark. A plus sign is a plus sign.
    /// - Throws: ``TransferError`` with code `invalid_request` for a broken escape.
    package static func decode(_ query: String) throws(TransferError) -> [QueryItem] {
        var items: [QueryItem] = []
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decode(halves[0]),
                let value = PercentEncoding.decode(halves.count > 1 ? halves[1] : "")
            else {
                throw TransferError(.invalidRequest, "The query has a broken percent-escape.")
            }
            items.append(QueryItem(name, value))
        }
        return items
    }
}

extension QueryItem {
    /// The error for a parameter that the route does not have.
    package func unknown(among known: [String]) -> TransferError {
        TransferError(
            .invalidRequest,
            "The query has no parameter “\(name.escapingControls)”; there is \(known.joined(separator: ", ")).")
    }

    /// The error for a value that the parameter cannot have.
    package func invalid(_ wanted: String) -> TransferError {
        TransferError(.invalidRequest, "\(name) is \(wanted), not “\(value.escapingControls)”.")
    }

    package func bool() throws(TransferError) -> Bool {
        switch value {
        case "true": true
        case "false": false
        default: throw invalid("true or false")
        }
    }

    package func id() throws(TransferError) -> TransferID {
        guard let id = TransferID(value) else { throw invalid("a transfer id of 16 hexadecimal digits") }
        return id
    }
}
