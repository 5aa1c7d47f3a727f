package import FerryAPI
package import FerryCore

/// The daemon's gateway, over the daemon's socket. Starts the daemon if none responds.
package struct RemoteGateway: GatewayControl {
    private let service: RemoteTransferService

    init(_ service: RemoteTransferService) { self.service = service }

    package func status() async throws(ServiceError) -> GatewayStatus { try await service.call(GetGateway.self) }

    package func change(_ change: GatewayChange) async throws(ServiceError) -> GatewayStatus {
        try await service.call(ChangeGateway.self, body: change)
    }

    package func secret(isNew: Bool) async throws(ServiceError) -> String {
        try await service.call(GatewaySecret.self, body: .init(isNew: isNew)).secret
    }

    package func pair() async throws(ServiceError) -> OneTimeCode { try await service.call(OfferPairing.self) }

    package func pageCode() async throws(ServiceError) -> OneTimeCode { try await service.call(OfferPageCode.self) }

    package func clients() async throws(ServiceError) -> [GatewayClient] {
        try await service.call(ListGatewayClients.self)
    }

    package func removeClient(_ id: String) async throws(ServiceError) {
        _ = try await service.call(DeleteGatewayClient.self, id, afterLoss: false)
    }
}
