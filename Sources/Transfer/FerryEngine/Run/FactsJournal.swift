package import FerryCore
package import FerryRules

/// Makes the facts of runs durable. Each call runs in the isolation of its caller.
package protocol FactsJournal: Sendable {
    /// Makes facts durable, together with the claim of their destination.
    ///
    /// - Returns: False, with nothing recorded, if another live transfer has claimed the destination.
    /// - Throws: ``ServiceError`` with code `journal_failed`. The caller must then report nothing as done.
    func record(
        _ facts: TransferFacts, of id: TransferID, isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> Bool

    /// Makes the facts of several runs of one engine durable together, each with the claim of its destination.
    ///
    /// - Returns: The results of ``record(_:of:isolation:)`` in order.
    /// - Throws: ``ServiceError`` with code `journal_failed`. None of the facts is then recorded.
    func record(_ group: [RecordedFacts], isolation: isolated (any Actor)?) async throws(ServiceError) -> [Bool]

    /// Reports that all bytes of a transfer have been received, so that it needs no further connection.
    ///
    /// - Parameter inMemory: Whether the file is created and placed from memory, in a batch with others. Otherwise the
    ///   bytes are durable in its partial file.
    func isWhole(_ id: TransferID, inMemory: Bool, isolation: isolated (any Actor)?) async

    /// Reports that a transfer starts or stops waiting for its host name, as shown by its progress.
    ///
    /// A transfer with a resolved name continues when this returns, unless it was stopped meanwhile.
    func nameChanged(_ id: TransferID, isolation: isolated (any Actor)?) async
}

extension FactsJournal {
    package func record(
        _ group: [RecordedFacts], isolation: isolated (any Actor)?
    ) async throws(ServiceError) -> [Bool] {
        var recorded: [Bool] = []
        for one in group { recorded.append(try await record(one.facts, of: one.id, isolation: isolation)) }
        return recorded
    }

    package func isWhole(_ id: TransferID, inMemory: Bool, isolation: isolated (any Actor)?) async {}

    package func nameChanged(_ id: TransferID, isolation: isolated (any Actor)?) async {}
}

/// Facts of one run, recorded in a batch with those of other runs.
package struct RecordedFacts: Sendable {
    package var id: TransferID
    @Boxed package var facts: TransferFacts

    init(id: TransferID, facts: Boxed<TransferFacts>) {
        self.id = id
        _facts = facts
    }
}
