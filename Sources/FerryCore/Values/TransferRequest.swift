package import FerryFoundation

/// A client's request for one file.
///
/// Validated and completed by `TransferAdmission` before it is stored.
package struct TransferRequest: Hashable, Sendable {
    package var url: String
    /// Other URLs of the same file. `headers` and credentials are not sent there.
    package var mirrors: [String] = []
    package var session: SessionID = .cli
    /// Absolute path of the file's folder.
    package var folder: String
    /// Absolute path of the partial file's folder. Nil for the file's folder.
    package var partialFolder: String?
    /// The file's name, or a path below the folder. Nil if the response decides.
    package var name: String?
    package var headers: [HeaderField] = []
    /// Expected digests of the whole file. All must match.
    package var checksums: [Checksum] = []
    /// The behavior if a digest differs.
    package var onMismatch: MismatchPolicy = .fail
    package var onConflict: ConflictPolicy = .unique
    package var priority: Priority = .normal
    /// Bytes per second. 0 for no limit.
    package var rateLimit: Int64 = 0
    /// Number of parallel connections. Nil to adapt while running.
    package var connections: Int?
    /// Maximum number of failures without progress. Nil for the limits of the error classes.
    package var retries: Int?
    package var statusRetries: Int?
    /// Seconds without progress before a patient failure is final. 0 for never.
    package var giveUpAfter: Double = 7 * 86_400
    /// Deadline of the whole transfer.
    package var deadline: Date?
    /// Expected size of the file in bytes.
    package var expectedSize: Int64?
    /// Maximum size of the file in bytes.
    package var maxSize: Int64?
    /// Bytes per second below which a connection is replaced after `minSpeedTime` seconds. 0 to disable.
    package var minSpeed: Int64 = 0
    package var minSpeedTime: Double = 30
    package var createFolders = true
    package var nameFrom: NameSource = .original
    package var remoteTime = false
    package var originAttribute = false
    package var insecure = false
    /// Whether to accept certificates for another host. Their chain is still verified.
    package var skipsHostVerification = false
    package var redirects = RedirectPolicy()
    /// Whether it is submitted suspended, until `resume`.
    package var paused = false
    package var tags: [String] = []
    /// The proxy variables of the submitting program. Nil for the daemon's.
    package var proxyEnvironment: [String: String]?
    /// Trusted authorities and client certificate. Nil for the daemon's.
    package var trust: RequestTrust?
    /// The umask for the file and created folders. Nil for the daemon's.
    package var umask: FileMask?

    package var method = "GET"
    /// The request body. A download with a body is never resumed.
    package var body: RequestBody?
    package var statusPolicy: StatusPolicy = .strict
    /// Acceptable statuses under policy `strict`. Every other one fails the transfer, those of a busy server after
    /// retries.
    package var acceptableStatuses: StatusRange?
    package var foreignFields: ForeignFields = .drop
    /// Whether to decode a single gzip or deflate coding (docs/behaviour/transfers.md#I8).
    package var decode = false
    /// Whether the file stays in the service's spool until its client takes it. The service then chooses `folder` and
    /// `name`.
    package var spooled = false
    /// The partial file of an earlier transfer.
    package var continues: PartialSource?
    /// Seconds without a byte before a connection is closed. Nil for the engine's default.
    package var idleTimeout: Double?
    /// Seconds for establishing a connection, including TLS. Nil for the engine's default.
    package var connectTimeout: Double?
    /// Maximum seconds since the first start, without suspended periods.
    package var resourceTimeout: Double?
    /// Earliest date of the first request.
    package var notBefore: Date?
    package var network = NetworkPolicy()
    package var onFullDisk: FullDiskPolicy = .wait
    /// The client's own retry rule.
    package var retryRule: RetryRule?
    package var cookies: [GivenCookie] = []
    package var minimumTLS: TLSVersion?
    package var maximumTLS: TLSVersion?
    package var note: ClientNote?
    /// Whether it has finished and its secrets were removed. Not set by clients.
    package var secretsForgotten = false

    package init(url: String, folder: String) {
        self.url = url
        self.folder = folder
    }

    /// Whether URL or header fields differ.
    package func hasOtherAddress(than other: TransferRequest) -> Bool { url != other.url || headers != other.headers }
}

/// The direction of a transfer's file.
package enum TransferDirection: String, Codable, CaseIterable, Sendable {
    case download, upload
}

extension TransferRequest {
    /// An upload's file is its body. Its response is stored as the result.
    package var direction: TransferDirection { if case .file = body { .upload } else { .download } }
}

/// The content of a request.
package enum RequestBody: Hashable, Codable, Sendable {
    case bytes(Data)
    case file(SentFile)

    /// Length of the body in bytes.
    package var length: Int64 {
        switch self {
        case .bytes(let data): Int64(data.count)
        case .file(let file): file.size
        }
    }

    /// An uploaded file with its attributes at submission. A file that has changed since is not sent.
    package struct SentFile: Hashable, Codable, Sendable {
        /// Absolute path.
        package var path: String
        package var size: Int64
        /// Modification time in nanoseconds since 1970.
        package var modified: Int64
        /// Inode number, or nil if the client did not give it.
        package var inode: UInt64?

        package init(path: String, size: Int64, modified: Int64, inode: UInt64? = nil) {
            self.path = path
            self.size = size
            self.modified = modified
            self.inode = inode
        }

        /// A file whose attributes are not known yet.
        package init(path: String) { self.init(path: path, size: 0, modified: .min) }

        /// Whether size and time are known.
        package var isNoted: Bool { modified != .min }
    }
}
