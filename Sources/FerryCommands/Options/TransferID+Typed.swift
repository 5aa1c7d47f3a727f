// Ferry: FerryCommands
// An id as typed.

import FerryCore

extension TransferID {
    /// - Throws: ``TransferError`` with code `unknown_transfer` for what cannot be an id.
    init(typed text: String) throws(TransferError) {
        guard let id = TransferID(text) else {
            throw TransferError(
                .unknownTransfer,
                "No transfer has the id “\(text.escapingControls)”: an id has 16 hexadecimal digits. `ferry list` shows them."
            )
        }
        self = id
    }
}

extension [String] {
    /// The ids that these words mean, each once.
    func transferIDs() throws(TransferError) -> [TransferID] {
        var seen = Set<TransferID>()
        var ids: [TransferID] = []
        for word in self {
            let id = try TransferID(typed: word)
            if seen.insert(id).inserted { ids.append(id) }
        }
        return ids
    }
}
