/// How many informational responses (1xx) a server may send before the final one (RFC 9110 §15.2).
///
/// Nothing limits them in HTTP, so a server could use them to fill memory, or to keep a client busy without end. A
/// server that reports the progress of an upload sends more of them (draft-ietf-httpbis-resumable-upload), and may do so
/// in proportion to the bytes that it got.
package struct InformationalLimit: Hashable, Sendable {
    /// Maximum number of heads.
    package static let mostHeads = 32
    /// Maximum size of all heads in bytes.
    package static let mostBytes = 64 << 10
    /// Bytes of the request's body that allow one more head.
    package static let bodyPerHead = 64 << 10
    /// Bytes of heads that each further head adds.
    private static let bytesPerHead = mostBytes / mostHeads

    private var heads = 0
    private var bytes = 0
    private var body = 0

    package init() {}

    /// Records that bytes of the request's body were sent.
    package mutating func sent(_ count: Int) { body = body.addingReportingOverflow(count).partialValue }

    /// Counts a head.
    ///
    /// - Parameter size: Its size in bytes.
    /// - Throws: ``HeadFault`` once there are too many.
    package mutating func take(_ size: Int) throws(HeadFault) {
        heads += 1
        bytes += size
        let more = max(0, body) / Self.bodyPerHead
        guard heads <= Self.mostHeads + more, bytes <= Self.mostBytes + more * Self.bytesPerHead else {
            throw HeadFault(text: "too many informational responses")
        }
    }
}
