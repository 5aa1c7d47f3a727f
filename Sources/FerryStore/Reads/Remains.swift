// Ferry: FerryStore
// What a transfer that is being forgotten may have on disk.

package import FerryCore

/// What is known of a transfer that is being forgotten and may have something on disk.
package struct Remains: Sendable {
    package let id: TransferID
    package let session: SessionID
    package let hasSucceeded: Bool
    package let partial: PartialFacts?
    /// Path of a copy on its way to the final name.
    package let copy: String?
    /// Whether a file of the partial file's usual name is another program's.
    package let isPartialNameForeign: Bool
    /// The file that goes too, as it was placed.
    package let placed: PlacementIntent?
    /// What the request says of folders and the name; nil if it cannot be read.
    package let request: TransferRequest?

    /// Takes the columns of the statement in ``JournalReads/remains(of:)``.
    init(id: TransferID, _ row: RowReader) {
        self.id = id
        session = row.text(1).flatMap { try? SessionID($0) } ?? .cli
        request = row.text(3).map { folder in
            var request = TransferRequest(url: "", folder: folder)
            request.name = row.text(4)
            request.partialFolder = row.text(5)
            return request
        }
        partial = row.json(7)
        copy = row.text(8)
        isPartialNameForeign = row.integer(11) == 1
        let outcome: Outcome? = row.json(10)
        guard case .succeeded(let success) = outcome else {
            hasSucceeded = false
            placed = nil
            return
        }
        hasSucceeded = true
        let isSpooled = row.integer(6) == 1
        let goesToo = row.text(2) == TransferIntent.removeWithFile.rawValue || isSpooled
        placed = goesToo && !success.unchanged ? row.json(9) : nil
    }
}
