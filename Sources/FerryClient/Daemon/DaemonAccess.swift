package import FerryCore

/// The daemon of a user: its service, and its start and end by hand.
package protocol DaemonAccess: Sendable {
    /// The service; its calls start the daemon if none runs.
    var service: any SessionService { get }

    /// Nil if no daemon runs; starts none.
    func statusIfRunning() async throws(TransferError) -> ServiceStatus?

    /// Makes sure that a daemon runs; whether this call started it.
    func start() async throws(TransferError) -> Bool

    /// Ends the daemon and returns once it is gone; false if none ran.
    func stop() async throws(TransferError) -> Bool

    /// Puts the daemon in the place of this process; returns only by throwing.
    func run(arguments: [String]) throws(TransferError) -> Never

    /// Frees what this value holds; call it once, last.
    func close() async
}
