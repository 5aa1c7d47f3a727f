package import FerryCore

extension RPCEndpoint {
    /// The endpoint's dependencies and settings.
    package struct Configuration: Sendable {
        package let service: any SessionService
        /// Returns the secret required of clients. Called for each message.
        package let secret: @Sendable () -> RPCSecret
        /// Returns the absolute path of the default folder, used without `dir`.
        package let folder: @Sendable () -> String
        /// The session of new transfers. Clients see its transfers.
        package var session: SessionID = Self.usualSession
        /// Whether clients see the transfers of all sessions.
        package var showsAll: @Sendable () -> Bool = { false }
        /// Identifies this run of the program to clients: 40 hexadecimal digits.
        package var sessionIdentifier: String
        /// Shuts the program down, at once if forced. `nil` if clients may not do this.
        package var shutdown: (@Sendable (_ isForced: Bool) -> Void)?
        /// Checks a folder that a client sets as a default or for its session file.
        package var checkFolder: @Sendable (_ path: String) throws(ServiceError) -> Void = { _ in }
        /// Writes a session file at an absolute path. `nil` if clients may not do this.
        package var saveSession: (@Sendable (_ path: String, _ text: String) async throws(ServiceError) -> Void)?
        /// Current values of the program's own options, such as `rpc-listen-port`.
        package var programOptions: @Sendable () -> [String: String] = { [:] }
        /// Writes a line to the log. Lines contain no secrets.
        package var log: @Sendable (String) -> Void = { _ in }

        package static let usualSession: SessionID = (try? SessionID("aria2")) ?? .cli

        package init(
            service: any SessionService, folder: @autoclosure @escaping @Sendable () -> String,
            secret: @escaping @Sendable () -> RPCSecret
        ) {
            self.service = service
            self.folder = folder
            self.secret = secret
            var random = SystemRandomNumberGenerator()
            sessionIdentifier = Self.identifier(using: &random)
        }

        /// Returns 20 random bytes as hexadecimal digits.
        package static func identifier(using random: inout some RandomNumberGenerator) -> String {
            (0..<20).map { _ in UInt8.random(in: 0 ... .max, using: &random) }.hexDigits
        }
    }
}
