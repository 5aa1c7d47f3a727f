import FerryAria2
import FerryCore

/// The secret and the tokens of paired clients. Each of them grants access.
struct GatewayKeys: Sendable {
    /// Empty if the installation is damaged. Then no secret is accepted.
    var secret = ""
    /// Tokens by client id.
    var tokens: [String: String] = [:]

    /// Whether a text is the secret or a token. Compares all of them, so that the time reveals nothing.
    func accept(_ given: String) -> Bool {
        var isRight = !secret.isEmpty && RPCSecret.isSame(given, secret)
        for token in tokens.values where !token.isEmpty && RPCSecret.isSame(given, token) { isRight = true }
        return isRight
    }

    /// Returns the token of an `Authorization: Bearer` field (RFC 6750 §2.1), or `nil` for any other field.
    static func bearer(_ field: String?) -> String? {
        guard let field else { return nil }
        let parts = field.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return String(parts[1].drop { $0 == " " })
    }

    /// Returns 256 random bits in hexadecimal digits.
    static func random(using random: inout some RandomNumberGenerator) -> String {
        (0..<4).map { _ in TransferID(rawValue: random.next()).description }.joined()
    }
}
