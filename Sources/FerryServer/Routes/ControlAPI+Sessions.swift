// Ferry: FerryServer
// Routes about sessions.

import FerryAPI
import FerryCore
import Hummingbird

extension ControlAPI {
    func addSessionRoutes(to router: Router<BasicRequestContext>) {
        router.serve(ListSessions.self) { request, _ in
            try request.hasNoQuery()
            return try await service.sessions()
        }
        router.serve(ChangeSession.self) { request, context in
            try request.hasNoQuery()
            return try await service.changeSession(context.sessionID(), request.value(SessionSettings.self))
        }
        router.serve(AcknowledgeEvents.self) { request, context in
            try request.hasNoQuery()
            let wish = try await request.value(AcknowledgeEvents.Request.self)
            try await service.acknowledge(context.sessionID(), through: wish.through)
            return wish
        }
    }
}
