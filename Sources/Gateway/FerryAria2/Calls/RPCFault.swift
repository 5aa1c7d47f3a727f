import FerryCore

/// An error with the code and message that aria2's clients expect. Clients compare some of the messages.
struct RPCFault: Error, Hashable {
    let code: Int
    let message: String

    init(code: Int, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates an error specific to a method.
    init(_ message: String) { self.init(code: 1, message) }

    /// Creates an error from one of the service.
    init(_ error: ServiceError) { self.init(error.message) }

    /// The HTTP status of a response that consists of this error.
    var httpStatus: Int {
        switch code {
        case -32700, -32602: 500
        default: 400
        }
    }

    var value: RPCValue { ["code": .integer(code), "message": .string(message)] }
}

// MARK: The envelope

extension RPCFault {
    static let parseError = RPCFault(code: -32700, "Parse error.")
    static let invalidRequest = RPCFault(code: -32600, "Invalid Request.")
    static let invalidParameters = RPCFault(code: -32602, "Invalid params.")
    static let unauthorized = RPCFault("Unauthorized")

    static func noMethod(_ name: String) -> RPCFault { RPCFault("No such method: \(name)") }
}

// MARK: Parameters

extension RPCFault {
    static func wrongType(at index: Int) -> RPCFault { RPCFault("The parameter at \(index) has wrong type.") }
    static func missing(at index: Int) -> RPCFault { RPCFault("The parameter at \(index) is required but missing.") }
    static func below(_ least: Int, at index: Int) -> RPCFault {
        RPCFault(
            "The integer parameter at \(index) has invalid value: the value must be greater than or equal to \(least).")
    }
    static func option(_ name: String) -> RPCFault {
        RPCFault("We encountered a problem while processing the option '--\(name)'.")
    }
    static let noURI = RPCFault("URI is not provided.")
    static let negativePosition = RPCFault("Position must be greater than or equal to 0.")
    static let tooLarge = RPCFault("The response is too large; request less at once.")
}

// MARK: Transfers

extension RPCFault {
    static func invalidGID(_ gid: String) -> RPCFault { RPCFault("Invalid GID \(gid)") }
    static func notFound(_ gid: String) -> RPCFault { RPCFault("GID \(gid) is not found") }
    static func notUnique(_ gid: String) -> RPCFault { RPCFault("GID \(gid) is not unique") }
    static func cannotPause(_ gid: String) -> RPCFault { RPCFault("GID#\(gid) cannot be paused now") }
    static func cannotUnpause(_ gid: String) -> RPCFault { RPCFault("GID#\(gid) cannot be unpaused now") }
    static func notActive(_ gid: String) -> RPCFault { RPCFault("Active Download not found for GID#\(gid)") }
    static func noServers(_ gid: String) -> RPCFault { RPCFault("No active download for GID#\(gid)") }
    static func notWaiting(_ gid: String) -> RPCFault { RPCFault("GID#\(gid) not found in the waiting queue.") }
    static func keepsResult(_ gid: String) -> RPCFault { RPCFault("Could not remove download result of GID#\(gid)") }
    static func cannotChange(_ gid: String) -> RPCFault { RPCFault("Cannot change option for GID#\(gid)") }
    static func keepsURIs(_ gid: String) -> RPCFault { RPCFault("Cannot remove URIs from GID#\(gid)") }
    static let fileIndex = RPCFault("fileIndex is out of range")
}

/// Calls the service and converts its error to an ``RPCFault``.
func asking<Result>(
    _ body: () async throws(ServiceError) -> Result
) async throws(RPCFault) -> Result {
    do throws(ServiceError) { return try await body() } catch { throw RPCFault(error) }
}
