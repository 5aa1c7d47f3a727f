/// One call of a method, as it was read.
struct RPCCall {
    let id: RPCValue
    let method: String
    let parameters: [RPCValue]

    /// Reads a request object. `jsonrpc` may be anything, and an `id` that is missing is null.
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

    /// A request that is no call.
    struct Refusal: Error {
        let id: RPCValue
        let fault: RPCFault
    }
}
