import FerryCore

/// Why a server still responds with 401.
package enum LoginRefusal: Hashable, Sendable {
    /// The credentials were sent and refused.
    case refused
    /// The caller's own `Authorization` field was sent and refused.
    case fieldRefused
    /// There are no credentials for the server.
    case notGiven
    /// There are credentials, but only for this other host, or for this origin of the same host.
    case givenForOtherHost(String)
    /// The credentials were not sent: the server accepts only these authentication schemes, or names none.
    case unsupported([String])

    /// Advice for the user, as the end of a sentence about the 401 response of a host.
    func advice(_ host: String) -> String {
        switch self {
        case .refused: return "the user name or the password for \(host) is wrong"
        case .fieldRefused: return "it refused the Authorization field"
        case .notGiven: return "give a user name and password with -u, or add \(host) to ~/.netrc"
        case .givenForOtherHost(let other):
            return "the password is for \(other) and was not sent; add \(host) to ~/.netrc, or use --location-trusted"
        case .unsupported(let schemes):
            if schemes.isEmpty { return "it names no way to log in, so no password was sent; try --auth-no-challenge" }
            let names = schemes.map(\.escapingControls).joined(separator: ", ")
            return "it accepts only \(names), so no password was sent; give the Authorization field with -H"
        }
    }
}

extension Conversation {
    /// Why the server of the last request responded with 401.
    package func loginRefusal(_ memory: ConversationMemory) -> LoginRefusal {
        let origin = course.url.origin
        if course.given(terms.foreignFields).contains(where: { $0.isNamed("Authorization") }) { return .fieldRefused }
        if memory.wasRefused(origin) { return .refused }
        if course.credentials(terms) != nil { return .unsupported(memory.offeredSchemes(origin)) }
        guard let other = course.credentialsOrigin(terms), other != origin else { return .notGiven }
        return .givenForOtherHost(other.host == origin.host ? other.description : other.host)
    }
}
