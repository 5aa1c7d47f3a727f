// Ferry: FerryEngine
// The fields of a streamed request.

import FerryCore
import NIOHTTP1

/// The fields of a streamed request: the caller's, and what HTTP and its client need.
enum LoadFields {
    /// Fields that frame the message or name the host, which are not the caller's to choose.
    private static let own: Set<String> = [
        "host", "connection", "keep-alive", "proxy-connection", "content-length", "transfer-encoding", "te", "trailer",
        "upgrade", "expect", ExchangeDirectory.fieldName,
    ]

    /// Fields about a body, which go with it.
    private static let aboutBody: Set<String> = [
        "content-length", "content-type", "content-encoding", "content-language", "content-location",
    ]

    static func headers(
        for url: HTTPURL, fields: [HeaderField], cookies: String?, authorization: String?, decodes: Bool
    ) -> HTTPHeaders {
        let given = fields.filter { !own.contains($0.name.lowercased()) && isSendable($0) }
        var headers = HTTPHeaders(given.map { ($0.name, $0.value) })
        headers.replaceOrAdd(name: "Host", value: url.hostField)
        add("User-Agent", "Ferry/\(FerryVersion.current)", to: &headers)
        add("Accept", "*/*", to: &headers)
        add("Accept-Encoding", decodes ? "gzip, deflate" : "identity", to: &headers)
        if let cookies { add("Cookie", cookies, to: &headers) }
        if let authorization { headers.replaceOrAdd(name: "Authorization", value: authorization) }
        return headers
    }

    /// The fields of a request that is made again without its body.
    static func withoutBody(_ fields: [HeaderField]) -> [HeaderField] {
        fields.filter { !aboutBody.contains($0.name.lowercased()) }
    }

    private static func add(_ name: String, _ value: String, to headers: inout HTTPHeaders) {
        if !headers.contains(name: name) { headers.add(name: name, value: value) }
    }

    /// A line break in a value would begin a field of its own, and so would one in a name.
    private static func isSendable(_ field: HeaderField) -> Bool {
        !field.name.isEmpty && field.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ":") }
            && field.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
