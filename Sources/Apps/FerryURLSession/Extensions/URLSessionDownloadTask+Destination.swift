import FerryCore
public import Foundation

/// Destination and verification of a download's file.
extension URLSessionDownloadTask {
    /// The destination of a downloaded file. The complete, synced file appears there in one step.
    public struct Destination: Sendable, Codable, Hashable {
        /// The policy if the destination exists.
        public enum ConflictPolicy: String, Sendable, Codable {
            /// The task fails with `destination_exists`.
            case fail
            case replace
            /// A number is appended to the name: `name-1.ext`, up to 9999.
            case unique
        }

        public let url: URL
        public let conflictPolicy: ConflictPolicy
        public let createsIntermediateDirectories: Bool

        public init(
            _ url: URL, conflictPolicy: ConflictPolicy = .fail, createsIntermediateDirectories: Bool = false
        ) {
            self.url = url
            self.conflictPolicy = conflictPolicy
            self.createsIntermediateDirectories = createsIntermediateDirectories
        }
    }

    /// The expected digest of a complete file. A value with digits that do not fit its algorithm fails the task with
    /// `invalid_request`.
    public struct Digest: Sendable, Codable, Hashable {
        public enum Algorithm: String, Sendable, Codable { case md5, sha1, sha256, sha512 }

        public let algorithm: Algorithm
        /// Hexadecimal digits.
        public let hex: String

        public init(_ algorithm: Algorithm, hex: String) {
            self.algorithm = algorithm
            self.hex = hex
        }
    }

    /// The destination of the file. Only the body of a successful response is moved there, complete and synced, before
    /// `didFinishDownloadingTo` receives that URL. A process of the app moves the file; if none is running, the next
    /// one does. Set it before the first `resume()`.
    public var destination: Destination? {
        get { options.destination }
        set { change { $0.destination = newValue } }
    }

    /// The expected digest, checked before `didFinishDownloadingTo`. A mismatch fails the task with `digest_mismatch`.
    public var expectedDigest: Digest? {
        get { options.expectedDigest }
        set { change { $0.expectedDigest = newValue } }
    }

    /// Other URLs of the same resource. Stored with the task, but only the task's own URL is requested.
    public var mirrors: [URL] {
        get { options.mirrors }
        set { change { $0.mirrors = newValue } }
    }

    /// Number of parallel ranges of this download, 1 to 16. Stored with the task, but one range is requested at a time.
    public var maximumConnections: Int {
        get { options.maximumConnections }
        set { change { $0.maximumConnections = min(max(newValue, 1), 16) } }
    }
}

extension URLSessionDownloadTask.Digest {
    /// - Throws: ``TransferError`` `invalid_request` if the digits do not fit the algorithm.
    func checksum() throws -> Checksum {
        do {
            return try Checksum(parsing: "\(algorithm.rawValue):\(hex)")
        } catch {
            throw TransferError(error)
        }
    }
}
