package import FerryFoundation

/// One file to be fetched, as a client asks for it.
///
/// Validated and completed by `TransferAdmission` before it is stored.
package struct TransferRequest: Hashable, Sendable {
    package var url: String
    /// Other URLs of the same file; `headers` and credentials never go there.
    package var mirrors: [String] = []
    package var session: SessionID = .cli
    /// Absolute path of the folder that the file goes to.
    package var folder: String
    /// Absolute path of the folder of the partial file; absent: the folder that the file goes to.
    package var partialFolder: String?
    /// The file's name, or a path below the folder; chosen from the response when absent.
    package var name: String?
    package var headers: [HeaderField] = []
    /// Digests that the whole file must have; all must match.
    package var checksums: [Checksum] = []
    /// What happens to a whole file that does not have them.
    package var onMismatch: MismatchPolicy = .fail
    package var onConflict: ConflictPolicy = .unique
    package var priority: Priority = .normal
    /// Bytes per second; 0 is no limit.
    package var rateLimit: Int64 = 0
    /// Connections that fetch the file side by side; absent: chosen while it runs.
    package var connections: Int?
    /// Failures without progress before the transfer fails; absent: the classes' own limits.
    package var retries: Int?
    package var statusRetries: Int?
    /// Seconds without progress before a patient failure is final; 0 is never.
    package var giveUpAfter: Double = 7 * 86_400
    /// Moment that bounds the whole transfer.
    package var deadline: Date?
    /// Bytes that the file must have.
    package var expectedSize: Int64?
    /// Bytes that the file may have at most.
    package var maxSize: Int64?
    /// Bytes per second below which, for `minSpeedTime` seconds, a connection is replaced; 0 is off.
    package var minSpeed: Int64 = 0
    package var minSpeedTime: Double = 30
    package var createFolders = true
    package var nameFrom: NameSource = .original
    package var remoteTime = false
    package var originAttribute = false
    package var insecure = false
    /// Whether certificates may be for another host; their chain is verified all the same.
    package var skipsHostVerification = false
    package var redirects = RedirectPolicy()
    /// Submitted suspended: waits for `resume`.
    package var paused = false
    package var tags: [String] = []
    /// The proxy variables of the submitting program's environment; absent: those of the daemon.
    package var proxyEnvironment: [String: String]?
    /// Whom TLS trusts, and the client's certificate; absent: whom the daemon trusts.
    package var trust: RequestTrust?
    /// What the file and the folders that are made for it are not permitted; absent: the daemon's own.
    package var umask: FileMask?

    package var method = "GET"
    /// Sent with the request; a request that has one is never continued in the middle.
    package var body: RequestBody?
    package var statusPolicy: StatusPolicy = .strict
    /// Statuses that are results under policy `strict`; every other one fails the transfer, those of a busy server after retries.
    package var acceptableStatuses: StatusRange?
    package var foreignFields: ForeignFields = .drop
    /// Whether one gzip or deflate coding is taken off the content (docs/behaviour/transfers.md#I8).
    package var decode = false
    /// Whether the file stays in the service's spool until its client takes it; `folder` and `name` are then the service's.
    package var spooled = false
    /// Bytes that an earlier transfer left.
    package var continues: PartialSource?
    /// Seconds without a byte before a connection is given up; absent: the engine's own.
    package var idleTimeout: Double?
    /// Seconds in which a connection must stand, TLS included; absent: the engine's own.
    package var connectTimeout: Double?
    /// Seconds from the first start in which the transfer must end; suspended time does not count.
    package var resourceTimeout: Double?
    /// The moment before which nothing is asked.
    package var notBefore: Date?
    package var network = NetworkPolicy()
    package var onFullDisk: FullDiskPolicy = .wait
    /// The client's own rule for trying again.
    package var retryRule: RetryRule?
    package var cookies: [GivenCookie] = []
    package var minimumTLS: TLSVersion?
    package var maximumTLS: TLSVersion?
    package var note: ClientNote?
    /// Whether it has ended, and what opened something for its user was taken out; no client sets it.
    package var secretsForgotten = false

    package init(url: String, folder: String) {
        self.url = url
        self.folder = folder
    }

    /// Whether another URL is asked, or with other fields.
    package func hasOtherAddress(than other: TransferRequest) -> Bool { url != other.url || headers != other.headers }
}

/// The direction of a transfer's file.
package enum TransferDirection: String, Codable, CaseIterable, Sendable {
    case download, upload
}

extension TransferRequest {
    /// An upload's file is its body; its response is what the server says to that.
    package var direction: TransferDirection { if case .file = body { .upload } else { .download } }
}

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
        /// The file's number in its file system; nil where the client did not give it.
        package var inode: UInt64?

        package init(path: String, size: Int64, modified: Int64, inode: UInt64? = nil) {
            self.path = path
            self.size = size
            self.modified = modified
            self.inode = inode
        }

        /// A file that is still to be looked at.
        package init(path: String) { self.init(path: path, size: 0, modified: .min) }

        /// Whether size and time are known.
        package var isNoted: Bool { modified != .min }
    }
}
