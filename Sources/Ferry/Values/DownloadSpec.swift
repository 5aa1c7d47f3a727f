import FerryCore
public import Foundation

/// A download as a value.
public struct DownloadSpec: Sendable {
    /// What identifies the download in its manager; nil lets one be made.
    public var id: DownloadTask.ID?
    public var url: URL
    public var method = HTTPMethod.get
    public var headers: HTTPHeaders = [:]
    public var body: Data?
    public var destination = DownloadDestination.cache()
    public var conflict = FileConflictPolicy.unique
    /// The code that the file must have; a file of another one does not come to its place.
    public var checksum: Checksum?
    /// From -10 to 10, the higher the sooner.
    public var priority = 0
    /// Connections at most; nil is the number that the manager's configuration has.
    public var connections: Int?
    /// Other addresses of the same file.
    public var mirrors: [URL] = []
    /// Bytes per second; nil is no limit but the manager's.
    public var maxBytesPerSecond: Int64?
    /// What has to be so that it runs.
    public var conditions = DownloadConditions()
    /// Bytes that the file must have.
    public var expectedSize: Int64?
    /// What the app keeps with the download; at most 64 KiB.
    public var metadata: [String: String] = [:]
    public var tags: Set<String> = []

    /// The moment before which nothing is asked; that of ``conditions``.
    public var notBefore: Date? {
        get { conditions.notBefore }
        set { conditions.notBefore = newValue }
    }

    /// - Throws: ``FerryError/invalidURL(url:)`` if this is no http or https URL with a host.
    public init(_ url: some URLConvertible) throws(FerryError) {
        self.url = try url.address()
    }
}

/// The code that a file must have.
public struct Checksum: Hashable, Codable, Sendable {
    public let type: FileChecksumHelper.VerificationType
    /// Hexadecimal digits in any case.
    public let code: String

    public init(_ type: FileChecksumHelper.VerificationType, _ code: String) {
        self.type = type
        self.code = code
    }

    /// The code without white space around it.
    var digits: String { code.trimmingCharacters(in: .whitespacesAndNewlines) }

    /// As the daemon knows it; nil if no file has a code like this.
    var core: FerryCore.Checksum? { try? FerryCore.Checksum(parsing: "\(type.word):\(digits)") }

    /// What the daemon compares in place of a code that no file has, so that the file fails; nil for an empty code.
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

/// What has to be so that a download runs, besides its turn; while it is not so, the download waits with its reason.
public struct DownloadConditions: Hashable, Sendable {
    /// The moment before which nothing is asked.
    public var notBefore: Date?
    /// Whether it runs only on external power and on a network that is not expensive.
    public var isDiscretionary = false

    public init() {}
}
