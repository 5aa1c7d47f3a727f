import FerryCore
import FerryRules
import NIOCore

/// Reads one response that fits in memory: HTTP/1.1, an unambiguous head with a final status, and a body whose length
/// the head states.
///
/// Pure value. Any other response is left to the HTTP client, which sends the request again.
struct ShortResponse {
    /// Maximum size of a body in bytes.
    static let largestBody: Int64 = 64 << 10
    /// Maximum size of a head in bytes. Usual ones have some hundred.
    static let largestHead = 16 << 10

    enum Progress: Equatable {
        case incomplete
        case whole(UnambiguousHead, ByteBuffer)
        /// Not a response of this kind.
        case unusual
    }

    private var bytes = ByteBuffer()
    private var searched = 0
    private var head: UnambiguousHead?

    /// Adds received bytes.
    mutating func take(_ part: ByteBuffer) -> Progress {
        if bytes.readableBytes == 0 {
            bytes = part
        } else {
            var part = part
            bytes.writeBuffer(&part)
        }
        if head == nil {
            guard RawHead.mayBegin(bytes.readableBytesUInt8Span) else { return .unusual }
            var offset = searched
            let found = RawHead.end(in: bytes.readableBytesUInt8Span, searched: &offset)
            searched = offset
            guard let end = found else {
                return bytes.readableBytes > Self.largestHead ? .unusual : .incomplete
            }
            guard end <= Self.largestHead, let raw = bytes.readBytes(length: end),
                let read = UnambiguousHead(raw), Self.isShort(read)
            else { return .unusual }
            head = read
        }
        guard let head, let length = head.length.map(Int.init), bytes.readableBytes >= length else {
            return .incomplete
        }
        // One request is sent at a time, so nothing can follow its response.
        guard bytes.readableBytes == length else { return .unusual }
        return .whole(head, bytes)
    }

    /// Returns whether the head states a body that fits in memory. The statuses without a body have framing of their own
    /// (RFC 9112 §6.3).
    private static func isShort(_ head: UnambiguousHead) -> Bool {
        guard !head.status.isInformational, ![204, 304].contains(head.status.number), let length = head.length else {
            return false
        }
        return length <= largestBody
    }
}
