import FerryCore

/// The fleet's stores as this worker knows them.
///
/// Reads them again when a destination is in none of them: a store may be set while workers run.
actor StoreBook {
    private let queue: any SharedQueue
    private var stores: [Store]?
    private var readAt: ContinuousClock.Instant?
    /// The stores whose last check has not ended.
    private var unanswered: Set<Store> = []

    /// Time between two readings while nothing is wrong: an idle worker asks the database little.
    private static let interval = Duration.seconds(60)
    /// Time after which a store does not answer: a network file system may hang for ever.
    private static let patience = Duration.seconds(10)

    init(_ queue: any SharedQueue) { self.queue = queue }

    /// Returns the stores, among which one contains the folder if the fleet has such a one.
    ///
    /// - Throws: A temporary failure if the queue does not answer.
    func store(for folder: String) async throws(DeliveryFailure) -> FolderStore {
        if let stores, stores.contains(where: { $0.contains(folder + "/") }) { return FolderStore(stores) }
        do {
            return FolderStore(try await read())
        } catch {
            throw DeliveryFailure(error, isTemporary: true)
        }
    }

    /// Why a store cannot be used on this machine, or `nil`.
    func problem(writes: Bool) async -> String? {
        let isRecent = readAt.map { ContinuousClock.now - $0 < Self.interval } ?? false
        if isRecent, let stores, await problem(of: stores, writes: writes) == nil { return nil }
        // A store may have moved.
        return await problem(of: (try? await read()) ?? stores ?? [], writes: writes)
    }

    private func problem(of known: [Store], writes: Bool) async -> String? {
        let store = FolderStore(known)
        for each in known {
            if let problem = await problem(with: each, of: store, writes: writes) { return problem }
        }
        return nil
    }

    private func read() async throws(ServiceError) -> [Store] {
        let current = try await queue.stores()
        (stores, readAt) = (current, .now)
        return current
    }

    private func problem(with each: Store, of store: FolderStore, writes: Bool) async -> String? {
        let silence = "The store \(each.name.escapingControls), \(each.folder.escapingControls), does not answer."
        // Another check would take another thread.
        guard unanswered.insert(each).inserted else { return silence }
        let (results, sender) = AsyncStream<String?>.makeStream()
        Task(name: "check of a store") {
            sender.yield(await store.problem(with: each, writes: writes)?.message)
            sender.finish()
            unanswered.remove(each)
        }
        let limit = Task(name: "patience with a store") {
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            sender.yield(silence)
            sender.finish()
        }
        defer { limit.cancel() }
        for await result in results { return result }
        return nil
    }
}
