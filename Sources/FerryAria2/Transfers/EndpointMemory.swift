import FerryCore
import Synchronization

/// What an endpoint remembers while it lives, all of it bounded; what must survive is in the notes of the transfers.
final class EndpointMemory: Sendable {
    private struct State {
        /// Defaults of downloads, and options of all of them together.
        var globals = OptionValues()
        /// Values that open something for their user.
        var secrets = BoundedMap<TransferID, OptionValues>(most: EndpointMemory.mostSecrets)
        /// Gids that are being given to new transfers.
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

    /// Keeps a gid for one caller.
    ///
    /// - Returns: false if another one has it.
    func reserve(_ gid: String) -> Bool { state.withLock { $0.reserved.insert(gid).inserted } }

    func release(_ gid: String) { state.withLock { _ = $0.reserved.remove(gid) } }

    /// Forgets a transfer that is gone.
    func forget(_ id: TransferID) { setSecrets(OptionValues(), of: id) }
}
