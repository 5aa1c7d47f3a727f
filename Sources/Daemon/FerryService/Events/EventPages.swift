import DequeModule
import FerryCore
import FerryQueue

/// Reads the pages of events that listeners take from the journal.
///
/// Listeners that ask for the same page at the same time share one read. Few reads run at a time, so that other calls
/// find a free journal reader.
actor EventPages {
    struct Request: Hashable, Sendable {
        let range: EventQueue.Range
        let session: SessionID?
        let ids: Set<TransferID>?
        /// Whether only events that end transfers are wanted.
        let endsAlone: Bool
        /// Whether short forms of events are accepted.
        let isBrief: Bool

        init(_ range: EventQueue.Range, _ subscription: EventSubscription, isBrief: Bool) {
            self.range = range
            self.isBrief = isBrief
            session = subscription.session
            ids = subscription.ids
            endsAlone = subscription.endsAlone
        }
    }

    /// Maximum number of reads at a time.
    private static let mostReads = 2

    private let read: @Sendable (Request) async throws(ServiceError) -> EventPage
    private nonisolated let home: any Actor
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.unownedExecutor }
    private var shared: [Request: Task<Result<EventPage, ServiceError>, Never>] = [:]
    private var active = 0
    private var waiting: Deque<CheckedContinuation<Void, Never>> = []

    /// - Parameters:
    ///   - home: The actor on whose executor this one runs.
    ///   - read: Reads a page in the journal.
    init(home: any Actor, read: @escaping @Sendable (Request) async throws(ServiceError) -> EventPage) {
        self.home = home
        self.read = read
    }

    /// Returns the first page of a range.
    ///
    /// A shared read has begun after the last event of the range was committed, because its range is the same.
    ///
    /// - Throws: ``ServiceError`` if the journal cannot be read.
    func page(_ request: Request) async throws(ServiceError) -> EventPage {
        // Comparing many ids takes longer than sharing saves.
        guard request.ids == nil else { return try await readInTurn(request) }
        let task = shared[request] ?? Task(name: "page of events") { await share(request) }
        shared[request] = task
        return try await task.value.get()
    }

    private func share(_ request: Request) async -> Result<EventPage, ServiceError> {
        defer { shared[request] = nil }
        do throws(ServiceError) {
            return .success(try await readInTurn(request))
        } catch {
            return .failure(error)
        }
    }

    private func readInTurn(_ request: Request) async throws(ServiceError) -> EventPage {
        await begin()
        defer { end() }
        return try await read(request)
    }

    private func begin() async {
        guard active == Self.mostReads else {
            active += 1
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func end() {
        // The next read takes over the place.
        if let next = waiting.popFirst() { next.resume() } else { active -= 1 }
    }
}

extension JournalReader {
    /// Returns the first page of a range.
    func page(_ request: EventPages.Request) throws(ServiceError) -> EventPage {
        let range = request.range
        if request.isBrief, let session = request.session {
            return try briefPage(after: range.after, through: range.through, session: session)
        }
        return try page(
            after: range.after, through: range.through, session: request.session, ids: request.ids,
            kinds: request.endsAlone ? TransferEvent.Kind.ends : nil)
    }
}
