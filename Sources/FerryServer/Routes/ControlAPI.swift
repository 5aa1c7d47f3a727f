// Ferry: FerryServer
// The control API over a service.

package import FerryCore
import Hummingbird

/// The control API over a service: decodes, calls, encodes, and decides nothing.
package struct ControlAPI: Sendable {
    let service: any SessionService
    /// Begins the daemon's end; returns at once.
    let stop: @Sendable () async -> Void

    package init(service: any SessionService, stop: @escaping @Sendable () async -> Void) {
        self.service = service
        self.stop = stop
    }

    /// All routes of the table.
    func router() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: AnswerFields())
        router.add(middleware: RequestLog())
        router.add(middleware: ErrorResponses())
        router.add(middleware: CallerCheck())
        addDaemonRoutes(to: router)
        addTransferRoutes(to: router)
        addBatchRoute(to: router)
        addEventRoute(to: router)
        addSessionRoutes(to: router)
        addBackgroundRoutes(to: router)
        addSettingsRoutes(to: router)
        return router
    }
}
