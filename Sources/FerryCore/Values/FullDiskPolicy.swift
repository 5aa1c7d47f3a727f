// Ferry: FerryCore
// What a full disk means to a transfer.

/// What a full disk means to a transfer (docs/behaviour/transfers.md#L7).
package enum FullDiskPolicy: String, CaseIterable, Codable, Sendable {
    /// It waits for room.
    case wait
    /// It fails with `disk_full`.
    case fail
    /// It fails if its size is known not to fit, and waits for room where the disk becomes full meanwhile.
    case failAtStart = "fail_at_start"
}
