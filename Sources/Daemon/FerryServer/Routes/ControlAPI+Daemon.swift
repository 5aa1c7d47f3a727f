import FerryAPI
import FerryCore
import Hummingbird

extension ControlAPI {
    func addStatusRoutes(to router: OfferedRoutes) {
        router.serve(GetVersion.self) { request, _ in
            try request.hasNoQuery()
            return GetVersion.Response(
                version: FerryVersion.current, api: APIVersion.current, lastEvent: try await service.lastEvent())
        }
        router.serve(GetStatus.self) { request, _ in
            try request.hasNoQuery()
            return try await service.status()
        }
    }

    func addStopRoute(to router: OfferedRoutes) {
        router.serve(StopDaemon.self, status: .accepted) { request, _ in
            try request.hasNoQuery()
            let pid = try await service.status().pid
            await stop()
            return StopDaemon.Response(pid: pid)
        }
    }
}

extension ControlAPI {
    func addSettingsRoutes(to router: OfferedRoutes) {
        router.serve(GetSettings.self) { request, _ in
            try request.hasNoQuery()
            return try await service.settings()
        }
        router.serve(ChangeSettings.self) { request, _ in
            try request.hasNoQuery()
            return try await service.changeSettings(request.value(ServiceSettingsChange.self))
        }
    }

    func addHoldRoute(to router: OfferedRoutes) {
        router.serve(HoldOrigin.self) { request, _ in
            try request.hasNoQuery()
            let hold = try await request.value(HoldOrigin.Request.self)
            try await service.hold(HTTPURL(parsing: hold.origin).origin, seconds: hold.seconds)
            return hold
        }
    }
}
