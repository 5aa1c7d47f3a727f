import FerryCore
import Foundation
import Synchronization

/// What a session's client has answered to challenges, and the cookies that servers have set.
///
/// The answers live as long as the process, since passwords are never written to disk; the cookies are in the journal.
final class SessionMemory: Sendable {
    /// Where an answer fits.
    private struct Space: Hashable {
        let scheme: AuthenticationChallenge.Scheme
        let realm: String?
        let host: String
        let port: Int
        let isProxy: Bool

        init(_ challenge: AuthenticationChallenge) {
            scheme = challenge.scheme
            realm = challenge.realm
            host = challenge.host
            port = challenge.port
            isProxy = challenge.isProxy
        }
    }

    private struct Server: Hashable {
        let host: String
        let port: Int
        let certificates: [Data]

        init(_ challenge: TrustChallenge) {
            host = challenge.host
            port = challenge.port
            certificates = challenge.certificates
        }
    }

    private struct Asker: Hashable {
        let id: TransferID
        let space: Space
    }

    private struct State {
        var answers: [Space: ChallengeAnswer] = [:]
        var trust: [Server: TrustAnswer] = [:]
        /// How often the client's credentials were refused, for each transfer.
        var refusals: [Asker: Int] = [:]
        var cookies: TransferCookies
        var isAttached = false

        /// What is done where no answer fits: the client is asked if it is there, or if it once wanted more than the default.
        var mustAsk: Bool {
            isAttached || answers.values.contains { $0 != .performDefault }
                || trust.values.contains { $0 != .performDefault }
        }
    }

    private let state: Mutex<State>

    init(cookies: TransferCookies) { state = Mutex(State(cookies: cookies)) }

    /// Whether a process of the client is there to answer.
    var isAttached: Bool {
        get { state.withLock { $0.isAttached } }
        set { state.withLock { $0.isAttached = newValue } }
    }

    // MARK: Challenges

    func answer(_ challenge: AuthenticationChallenge, of id: TransferID) -> ChallengeAnswer {
        state.withLock { state in
            let space = Space(challenge)
            let stored = state.answers[space]
            if case .credentials = stored, challenge.previousFailures > 0 {
                state.refusals[Asker(id: id, space: space), default: 0] += 1
                return .wait
            }
            return stored ?? (state.mustAsk ? .wait : .performDefault)
        }
    }

    func answer(_ challenge: TrustChallenge) -> TrustAnswer {
        state.withLock { state in
            state.trust[Server(challenge)] ?? (state.mustAsk ? .wait : .performDefault)
        }
    }

    /// Keeps an answer for every later challenge that it fits.
    func store(_ answer: ChallengeAnswer, to challenge: AuthenticationChallenge) {
        state.withLock { $0.answers[Space(challenge)] = answer }
    }

    func store(_ answer: TrustAnswer, to challenge: TrustChallenge) {
        state.withLock { $0.trust[Server(challenge)] = answer }
    }

    /// The challenge with the count of all refusals that the transfer has met, including refusals in earlier attempts.
    func counting(_ challenge: PendingChallenge, of id: TransferID) -> PendingChallenge {
        guard case .authentication(var authentication) = challenge else { return challenge }
        let asker = Asker(id: id, space: Space(authentication))
        let refusals = state.withLock { $0.refusals[asker] ?? 0 }
        authentication.previousFailures = max(authentication.previousFailures, refusals)
        return .authentication(authentication)
    }

    /// Forgets what concerns a transfer that has ended.
    func forget(_ id: TransferID) {
        state.withLock { state in
            guard !state.refusals.isEmpty else { return }
            state.refusals = state.refusals.filter { $0.key.id != id }
        }
    }

    // MARK: Cookies

    func cookies(for url: HTTPURL) -> String? { state.withLock { $0.cookies.header(for: url, now: Date()) } }

    /// Takes in the `Set-Cookie` fields of a response.
    ///
    /// - Returns: the cookies to be stored; nil if nothing has changed.
    func receive(_ fields: [String], from url: HTTPURL) -> TransferCookies? {
        state.withLock { state in
            let before = state.cookies
            for field in fields { state.cookies.store(setCookie: field, from: url, now: Date()) }
            return state.cookies == before ? nil : state.cookies
        }
    }
}

/// Answers for one transfer of a client that may not be there: by what its session's client has answered before.
struct SessionAdvisor: ExchangeAdvisor {
    let id: TransferID
    let memory: SessionMemory
    /// Makes the session's cookies durable.
    let save: @Sendable (TransferCookies) async -> Void

    func cookies(for url: HTTPURL) async -> String? { memory.cookies(for: url) }

    func receivedCookies(_ fields: [String], from url: HTTPURL) async {
        if let changed = memory.receive(fields, from: url) { await save(changed) }
    }

    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer { .follow }

    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer { memory.answer(challenge, of: id) }

    func answer(_ challenge: TrustChallenge) async -> TrustAnswer { memory.answer(challenge) }
}
