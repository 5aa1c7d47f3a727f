package import FerryCore
package import FerryRules

/// Stores transfers, events, sessions and settings.
///
/// One writer and many readers. The journal makes no decisions. The daemon uses FerryStore's journal in SQLite: a
/// commit that has returned survives a power cut. Sessions within one process use FerryService's journal in memory. The
/// same tests run over both.
package protocol Journal: AnyObject, Sendable {
    /// Changes with every commit that may have changed waiting transfers, and while one is in progress.
    ///
    /// Data read about waiting transfers is valid as long as the revision is the same.
    var revision: UInt64 { get }

    /// See ``commit(isolation:ofRunning:_:)``, which has default arguments.
    func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value

    /// See ``read(isolation:_:)``.
    func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value

    // MARK: Preparation

    func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts
    func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd
    /// - Parameter template: The properties that a batch of unfinished transfers shares: all but those of ``BatchRow``.
    ///   It reserves no path.
    func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate

    // MARK: Upkeep

    /// Returns unused space to the file system, a part at a time. Failures are ignored.
    ///
    /// - Returns: Whether there is more.
    func reclaim() async -> Bool

    /// Releases caches.
    func releaseMemory() async

    /// Waits for running commits and closes the journal.
    ///
    /// Closing twice does nothing. Later commits and reads fail.
    func close() async
}

/// Default implementations for a journal that stores values as they are.
extension Journal {
    package func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts { StoredFacts(facts) }
    package func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd { StoredEnd(end) }
    package func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate { BatchTemplate(template) }
}

extension Journal {
    /// Makes changes and returns once they are durable.
    ///
    /// Callers that arrive while a transaction is being committed may share the next one, in order of arrival, which
    /// for callers on one actor is the order of their calls. A body that throws undoes only its own changes. It may be
    /// called again after they were undone. Changes of a canceled caller are committed anyway.
    /// - Parameter ofRunning: Whether the changes concern only transfers that are running or have left the queue. The
    ///   ``revision`` then stays the same, unless the commit fails: the transfers may return to the queue.
    /// - Throws: The error of the body; `disk_full` if the disk is full, after which a later call may succeed;
    ///   `journal_failed` if the transaction failed, and then for every later call.
    @discardableResult
    package func commit<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, ofRunning: Bool = false,
        _ body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await commit(ofRunning: ofRunning, isolation: isolation, body: body)
    }

    /// Reads one consistent state: that of the last commit before the call, or a later one.
    ///
    /// Readers of a journal in a file do not block the writer, and the writer does not block them.
    package func read<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await read(isolation: isolation, body: body)
    }
}

/// An opened journal, with warnings for the user.
package struct OpenedJournal: Sendable {
    package typealias Opening = @Sendable () async throws(ServiceError) -> OpenedJournal

    package let journal: any Journal
    /// Messages, for example that a damaged journal was renamed.
    package let warnings: [String]

    package init(_ journal: any Journal, warnings: [String] = []) {
        self.journal = journal
        self.warnings = warnings
    }
}
