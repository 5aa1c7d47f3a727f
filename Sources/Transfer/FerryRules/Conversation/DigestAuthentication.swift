package import FerryCore

/// The Digest scheme (RFC 7616) with the hashes that servers use and quality of protection `auth`.
package struct DigestAuthentication: Hashable, Sendable {
    package enum Hash: Sendable { case md5, sha256 }

    /// Computes a digest. FerryCore has no hash functions.
    package typealias Digester = @Sendable (Hash, [UInt8]) -> [UInt8]

    package let hash: Hash
    package let realm: String
    package let nonce: String
    private let opaque: String?
    /// The algorithm as the server spelled it. Nil means MD5.
    private let algorithm: String?
    private let isSession: Bool
    /// False for the older form of RFC 2069, without quality of protection.
    private let hasQuality: Bool
    private let hashesUser: Bool
    /// Whether only the nonce was refused, not the password.
    package let isStale: Bool

    /// Parses an offer. Returns nil if it is not supported.
    package init?(_ offer: AuthenticationOffer) {
        guard offer.scheme == "digest", let nonce = offer.parameters["nonce"] else { return nil }
        algorithm = offer.parameters["algorithm"]
        switch algorithm?.lowercased() {
        case nil, "md5": (hash, isSession) = (.md5, false)
        case "md5-sess": (hash, isSession) = (.md5, true)
        case "sha-256": (hash, isSession) = (.sha256, false)
        case "sha-256-sess": (hash, isSession) = (.sha256, true)
        default: return nil
        }
        if let qualities = offer.parameters["qop"] {
            let words = qualities.lowercased().split(separator: ",").map { String($0).trimmingFieldSpace }
            guard words.contains("auth") else { return nil }
            hasQuality = true
        } else {
            hasQuality = false
        }
        self.nonce = nonce
        realm = offer.realm ?? ""
        opaque = offer.parameters["opaque"]
        hashesUser = offer.parameters["userhash"]?.lowercased() == "true"
        isStale = offer.parameters["stale"]?.lowercased() == "true"
    }

    /// The inputs of one request's proof.
    package struct Proof: Sendable {
        package var method: String
        /// As in the request line.
        package var target: String
        /// Number of requests with this nonce, including this one.
        package var count: Int
        /// The client nonce: unpredictable text.
        package var clientNonce: String

        package init(method: String, target: String, count: Int, clientNonce: String) {
            self.method = method
            self.target = target
            self.count = count
            self.clientNonce = clientNonce
        }
    }

    /// The value of the `Authorization` field of one request.
    package func authorization(_ credentials: Credentials, _ proof: Proof, digester: Digester) -> String {
        func hashed(_ parts: String...) -> String {
            let digits = Array("0123456789abcdef".utf8)
            let hex = digester(hash, Array(parts.joined(separator: ":").utf8)).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            }
            return String(decoding: hex, as: UTF8.self)
        }
        var secret = hashed(credentials.user, realm, credentials.password ?? "")
        if isSession { secret = hashed(secret, nonce, proof.clientNonce) }
        let request = hashed(proof.method, proof.target)
        let digits = String(proof.count, radix: 16)
        let count = String(repeating: "0", count: max(0, 8 - digits.count)) + digits
        let response =
            hasQuality
            ? hashed(secret, nonce, count, proof.clientNonce, "auth", request) : hashed(secret, nonce, request)
        var fields = [userField(credentials.user, hashed: { hashed($0, realm) })]
        fields += ["realm=\(quoted(realm))", "uri=\(quoted(proof.target))"]
        if let algorithm { fields.append("algorithm=\(algorithm)") }
        fields.append("nonce=\(quoted(nonce))")
        if hasQuality { fields += ["nc=\(count)", "cnonce=\(quoted(proof.clientNonce))", "qop=auth"] }
        fields.append("response=\(quoted(response))")
        if let opaque { fields.append("opaque=\(quoted(opaque))") }
        if hashesUser { fields.append("userhash=true") }
        return "Digest " + fields.joined(separator: ", ")
    }

    /// A non-ASCII user name uses the extended notation (RFC 8187).
    private func userField(_ user: String, hashed: (String) -> String) -> String {
        if hashesUser { return "username=\(quoted(hashed(user)))" }
        if user.utf8.allSatisfy({ $0 < 0x80 }) { return "username=\(quoted(user))" }
        let encoded = user.utf8.map { byte in
            byte.isASCIILetter || byte.isASCIIDigit
                ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }
        return "username*=UTF-8''" + encoded.joined()
    }

    private func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars where scalar.value >= 0x20 && scalar.value != 0x7F {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
