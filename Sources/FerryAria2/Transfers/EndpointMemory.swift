import FerryCore
import Synchronization

/// The endpoint's in-memory state, all of it bounded. Persistent data is in the notes of the transfers.
final class EndpointMemory: Sendable {
    private struct State {
        /// Defaults of downloads, and options of all downloads together.
        var globals = OptionValues()
        /// Secret option values by transfer.
        var secrets = BoundedMap<TransferID, OptionValues>(most: EndpointMemory.mostSecrets)
        /// Gids reserved for transfers being created.
        var reserved: Set<String> = []
    }

    static let mostTransfers = 10_000
    static let mostSecrets = 1000

    private let state = Mutex(State())
    let longLists = LongLists()

    // MARK: Options

    var globals: OptionValues { state.withLock(\.globals) }

    func setGlobals(_ options: OptionValues) { state.withLock { $0.globals = options } }

    func secrets(of id: TransferID) -> OptionValues { state.withLock { $0.secrets[id] } ?? OptionValues() }

    func setSecrets(_ options: OptionValues, of id: TransferID) {
        state.withLock { $0.secrets[id] = options.isEmpty ? nil : options }
    }

    // MARK: Gids

    /// Reserves a gid.
    ///
    /// - Returns: False if it is already reserved.
    func reserve(_ gid: String) -> Bool { state.withLock { $0.reserved.insert(gid).inserted } }

    func release(_ gid: String) { state.withLock { _ = $0.reserved.remove(gid) } }

    /// Removes the state of a removed transfer.
    func forget(_ id: TransferID) { setSecrets(OptionValues(), of: id) }
}
