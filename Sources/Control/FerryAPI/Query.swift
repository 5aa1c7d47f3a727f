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
        items.map { PercentEncoding.encodeComponent($0.name) + "=" + PercentEncoding.encodeComponent($0.value) }.joined(
            separator: "&")
    }

    /// Parses the part of a URL after the question mark. A plus sign is not a space.
    /// - Throws: ``ServiceError`` with code `invalid_request` for a broken escape.
    package static func decode(_ query: String) throws(ServiceError) -> [QueryItem] {
        var items: [QueryItem] = []
        for part in query.split(separator: "&") {
            let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.decodeComponent(halves[0]),
                let value = PercentEncoding.decodeComponent(halves.count > 1 ? halves[1] : "")
            else {
                throw ServiceError(.invalidRequest, "The query has a broken percent-escape.")
            }
            items.append(QueryItem(name, value))
        }
        return items
    }
}

extension QueryItem {
    /// Returns the error for an unknown parameter.
    package func unknown(among known: [String]) -> ServiceError {
        ServiceError(
            .invalidRequest,
            "The query has no parameter “\(name.escapingControls)”; there is \(known.joined(separator: ", ")).")
    }

    /// Returns the error for an invalid value.
    package func invalid(_ wanted: String) -> ServiceError {
        ServiceError(.invalidRequest, "\(name) is \(wanted), not “\(value.escapingControls)”.")
    }

    package func bool() throws(ServiceError) -> Bool {
        switch value {
        case "true": true
        case "false": false
        default: throw invalid("true or false")
        }
    }

    package func id() throws(ServiceError) -> TransferID {
        guard let id = TransferID(value) else { throw invalid("a transfer id of 16 hexadecimal digits") }
        return id
    }
}
