import FerryCore
import Synchronization

/// The endpoint's in-memory state, all of it bounded. Persistent data is in the notes of the transfers.
final class EndpointMemory: Sendable {
    private struct State {
        /// Defaults of downloads, and options of all downloads together.
        var globals = OptionValues()
        /// Secret option values by transfer.
        var secrets = BoundedMap<TransferID, Secrets>(most: EndpointMemory.mostSecrets)
        /// Sizes of canceled downloads when they were canceled.
        var sizes = BoundedMap<TransferID, DownloadSizes>(most: EndpointMemory.mostSizes)
        /// Number of stopped downloads that clients have removed from the list.
        var removedResults = 0
        /// Gids reserved for transfers being created.
        var reserved: Set<String> = []
    }

    /// Option values, and the origin for which a client gave them.
    private struct Secrets {
        let origin: Origin?
        let options: OptionValues
    }

    static let mostTransfers = 10_000
    static let mostSecrets = 1000
    static let mostSizes = 1000

    private let state = Mutex(State())
    let longLists = LongLists()

    // MARK: Options

    var globals: OptionValues { state.withLock(\.globals) }

    func setGlobals(_ options: OptionValues) { state.withLock { $0.globals = options } }

    /// Returns the secrets of a transfer, unless its URL has another origin now.
    func secrets(of transfer: Transfer) -> OptionValues {
        let found = state.withLock { $0.secrets[transfer.id] }
        guard let found, found.origin == Self.origin(transfer) else { return OptionValues() }
        return found.options
    }

    func setSecrets(_ options: OptionValues, of transfer: Transfer) {
        let secrets = options.isEmpty ? nil : Secrets(origin: Self.origin(transfer), options: options)
        state.withLock { $0.secrets[transfer.id] = secrets }
    }

    private static func origin(_ transfer: Transfer) -> Origin? { try? HTTPURL(parsing: transfer.url).origin }

    // MARK: Gids

    /// Reserves a gid.
    ///
    /// - Returns: False if it is already reserved.
    func reserve(_ gid: String) -> Bool { state.withLock { $0.reserved.insert(gid).inserted } }

    func release(_ gid: String) { state.withLock { _ = $0.reserved.remove(gid) } }

    // MARK: Stopped downloads

    var removedResults: Int { state.withLock(\.removedResults) }

    func sizes(of id: TransferID) -> DownloadSizes? { state.withLock { $0.sizes[id] } }

    func setSizes(_ sizes: DownloadSizes?, of id: TransferID) { state.withLock { $0.sizes[id] = sizes } }

    /// Removes the state of a download that a client has removed from the list of stopped ones.
    func forget(_ id: TransferID) {
        state.withLock { state in
            state.secrets[id] = nil
            state.sizes[id] = nil
            state.removedResults = state.removedResults.addingSaturated(1)
        }
    }
}

/// The sizes of a download. A canceled transfer has none, but aria2's clients show them for removed downloads.
struct DownloadSizes: Hashable, Sendable {
    let total: Int64
    let received: Int64
    let durable: ByteRangeSet
}
