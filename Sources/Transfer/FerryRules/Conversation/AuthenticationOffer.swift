import FerryCore

/// One challenge of a `WWW-Authenticate` or `Proxy-Authenticate` field (RFC 9110 §11.6.1).
package struct AuthenticationOffer: Hashable, Sendable {
    /// In lower case.
    package let scheme: String
    /// By name in lower case. The first of several parameters with one name counts.
    package let parameters: [String: String]

    /// Maximum number of challenges read from one response.
    static let maximumCount = 16

    init(scheme: String, parameters: [String: String]) {
        self.scheme = scheme
        self.parameters = parameters
    }

    package var realm: String? { parameters["realm"] }

    /// Parses the challenges of all fields, in order. Unreadable ones are skipped.
    package static func all(in values: [String]) -> [AuthenticationOffer] {
        var offers: [AuthenticationOffer] = []
        for value in values {
            var reader = Reader(value)
            while offers.count < maximumCount, let offer = reader.next() { offers.append(offer) }
        }
        return offers
    }
}

extension AuthenticationOffer {
    /// Parses one field. A comma separates both challenges and parameters, so a name without `=` begins a challenge.
    private struct Reader {
        private var rest: ArraySlice<UInt8>

        init(_ text: String) { rest = Array(text.utf8)[...] }

        mutating func next() -> AuthenticationOffer? {
            skipSeparators()
            guard let scheme = token() else {
                // Neither a name nor a comma: the rest of the field is unreadable.
                return nil
            }
            var parameters: [String: String] = [:]
            while let (name, value) = parameter() {
                if parameters[name] == nil { parameters[name] = value }
            }
            return AuthenticationOffer(scheme: scheme.lowercased(), parameters: parameters)
        }

        private mutating func parameter() -> (String, String)? {
            let before = rest
            skipSeparators()
            if let name = token() {
                skipSpace()
                if take("=") {
                    skipSpace()
                    if rest.first == UInt8(ascii: "\"") { return (name.lowercased(), quoted()) }
                    if let value = token() { return (name.lowercased(), value) }
                    // Padding of a token68, which no supported scheme uses.
                    skip { $0 != UInt8(ascii: ",") }
                    return (name.lowercased(), "")
                }
            }
            rest = before
            return nil
        }

        private mutating func quoted() -> String {
            rest = rest.dropFirst()
            var bytes: [UInt8] = []
            while let byte = rest.popFirst(), byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\\"), let escaped = rest.popFirst() {
                    bytes.append(escaped)
                } else {
                    bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        private mutating func token() -> String? {
            let end = rest.firstIndex { !Self.isTokenByte($0) } ?? rest.endIndex
            guard end > rest.startIndex else { return nil }
            defer { rest = rest[end...] }
            return String(decoding: rest[..<end], as: UTF8.self)
        }

        private static func isTokenByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetter || byte.isASCIIDigit || "!#$%&'*+-.^_`|~/".utf8.contains(byte)
        }

        private mutating func skipSeparators() { skip { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") } }

        private mutating func skipSpace() { skip { $0 == 0x20 || $0 == 0x09 } }

        private mutating func skip(_ isSkipped: (UInt8) -> Bool) { rest = rest.drop(while: isSkipped) }

        private mutating func take(_ text: Unicode.Scalar) -> Bool {
            guard rest.first == UInt8(ascii: text) else { return false }
            rest = rest.dropFirst()
            return true
        }
    }
}
