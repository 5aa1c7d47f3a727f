import FerryRules
import NIOCore

/// Reads the heads of one HTTP/1.1 response, and brings each to a form with only one interpretation.
///
/// Pure value.
struct ResponseHeads {
    enum Ready {
        /// More bytes are needed.
        case nothing
        /// An informational head.
        case informational(UnambiguousHead)
        /// The final head, which states the length of the body, and the bytes behind it.
        case final(UnambiguousHead, length: Int64, rest: ByteBuffer)
        /// A head that only the codec can read, and all bytes behind it.
        case coded(ByteBuffer)
    }

    /// Maximum number of fields. NIO's codec has the same.
    private static let mostFields = 256

    /// Whether the response to the request may have a body (RFC 9110 §9.3.2).
    private let mayHaveBody: Bool
    private var gathered = ByteBuffer()
    private var searched = 0
    /// Whether an informational head of the response had a bare line feed.
    private var followsBareEnd = false
    private var informational = InformationalLimit()

    init(mayHaveBody: Bool) { self.mayHaveBody = mayHaveBody }

    /// Records that bytes of the request's body were sent.
    mutating func sent(_ count: Int) { informational.sent(count) }

    /// Adds received bytes. Call ``next()`` until it returns nothing or the final head.
    mutating func add(_ part: ByteBuffer) {
        if gathered.readableBytes == 0 {
            gathered = part
        } else {
            var part = part
            gathered.writeBuffer(&part)
        }
    }

    /// Returns the next head.
    ///
    /// - Throws: ``HeadFault`` for a head that has no safe interpretation.
    mutating func next() throws(HeadFault) -> Ready {
        // Empty lines before a status line are ignored.
        while let byte = gathered.readableBytesView.first, byte == 0x0D || byte == 0x0A {
            gathered.moveReaderIndex(forwardBy: 1)
        }
        guard gathered.readableBytes > 0 else { return .nothing }
        // The codec reports what it is.
        guard RawHead.mayBegin(gathered.readableBytesUInt8Span) else { return .coded(takeRest()) }
        var offset = searched
        let found = RawHead.end(in: gathered.readableBytesUInt8Span, searched: &offset)
        searched = offset
        guard let end = found else {
            guard gathered.readableBytes <= RawHead.limit else { throw Self.tooLong }
            return .nothing
        }
        searched = 0
        guard end <= RawHead.limit, var bytes = gathered.readBytes(length: end) else { throw Self.tooLong }
        let isInformational = try RawHead.status(bytes.span).isInformational
        if isInformational { try informational.take(end) }
        let follows = followsBareEnd
        followsBareEnd = isInformational && (follows || RawHead.hasBareEnd(bytes.span))
        if let mended = try RawHead.mended(bytes.span, followsBareEnd: follows) { bytes = mended }
        if let head = UnambiguousHead(bytes) {
            guard head.fields.count <= Self.mostFields else { throw HeadFault(text: "too many fields") }
            if isInformational { return .informational(head) }
            if let length = length(of: head) { return .final(head, length: length, rest: takeRest()) }
        }
        var coded = ByteBuffer(bytes: bytes)
        var rest = takeRest()
        coded.writeBuffer(&rest)
        return .coded(coded)
    }

    /// Returns the length of the body (RFC 9112 §6.3), or `nil` if the head does not state it.
    private func length(of head: UnambiguousHead) -> Int64? {
        mayHaveBody && ![204, 304].contains(head.status.number) ? head.length : 0
    }

    private mutating func takeRest() -> ByteBuffer {
        var rest = ByteBuffer()
        swap(&rest, &gathered)
        return rest
    }

    /// Whether a head has begun and is not complete.
    var isIncomplete: Bool { gathered.readableBytes > 0 }

    private static var tooLong: HeadFault { HeadFault(text: "a head of more than \(RawHead.limit >> 10) KiB") }
}
