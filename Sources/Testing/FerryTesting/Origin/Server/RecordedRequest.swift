package import FerryCore
import NIOCore

/// A request, recorded byte for byte.
package struct RecordedRequest: Equatable, Sendable {
    /// 1 for the first request that the origin received.
    package var number: Int
    /// 1 for the first connection that the origin accepted.
    package var connection: Int
    package var method: String
    /// The request target as sent, with its query.
    package var target: String
    package var version: String
    /// The fields in their original order and spelling.
    package var fields: [HeaderField]
    package var body: [UInt8]
    /// All bytes of the head, including the empty line at its end.
    package var headBytes: [UInt8]

    /// The target without its query.
    package var path: String { String(target.prefix { $0 != "?" }) }

    /// Returns the value of the first field with this name.
    package func value(_ name: String) -> String? { fields.first { $0.isNamed(name) }?.value }

    /// Returns the values of all fields with this name.
    package func values(_ name: String) -> [String] { fields.filter { $0.isNamed(name) }.map(\.value) }
}

extension RecordedRequest {
    /// Parses a head, including its empty line.
    ///
    /// Does not validate: malformed heads are recorded as well as possible.
    package init(head bytes: [UInt8], number: Int, connection: Int) {
        let lines = String(decoding: bytes, as: UTF8.self)
            .split(separator: "\r\n", omittingEmptySubsequences: true)
        let words = (lines.first ?? "").split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        self.number = number
        self.connection = connection
        method = words.first ?? ""
        target = words.count > 1 ? words[1] : ""
        version = words.count > 2 ? words[2] : ""
        fields = lines.dropFirst().map { line in
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            return HeaderField(
                name: String(parts[0]),
                value: parts.count > 1 ? parts[1].trimmingPrefix(while: \.isWhitespace).description : "")
        }
        body = []
        headBytes = bytes
    }

    /// Returns the single byte range requested of a resource of this size, or `nil` if there is none or it is not
    /// understood.
    package func range(in size: Int64) -> RequestedRange? {
        guard let value = value("Range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2 else { return nil }
        switch (Int64(ends[0]), Int64(ends[1])) {
        case (let first?, let last?) where first <= last:
            return first < size ? .satisfiable(first..<min(last + 1, size)) : .unsatisfiable
        case (let first?, nil) where ends[1].isEmpty:
            return first < size ? .satisfiable(first..<size) : .unsatisfiable
        case (nil, let length?) where ends[0].isEmpty:
            return length > 0 && size > 0 ? .satisfiable(max(0, size - length)..<size) : .unsatisfiable
        default: return nil
        }
    }
}

/// The requested byte range, evaluated against a resource.
package enum RequestedRange: Equatable, Sendable {
    case satisfiable(Range<Int64>)
    case unsatisfiable
}

/// Collects the bytes of a connection and returns complete requests.
struct RequestReader {
    private var bytes: [UInt8] = []
    /// Index at which the search for the end of the head continues.
    private var searched = 0

    mutating func append(_ buffer: ByteBuffer) {
        bytes.append(contentsOf: buffer.readableBytesView)
    }

    /// Returns the next request with its body once it is complete. The origin assigns its number.
    mutating func next(connection: Int) -> RecordedRequest? {
        guard let end = headEnd() else { return nil }
        var request = RecordedRequest(head: Array(bytes[..<end]), number: 0, connection: connection)
        guard let (body, bodyEnd) = body(of: request, from: end) else { return nil }
        request.body = body
        bytes.removeFirst(bodyEnd)
        searched = 0
        return request
    }

    /// Returns the body and its end index, or `nil` if it is incomplete.
    private func body(of request: RecordedRequest, from start: Int) -> ([UInt8], Int)? {
        guard request.value("Transfer-Encoding")?.lowercased() == "chunked" else {
            let end = start + (request.value("Content-Length").flatMap { Int($0) } ?? 0)
            return bytes.count >= end ? (Array(bytes[start..<end]), end) : nil
        }
        var body: [UInt8] = []
        var position = start
        while let line = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) {
            let digits = bytes[position..<line].prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: ";") }
            let size = Int(String(decoding: digits, as: UTF8.self), radix: 16) ?? 0
            let end = line + 1 + size
            guard bytes.count >= end + 2 else { return nil }
            if size == 0 { return (body, end + 2) }
            body += bytes[(line + 1)..<end]
            position = end + 2
        }
        return nil
    }

    private mutating func headEnd() -> Int? {
        let mark = Array("\r\n\r\n".utf8)
        var index = searched
        while index + 4 <= bytes.count {
            if bytes[index] == mark[0], bytes[index..<index + 4].elementsEqual(mark) { return index + 4 }
            index += 1
        }
        searched = index
        return nil
    }
}
