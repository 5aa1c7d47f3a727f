import FerryCore
import FerryFoundation

/// A call encoded in a URL's query: `method`, `id`, `params` (JSON in base64) and `jsoncallback`.
struct RPCQuery {
    /// The request as a JSON value, or `nil` if the query holds none.
    let request: RPCValue?
    /// The JSONP callback's name.
    let callback: String?

    /// - Throws: ``RPCFault`` if the callback is not a plain function name, because it becomes part of a script.
    init(_ query: String) throws(RPCFault) {
        var fields: [String: String] = [:]
        for pair in query.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let value = halves.count == 2 ? String(Substring(halves[1])) : ""
            fields[String(Substring(halves[0]))] = PercentEncoding.decodeLeniently(value)
        }
        callback = fields["jsoncallback"]
        guard callback.map(Self.isFunction) ?? true else { throw .invalidRequest }
        request = Self.request(fields)
    }

    private static func request(_ fields: [String: String]) -> RPCValue? {
        var parameters: RPCValue?
        if let text = fields["params"] {
            guard let bytes = bytes(base64: text), let value = try? RPCValueReader.read(bytes) else { return nil }
            parameters = value
        }
        // Without `method`, `params` holds the whole request or batch.
        guard let method = fields["method"] else { return parameters }
        var members: [String: RPCValue] = ["method": .string(method)]
        members["id"] = fields["id"].map { .string($0) }
        members["params"] = parameters
        return .object(members)
    }

    /// Decodes base64 in either alphabet (RFC 4648 §4, §5), with or without padding.
    static func bytes(base64 text: String) -> [UInt8]? {
        var plain = text.utf8.prefix { $0 != UInt8(ascii: "=") }.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        plain += Array(repeating: UInt8(ascii: "="), count: (4 - plain.count % 4) % 4)
        return Data(base64Encoded: Data(plain)).map(Array.init)
    }

    private static func isFunction(_ name: String) -> Bool {
        (1...128).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}
