/// Everything that the decision about one response depends on.
///
/// Made with what every response has; the other properties have the values of a transfer with one worker, no bytes
/// on disk and no special wishes.
package struct ResumeSituation: Hashable, Sendable {
    package var asked: Asked
    /// The head, or why none came.
    package var response: Result<ResponseHead, ServiceError>

    // MARK: On disk
    /// Bytes that are durable, or written in this run.
    package var ranges = ByteRangeSet()
    package var identity: ResourceIdentity?
    /// Whether the caller gave a digest of the whole file.
    package var hasExpectedDigest = false

    // MARK: The caller's wishes
    package var raw: RawRequest?
    package var method = "GET"
    /// Whether any status is a result (policy `any`) and not only those of `acceptableStatuses`.
    package var acceptsAnyStatus = false
    /// The statuses that are results, where the caller said so: every other one fails the transfer at once, except for the statuses
    /// of a busy server.
    package var acceptableStatuses: StatusRange?
    package var expectedSize: Int64?
    package var maxSize: Int64?

    // MARK: How it was asked
    package var isExtraWorker = false
    package var anotherWorkerReceives = false
    /// Whether the rules for redirects allow what `Location` names.
    package var locationIsGood = true
    /// Whether the request began at a final URL that an earlier answer led to (docs/behaviour/transfers.md#X11).
    package var reusedFinalURL = false

    /// Whether the user's name and password were there to be given.
    package var hasCredentials = false

    // MARK: What has happened
    /// Whether this is the second try, on a connection of its own, after an answer that could not be used
    /// (docs/behaviour/transfers.md#row-16, row 25 and row 35).
    package var usedFreshConnection = false
    /// How often in a row the version has changed without finishing.
    package var restarts = 0
    /// Why the bytes on disk are to be given up, where an earlier answer has shown that.
    package var restart: RestartReason?
    /// Whether the transfer makes no more range requests.
    package var rangesOff = false

    package init(asked: Asked, response: Result<ResponseHead, ServiceError>) {
        self.asked = asked
        self.response = response
    }
}

extension ResumeSituation {
    /// Statuses that are results.
    var acceptStatus: StatusRange { acceptableStatuses ?? .success }

    /// Whether a status that is no result fails the transfer at once.
    var failsOtherStatuses: Bool { acceptableStatuses != nil }

    /// The state of the disk that the table goes by.
    ///
    /// A request for a range names what the range belongs to, also while no byte has been stored yet.
    package var disk: DiskState {
        if raw == .verbatim { return .nothing }
        if case .range = asked { return DiskState(identity: identity, hasExpectedDigest: hasExpectedDigest) }
        return DiskState(ranges: ranges, identity: identity, hasExpectedDigest: hasExpectedDigest)
    }

    /// The complete length that is known before the response.
    package var knownLength: Int64? {
        identity?.completeLength ?? (isOwnRange ? nil : expectedSize)
    }

    var isOwnRange: Bool {
        if case .ownRange = raw { true } else { false }
    }

    var hasBytes: Bool { disk != .nothing && !ranges.isEmpty }
}

/// What a request asked for, as far as its answer depends on it.
package enum Asked: Hashable, Sendable {
    /// A plain GET, or whatever a raw transfer sends (G of the table).
    case whole
    /// Bytes from a position to the last position asked for, or to the end of the file.
    ///
    /// With a validator R of the table, without one U.
    case range(from: Int64, to: Int64?, ifRange: Validator?)
    /// A GET that is answered with 304 if the file is up to date (C of the table).
    case conditional
}

/// What the bytes on disk are good for when a response arrives.
package enum DiskState: Hashable, Sendable {
    /// No bytes.
    case nothing
    /// Bytes, and an expected digest of the whole file that judges whatever is joined to them (D of the table).
    case digest
    /// Bytes of a strong identity, no digest (S of the table).
    case strong
    /// Bytes that nothing can be joined to (W of the table).
    case weak

    package init(ranges: ByteRangeSet, identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        self = ranges.isEmpty ? .nothing : Self(identity: identity, hasExpectedDigest: hasExpectedDigest)
    }

    /// What any bytes of this identity are good for.
    package init(identity: ResourceIdentity?, hasExpectedDigest: Bool) {
        if hasExpectedDigest {
            self = .digest
        } else {
            self = identity?.strongValidator == nil ? .weak : .strong
        }
    }
}
