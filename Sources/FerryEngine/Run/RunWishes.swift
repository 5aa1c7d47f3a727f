// Ferry: FerryEngine
// What may be wished otherwise while a try is made.

import FerryCore

/// What a request says about the whole file, which may be wished otherwise while a try is made.
struct RunWishes: Hashable, Sendable {
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
