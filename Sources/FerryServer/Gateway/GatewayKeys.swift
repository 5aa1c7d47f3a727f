import FerryAria2
import FerryCore

/// The secret and the tokens of paired clients: each lets a client in.
struct GatewayKeys: Sendable {
    /// Empty if the installation is damaged: then nothing is right.
    var secret = ""
    /// Tokens by the ids of their clients.
    var tokens: [String: String] = [:]

    /// Whether a text is the secret or a token. All of them are compared, so that the time tells nothing.
    func accept(_ given: String) -> Bool {
        var isRight = !secret.isEmpty && RPCSecret.isSame(given, secret)
        for token in tokens.values where !token.isEmpty && RPCSecret.isSame(given, token) { isRight = true }
        return isRight
    }

    /// The token of a field `Authorization: Bearer` (RFC 6750 §2.1); nil for another one.
    static func bearer(_ field: String?) -> String? {
        guard let field else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }

    /// 256 random bits in hexadecimal digits.
    static func random(using random: inout some RandomNumberGenerator) -> String {
        (0..<4).map { _ in TransferID(rawValue: random.next()).description }.joined()
    }
}
