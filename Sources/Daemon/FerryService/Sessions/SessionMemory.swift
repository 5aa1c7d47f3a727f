import FerryCore
import FerryEngine
import FerryRules
import Foundation
import Synchronization

/// A session client's answers to challenges, and the cookies set by servers.
///
/// The answers live only in memory, because passwords are never written to disk. The cookies are in the journal.
final class SessionMemory: Sendable {
    /// The protection space to which an answer applies.
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
        /// Number of refused client credentials, per transfer.
        var refusals: [Asker: Int] = [:]
        var cookies: TransferCookies
        var isAttached = false

        /// Whether to ask the client if no answer applies: it is attached, or has given an answer other than the
        /// default handling.
        var mustAsk: Bool {
            isAttached || answers.values.contains { $0 != .performDefault }
                || trust.values.contains { $0 != .performDefault }
        }
    }

    private let clock: any MachineClock
    private let state: Mutex<State>

    init(cookies: TransferCookies, clock: any MachineClock) {
        self.clock = clock
        state = Mutex(State(cookies: cookies))
    }

    /// Whether a process of the client is attached.
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

    /// Stores an answer for every later challenge it applies to.
    func store(_ answer: ChallengeAnswer, to challenge: AuthenticationChallenge) {
        state.withLock { $0.answers[Space(challenge)] = answer }
    }

    func store(_ answer: TrustAnswer, to challenge: TrustChallenge) {
        state.withLock { $0.trust[Server(challenge)] = answer }
    }

    /// Returns the challenge with the number of all refusals of the transfer, including earlier attempts.
    func counting(_ challenge: PendingChallenge, of id: TransferID) -> PendingChallenge {
        guard case .authentication(var authentication) = challenge else { return challenge }
        let asker = Asker(id: id, space: Space(authentication))
        let refusals = state.withLock { $0.refusals[asker] ?? 0 }
        authentication.previousFailures = max(authentication.previousFailures, refusals)
        return .authentication(authentication)
    }

    /// Discards state of a finished transfer.
    func forget(_ id: TransferID) {
        state.withLock { state in
            guard !state.refusals.isEmpty else { return }
            state.refusals = state.refusals.filter { $0.key.id != id }
        }
    }

    // MARK: Cookies

    func cookies(for url: HTTPURL) -> String? { state.withLock { $0.cookies.header(for: url, now: clock.wall) } }

    /// Stores the `Set-Cookie` fields of a response.
    ///
    /// - Returns: The cookies to store, or `nil` if nothing has changed.
    func receive(_ fields: [String], from url: HTTPURL) -> TransferCookies? {
        state.withLock { state in
            let before = state.cookies
            for field in fields {
                state.cookies.store(setCookie: field, from: url, now: clock.wall, suffixes: .system)
            }
            return state.cookies == before ? nil : state.cookies
        }
    }
}

/// Answers a transfer's challenges for a client that may not be attached, from the client's earlier answers.
struct SessionAdvisor: ExchangeAdvisor {
    let id: TransferID
    let memory: SessionMemory
    /// Whether the session's cookies are sent and stored.
    let usesCookies: Bool
    /// Commits the session's cookies to the journal.
    let save: @Sendable (TransferCookies) async -> Void

    func cookies(for url: HTTPURL) async -> String? { usesCookies ? memory.cookies(for: url) : nil }

    func receivedCookies(_ fields: [String], from url: HTTPURL) async {
        if usesCookies, let changed = memory.receive(fields, from: url) { await save(changed) }
    }

    func redirect(_ redirect: ProposedRedirect) async -> RedirectAnswer { .follow }

    func answer(_ challenge: AuthenticationChallenge) async -> ChallengeAnswer { memory.answer(challenge, of: id) }

    func answer(_ challenge: TrustChallenge) async -> TrustAnswer { memory.answer(challenge) }
}
