/// The memory of the queue: transfers, events, sessions and settings.
///
/// One writer and many readers. The journal decides nothing: it keeps what it is given and finds it again. FerryStore keeps
/// it in SQLite, for the daemon: there, what a commit has returned survives a power cut. FerryService keeps it in memory for
/// the sessions of one process. What holds for both is tested over both.
package protocol Journal: AnyObject, Sendable {
    /// Another one after every commit that may have changed transfers that wait in line, and while one is under way.
    ///
    /// As long as it stays the same, what was read of them holds.
    var revision: UInt64 { get }

    /// See ``commit(isolation:ofRunning:_:)``, which has the usual arguments.
    func commit<Value: Sendable>(
        ofRunning: Bool, isolation: isolated (any Actor)?,
        body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value

    /// See ``read(isolation:_:)``.
    func read<Value: Sendable>(
        isolation: isolated (any Actor)?, body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value

    // MARK: What is made before a transaction

    func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts
    func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd
    /// - Parameter template: like the transfers of a batch in all but what ``BatchRow`` has; it has not ended, and reserves
    ///   nothing.
    func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate

    // MARK: Upkeep

    /// Gives room that nothing needs back to the file system, some at a time; nothing of it is missed if it fails.
    ///
    /// - Returns: whether there is more to be given back.
    func reclaim() async -> Bool

    /// Gives back memory that can be filled again.
    func releaseMemory() async

    /// Lets the running commits finish, and closes the journal.
    ///
    /// Closing twice does nothing; every commit and read after it fails.
    func close() async
}

/// A journal that stores values as they are prepares nothing.
extension Journal {
    package func prepare(_ facts: TransferFacts) throws(ServiceError) -> StoredFacts { StoredFacts(facts) }
    package func prepare(_ end: TransferEnd) throws(ServiceError) -> StoredEnd { StoredEnd(end) }
    package func prepare(_ template: TransferRecord) throws(ServiceError) -> BatchTemplate { BatchTemplate(template) }
}

extension Journal {
    /// Runs changes and returns once they are durable.
    ///
    /// Callers that arrive while a transaction is being committed may share the next one, in the order of their arrival, which
    /// for those of one actor is that of their calls. A body that throws undoes only its own changes; it may be called again
    /// after they were undone. A cancelled caller's changes are committed all the same.
    /// - Parameter ofRunning: whether only transfers are changed that run or have left their line; the ``revision`` stays,
    ///   unless the commit fails, since then they may come back to their line.
    /// - Throws: What the body threw; `disk_full` if the disk has no room, which a later call may find mended;
    ///   `journal_failed` if the transaction failed, and from then on for every further call.
    @discardableResult
    package func commit<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation, ofRunning: Bool = false,
        _ body: @escaping @Sendable (any JournalTransaction) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await commit(ofRunning: ofRunning, isolation: isolation, body: body)
    }

    /// Reads one consistent state: that of the last commit before the call or a later one.
    ///
    /// Readers of a journal in a file neither wait for the writer nor hold it up.
    package func read<Value: Sendable>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: @escaping @Sendable (any JournalReader) throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        try await read(isolation: isolation, body: body)
    }
}

/// A journal that was opened, and what its user should know.
package struct OpenedJournal: Sendable {
    package typealias Opening = @Sendable () async throws(ServiceError) -> OpenedJournal

    package let journal: any Journal
    /// Sentences: a damaged journal was set aside under a new name.
    package let warnings: [String]

    package init(_ journal: any Journal, warnings: [String] = []) {
        self.journal = journal
        self.warnings = warnings
    }
}
