/// The secret required of clients. A service without a secret must say so with ``notAsked``, so that an unreadable
/// secret never admits everyone.
package enum RPCSecret: Sendable {
    /// The secret that clients send as `token:`.
    case asked(String)
    /// Any secret that the closure accepts.
    case oneOf(@Sendable (String) -> Bool)
    /// No secret: every client is admitted.
    case notAsked

    private static let mark = "token:"

    /// Checks the secret and removes it from the parameters.
    ///
    /// - Returns: The remaining parameters, or `nil` if the secret is wrong or missing.
    func open(_ parameters: [RPCValue], isTrusted: Bool) -> [RPCValue]? {
        guard let token = Self.token(of: parameters) else { return isTrusted || !isAsked ? parameters : nil }
        guard isTrusted || isRight(token) else { return nil }
        return Array(parameters.dropFirst())
    }

    private var isAsked: Bool {
        switch self {
        case .asked, .oneOf: true
        case .notAsked: false
        }
    }

    private func isRight(_ token: String) -> Bool {
        switch self {
        // An empty secret indicates a damaged configuration, so no token matches it.
        case .asked(let secret): !secret.isEmpty && Self.isSame(token, secret)
        case .oneOf(let accepts): accepts(token)
        case .notAsked: true
        }
    }

    private static func token(of parameters: [RPCValue]) -> String? {
        guard let text = parameters.first?.text, text.utf8.starts(with: mark.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(mark.utf8.count), as: UTF8.self)
    }

    /// Whether two strings have the same bytes. The comparison's time depends only on the length of `given`.
    package static func isSame(_ given: String, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        var difference = given.count ^ secret.count
        for (place, byte) in given.enumerated() {
            difference |= Int(byte ^ (secret.isEmpty ? 0 : secret[place % secret.count]))
        }
        return difference == 0
    }
}
