// Ferry: FerryTesting
// From bytes to requests.

import NIOCore

/// Collects the bytes of a connection and gives out whole requests.
struct RequestReader {
    private var bytes: [UInt8] = []
    /// Where the search for the end of the head goes on.
    private var searched = 0

    mutating func append(_ buffer: ByteBuffer) {
        bytes.append(contentsOf: buffer.readableBytesView)
    }

    /// The next request with its body, once all of it is there. Numbers are given by the origin.
    mutating func next(connection: Int) -> RecordedRequest? {
        guard let end = headEnd() else { return nil }
        var request = RecordedRequest(head: Array(bytes[..<end]), number: 0, connection: connection)
        guard let (body, bodyEnd) = body(of: request, from: end) else { return nil }
        request.body = body
        bytes.removeFirst(bodyEnd)
        searched = 0
        return request
    }

    /// The body and where it ends; nil as long as something is missing.
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
