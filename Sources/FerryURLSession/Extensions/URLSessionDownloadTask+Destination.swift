import FerryCore
public import Foundation

/// Where a download's file goes, and what it must be.
extension URLSessionDownloadTask {
    /// Where a download's file goes: whole and synced, in one step.
    public struct Destination: Sendable, Codable, Hashable {
        /// What happens if the name is taken.
        public enum ConflictPolicy: String, Sendable, Codable {
            /// The task ends with `destination_exists`.
            case fail
            case replace
            /// A number is added to the name: `name-1.ext`, up to 9999.
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

    /// The digest that a whole file must have. One whose digits are not those of its algorithm ends the task with
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

    /// Where the file goes; only a success's body goes there, whole and synced, before `didFinishDownloadingTo` gets that URL.
    /// A process of the app moves it there: one that is gone does so when it is back. Set before the first `resume()`.
    public var destination: Destination? {
        get { options.destination }
        set { change { $0.destination = newValue } }
    }

    /// Checked before `didFinishDownloadingTo`; another digest ends the task with `digest_mismatch`.
    public var expectedDigest: Digest? {
        get { options.expectedDigest }
        set { change { $0.expectedDigest = newValue } }
    }

    /// Other URLs of the same resource. Kept with the task; the task's own URL alone is asked.
    public var mirrors: [URL] {
        get { options.mirrors }
        set { change { $0.mirrors = newValue } }
    }

    /// Parallel ranges of this download, 1 to 16. Kept with the task; one is asked for at a time.
    public var maximumConnections: Int {
        get { options.maximumConnections }
        set { change { $0.maximumConnections = min(max(newValue, 1), 16) } }
    }
}

extension URLSessionDownloadTask.Digest {
    /// - Throws: ``TransferError`` `invalid_request` for digits that are not those of the algorithm.
    func checksum() throws -> Checksum {
        do {
            return try Checksum(parsing: "\(algorithm.rawValue):\(hex)")
        } catch {
            throw TransferError(error)
        }
    }
}
