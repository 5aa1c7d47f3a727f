/// A route of the control API, as data: client, server and documentation are made from it.
package struct Route: Hashable, Sendable {
    package let method: Method
    /// The path with its parameters in braces, such as `/v1/transfers/{id}`.
    package let path: String
    /// One line for people.
    package let summary: String

    /// Takes the path below the version, such as `/transfers/{id}`.
    package init(_ method: Method, _ path: String, _ summary: String) {
        self.method = method
        self.path = APIVersion.prefix + path
        self.summary = summary
    }

    /// The request target: the path with its one parameter filled in, and the query.
    package func target(_ parameter: String? = nil, query: [QueryItem] = []) -> String {
        var result = path
        if let parameter, let open = path.firstIndex(of: "{"), let close = path.firstIndex(of: "}") {
            result = path[..<open] + PercentEncoding.encode(parameter) + path[path.index(after: close)...]
        }
        return query.isEmpty ? result : result + "?" + QueryItem.encode(query)
    }
}

/// The version of the control API that this build speaks; the first part of every path.
package enum APIVersion {
    package static let current = 1
    /// What every path of this version begins with.
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
    /// What the request's body holds; ``NoBody`` where there is none. A line of it where the body is JSON lines.
    associatedtype Request: Encodable & Sendable = NoBody
    /// What a successful response's body holds. A line of it where the body is JSON lines.
    associatedtype Response: Codable & Sendable
    static var route: Route { get }
}

/// Stands for a request that has no body.
package struct NoBody: Hashable, Codable, Sendable {}

extension Route {
    /// All routes, in the order in which the documentation shows them.
    package static let all: [Route] = [
        GetVersion.route, GetStatus.route,
        AddTransfer.route, AddTransfers.route, ListTransfers.route, GetTransfer.route, GetRanges.route,
        ChangeTransfer.route, DeleteTransfer.route, ReleaseTransfer.route, MoveTransfer.route, ActOnTransfers.route,
        SubmitBatch.route,
        SubmitList.route, ListQueue.route, CountQueue.route,
        StreamEvents.route,
        ListSessions.route, ChangeSession.route, ActOnSession.route, ReorderSession.route, AcknowledgeEvents.route,
        AttachSession.route,
        QuitSessions.route, ConnectApplication.route, ActivateApplication.route, ChangeApplication.route,
        GetSettings.route, ChangeSettings.route,
        GetGateway.route, ChangeGateway.route, GatewaySecret.route, OfferPairing.route, ListGatewayClients.route,
        DeleteGatewayClient.route,
        StopDaemon.route,
    ]
}
