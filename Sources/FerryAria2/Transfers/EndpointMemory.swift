import FerryCore
import Synchronization

/// What an endpoint remembers while it lives, all of it bounded; what must survive is in the notes of the transfers.
final class EndpointMemory: Sendable {
    private struct State {
        /// Defaults of downloads, and options of all of them together.
        var globals = OptionValues()
        var ids = BoundedMap<String, TransferID>(most: EndpointMemory.mostTransfers)
        var gids = BoundedMap<TransferID, String>(most: EndpointMemory.mostTransfers)
        /// Values that open something for their user.
        var secrets = BoundedMap<TransferID, OptionValues>(most: EndpointMemory.mostSecrets)
        var orders = BoundedMap<SessionID, [TransferID]>(most: 64)
        /// Gids that are being given to new transfers.
        var reserved: Set<String> = []
    }

    static let mostTransfers = 10_000
    static let mostSecrets = 1000

    private let state = Mutex(State())

    // MARK: Options

    var globals: OptionValues { state.withLock(\.globals) }

    func setGlobals(_ options: OptionValues) { state.withLock { $0.globals = options } }

    func secrets(of id: TransferID) -> OptionValues { state.withLock { $0.secrets[id] } ?? OptionValues() }

    func setSecrets(_ options: OptionValues, of id: TransferID) {
        state.withLock { $0.secrets[id] = options.isEmpty ? nil : options }
    }

    // MARK: Gids

    /// The transfer that a chosen gid was last known to belong to.
    func transfer(named gid: String) -> TransferID? { state.withLock { $0.ids[gid] } }

    func gid(of id: TransferID) -> String? { state.withLock { $0.gids[id] } }

    func setGID(_ gid: String, of id: TransferID) {
        state.withLock { state in
            state.ids[gid] = id
            state.gids[id] = gid
        }
    }

    /// Keeps a gid for one caller.
    ///
    /// - Returns: false if another one has it.
    func reserve(_ gid: String) -> Bool { state.withLock { $0.reserved.insert(gid).inserted } }

    func release(_ gid: String) { state.withLock { _ = $0.reserved.remove(gid) } }

    // MARK: Order

    /// The order that a session's waiting transfers were last put into here.
    func order(of session: SessionID) -> [TransferID] { state.withLock { $0.orders[session] } ?? [] }

    func setOrder(_ ids: [TransferID], of session: SessionID) {
        state.withLock { $0.orders[session] = Array(ids.prefix(Self.mostTransfers)) }
    }

    /// Forgets a transfer that is gone.
    func forget(_ id: TransferID) {
        state.withLock { state in
            if let gid = state.gids[id], state.ids[gid] == id { state.ids[gid] = nil }
            state.gids[id] = nil
            state.secrets[id] = nil
        }
    }
}
