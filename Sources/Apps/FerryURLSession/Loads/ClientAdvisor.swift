import FerryCore
import FerryRules
import Foundation
import FoundationNetworking

/// The advisor of a task that runs in the app. Answers from the task's delegates, cookies and stored credentials.
final class ClientAdvisor: ExchangeAdvisor {
    private let relay: TaskRelay
    /// False in background sessions, which follow redirects without asking (docs/behaviour/url-session.md#41).
    private let asksAboutRedirects: Bool
    private let jar: CookieJar
    private let credentials: URLCredentialStorage?
    private let request: URLRequest

    init(relay: TaskRelay, configuration: URLSessionConfiguration, request: URLRequest) {
        self.relay = relay
        self.request = request
        asksAboutRedirects = configuration.kind != .background
        jar = CookieJar(configuration, request: request)
        credentials = configuration.urlCredentialStorage
    }

    // MARK: Cookies

    func cookies(for url: HTTPURL) async -> String? { jar.field(for: url.string) }

    func receivedCookies(_ fields: [String], from url: HTTPURL) async { jar.store(fields, from: url.string) }

    // MARK: Redirects

    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer {
        guard let url = URL(string: redirect.url), let response = ResponseMapping.response(redirect.head) else {
            return .follow
        }
        var next = request
        next.url = url
        next.httpMethod = redirect.method
        next.allHTTPHeaderFields = Dictionary(
            redirect.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
        if !redirect.keepsBody {
            next.httpBody = nil
            next.httpBodyStream = nil
        }
        guard asksAboutRedirects else {
            relay.currentRequest(next)
            return .follow
        }
        guard let chosen = await relay.willRedirect(response, to: next) else { return .stay }
        relay.currentRequest(chosen)
        if chosen.url == url, chosen.httpMethod == next.httpMethod,
            chosen.allHTTPHeaderFields == next.allHTTPHeaderFields
        {
            return .follow
        }
        return .followOther(
            url: (chosen.url ?? url).absoluteString, method: chosen.httpMethod ?? redirect.method,
            fields: (chosen.strippingReserved().allHTTPHeaderFields ?? [:]).map { HeaderField(name: $0, value: $1) })
    }

    // MARK: Challenges

    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer {
        let method =
            challenge.scheme == .digest ? NSURLAuthenticationMethodHTTPDigest : NSURLAuthenticationMethodHTTPBasic
        let space = ChallengeMapping.space(challenge, method)
        let stored = await storedCredential(for: space)
        let proposed =
            stored
            ?? challenge.proposed.map { URLCredential(user: $0.user, password: $0.password ?? "", persistence: .none) }
        let (disposition, credential) = await relay.challenge(ChallengeMapping.challenge(challenge, proposed: proposed))
        if disposition == .useCredential, let credential, credential.persistence != .none {
            credentials?.set(credential, for: space)
        }
        return ChallengeMapping.answer(disposition, credential, default: usual(challenge, proposed))
    }

    /// Performs default handling: uses the proposed credential once, then makes the response the result
    /// (docs/behaviour/url-session.md#25).
    private func usual(_ challenge: AuthenticationChallenge, _ proposed: URLCredential?) -> ChallengeAnswer {
        guard challenge.previousFailures == 0, let user = proposed?.user else { return .performDefault }
        return .credentials(Credentials(user: user, password: proposed?.password))
    }

    private func storedCredential(for space: URLProtectionSpace) async -> URLCredential? {
        guard let credentials else { return nil }
        return credentials.defaultCredential(for: space) ?? credentials.credentials(for: space)?.values.first
    }

    func answer(_ challenge: TrustChallenge) async -> TrustAnswer {
        let (disposition, credential) = await relay.challenge(ChallengeMapping.challenge(challenge))
        return ChallengeMapping.trust(disposition, credential)
    }
}
