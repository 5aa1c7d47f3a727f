import FerryAPI
import FerryCore
import Hummingbird

extension ControlAPI {
    func addSessionRoutes(to router: OfferedRoutes) {
        router.serve(ListSessions.self) { request, _ in
            try request.hasNoQuery()
            return try await service.sessions()
        }
        router.serve(ChangeSession.self) { request, context in
            try request.hasNoQuery()
            return try await service.changeSession(context.sessionID(), request.value(SessionSettingsChange.self))
        }
        router.serve(AcknowledgeEvents.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(AcknowledgeEvents.Request.self)
            try await service.acknowledge(context.sessionID(), through: body.through)
            return body
        }
    }
}

extension ControlAPI {
    func addBackgroundRoutes(to router: OfferedRoutes) {
        // The streams take their parameters from the query: after reading a body, the server would not detect the end
        // of the connection.
        router.respond(to: AttachSession.self) { request, context in
            let attachment = try SessionAttachment(items: request.queryItems())
            return .stream(try await service.attach(context.sessionID(), attachment), to: request, on: context.channel)
        }
        router.respond(to: ConnectApplication.self) { request, context in
            let connection = try ApplicationConnection(context.application(), items: request.queryItems())
            return .stream(try await service.connect(connection), to: request, on: context.channel)
        }
        router.serve(ActivateApplication.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(ActivateApplication.Request.self)
            try await service.becomeActive(context.application(), process: body.process)
            return body
        }
        router.serve(ChangeApplication.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(ChangeApplication.Request.self)
            try await service.registerLaunchCommand(body.launch, of: context.application())
            return body
        }
        router.serve(SubmitBatch.self) { request, _ in
            try request.hasNoQuery()
            return try await service.submit(request.value(StrictBatch.self, upTo: BodyLimit.batch).batch())
        }
        router.serve(SubmitList.self) { request, _ in
            try request.hasNoQuery()
            return try await service.submit(request.list())
        }
        router.serve(ActOnSession.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(ActOnSession.Request.self, upTo: BodyLimit.batch)
            return try await service.act(body.action, in: context.sessionID(), on: body.ids)
        }
        router.serve(ReorderSession.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(ReorderSession.Request.self, upTo: BodyLimit.batch)
            let id = try context.sessionID()
            try await service.reorder(id, body.order)
            return ReorderSession.Response(id: id)
        }
        router.serve(RenewLease.self) { request, context in
            try request.hasNoQuery()
            let body = try await request.value(RenewLease.Request.self)
            try await service.renewLease(of: context.sessionID(), until: body.until)
            return body
        }
        router.serve(QuitSessions.self) { request, _ in
            try request.hasNoQuery()
            let body = try await request.value(QuitSessions.Request.self)
            return QuitSessions.Response(results: try await service.quit(body.selection))
        }
    }
}
