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
        let length = request.value("Content-Length").flatMap { Int($0) } ?? 0
        guard bytes.count >= end + length else { return nil }
        request.body = Array(bytes[end..<end + length])
        bytes.removeFirst(end + length)
        searched = 0
        return request
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
