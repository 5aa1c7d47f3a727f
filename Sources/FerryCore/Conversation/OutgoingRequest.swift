/// One request as it goes out.
package struct OutgoingRequest: Sendable {
    package let url: HTTPURL
    package let method: String
    /// All fields, in the order of the wire.
    package let fields: [HeaderField]
    package let proxy: ProxyChoice?
    /// Whether the caller's body goes along.
    package let sendsBody: Bool
    /// Whether it has a connection of its own.
    package let isFresh: Bool

    /// The field by which a connection knows a request again; it is taken off before the request leaves.
    package static let markName = "ferry-exchange"
}

/// The fields of a request (docs/behaviour/transfers.md#Q3): the caller's, and what HTTP and the request's purpose need.
struct OutgoingFields {
    /// Fields that frame the message or name the host, which are not the caller's to choose.
    private static let own: Set<String> = [
        "host", "connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding", "te", "trailer",
        "upgrade", "expect", OutgoingRequest.markName,
    ]

    private static let userAgent = "Ferry/\(FerryVersion.current)"

    private(set) var all: [HeaderField] = []

    /// - Parameters:
    ///   - given: the caller's fields for the URL's origin.
    ///   - planned: fields of the request's purpose, which take the place of the caller's.
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

    /// The value of the caller's own `Cookie`, several in one.
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

    /// A line break in a value would begin a field of its own, and so would one in a name.
    private static func isSendable(_ field: HeaderField) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
