import FerryCore
package import FerryDisk
package import FerryRules

/// Digests of an existing file, read again because the running state was lost.
package enum FileDigest {
    private static let chunk = 1 << 20

    /// Extends a digest with the file's bytes between two positions, or to the end of a shorter file. Blocks.
    ///
    /// - Parameter report: Called with the number of digested bytes, about once each MiB.
    package static func extend(
        _ digest: RunningDigest, of file: OpenFile, from start: Int64 = 0, to end: Int64, disk: any DiskSystem,
        report: (Int64) -> Void = { _ in }
    ) throws(DiskError) -> RunningDigest {
        var digest = digest
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
        defer { unsafe buffer.deallocate() }
        while start + digest.count < end {
            let wanted = Int(min(Int64(chunk), end - start - digest.count))
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try unsafe disk.read(into: part, from: file, at: start + digest.count)
            guard count > 0 else { break }
            unsafe digest.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
            report(digest.count)
        }
        return digest
    }
}

extension PrefixDigest {
    /// The digest of the first bytes of a file, which continues a shorter one. Blocks.
    init(
        of file: OpenFile, from begun: PrefixDigest = PrefixDigest(), to end: Int64, disk: any DiskSystem
    ) throws(DiskError) {
        self = try begun.extended(to: end) { range throws(DiskError) in
            let digest = try FileDigest.extend(
                RunningDigest([.sha256]), of: file, from: range.lowerBound, to: range.upperBound, disk: disk)
            return digest.finalize()[0]
        }
    }
}
