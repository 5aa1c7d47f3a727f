package import FerryCore
package import FerryRules

/// The input of a run of one transfer.
package struct TransferJob: Sendable {
    package var id: TransferID
    @Boxed package var request: TransferRequest
    package var credentials: Credentials?
    @Boxed package var facts: TransferFacts
    /// Whether an earlier attempt may have created a partial file without recording it.
    package var mayHaveLeftovers = true
    /// The bytes earlier attempts received in vain.
    package var budget: TransferBudget
    /// Digests of the bytes on disk, from an earlier run of this process.
    package var digest: RunningDigest?
    package var gate: RateGate
    package var progress: TransferProgress
    /// Whether to offer HTTP/2, which pays off only for small files.
    package var offersHTTP2 = false
    /// Whether the response is expected to fit in memory, as recent ones of its origin did.
    package var expectsShortResponse = false
    /// The earlier transfer's file at the destination, for conflict policy `update`.
    package var existing: ExistingFile?
    /// Bytes of the file system to keep free.
    package var reserve: Int64 = 0
    /// Decides while requests are in progress. Without one, challenges are results and redirects are followed.
    package var advisor: (any ExchangeAdvisor)?

    /// Creates a job from a transfer's record.
    package init(_ record: TransferRecord, gate: RateGate, progress: TransferProgress) {
        id = record.id
        _request = record.$request
        credentials = record.credentials
        _facts = record.$facts
        budget = record.failures.budget ?? TransferBudget()
        self.gate = gate
        self.progress = progress
    }
}

/// A file placed by an earlier transfer, with the server's facts about it at the time.
package struct ExistingFile: Sendable {
    package var placement: PlacementIntent
    package var identity: ResourceIdentity

    package init(placement: PlacementIntent, identity: ResourceIdentity) {
        self.placement = placement
        self.identity = identity
    }
}

/// Options for the whole file. They may change during an attempt.
struct RunOptions: Hashable, Sendable {
    var checksums: [Checksum]
    var onMismatch: MismatchPolicy
    var onConflict: ConflictPolicy
    /// The requested name of the file.
    var name: String?
    /// Number of connections for the file. `nil` uses as many as are worthwhile.
    var connections: Int?

    init(_ request: TransferRequest) {
        checksums = request.response.checksums
        onMismatch = request.response.onMismatch
        onConflict = request.file.onConflict
        name = request.file.name
        connections = request.transport.connections
    }

    /// Gives the facts the requested name, if it was requested since the head. Called before a complete file is named.
    func rename(_ facts: inout TransferFacts) {
        guard let name, let former = facts.name, name.lastPathPart != former.lastPathPart else { return }
        facts.name = name
        facts.destination = nil
    }

    /// Whether a digest of the whole file verifies its bytes, from any source.
    var judgesByDigest: Bool { onMismatch == .fail && !checksums.isEmpty }

    /// The conflict rule for a taken final name.
    var placementRule: ConflictRule { ConflictRule(onConflict, at: .placement) }
}
