// The files of a model.

import Ferry
import Foundation

/// The files of a model, as its hub lists them.
struct Manifest: Decodable {
    struct File: Decodable {
        /// Where it goes, below the model's folder, and where it comes from, below the manifest's own address.
        let path: String
        let size: Int64
        let sha256: String
    }

    let files: [File]

    /// - Throws: a `DecodingError`, or ``UnsafePath`` for a file that would be put outside of the model's folder.
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

    /// Whether the file is there. Its name is enough, and its size: Ferry gives a file its name once all of it has come and its
    /// digest is right.
    func isThere(in folder: URL) -> Bool {
        let facts = try? FileManager.default.attributesOfItem(atPath: place(in: folder).path)
        return (facts?[.size] as? NSNumber)?.int64Value == size
    }

    /// How it is fetched. Links of a hub lead to signed addresses that expire; the hub's own address is asked for another one
    /// then, and the download goes on where it was.
    func spec(of manifest: URL, in folder: URL) throws -> DownloadSpec {
        let address = manifest.deletingLastPathComponent().appendingPathComponent(path)
        var spec = try DownloadSpec(address)
        // The same id each time: enqueuing again takes up what is there.
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

/// A path that leads out of the model's folder.
struct UnsafePath: LocalizedError {
    let path: String

    var errorDescription: String? { "The manifest names a file outside of the model's folder: “\(path)”." }
}
