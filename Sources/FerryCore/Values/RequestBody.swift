// Ferry: FerryCore
// What a request sends.

package import Foundation

/// The content that a request sends.
package enum RequestBody: Hashable, Codable, Sendable {
    case bytes(Data)
    case file(SentFile)

    /// Bytes that are sent.
    package var length: Int64 {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.size
        }
    }

    /// A file that is sent, as it was when the request was made: one that has changed since is not sent.
    package struct SentFile: Hashable, Codable, Sendable {
        /// Absolute path.
        package var path: String
        package var size: Int64
        /// Nanoseconds since 1970 of the last modification.
        package var modified: Int64

        package init(path: String, size: Int64, modified: Int64) {
            self.path = path
            self.size = size
            self.modified = modified
        }
    }
}
