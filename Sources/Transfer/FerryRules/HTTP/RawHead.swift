import FerryCore

/// The bytes of an HTTP/1.1 response head.
///
/// Servers send heads that RFC 9112 lets a client read but a strict codec refuses. They are rewritten in the one form
/// that every codec reads alike, so that no two layers disagree about the end of the body.
package enum RawHead {
    /// Maximum size of a head in bytes.
    package static let limit = 256 << 10

    /// The end of a head, including its empty line, or nil until it has arrived.
    ///
    /// - Parameter searched: The offset at which to continue the search. 0 for a new head.
    package static func end(in bytes: Span<UInt8>, searched: inout Int) -> Int? {
        var index = searched
        while index < bytes.count {
            defer { index += 1 }
            guard bytes[index] == lineFeed, index + 1 < bytes.count else { continue }
            if bytes[index + 1] == lineFeed { return index + 2 }
            if bytes[index + 1] == carriageReturn, index + 2 < bytes.count, bytes[index + 2] == lineFeed {
                return index + 3
            }
        }
        // The last line feed may precede the empty line.
        searched = max(searched, bytes.count - 3)
        return nil
    }

    /// Whether the bytes may begin an HTTP/1 head.
    package static func mayBegin(_ bytes: Span<UInt8>) -> Bool {
        let mark: InlineArray<5, UInt8> = [0x48, 0x54, 0x54, 0x50, 0x2F]
        for index in 0..<min(bytes.count, mark.count) where bytes[index] != mark[index] { return false }
        return true
    }

    /// The status code of a head (RFC 9112 §4).
    ///
    /// - Throws: ``HeadFault`` for a malformed status line or an invalid code.
    package static func status(_ head: Span<UInt8>) throws(HeadFault) -> StatusCode {
        // `HTTP/1.1 ` has nine bytes.
        guard head.count > 12, head[8] == UInt8(ascii: " "), [0x20, carriageReturn, lineFeed].contains(head[12]) else {
            throw HeadFault(text: "a status line that is malformed")
        }
        return try StatusCode(digits: head[9], head[10], head[11])
    }

    /// Whether a line ends with a bare line feed.
    package static func hasBareEnd(_ head: Span<UInt8>) -> Bool {
        for index in 0..<head.count where head[index] == lineFeed {
            if index == 0 || head[index - 1] != carriageReturn { return true }
        }
        return false
    }

    /// The head in its unambiguous form, or nil if it has that form already.
    ///
    /// - Parameter followsBareEnd: Whether an informational head of the same response had a bare line feed.
    /// - Throws: ``HeadFault`` for ambiguous framing, or for damage in a field that Ferry relies on.
    package static func mended(_ head: Span<UInt8>, followsBareEnd: Bool = false) throws(HeadFault) -> [UInt8]? {
        let status = try status(head)
        if !followsBareEnd, isPlain(head) { return nil }
        var lines = HeadLines()
        try lines.read(head)
        // With bare line feeds the end of the response is uncertain, so the connection is not used again. After an
        // informational head the final head says so: nothing is read past the end of the connection.
        return try lines.mended(endsConnection: !status.isInformational && (followsBareEnd || lines.hasBareEnds))
    }

    /// Whether every line ends with CRLF, nothing is folded, everything is printable ASCII, and at most one
    /// Content-Length, written in the one way that every codec reads, frames the body.
    static func isPlain(_ head: Span<UInt8>) -> Bool {
        var lengths = 0
        var index = 0
        while index < head.count {
            switch head[index] {
            case 0x09, 0x20...0x7E: index += 1
            case carriageReturn:
                guard index + 1 < head.count, head[index + 1] == lineFeed else { return false }
                index += 2
                guard index < head.count else { return true }
                switch head[index] {
                case 0x09, 0x20: return false
                case UInt8(ascii: "C"), UInt8(ascii: "c"):
                    if begins(head, at: index, with: lengthName) {
                        lengths += 1
                        guard lengths == 1, !isUnusual(head, from: index) else { return false }
                    }
                case UInt8(ascii: "T"), UInt8(ascii: "t"):
                    if begins(head, at: index, with: codingName) { return false }
                default: break
                }
            default: return false
            }
        }
        return true
    }

    private static func begins(_ head: Span<UInt8>, at start: Int, with name: [UInt8]) -> Bool {
        guard head.count - start >= name.count else { return false }
        var index = start
        for byte in name {
            guard head[index] | 0x20 == byte else { return false }
            index += 1
        }
        return true
    }

    /// Whether the rest of the line contains a comma, which makes a list, or a tab, which some codecs refuse.
    private static func isUnusual(_ head: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < head.count, head[index] != carriageReturn {
            if head[index] == UInt8(ascii: ",") || head[index] == 0x09 { return true }
            index += 1
        }
        return false
    }

    private static let lengthName = Array("content-length".utf8)
    private static let codingName = Array("transfer-encoding".utf8)
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
}

/// How the end of a response body is determined (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// After this many bytes. Fewer mean a lost connection.
    case length(Int64)
    /// By the last chunk, or the end of the stream in HTTP/2.
    case chunked
    /// By the end of the connection. Complete over plain HTTP; over TLS only with a close_notify.
    case untilClose
}

/// Why a response head is unreadable, as the end of the sentence “It has …”.
package struct HeadFault: Error, Hashable {
    package let text: String

    package init(text: String) { self.text = text }
}

extension BodyFraming {
    /// The framing that the fields state, or nil if they state none.
    ///
    /// The HTTP codec decodes chunks only where `chunked` is the last transfer coding, and decodes no other coding, so
    /// only a single `chunked` is accepted. Equal lengths count as one (RFC 9110 §8.6).
    /// - Parameters:
    ///   - lengths: The values of all `Content-Length` fields.
    ///   - codings: The values of all `Transfer-Encoding` fields.
    package static func stated(lengths: [String], codings: [String]) throws(HeadFault) -> BodyFraming? {
        if !codings.isEmpty {
            guard lengths.isEmpty else { throw HeadFault(text: "both Transfer-Encoding and Content-Length") }
            guard codings.count == 1, codings[0].trimmingFieldSpace.lowercased() == "chunked" else {
                throw HeadFault(text: "the Transfer-Encoding “\(codings.joined(separator: ", ").escapingControls)”")
            }
            return .chunked
        }
        let numbers = lengths.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
            .map { String($0).trimmingFieldSpace }
        guard let first = numbers.first else { return nil }
        guard numbers.allSatisfy({ $0 == first }) else { throw HeadFault(text: "Content-Lengths that differ") }
        guard let length = Int64(digits: first) else {
            throw HeadFault(text: "the Content-Length “\(first.escapingControls)”")
        }
        return .length(length)
    }
}
