// The files of a model.

import Ferry
import Foundation

/// The files of a model, as its hub lists them.
struct Manifest: Decodable {
    struct File: Decodable {
        /// Path of the file below the model's folder, and of its source below the manifest's address.
        let path: String
        let size: Int64
        let sha256: String
    }

    let files: [File]

    /// - Throws: A `DecodingError`, or ``UnsafePath`` for a file outside of the model's folder.
    init(_ data: Data) throws {
        self = try JSONDecoder().decode(Manifest.self, from: data)
        for file in files where !file.staysInside { throw UnsafePath(path: file.path) }
    }
}

extension Manifest.File {
    /// A hub may write anything into its manifest.
    fileprivate var staysInside: Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        return !path.contains("\0") && parts.allSatisfy { !["", ".", ".."].contains($0) }
    }

    func place(in folder: URL) -> URL { folder.appendingPathComponent(path) }

    /// Whether the file is there. Its name and size are enough: Ferry names a file only once it is complete and its
    /// digest is right.
    func isThere(in folder: URL) -> Bool {
        let facts = try? FileManager.default.attributesOfItem(atPath: place(in: folder).path)
        return (facts?[.size] as? NSNumber)?.int64Value == size
    }

    /// Returns the file's download.
    ///
    /// A hub's links lead to signed addresses that expire. Ferry then requests another one at the hub's own address and
    /// resumes the download.
    func spec(of manifest: URL, in folder: URL) throws -> DownloadSpec {
        let address = manifest.deletingLastPathComponent().appendingPathComponent(path)
        var spec = try DownloadSpec(address)
        // The id is always the same, so enqueuing again continues the existing download.
        spec.id = DownloadTask.ID(rawValue: "\(folder.path) \(sha256)")
        spec.destination = .file(place(in: folder))
        spec.conflict = .replace
        spec.checksum = Checksum(.sha256, sha256)
        spec.expectedSize = size
        spec.connections = 4
        spec.tags = [folder.path]
        return spec
    }
}

/// A path outside of the model's folder.
struct UnsafePath: LocalizedError {
    let path: String

    var errorDescription: String? { "The manifest names a file outside of the model's folder: “\(path)”." }
}
