/// Finds the secrets of a request.
package enum SecretParts {
    /// Parts of the names of secret fields, such as `Authorization`, `Cookie`, `X-Api-Key`, `Private-Token`.
    private static let words = [
        "auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    package static func isSecret(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return words.contains { name.contains($0) }
    }

    /// The value of a proxy variable without user name and password.
    package static func withoutUserinfo(_ variable: String) -> String {
        let start = variable.firstRange(of: "://")?.upperBound ?? variable.startIndex
        let end = variable[start...].firstIndex { "/?#".contains($0) } ?? variable.endIndex
        guard let mark = variable[start..<end].lastIndex(of: "@") else { return variable }
        return String(variable[..<start] + variable[variable.index(after: mark)...])
    }
}

extension TransferRequest {
    /// Whether it contains secrets.
    package var hasSecrets: Bool {
        !login.isEmpty || headers.contains(where: SecretParts.isSecret)
            || transport.proxyEnvironment?.values.contains { SecretParts.withoutUserinfo($0) != $0 } == true
    }

    /// Removes the secrets and records that they are missing.
    ///
    /// URL, body and the client's note stay.
    package mutating func forgetSecrets() {
        guard hasSecrets else { return }
        headers.removeAll(where: SecretParts.isSecret)
        (login.cookies, login.logins) = ([], [])
        transport.proxyEnvironment = transport.proxyEnvironment?.mapValues(SecretParts.withoutUserinfo)
        secretsForgotten = true
    }
}
