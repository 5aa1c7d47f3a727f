import Testing

/// The ways to reach a service. Its behavior is the same in each of them.
enum ServiceKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case inProcess = "in process"
    case overSocket = "over the socket"

    var testDescription: String { rawValue }
}
