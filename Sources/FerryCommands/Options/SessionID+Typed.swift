// Ferry: FerryCommands
// Sessions as people name them.

import FerryCore

extension SessionID {
    /// Takes a session's full name, or its identifier alone if it is that of one session.
    ///
    /// - Throws: ``TransferError`` with code `invalid_request` if several sessions have the identifier.
    init(typed text: String, in service: any TransferService) async throws(TransferError) {
        let known = try await service.sessions().map(\.id)
        let named = try SessionID(text)
        let found = known.filter { $0.name.hasSuffix("/" + text) || $0.name.hasSuffix(":" + text) }
        guard !known.contains(named), let first = found.first else {
            self = named
            return
        }
        guard found.count == 1 else {
            let names = found.map { "“\($0.name.escapingControls)”" }.joined(separator: ", ")
            throw TransferError(.invalidRequest, "Several sessions are “\(text.escapingControls)”: \(names).")
        }
        self = first
    }
}
