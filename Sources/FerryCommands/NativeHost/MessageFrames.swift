import FerryCore

/// The frames of native messaging (Chrome's and Mozilla's "Native messaging"): each message is its length, 32 bits in the machine's
/// own order of bytes, and then so many bytes of JSON.
struct MessageFrames: Sendable {
    /// Bytes that a message of the browser may have. It could send 64 MiB, of which an extension needs nothing.
    static let mostBytes = 1 << 20

    private var open: [UInt8] = []

    /// Takes the next bytes and returns the messages that end in them.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for a message that is too long; nothing after it can be read.
    mutating func append(_ bytes: some Sequence<UInt8>) throws(ServiceError) -> [[UInt8]] {
        open += bytes
        var messages: [[UInt8]] = []
        var start = 0
        while open.count - start >= 4 {
            let length = Self.length(open[start..<start + 4])
            guard length <= Self.mostBytes else {
                throw ServiceError(
                    .invalidRequest, "A message has \(length) bytes; \(Self.mostBytes) are the most.")
            }
            guard open.count - start - 4 >= length else { break }
            messages.append(Array(open[start + 4..<start + 4 + length]))
            start += 4 + length
        }
        open.removeFirst(start)
        return messages
    }

    /// A message with its length before it.
    static func frame(_ message: [UInt8]) -> [UInt8] {
        var length = UInt32(message.count)
        return unsafe withUnsafeBytes(of: &length) { unsafe Array($0) } + message
    }

    private static func length(_ bytes: ArraySlice<UInt8>) -> Int {
        var length: UInt32 = 0
        unsafe withUnsafeMutableBytes(of: &length) { unsafe $0.copyBytes(from: bytes) }
        return Int(length)
    }
}
