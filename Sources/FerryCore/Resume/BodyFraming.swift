// Ferry: FerryCore
// How the end of a body is known.

/// How the end of a response's body is known (RFC 9112 §6.3).
package enum BodyFraming: Hashable, Sendable {
    /// After this many bytes; fewer are a lost connection.
    case length(Int64)
    /// By the last chunk, or by the end of the stream in HTTP/2.
    case chunked
    /// By the end of the connection alone: whole over plain HTTP, over TLS only with a close_notify.
    case untilClose
}

/// Why the head of a response cannot be read, as the end of the sentence “It has …”.
package struct HeadFault: Error, Hashable {
    package let text: String

    package init(text: String) { self.text = text }
}

extension BodyFraming {
    /// What a head states about the end of its body; nil if it states nothing.
    ///
    /// The HTTP codec takes chunks apart only where `chunked` is the last transfer coding, and takes off no other coding. So only a
    /// single `chunked` is accepted. Equal lengths are one length (RFC 9110 §8.6).
    /// - Parameters:
    ///   - lengths: the values of all `Content-Length` fields.
    ///   - codings: the values of all `Transfer-Encoding` fields.
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
