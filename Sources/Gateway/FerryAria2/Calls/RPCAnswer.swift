/// The response to an HTTP request or a WebSocket message.
package struct RPCAnswer: Hashable, Sendable {
    package var httpStatus: Int
    package var body: [UInt8]
    /// Whether the body is a JSONP script that calls the client's callback, instead of JSON.
    package var isScript = false
    /// True if the secret was wrong or missing. The caller delays such a response by a second.
    package var isUnauthorized = false
    /// True if the secret was right. From then on, a WebSocket receives notifications.
    package var isAuthorized = false

    package var contentType: String { isScript ? "text/javascript" : "application/json-rpc" }
}

/// The result or error of one call.
struct RPCReply {
    let id: RPCValue
    let result: Result<RPCValue, RPCFault>

    var httpStatus: Int {
        switch result {
        case .success: 200
        case .failure(let fault): fault.httpStatus
        }
    }

    var value: RPCValue {
        switch result {
        case .success(let value): ["id": id, "jsonrpc": "2.0", "result": value]
        case .failure(let fault): ["id": id, "jsonrpc": "2.0", "error": fault.value]
        }
    }
}
