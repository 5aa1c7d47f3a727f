// Ferry: FerryAPI
// A route of the control API, as data.

/// A route of the control API, as data: client, server and documentation are made from it.
package struct Route: Hashable, Sendable {
    package let method: Method
    /// The path with its parameters in braces, such as `/v1/transfers/{id}`.
    package let path: String
    /// One line for people.
    package let summary: String

    /// Takes the path below the version, such as `/transfers/{id}`.
    package init(_ method: Method, _ path: String, _ summary: String) {
        self.method = method
        self.path = APIVersion.prefix + path
        self.summary = summary
    }

    /// The request target: the path with its one parameter filled in, and the query.
    package func target(_ parameter: String? = nil, query: [QueryItem] = []) -> String {
        var result = path
        if let parameter, let open = path.firstIndex(of: "{"), let close = path.firstIndex(of: "}") {
            result = path[..<open] + PercentEncoding.encode(parameter) + path[path.index(after: close)...]
        }
        return query.isEmpty ? result : result + "?" + QueryItem.encode(query)
    }
}
