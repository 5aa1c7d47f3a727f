// Ferry: FerryEngine
// A digest of bytes that do not come in order.

import FerryCore

extension TransferRun {
    /// Less than this is left for the next look, in bytes,
    private static let smallestStep: Int64 = 1 << 20
    /// and no more than this is read at a time, so that a stop need not wait for long.
    private static let largestStep: Int64 = 256 << 20

    /// Lets the digest follow what has been written without a gap: nothing is left to be read when the last byte comes.
    func advanceDigest() {
        guard digestTask == nil, digestSink == nil, let begun = digest, let partial else { return }
        var written = facts.ranges
        for sink in sinks { written.insert(sink.start..<sink.position) }
        let end = min(written.contiguousEnd(from: begun.count), begun.count + Self.largestStep)
        guard end - begun.count >= Self.smallestStep else { return }
        digestTask = Task(name: "digest of \(job.id)") {
            let read = await disk.bulk.result { system throws(DiskError) in
                try FileDigest.extend(begun, of: partial.file, to: end, disk: system)
            }
            digestTask = nil
            // Bytes that were taken out meanwhile took the digest along; then, or if it failed, the file is read at the end.
            if digest != nil, case .success(let extended) = read, extended.count == end {
                digest = extended
            } else {
                digest = nil
            }
            // What came meanwhile follows at once, as long as more comes.
            if followsDigest { advanceDigest() }
        }
    }
}
