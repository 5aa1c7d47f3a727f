/// What goes back to a client.
package struct RPCAnswer: Hashable, Sendable {
    package var httpStatus: Int
    package var body: [UInt8]
    /// Whether the body is a call of the script that the client named, not JSON.
    package var isScript = false
    /// Whether a wrong secret was given, or none: the caller holds such an answer back for a second.
    package var isUnauthorized = false
    /// Whether the right secret was given: a WebSocket gets notifications from then on.
    package var isAuthorized = false

    package var contentType: String { isScript ? "text/javascript" : "application/json-rpc" }
}

/// The answer to one call: a result, or why there is none.
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
