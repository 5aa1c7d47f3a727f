import FerryCore
public import Foundation

/// The description of a download.
public struct DownloadSpec: Sendable {
    /// Identifies the download in its manager. Nil generates an identifier.
    public var id: DownloadTask.ID?
    public var url: URL
    public var method = HTTPMethod.get
    public var headers: HTTPHeaders = [:]
    public var body: Data?
    public var destination = DownloadDestination.cache()
    public var conflict = FileConflictPolicy.unique
    /// The expected checksum. A file with another one is not placed.
    public var checksum: Checksum?
    /// -10 to 10. Higher goes first.
    public var priority = 0
    /// Maximum number of connections. Nil uses the manager's configuration.
    public var connections: Int?
    /// Other URLs of the same file.
    public var mirrors: [URL] = []
    /// Bytes per second. Nil for no limit other than the manager's.
    public var maxBytesPerSecond: Int64?
    /// Conditions for running.
    public var conditions = DownloadConditions()
    /// Expected size in bytes.
    public var expectedSize: Int64?
    /// The app's metadata, at most 64 KiB.
    public var metadata: [String: String] = [:]
    public var tags: Set<String> = []

    /// Earliest date of the first request. That of ``conditions``.
    public var notBefore: Date? {
        get { conditions.notBefore }
        set { conditions.notBefore = newValue }
    }

    /// - Throws: ``FerryError/invalidURL(url:)`` if this is not an http or https URL with a host.
    public init(_ url: some URLConvertible) throws(FerryError) {
        self.url = try url.address()
    }
}

/// The checksum of a file.
public struct Checksum: Hashable, Codable, Sendable {
    public let type: FileChecksumHelper.VerificationType
    /// Hexadecimal digits in any case.
    public let code: String

    public init(_ type: FileChecksumHelper.VerificationType, _ code: String) {
        self.type = type
        self.code = code
    }

    /// The digits without surrounding whitespace.
    var digits: String { code.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// The daemon's form, or nil if no file can have this checksum.
    var core: FerryCore.Checksum? { try? FerryCore.Checksum(parsing: "\(type.word):\(digits)") }

    /// A substitute for an impossible checksum that makes the file fail, or nil for an empty one.
    var unmatched: FerryCore.Checksum? {
        guard !digits.isEmpty else { return nil }
        let text = "no \(type.word): \(code)"
        return try? FerryCore.Checksum(parsing: "\(type.word):\(FileCode.hex(of: Data(text.utf8), type))")
    }
}

extension FileChecksumHelper.VerificationType {
    /// The algorithm's name.
    var word: String {
        switch self {
        case .md5: "md5"
        case .sha1: "sha1"
        case .sha256: "sha256"
        case .sha512: "sha512"
        }
    }
}

/// Conditions for a download to run, besides a free slot. Until they are met the download waits with the corresponding
/// reason.
public struct DownloadConditions: Hashable, Sendable {
    /// Earliest date of the first request.
    public var notBefore: Date?
    /// Whether it runs only on external power and an inexpensive network.
    public var isDiscretionary = false

    public init() {}
}
