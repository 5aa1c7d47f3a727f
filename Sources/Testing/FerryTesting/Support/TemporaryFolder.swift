import Crypto
import FerryCore
import Foundation
package import NIOCore

/// A new, empty temporary folder. The test that creates it removes it.
package struct TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = url.resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// Returns the path of a file in the folder. The file need not exist.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of the folder's contents, sorted.
    package var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Removes the folder with its contents. Does nothing if it does not exist.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Calls a closure with a folder and removes it afterwards.
package func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder)
}

/// Digests of files and bytes.
package enum FileDigest {
    /// Returns the SHA-256 of a file in hexadecimal digits. Reads it in pieces.
    package static func sha256(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var function = SHA256()
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
            function.update(data: piece)
        }
        return function.finalize().hexDigits
    }

    /// Returns the SHA-256 of bytes in hexadecimal digits.
    package static func sha256(_ bytes: ByteBuffer) -> String {
        var function = SHA256()
        unsafe bytes.withUnsafeReadableBytes { unsafe function.update(bufferPointer: $0) }
        return function.finalize().hexDigits
    }
}
