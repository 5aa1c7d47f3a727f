package import FerryCore

/// The outcome of a job. Recorded once.
package enum JobOutcome: Hashable, Codable, Sendable {
    case succeeded(JobResult)
    case failed(ServiceError)
    case canceled

    package enum Kind: String, CaseIterable, Codable, Sendable { case succeeded, failed, canceled }

    package var kind: Kind {
        switch self {
        case .succeeded: .succeeded
        case .failed: .failed
        case .canceled: .canceled
        }
    }
}

/// The delivered file of a job.
package struct JobResult: Hashable, Codable, Sendable {
    /// Absolute path in the shared folder.
    package var path: String
    package var size: Int64
    /// SHA-256 of the file, in hexadecimal. `nil` if an existing file was kept.
    package var sha256: String?
    /// Whether an existing file was kept, by the policy `skip`.
    package var isUnchanged: Bool

    package init(path: String, size: Int64, sha256: String?, isUnchanged: Bool = false) {
        self.path = path
        self.size = size
        self.sha256 = sha256
        self.isUnchanged = isUnchanged
    }

    private enum CodingKeys: String, CodingKey {
        case path, size, sha256
        case isUnchanged = "unchanged"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        path = try box.decode(String.self, forKey: .path)
        size = try box.decode(Int64.self, forKey: .size)
        sha256 = try box.decodeIfPresent(String.self, forKey: .sha256)
        isUnchanged = try box.decodeIfPresent(Bool.self, forKey: .isUnchanged) ?? false
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(path, forKey: .path)
        try box.encode(size, forKey: .size)
        try box.encodeIfPresent(sha256, forKey: .sha256)
        if isUnchanged { try box.encode(true, forKey: .isUnchanged) }
    }
}

/// A worker's conclusion about a job.
package struct JobEnd: Hashable, Sendable {
    package var key: LeaseKey
    package var outcome: JobOutcome

    package init(key: LeaseKey, outcome: JobOutcome) {
        self.key = key
        self.outcome = outcome
    }
}

/// A job that its worker returns to the queue.
package struct JobReturn: Hashable, Sendable {
    /// Why a worker returns a job. `info` shows it.
    package enum Reason: String, CaseIterable, Codable, Sendable {
        /// The server asked to come back later, or the next attempt is far away.
        case retry
        /// The user paused the job.
        case paused
        /// The worker drains.
        case drained
        /// The worker's daemon or disk cannot fetch it.
        case local
        /// The worker cannot write to the store.
        case store
        /// The worker cannot read the request.
        case unreadable
    }

    package var key: LeaseKey
    package var reason: Reason
    /// Seconds until it may be claimed again.
    package var delay: Double
    /// The error behind it, for `info`.
    package var error: ServiceError?
    /// Number of failed attempts since the job was claimed.
    package var attempts: Int

    package init(key: LeaseKey, reason: Reason, delay: Double = 0, error: ServiceError? = nil, attempts: Int = 0) {
        self.key = key
        self.reason = reason
        self.delay = delay
        self.error = error
        self.attempts = attempts
    }
}
