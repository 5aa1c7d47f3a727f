// Ferry: FerryServer
// The service as a part of the daemon.

package import FerryAPI
package import FerryCore
import FerryService
package import Logging
package import ServiceLifecycle

/// What runs transfers and is itself a part of the daemon.
package protocol HostedService: SessionService, Service {
    /// The daemon is about to end: connections that break from here on say nothing about their processes.
    func prepareToEnd() async
}

extension LocalTransferService: HostedService {}

extension Daemon {
    /// Makes the service that the daemon serves, from a state folder that is there and locked.
    package typealias Opening =
        @Sendable (FerryPaths, Logger, KillSeam) async throws(TransferError)
        -> any HostedService
}

/// Tells the service that the daemon is about to end, before the server lets go of its connections.
struct EndingNotice: Service {
    let service: any HostedService

    func run() async throws {
        try? await gracefulShutdown()
        await service.prepareToEnd()
    }
}
