// Ferry: FerryEngineTests
// The part of a file that a request asks for.

import FerryTesting

/// The part of a file that a request asks for.
struct AskedPart {
    /// Ends at `Int64.max` where the request names no end.
    let range: Range<Int64>
    /// The value of If-Range.
    let validator: String?

    /// nil for a request without a range.
    init?(_ request: RecordedRequest) {
        guard let value = request.value("Range"), value.hasPrefix("bytes=") else { return nil }
        let ends = value.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = Int64(ends[0]) else { return nil }
        range = first..<(Int64(ends[1]).map { $0 + 1 } ?? .max)
        validator = request.value("If-Range")
    }
}
