import FerryCore

/// Message framing of native messaging (Chrome's and Mozilla's "Native messaging"): the length as a 32-bit integer in
/// native byte order, followed by as many bytes of JSON.
struct MessageFrames: Sendable {
    /// Maximum size of a message from the browser. Browsers allow 64 MiB, which the extension does not need.
    static let mostBytes = 1 << 20

    private var open: [UInt8] = []

    /// Appends bytes and returns the completed messages.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request` for an oversized message, after which nothing can be
    ///   read.
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

    /// A message with its length prefix.
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
