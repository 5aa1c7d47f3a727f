// Ferry: FerryEngine
// Digests of a file that is already there.

package import FerryCore

/// Digests of a file that is already there, read again because the running state was lost.
package enum FileDigest {
    private static let chunk = 1 << 20

    /// Reads `size` bytes from the beginning; blocks.
    package static func compute(
        _ algorithms: Set<DigestAlgorithm>, of file: OpenFile, size: Int64, disk: any DiskSystem
    ) throws(DiskError) -> RunningDigest {
        try extend(RunningDigest(algorithms), of: file, to: size, disk: disk)
    }

    /// Goes on with a digest of the file's beginning up to a position, or to the end of a shorter file; blocks.
    package static func extend(
        _ digest: RunningDigest, of file: OpenFile, to size: Int64, disk: any DiskSystem
    ) throws(DiskError) -> RunningDigest {
        var digest = digest
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk, alignment: 16)
        defer { unsafe buffer.deallocate() }
        while digest.count < size {
            let wanted = Int(min(Int64(chunk), size - digest.count))
            let part = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try unsafe disk.read(into: part, from: file, at: digest.count)
            guard count > 0 else { break }
            unsafe digest.update(UnsafeRawBufferPointer(rebasing: part[..<count]))
        }
        return digest
    }
}
