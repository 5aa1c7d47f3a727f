/// The final response of a transfer, as its client is shown it.
package struct ResponseFacts: Hashable, Codable, Sendable {
    /// The URL that was asked last.
    package var url: String
    package var status: Int
    /// `HTTP/1.1` or `HTTP/2`.
    package var version: String
    package var fields: [HeaderField]

    package init(url: String, status: Int, version: String, fields: [HeaderField]) {
        self.url = url
        self.status = status
        self.version = version
        self.fields = fields
    }
}
