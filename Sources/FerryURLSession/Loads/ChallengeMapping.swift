import FerryCore
import Foundation
import FoundationNetworking

/// Turns the engine's challenges into Foundation's.
enum ChallengeMapping {
    /// A 401 or 407 as a challenge.
    static func challenge(
        _ challenge: AuthenticationChallenge, proposed: URLCredential?
    ) -> URLAuthenticationChallenge {
        let method =
            switch challenge.scheme {
            case .basic: NSURLAuthenticationMethodHTTPBasic
            case .digest: NSURLAuthenticationMethodHTTPDigest
            case .other: NSURLAuthenticationMethodDefault
            }
        return URLAuthenticationChallenge(
            protectionSpace: space(challenge, method), proposedCredential: proposed,
            previousFailureCount: challenge.previousFailures,
            failureResponse: challenge.response.flatMap(ResponseMapping.response), error: nil, sender: NoSender())
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

    /// A server's certificates as a challenge.
    static func challenge(_ trust: TrustChallenge) -> URLAuthenticationChallenge {
        URLAuthenticationChallenge(
            protectionSpace: ServerTrustSpace(trust), proposedCredential: nil, previousFailureCount: 0,
            failureResponse: nil, error: nil, sender: NoSender())
    }

    /// The delegate's answer in the engine's terms.
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

/// A challenge is answered by its completion handler; the sender that Foundation wants has nothing to do.
final class NoSender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
    func performDefaultHandling(for challenge: URLAuthenticationChallenge) {}
    func rejectProtectionSpaceAndContinue(with challenge: URLAuthenticationChallenge) {}
}
