package import FerryCore

/// The inputs of the decision about one response.
///
/// Properties not set have the values of a transfer with one worker, no bytes on disk and no options.
package struct ResumeSituation: Hashable, Sendable {
    package var asked: Asked
    /// The head, or the reason why there is none.
    package var response: Result<ResponseHead, ServiceError>

    // MARK: On disk
    /// Bytes that are durable or written in this run.
    package var ranges = ByteRangeSet()
    package var identity: ResourceIdentity?
    /// Whether the caller gave a digest of the whole file.
    package var hasExpectedDigest = false

    // MARK: The caller's options
    package var raw: RawRequest?
    package var method = "GET"
    /// Whether every status is a success (policy `any`) as long as no bytes are on disk, not only those of
    /// `acceptableStatuses`.
    package var acceptsAnyStatus = false
    /// The caller's acceptable statuses. Every other status fails the transfer at once, except those of a busy server.
    package var acceptableStatuses: StatusRange?
    package var expectedSize: Int64?
    package var maxSize: Int64?

    // MARK: The request
    package var isExtraWorker = false
    package var anotherWorkerReceives = false
    /// Whether the redirect rules allow the target of `Location`.
    package var locationIsGood = true
    /// Whether the request started at the final URL of an earlier response (docs/behaviour/transfers.md#X11).
    package var reusedFinalURL = false

    /// Why a 401 response was not answered.
    package var loginRefusal = LoginRefusal.notGiven

    // MARK: The history
    /// Whether this is the second request, on a new connection, after an unusable response
    /// (docs/behaviour/transfers.md#row-16, row 25 and row 35).
    package var usedFreshConnection = false
    /// Consecutive version changes without completion.
    package var restarts = 0
    /// Why the bytes on disk must be dropped, if an earlier response has shown it.
    package var restart: RestartReason?
    /// Whether range requests are disabled.
    package var rangesOff = false

    package init(asked: Asked, response: Result<ResponseHead, ServiceError>) {
        self.asked = asked
        self.response = response
    }
}

extension ResumeSituation {
    /// The success statuses.
    var acceptStatus: StatusRange { acceptableStatuses ?? .success }

    /// Whether any other status fails the transfer at once.
    var failsOtherStatuses: Bool { acceptableStatuses != nil }

    /// The table's view of the disk.
    ///
    /// A range request identifies the version of its range even before a byte is stored.
    package var disk: DiskState {
        if raw == .verbatim { return .nothing }
        if case .range = asked { return DiskState(identity: identity, hasExpectedDigest: hasExpectedDigest) }
        return DiskState(ranges: ranges, identity: identity, hasExpectedDigest: hasExpectedDigest)
    }

    /// The complete length known before the response.
    package var knownLength: Int64? {
        identity?.completeLength ?? (isOwnRange ? nil : expectedSize)
    }

    var isOwnRange: Bool {
        if case .ownRange = raw { true } else { false }
    }

    var hasBytes: Bool { disk != .nothing && !ranges.isEmpty }
}

/// The kind of request, as far as the decision depends on it.
package enum Asked: Hashable, Sendable {
    /// A plain GET, or any custom request (G of the table).
    case whole
    /// Bytes from a position to the last requested position, or to the end of the file.
    ///
    /// With a validator R of the table, without one U.
    case range(from: Int64, to: Int64?, ifRange: Validator?)
    /// A GET with a condition, whose 304 means that the file is up to date (C of the table).
    case conditional
}

/// The use of the bytes on disk when a response arrives.
package enum DiskState: Hashable, Sendable {
    /// No bytes.
    case nothing
    /// Bytes, and an expected digest of the whole file that verifies joined bytes (D of the table).
    case digest
    /// Bytes of a strong identity, without a digest (S of the table).
    case strong
    /// Bytes that cannot be joined with others (W of the table).
    case weak

    package init(ranges: ByteRangeSet, identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        self = ranges.isEmpty ? .nothing : Self(identity: identity, hasExpectedDigest: hasExpectedDigest)
    }

    /// The state for any bytes of this identity.
    package init(identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        if hasExpectedDigest {
            self = .digest
        } else {
            self = identity?.strongValidator == nil ? .weak : .strong
        }
    }
}
