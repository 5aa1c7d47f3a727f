/// A parsed method call.
struct RPCCall {
    let id: RPCValue
    let method: String
    let parameters: [RPCValue]

    /// Parses a request object. Ignores `jsonrpc`, and treats a missing `id` as null.
    static func read(_ value: RPCValue) -> Result<RPCCall, Refusal> {
        guard let members = value.members else { return .failure(Refusal(id: .null, fault: .invalidRequest)) }
        let id = members["id"] ?? .null
        guard let method = members["method"]?.text else {
            return .failure(Refusal(id: id, fault: .invalidRequest))
        }
        guard let parameters = members["params"] else {
            return .success(RPCCall(id: id, method: method, parameters: []))
        }
        guard let elements = parameters.elements else {
            return .failure(Refusal(id: id, fault: .invalidParameters))
        }
        return .success(RPCCall(id: id, method: method, parameters: elements))
    }

    /// A request that is not a valid call.
    struct Refusal: Error {
        let id: RPCValue
        let fault: RPCFault
    }
}
