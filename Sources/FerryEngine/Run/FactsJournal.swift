package import FerryCore

/// Where a run makes facts durable.
package protocol FactsJournal: Sendable {
    /// Makes facts durable, and with them the claim of their destination.
    ///
    /// - Returns: false if another live transfer has claimed the destination; then nothing is recorded.
    /// - Throws: ``ServiceError`` with code `journal_failed`; then nothing may be reported as done.
    func record(_ facts: TransferFacts, of id: TransferID) async throws(ServiceError) -> Bool

    /// Makes the facts of runs that share an engine durable together, each with the claim of its destination.
    ///
    /// - Returns: in their order what ``record(_:of:)`` returns.
    /// - Throws: ``ServiceError`` with code `journal_failed`; then none is recorded.
    func record(_ group: [RecordedFacts]) async throws(ServiceError) -> [Bool]

    /// Notes that all bytes of a transfer are here, so that it needs no connection any longer.
    ///
    /// - Parameter inMemory: whether its file is made and placed in one go, together with others of the moment; else the
    ///   bytes are durable in its partial file.
    func isWhole(_ id: TransferID, inMemory: Bool) async

    /// Notes that a transfer begins to wait for the name of its host, or ends to, as its progress says.
    ///
    /// One whose name is found goes on once this returns, unless it was stopped meanwhile.
    func nameChanged(_ id: TransferID) async
}

extension FactsJournal {
    package func record(_ group: [RecordedFacts]) async throws(ServiceError) -> [Bool] {
        var recorded: [Bool] = []
        for one in group { recorded.append(try await record(one.facts, of: one.id)) }
        return recorded
    }

    package func isWhole(_ id: TransferID, inMemory: Bool) async {}

    package func nameChanged(_ id: TransferID) async {}
}

/// Facts of one run that are recorded together with the facts of other runs.
package struct RecordedFacts: Sendable {
    package var id: TransferID
    @Boxed package var facts: TransferFacts

    init(id: TransferID, facts: Boxed<TransferFacts>) {
        self.id = id
        _facts = facts
    }
}
