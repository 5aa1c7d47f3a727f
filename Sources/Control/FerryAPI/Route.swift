import FerryCore

/// A route of the control API, as data. Client, server and documentation are derived from it.
package struct Route: Hashable, Sendable {
    package let method: Method
    /// The path with its parameters in braces, such as `/v1/transfers/{id}`.
    package let path: String
    /// A one-line description for the documentation.
    package let summary: String

    /// - Parameter path: The path below the version, such as `/transfers/{id}`.
    package init(_ method: Method, _ path: String, _ summary: String) {
        self.method = method
        self.path = APIVersion.prefix + path
        self.summary = summary
    }

    /// Returns the request target: the path with its parameter filled in, and the query.
    package func target(_ parameter: String? = nil, query: [QueryItem] = []) -> String {
        var result = path
        if let parameter, let open = path.firstIndex(of: "{"), let close = path.firstIndex(of: "}") {
            result = path[..<open] + PercentEncoding.encodeComponent(parameter) + path[path.index(after: close)...]
        }
        return query.isEmpty ? result : result + "?" + QueryItem.encode(query)
    }
}

/// This build's version of the control API. The first component of every path.
package enum APIVersion {
    package static let current = 1
    /// The prefix of every path of this version.
    package static let prefix = "/v\(current)"
}

/// An HTTP method of the control API.
package enum Method: String, CaseIterable, Sendable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// A route with the types of its bodies.
package protocol Endpoint: Sendable {
    /// The request's body, or ``NoBody``. One line of it if the body is JSON lines.
    associatedtype Request: Encodable & Sendable = NoBody
    /// The body of a successful response. One line of it if the body is JSON lines.
    associatedtype Response: Codable & Sendable
    static var route: Route { get }
}

/// A request without a body.
package struct NoBody: Hashable, Codable, Sendable {}

extension Route {
    /// All routes, in the order of the documentation.
    package static let all: [Route] = [
        GetVersion.route, GetStatus.route,
        AddTransfer.route, AddTransfers.route, ListTransfers.route, GetTransfer.route, GetRequest.route,
        GetRanges.route,
        ChangeTransfer.route, DeleteTransfer.route, ReleaseTransfer.route, MoveTransfer.route, ActOnTransfers.route,
        SubmitBatch.route,
        SubmitList.route, ListQueue.route, CountQueue.route,
        StreamEvents.route,
        ListSessions.route, ChangeSession.route, ActOnSession.route, ReorderSession.route, AcknowledgeEvents.route,
        RenewLease.route,
        AttachSession.route,
        QuitSessions.route, ConnectApplication.route, ActivateApplication.route, ChangeApplication.route,
        GetSettings.route, ChangeSettings.route, HoldOrigin.route,
        GetGateway.route, ChangeGateway.route, GatewaySecret.route, OfferPageCode.route, OfferPairing.route,
        ListGatewayClients.route, DeleteGatewayClient.route,
        StopDaemon.route,
    ]
}
