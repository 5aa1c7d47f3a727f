package import FerryCore

extension RPCEndpoint {
    /// What an endpoint works with.
    package struct Configuration: Sendable {
        package let service: any SessionService
        /// What clients have to show, looked up with each message.
        package let secret: @Sendable () -> RPCSecret
        /// Absolute path of the folder that files go to without a `dir`.
        package let folder: @Sendable () -> String
        /// The session of new transfers, and the one that clients see.
        package var session: SessionID = Self.usualSession
        /// Whether clients see the transfers of all sessions.
        package var showsAll: @Sendable () -> Bool = { false }
        /// Names this start of the program to clients: 40 hexadecimal digits.
        package var sessionIdentifier: String
        /// Ends the program, at once if forced; nil where that is not up to a client.
        package var shutdown: (@Sendable (_ isForced: Bool) -> Void)?
        /// Writes the file that a client's session is saved to; nil: there is none.
        package var saveSession: (@Sendable () async throws(ServiceError) -> Void)?
        /// Values in force of the program's own options, such as `rpc-listen-port`.
        package var programOptions: @Sendable () -> [String: String] = { [:] }
        /// Takes a line for the log, without secrets.
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

        /// 20 random bytes in hexadecimal digits.
        package static func identifier(using random: inout some RandomNumberGenerator) -> String {
            (0..<40).map { _ in String(Int.random(in: 0..<16, using: &random), radix: 16) }.joined()
        }
    }
}
