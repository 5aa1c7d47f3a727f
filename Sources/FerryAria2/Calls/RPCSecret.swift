/// The secret that clients show. That none is asked for is said in words, so that a secret which cannot be read never means it.
package enum RPCSecret: Sendable {
    /// What clients give as `token:`.
    case asked(String)
    /// Of several, one that a closure takes.
    case oneOf(@Sendable (String) -> Bool)
    /// Every client is let in.
    case notAsked

    private static let mark = "token:"

    /// Takes the secret off the parameters.
    ///
    /// - Returns: nil if it is wrong or missing.
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
        // An empty secret is a damaged one: no token is right.
        case .asked(let secret): !secret.isEmpty && Self.isSame(token, secret)
        case .oneOf(let accepts): accepts(token)
        case .notAsked: true
        }
    }

    private static func token(of parameters: [RPCValue]) -> String? {
        guard let text = parameters.first?.text, text.utf8.starts(with: mark.utf8) else { return nil }
        return String(decoding: text.utf8.dropFirst(mark.utf8.count), as: UTF8.self)
    }

    /// Whether two texts have the same bytes; how long this takes depends on the first one's length alone.
    package static func isSame(_ given: String, _ secret: String) -> Bool {
        let (given, secret) = (Array(given.utf8), Array(secret.utf8))
        var difference = given.count ^ secret.count
        for (place, byte) in given.enumerated() {
            difference |= Int(byte ^ (secret.isEmpty ? 0 : secret[place % secret.count]))
        }
        return difference == 0
    }
}
