import Testing

/// The ways in which a service is reached; every behaviour is the same over all of them.
enum ServiceKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess = "in process"
    case overSocket = "over the socket"

    var testDescription: String { rawValue }
}
