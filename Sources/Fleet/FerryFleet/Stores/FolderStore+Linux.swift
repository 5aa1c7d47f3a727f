import Dispatch
package import FerryCore

/// Results in folders that all machines of the fleet share.
///
/// A file is copied under a name of its own, and `link` gives it the final name: on every POSIX file system, NFS included,
/// one of several calls wins. What `link` answers is not believed, since an answer may be lost on the network: the inode at
/// the final name decides.
package struct FolderStore: ResultStore {
    /// Name of the file in a store's folder that distinguishes it from an empty mount point.
    package static let markName = ".ferry-fleet-store"

    private let stores: [Store]

    package init(_ stores: [Store]) { self.stores = stores }

    package func look(_ look: Look) async throws(DeliveryFailure) -> JobResult? {
        try await blocking { () throws(DeliveryFailure) in
            let folder: SharedFolder
            do throws(DeliveryFailure) {
                folder = try open(look.folder, makes: false)
            } catch {
                if error.isAbsent { return nil }
                throw error
            }
            folder.remove(look.known.map(\.copy))
            return try folder.look(look)
        }
    }

    /// Why a store cannot be used on this machine, or `nil`.
    ///
    /// - Parameter writes: Whether to write a file into it, besides looking for its mark.
    package func problem(with store: Store, writes: Bool) async -> ServiceError? {
        do throws(DeliveryFailure) {
            try await blocking { () throws(DeliveryFailure) in
                let folder = try SharedFolder(store.folder, below: store)
                if writes { try folder.tryWriting() }
            }
            return nil
        } catch {
            return error.error
        }
    }

    package func prepare(
        _ delivery: Delivery, _ progress: CopyProgress
    ) async throws(DeliveryFailure) -> PreparedFile {
        try await blocking(progress) { () throws(DeliveryFailure) in
            let folder = try open(delivery.folder)
            let copied = try folder.copy(
                delivery.file, to: delivery.copyName, of: delivery.key.token, progress)
            let name = delivery.policy == .unique ? folder.freeName(for: delivery) : delivery.name
            let path = delivery.folder + "/" + name
            let intent = Intent(
                path: path, copy: delivery.copyName, inode: copied.inode, size: delivery.file.size,
                sha256: copied.sha256)
            return PreparedFile(
                intent: intent, replaces: delivery.policy == .replace ? folder.inode(of: delivery.name) : nil)
        }
    }

    package func place(
        _ file: PreparedFile, of delivery: Delivery, known: [Intent]
    ) async throws(DeliveryFailure) -> Placement {
        try await blocking { () throws(DeliveryFailure) in
            let folder = try open(delivery.folder)
            // A holder before this one may have placed its copy under any name that it intended.
            if let placed = folder.placed(among: known, of: delivery.key.token) {
                try folder.sync()
                return .delivered(placed.result)
            }
            return try folder.place(file, of: delivery)
        }
    }

    package func discard(_ delivery: Delivery, and earlier: [Intent]) async {
        _ = try? await blocking { () throws(DeliveryFailure) in
            try open(delivery.folder).remove([delivery.copyName] + earlier.map(\.copy))
        }
    }

    /// Opens a folder below its store.
    private func open(_ path: String, makes: Bool = true) throws(DeliveryFailure) -> SharedFolder {
        let matching = stores.filter { $0.contains(path + "/") }
        guard let store = matching.max(by: { $0.folder.count < $1.folder.count }) else {
            throw SharedFolder.outside(path)
        }
        return try SharedFolder(path, below: store, makes: makes)
    }

    /// Runs a closure on a thread that may block, so that a file system that hangs holds up nothing else.
    ///
    /// - Parameter progress: Stopped when the task is canceled.
    private func blocking<Result: Sendable>(
        _ progress: CopyProgress? = nil, _ body: @escaping @Sendable () throws(DeliveryFailure) -> Result
    ) async throws(DeliveryFailure) -> Result {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation {
                (continuation: CheckedContinuation<Swift.Result<Result, DeliveryFailure>, Never>) in
                DispatchQueue.global().async {
                    do throws(DeliveryFailure) {
                        continuation.resume(returning: .success(try body()))
                    } catch {
                        continuation.resume(returning: .failure(error))
                    }
                }
            }
        } onCancel: {
            progress?.stop()
        }
        return try result.get()
    }
}
