package import FerryCore

/// What a run of one transfer needs to know.
package struct TransferJob: Sendable {
    package var id: TransferID
    @Boxed package var request: TransferRequest
    package var credentials: Credentials?
    @Boxed package var facts: TransferFacts
    /// Whether an earlier try may have made a partial file that was never recorded.
    package var mayHaveLeftovers = true
    /// What earlier attempts received in vain.
    package var budget: TransferBudget
    /// Digests of the bytes on disk that an earlier run of this process left.
    package var digest: RunningDigest?
    package var gate: RateGate
    package var progress: TransferProgress
    /// Whether HTTP/2 is offered: it pays for small files only.
    package var offersHTTP2 = false
    /// What an earlier transfer put at the destination, for conflict policy `update`.
    package var existing: ExistingFile?
    /// Bytes of the file system that stay free.
    package var reserve: Int64 = 0
    /// Who is asked while requests are under way; without one, challenges are results and redirects are followed.
    package var advisor: (any ExchangeAdvisor)?

    /// What is known of a transfer, as its record has it.
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

/// A file that an earlier transfer put at the destination, with what the server said of it then.
package struct ExistingFile: Sendable {
    package var placement: PlacementIntent
    package var identity: ResourceIdentity

    package init(placement: PlacementIntent, identity: ResourceIdentity) {
        self.placement = placement
        self.identity = identity
    }
}

/// What a request says about the whole file, which may be wished otherwise while a try is made.
struct RunOptions: Hashable, Sendable {
    var checksums: [Checksum]
    var onMismatch: MismatchPolicy
    var onConflict: ConflictPolicy
    /// Connections for the file; nil: as many as bring something.
    var connections: Int?

    init(_ request: TransferRequest) {
        checksums = request.checksums
        onMismatch = request.onMismatch
        onConflict = request.onConflict
        connections = request.connections
    }

    /// Whether a digest of the whole file judges its bytes, wherever they come from.
    var judgesByDigest: Bool { onMismatch == .fail && !checksums.isEmpty }

    /// What decides where the final name is taken.
    var placementRule: ConflictRule { ConflictRule(onConflict, at: .placement) }
}
