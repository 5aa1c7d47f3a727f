import FerryCore

/// Message framing of native messaging (Chrome's and Mozilla's "Native messaging"): the length as a 32-bit integer in
/// native byte order, followed by as many bytes of JSON.
struct MessageFrames: Sendable {
    /// Maximum size of a message from the browser. Browsers allow 64 MiB, which the extension does not need.
    static let mostBytes = 1 << 20

    /// A message, or what was skipped in its place.
    enum Frame: Hashable, Sendable {
        case message([UInt8])
        /// An oversized message of this many bytes, of which none is kept.
        case oversized(Int)
    }

    private var open: [UInt8] = []
    /// Bytes of an oversized message that have not arrived yet.
    private var skipped = 0

    /// Appends bytes and returns the completed messages. An oversized message is returned once its length is known.
    mutating func append(_ bytes: some Sequence<UInt8>) -> [Frame] {
        open += bytes
        var frames: [Frame] = []
        var start = 0
        while true {
            let passed = min(skipped, open.count - start)
            skipped -= passed
            start += passed
            guard open.count - start >= 4 else { break }
            let length = Self.length(open[start..<start + 4])
            guard length <= Self.mostBytes else {
                frames.append(.oversized(length))
                skipped = length
                start += 4
                continue
            }
            guard open.count - start - 4 >= length else { break }
            frames.append(.message(Array(open[start + 4..<start + 4 + length])))
            start += 4 + length
        }
        open.removeFirst(start)
        return frames
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
