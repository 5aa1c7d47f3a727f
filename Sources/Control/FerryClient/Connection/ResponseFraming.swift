import FerryAPI
import FerryCore
import NIOCore

/// Parses the daemon's responses: the head, then the body without its framing. A pure value.
struct ResponseFraming {
    struct Head: Equatable {
        var status: Int
        /// Whether the connection can be used for another request.
        var keepsConnection: Bool
        /// The daemon's version of the control API, if given.
        var api: Int?
        /// The daemon's name, if given.
        var server: String?
        /// Number of a durable event before the events of the submitted transfers, if given.
        var lastEvent: Int64?
    }

    private enum Body {
        case head
        case length(Int)
        case untilClose
        case chunkSize
        case chunk(Int)
        /// The line break after a chunk.
        case chunkEnd
        case trailer
        case ended
    }

    private var bytes = ByteBuffer()
    private var body = Body.head
    /// Bytes after the read position that were already searched for the end of a line.
    private var searched = 0

    // A head has a few hundred bytes, a line of the body's framing a few.
    private static let longestHead = 64 << 10

    mutating func append(_ more: ByteBuffer) {
        var more = more
        if bytes.readableBytes == 0 {
            bytes = more
        } else {
            // Discards the read bytes. Otherwise an endless response would grow the buffer forever.
            bytes.discardReadBytes()
            bytes.writeBuffer(&more)
        }
    }

    /// Whether the whole response was read and nothing follows it.
    var isAtEnd: Bool {
        if case .ended = body { return bytes.readableBytes == 0 }
        return false
    }

    /// Returns the head, or `nil` until it is complete.
    mutating func head() throws(ConnectionFailure) -> Head? {
        while let text = try line(endingIn: Self.headEnd) {
            let head = try read(text)
            // An interim response precedes the expected one.
            if head.status >= 200 { return head }
        }
        return nil
    }

    private mutating func read(_ text: String) throws(ConnectionFailure) -> Head {
        let lines = text.split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Self.number(words[1]),
            Self.statuses.contains(status)
        else { throw Self.nonsense }
        var head = Head(status: status, keepsConnection: words[0] != "HTTP/1.0")
        var next = Body.untilClose
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Self.nonsense }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            switch line[..<colon].lowercased() {
            case "content-length":
                guard let length = Self.number(value) else { throw Self.nonsense }
                next = length == 0 ? .ended : .length(length)
            case "transfer-encoding": if value.lowercased() == "chunked" { next = .chunkSize }
            case "connection": if value.lowercased() == "close" { head.keepsConnection = false }
            case Self.api: head.api = Int(value)
            case Self.server: head.server = String(value)
            case Self.lastEvent: head.lastEvent = Int64(value)
            default: break
            }
        }
        guard status >= 200 else { return head }
        body = status == 204 || status == 304 ? .ended : next
        if case .untilClose = body { head.keepsConnection = false }
        return head
    }

    /// Returns the next part of the body, or `nil` if more bytes are needed or the body has ended.
    mutating func part() throws(ConnectionFailure) -> ByteBuffer? {
        while true {
            switch body {
            case .head, .ended: return nil
            case .untilClose: return take(.max)
            case .length(let left):
                guard let part = take(left) else { return nil }
                body = part.readableBytes == left ? .ended : .length(left - part.readableBytes)
                return part
            case .chunkSize:
                guard let text = try line(endingIn: Self.lineEnd) else { return nil }
                guard let size = Self.number(text.prefix { $0 != ";" }, radix: 16) else { throw Self.nonsense }
                body = size == 0 ? .trailer : .chunk(size)
            case .chunk(let left):
                guard let part = take(left) else { return nil }
                body = part.readableBytes == left ? .chunkEnd : .chunk(left - part.readableBytes)
                return part
            case .chunkEnd:
                guard let text = try line(endingIn: Self.lineEnd) else { return nil }
                guard text.isEmpty else { throw Self.nonsense }
                body = .chunkSize
            case .trailer:
                guard let text = try line(endingIn: Self.lineEnd) else { return nil }
                if text.isEmpty { body = .ended }
            }
        }
    }

    /// Handles the end of the connection.
    ///
    /// - Throws: `lost` if the response is incomplete.
    mutating func close() throws(ConnectionFailure) {
        switch body {
        case .ended: break
        case .untilClose: body = .ended
        case .head, .length, .chunkSize, .chunk, .chunkEnd, .trailer:
            throw .lost("the connection closed in the middle of a reply")
        }
    }

    var hasEnded: Bool { if case .ended = body { true } else { false } }

    private mutating func take(_ limit: Int) -> ByteBuffer? {
        let count = min(limit, bytes.readableBytes)
        return count > 0 ? bytes.readSlice(length: count) : nil
    }

    /// Returns the text before a delimiter, and consumes both.
    private mutating func line(endingIn end: [UInt8]) throws(ConnectionFailure) -> String? {
        let view = bytes.readableBytesView
        // Each byte is searched once, however many pieces a line arrives in. The delimiter may have begun in the last
        // piece.
        let start = view.index(view.startIndex, offsetBy: max(0, searched - (end.count - 1)))
        guard let found = view[start...].firstRange(of: end) else {
            guard view.count <= Self.longestHead else { throw Self.nonsense }
            searched = view.count
            return nil
        }
        searched = 0
        // Counted in bytes: for invalid UTF-8 the text has another length.
        let count = view.distance(from: view.startIndex, to: found.upperBound)
        let text = String(decoding: view[..<found.lowerBound], as: UTF8.self)
        bytes.moveReaderIndex(forwardBy: count)
        return text
    }

    /// Parses a number that consists only of digits. Returns `nil` for anything else, and for a number that is too
    /// large.
    private static func number(_ text: Substring, radix: Int = 10) -> Int? {
        text.first == "+" || text.first == "-" ? nil : Int(text, radix: radix)
    }

    private static let statuses = 100...999

    private static let api = AnswerField.api.lowercased()
    private static let server = AnswerField.server.lowercased()
    private static let lastEvent = AnswerField.lastEvent.lowercased()
    private static let headEnd = Array("\r\n\r\n".utf8)
    private static let lineEnd = Array("\r\n".utf8)
    private static let nonsense = ConnectionFailure.answered(
        ServiceError(.internal, "The daemon's reply is not valid HTTP."))
}
