// Ferry: FerryServer
// Routes about the daemon's settings.

import FerryAPI
import FerryCore
import Hummingbird

extension ControlAPI {
    func addSettingsRoutes(to router: Router<BasicRequestContext>) {
        router.serve(GetSettings.self) { request, _ in
            try request.hasNoQuery()
            return try await service.settings()
        }
        router.serve(ChangeSettings.self) { request, _ in
            try request.hasNoQuery()
            return try await service.changeSettings(request.value(ServiceSettingsChange.self))
        }
    }
}
