/// Handles one message: a call or a batch of calls.
struct RPCRun {
    let methods: RPCMethods
    let secret: RPCSecret
    /// Whether the caller has presented the secret by other means.
    let isTrusted: Bool
    private(set) var isAuthorized = false
    private var wrongSecrets = 0
    private var written = 0

    /// Maximum size of the results of one message, in bytes. The last result may exceed it.
    static let mostBytes = 32 << 20
    /// The limit for a message without the secret.
    private static let mostBytesUntrusted = 1 << 20
    /// After this many wrong secrets in a message, no more are compared.
    private static let mostWrongSecrets = 8

    init(methods: RPCMethods, secret: RPCSecret, isTrusted: Bool) {
        self.methods = methods
        self.secret = secret
        self.isTrusted = isTrusted
    }

    var isUnauthorized: Bool { wrongSecrets > 0 }

    mutating func answer(_ message: RPCValue) async -> RPCAnswer {
        guard let calls = message.elements else {
            let reply = await reply(to: message)
            return RPCAnswer(httpStatus: reply.httpStatus, body: reply.value.json)
        }
        var replies: [RPCValue] = []
        for call in calls { replies.append(await reply(to: call).value) }
        return RPCAnswer(httpStatus: 200, body: RPCValue.array(replies).json)
    }

    private mutating func reply(to request: RPCValue) async -> RPCReply {
        switch RPCCall.read(request) {
        case .failure(let refusal): return RPCReply(id: refusal.id, result: .failure(refusal.fault))
        case .success(let call):
            do throws(RPCFault) {
                return RPCReply(id: call.id, result: .success(try await perform(call.method, call.parameters)))
            } catch { return RPCReply(id: call.id, result: .failure(error)) }
        }
    }

    /// Calls a method and returns its serialized result.
    private mutating func perform(_ name: String, _ parameters: [RPCValue]) async throws(RPCFault) -> RPCValue {
        let method = RPCMethod(rawValue: name)
        if method == .multicall { return try await multicall(RPCParameters(parameters)) }
        let rest = method?.needsSecret == false ? parameters : try open(parameters)
        guard let method else { throw .noMethod(name) }
        guard written <= (isAuthorized ? Self.mostBytes : Self.mostBytesUntrusted) else { throw .tooLarge }
        let bytes = try await methods.call(method, RPCParameters(rest)).json
        written += bytes.count
        return .written(bytes)
    }

    private mutating func open(_ parameters: [RPCValue]) throws(RPCFault) -> [RPCValue] {
        guard wrongSecrets < Self.mostWrongSecrets, let rest = secret.open(parameters, isTrusted: isTrusted) else {
            wrongSecrets += 1
            throw .unauthorized
        }
        isAuthorized = true
        return rest
    }

    // MARK: Many calls as one

    private mutating func multicall(_ parameters: RPCParameters) async throws(RPCFault) -> RPCValue {
        var results: [RPCValue] = []
        for item in try parameters.elements(at: 0) {
            do throws(RPCFault) { results.append([try await nested(item)]) } catch { results.append(error.value) }
        }
        return .array(results)
    }

    private mutating func nested(_ item: RPCValue) async throws(RPCFault) -> RPCValue {
        guard let members = item.members else { throw RPCFault("system.multicall expected struct.") }
        guard let name = members["methodName"]?.text else { throw RPCFault("Missing methodName.") }
        guard name != RPCMethod.multicall.rawValue else { throw RPCFault("Recursive system.multicall forbidden.") }
        return try await perform(name, members["params"]?.elements ?? [])
    }
}
