import Synchronization

/// Connections and bytes since the start.
final class RelayCounts: Sendable {
    let connections = Atomic<Int>(0)
    let toClients = Atomic<Int>(0)
    let toServer = Atomic<Int>(0)

    /// The counts as a JSON object in one line.
    var json: String {
        let (all, clients, server) = (
            connections.load(ordering: .relaxed), toClients.load(ordering: .relaxed), toServer.load(ordering: .relaxed)
        )
        return #"{"connections": \#(all), "to_clients": \#(clients), "to_server": \#(server)}"#
    }
}
