import FerryAPI
import FerryCore
import Hummingbird

/// The routes with which the machine's user controls the gateway. The gateway itself does not offer them.
struct GatewayControlRoutes: Sendable {
    let gateway: any GatewayControl

    func add(to router: OfferedRoutes) {
        router.serve(GetGateway.self) { request, _ in
            try request.hasNoQuery()
            return try await gateway.status()
        }
        router.serve(ChangeGateway.self) { request, _ in
            try request.hasNoQuery()
            return try await gateway.change(request.value(GatewayChange.self))
        }
        router.serve(GatewaySecret.self) { request, _ in
            try request.hasNoQuery()
            let isNew = try await request.value(GatewaySecret.Request.self).isNew
            return GatewaySecret.Response(secret: try await gateway.secret(isNew: isNew))
        }
        router.serve(OfferPageCode.self) { request, _ in
            try request.hasNoQuery()
            return try await gateway.pageCode()
        }
        router.serve(OfferPairing.self) { request, _ in
            try request.hasNoQuery()
            return try await gateway.pair()
        }
        router.serve(ListGatewayClients.self) { request, _ in
            try request.hasNoQuery()
            return try await gateway.clients()
        }
        router.serve(DeleteGatewayClient.self) { request, context in
            try request.hasNoQuery()
            let id = try context.gatewayClient()
            try await gateway.removeClient(id)
            return DeleteGatewayClient.Response(id: id)
        }
    }
}
