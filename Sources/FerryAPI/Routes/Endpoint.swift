// Ferry: FerryAPI
// A route with the types of its bodies.

/// A route with the types of its bodies.
package protocol Endpoint: Sendable {
    /// What the request's body holds; ``NoBody`` where there is none. A line of it where the body is JSON lines.
    associatedtype Request: Encodable & Sendable = NoBody
    /// What a successful response's body holds. A line of it where the body is JSON lines.
    associatedtype Response: Codable & Sendable
    static var route: Route { get }
}

/// Stands for a request that has no body.
package struct NoBody: Hashable, Codable, Sendable {
    package init() {}
}
