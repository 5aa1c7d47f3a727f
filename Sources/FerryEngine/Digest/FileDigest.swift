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
        var digest = RunningDigest(algorithms)
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
