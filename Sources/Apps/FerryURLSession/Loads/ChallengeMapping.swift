import FerryCore
import FerryRules
import Foundation
package import FoundationNetworking

extension URLAuthenticationChallenge {
    /// Creates the authentication challenge of a 401 response; nil if no offered scheme is supported.
    ///
    /// - Parameter failures: Number of times that the server has rejected credentials.
    package convenience init?(of response: HTTPURLResponse, failures: Int) {
        guard let url = response.url, let host = url.host,
            let field = response.value(forHTTPHeaderField: "WWW-Authenticate"),
            let offer = AuthenticationOffer.all(in: [field]).first
        else { return nil }
        let isSecure = url.scheme?.lowercased() == "https"
        let challenge = AuthenticationChallenge(
            scheme: AuthenticationChallenge.Scheme(rawValue: offer.scheme) ?? .other, realm: offer.realm, host: host,
            port: url.port ?? (isSecure ? 443 : 80), isSecure: isSecure, isProxy: false)
        let method = ChallengeMapping.method(challenge.scheme)
        self.init(
            protectionSpace: ChallengeMapping.space(challenge, method), proposedCredential: nil,
            previousFailureCount: failures, failureResponse: response, error: nil, sender: NoSender())
    }
}

/// Converts the engine's challenges to Foundation's.
enum ChallengeMapping {
    /// Returns the challenge of a 401 or 407 response.
    static func challenge(
        _ challenge: AuthenticationChallenge, proposed: URLCredential?
    ) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: space(challenge, method(challenge.scheme)), proposedCredential: proposed,
            previousFailureCount: challenge.previousFailures,
            failureResponse: challenge.response.flatMap(ResponseMapping.response), error: nil, sender: NoSender())
    }

    static func method(_ scheme: AuthenticationChallenge.Scheme) -> String {
        switch scheme {
        case .basic: NSURLAuthenticationMethodHTTPBasic
        case .digest: NSURLAuthenticationMethodHTTPDigest
        case .other: NSURLAuthenticationMethodDefault
        }
    }

    static func space(_ challenge: AuthenticationChallenge, _ method: String) -> URLProtectionSpace {
        let scheme = challenge.isSecure ? "https" : "http"
        guard challenge.isProxy else {
            return URLProtectionSpace(
                host: challenge.host, port: challenge.port, protocol: scheme, realm: challenge.realm,
                authenticationMethod: method)
        }
        return URLProtectionSpace(
            proxyHost: challenge.host, port: challenge.port,
            type: challenge.isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy,
            realm: challenge.realm, authenticationMethod: method)
    }

    /// Returns the challenge of a server's certificates.
    static func challenge(_ trust: TrustChallenge) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: ServerTrustSpace(trust), proposedCredential: nil, previousFailureCount: 0,
            failureResponse: nil, error: nil, sender: NoSender())
    }

    /// Converts the delegate's answer to the engine's.
    static func answer(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?, default usual: ChallengeAnswer
    ) -> ChallengeAnswer {
        switch disposition {
        case .useCredential:
            guard let user = credential?.user else { return usual }
            return .credentials(Credentials(user: user, password: credential?.password))
        case .performDefaultHandling: return usual
        case .cancelAuthenticationChallenge: return .cancel
        case .rejectProtectionSpace: return .rejectProtectionSpace
        }
    }

    static func trust(
        _ disposition: URLSession.AuthChallengeDisposition, _ credential: URLCredential?
    ) -> TrustAnswer {
        switch disposition {
        case .useCredential: credential?.acceptsServerTrust == true ? .accept : .performDefault
        case .performDefaultHandling: .performDefault
        case .cancelAuthenticationChallenge: .cancel
        case .rejectProtectionSpace: .reject
        }
    }
}

/// A challenge sender that does nothing. Foundation requires one, but a challenge is answered by its completion
/// handler.
final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
