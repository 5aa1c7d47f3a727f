import Crypto
import Foundation
package import NIOCore

/// A new, empty folder of its own; the test that makes it removes it.
package struct TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "ferry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        path = url.resolvingSymlinksInPath().path(percentEncoded: false)
    }

    /// The path of a file in the folder; the file need not exist.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The names of what lies in the folder, sorted.
    package var contents: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
    }

    /// Removes the folder and all that lies in it; what is gone already is no error.
    package func remove() {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Runs some code with a folder that is removed afterwards.
package func withTemporaryFolder<Result>(_ body: (TemporaryFolder) async throws -> Result) async throws -> Result {
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    return try await body(folder)
}

/// Reads files and says what they contain.
package enum FileDigest {
    /// The SHA-256 of a file in hexadecimal digits, read piece by piece.
    package static func sha256(_ path: String) throws -> String {
        let file = try FileHandle(forReadingFrom: URL(filePath: path))
        defer { try? file.close() }
        var function = SHA256()
        while let piece = try file.read(upToCount: 1 << 20), !piece.isEmpty {
            function.update(data: piece)
        }
        return hexadecimal(function.finalize())
    }

    /// The SHA-256 of bytes in hexadecimal digits.
    package static func sha256(_ bytes: ByteBuffer) -> String {
        var function = SHA256()
        unsafe bytes.withUnsafeReadableBytes { unsafe function.update(bufferPointer: $0) }
        return hexadecimal(function.finalize())
    }

    private static func hexadecimal(_ digest: SHA256Digest) -> String {
        digest.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
