import FerryCore

/// The fleet's stores as this worker knows them.
///
/// Reads them again when a destination is in none of them: a store may be set while workers run.
actor StoreBook {
    private let queue: any SharedQueue
    private var stores: [Store]?
    private var readAt: ContinuousClock.Instant?

    /// A destination in no store is not asked about more often.
    private static let interval = Duration.seconds(2)

    init(_ queue: any SharedQueue) { self.queue = queue }

    /// Returns the stores, among which one contains the folder if the fleet has such a one.
    ///
    /// - Throws: A temporary failure if the queue does not answer.
    func store(for folder: String) async throws(DeliveryFailure) -> FolderStore {
        if let stores, stores.contains(where: { $0.contains(folder + "/") }) { return FolderStore(stores) }
        if let stores, let readAt, ContinuousClock.now - readAt < Self.interval { return FolderStore(stores) }
        do {
            return FolderStore(try await read())
        } catch {
            throw DeliveryFailure(error, isTemporary: true)
        }
    }

    /// Why a store cannot be used on this machine, or `nil`. Reads the stores anew, since their folders may have moved.
    func problem(writes: Bool) async -> String? {
        let known = (try? await read()) ?? stores ?? []
        let store = FolderStore(known)
        for each in known {
            if let problem = await store.problem(with: each, writes: writes) { return problem.message }
        }
        return nil
    }

    private func read() async throws(ServiceError) -> [Store] {
        let current = try await queue.stores()
        (stores, readAt) = (current, .now)
        return current
    }
}
