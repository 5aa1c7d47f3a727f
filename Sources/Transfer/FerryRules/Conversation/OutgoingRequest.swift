package import FerryCore

/// A request, ready to send.
package struct OutgoingRequest: Sendable {
    package let url: HTTPURL
    package let method: String
    /// All fields, in wire order.
    package let fields: [HeaderField]
    package let proxy: ProxyChoice?
    /// Whether the caller's body is sent.
    package let sendsBody: Bool
    /// Whether the request needs a new connection.
    package let isFresh: Bool
}

/// Builds the fields of a request (docs/behaviour/transfers.md#Q3): the caller's fields, and the fields that HTTP and
/// the request's purpose need.
struct OutgoingFields {
    /// Framing and host fields, which callers cannot set.
    private static let own: Set<String> = [
        "host", "connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding", "te", "trailer",
        "upgrade", "expect",
    ]

    private static let userAgent = "Ferry/\(FerryVersion.current)"

    private(set) var all: [HeaderField] = []

    /// - Parameters:
    ///   - given: The caller's fields for the URL's origin.
    ///   - planned: Fields that the request's purpose needs. They replace the caller's.
    init(_ url: HTTPURL, given: [HeaderField], planned: [HeaderField], acceptEncoding: String) {
        all.reserveCapacity(given.count + planned.count + 6)
        for field in given
        where !Self.own.contains(field.name.lowercased()) && Self.isSendable(field)
            && !planned.contains(where: { $0.isNamed(field.name) })
        {
            all.append(field)
        }
        let hasOwn = !all.isEmpty
        all.append(HeaderField(name: "Host", value: url.hostField))
        func add(_ name: String, _ value: String) {
            guard !hasOwn || !all.contains(where: { $0.isNamed(name) }) else { return }
            all.append(HeaderField(name: name, value: value))
        }
        add("User-Agent", Self.userAgent)
        add("Accept", "*/*")
        add("Accept-Encoding", acceptEncoding)
        all += planned
    }

    /// The caller's `Cookie` fields, joined.
    var cookie: String? {
        var joined: String?
        for field in all where field.isNamed("Cookie") {
            joined = joined.map { "\($0); \(field.value)" } ?? field.value
        }
        return joined
    }

    mutating func replace(_ name: String, with value: String) {
        all.removeAll { $0.isNamed(name) }
        all.append(HeaderField(name: name, value: value))
    }

    /// Rejects line breaks in names and values, which would add a field.
    private static func isSendable(_ field: HeaderField) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
