package import FerryFoundation

/// Decides what is sent until a head is accepted, and sends nothing.
///
/// The first connection of an attempt, each part of a further worker and each load of an app is one conversation. After a
/// step that sends or asks, it is told what came of it, and answers with the next step.
package struct Conversation: Sendable {
    package enum Step: Sendable {
        /// The response so far is dropped, and once some seconds have passed the request of the course is sent.
        case send(after: Double)
        /// The client says what comes next.
        case ask(Question)
        /// The response is the answer, whatever its status.
        case accept
        /// The conversation has failed.
        ///
        /// - Parameter later: what the server asked for, where it wants to be asked later.
        case fail(ServiceError, later: RetryAfterResponse?)
        /// The attempt ends until its client is there to answer.
        case wait(PendingChallenge, ServiceError)
    }

    package enum Question: Hashable, Sendable {
        case redirect(ProposedRedirect)
        case challenge(AuthenticationChallenge)
    }

    private enum State {
        /// The request of the course is to be made, or is under way.
        case requesting
        /// The client says whether a redirect is followed.
        case redirecting(RequestCourse, RetryAfterResponse?)
        /// The client answers a server's challenge.
        case provingToServer
        /// The client answers a proxy's challenge, which is an error otherwise.
        case provingToProxy(ProxyChoice, AuthenticationChallenge, ServiceError)
    }

    /// Longer pauses before a redirect are left to another attempt, in seconds (docs/behaviour/transfers.md#T5).
    private static let longestPause = 10.0
    /// How often a request is made again because another worker has answered the same challenge.
    private static let mostRenewals = 3
    /// Of a kept connection that is gone there may be many; the second request in its place has a connection of its own.
    private static let mostStale = 2

    package let terms: ConversationTerms
    package private(set) var course: RequestCourse
    /// How many redirects were followed.
    package private(set) var redirects = 0
    private let planned: [HeaderField]
    private let wantsFresh: Bool
    private var state = State.requesting
    private var proxy: ProxyChoice?
    /// What the server had asked for when the request was made.
    private var version = 0
    private var renewals = 0
    private var stale = 0

    /// - Parameters:
    ///   - planned: fields of the request's purpose, which take the place of the caller's.
    ///   - isFresh: whether each request has a connection of its own.
    package init(
        _ terms: ConversationTerms, from course: RequestCourse, planned: [HeaderField] = [], isFresh: Bool = false
    ) {
        self.terms = terms
        self.course = course
        self.planned = planned
        wantsFresh = isFresh
    }

    // MARK: The request

    /// Whether the client is to say which cookies go along: the caller's own field takes their place.
    package var wantsCookies: Bool {
        terms.asksClient && !course.given(terms.foreignFields).contains { $0.isNamed("Cookie") }
    }

    /// The request of the course.
    ///
    /// - Parameter met: the client's cookies for it, where the client keeps them.
    /// - Throws: ``ServiceError`` with code `invalid_request` for a proxy that cannot be used.
    package mutating func request(
        cookies met: String?, _ memory: inout ConversationMemory, _ proofs: ProofSource
    ) throws(ServiceError) -> OutgoingRequest {
        let url = course.url
        proxy = try memory.proxy(for: url, environment: terms.environment)
        version = memory.version(url.origin)
        let given = course.given(terms.foreignFields)
        var fields = OutgoingFields(url, given: given, planned: planned, acceptEncoding: terms.acceptEncoding)
        if let proof = memory.authorization(url, method: course.method, proofs) {
            fields.replace("Authorization", with: proof)
        }
        let own = fields.cookie
        if own == nil || !terms.ownCookieWins {
            let stored = terms.asksClient ? met : memory.cookies.header(for: url)
            let known = terms.cookies.isEmpty ? stored : GivenCookie.field(terms.cookies, for: url, met: stored)
            if let known, !known.isEmpty { fields.replace("Cookie", with: own.map { "\($0); \(known)" } ?? known) }
        }
        return OutgoingRequest(
            url: url, method: course.method, fields: fields.all, proxy: proxy,
            sendsBody: course.sendsBody, isFresh: wantsFresh || stale == Self.mostStale)
    }

    // MARK: What came of it

    /// Takes in that no head came.
    ///
    /// - Parameter wasSent: whether the server may have seen the whole request.
    package mutating func failed(
        _ failure: RequestFailure, _ error: ServiceError, wasSent: Bool, _ memory: inout ConversationMemory
    ) -> Step {
        let mayRepeat = RepetitionRule.mayRepeat(course.method, wasSent: wasSent)
        switch failure {
        case .unusedConnection: return .send(after: 0)
        case .staleConnection where mayRepeat && stale < Self.mostStale:
            stale += 1
            return .send(after: 0)
        case .notOverHTTP2 where mayRepeat: return .send(after: 0)
        case .proxyRefused:
            guard terms.asksClient, let proxy else { break }
            let challenge = memory.challenged(proxy)
            state = .provingToProxy(proxy, challenge, error)
            return .ask(.challenge(challenge))
        case .staleConnection, .notOverHTTP2, .other: break
        }
        return .fail(error, later: nil)
    }

    /// Takes in a head.
    package mutating func received(
        _ head: ResponseHead, _ memory: inout ConversationMemory, now: @autoclosure () -> Date
    ) -> Step {
        stale = 0
        let url = course.url
        if !terms.asksClient {
            for field in head.values("Set-Cookie") { memory.cookies.store(setCookie: field, from: url, now: now()) }
        }
        // What says 407 is no proxy: origins are reached through a tunnel, and get none of a proxy's credentials.
        if head.status == 401 { return challenged(head, &memory) }
        if head.status != 407 { memory.accepted(url.origin) }
        guard let location = head.redirectTarget else { return .accept }
        return redirected(to: location, head, memory, now: now())
    }

    // MARK: Challenges

    private mutating func challenged(_ head: ResponseHead, _ memory: inout ConversationMemory) -> Step {
        let url = course.url
        guard terms.asksClient || !course.given(terms.foreignFields).contains(where: { $0.isNamed("Authorization") })
        else { return .accept }
        if memory.version(url.origin) != version, renewals < Self.mostRenewals {
            renewals += 1
            return .send(after: 0)
        }
        return proving(memory.challenged(head, url, proposed: course.credentials(terms)), &memory)
    }

    private mutating func proving(_ next: Authenticator.Step, _ memory: inout ConversationMemory) -> Step {
        var next = next
        while case .ask(let challenge) = next {
            guard !terms.asksClient else {
                state = .provingToServer
                return .ask(.challenge(challenge))
            }
            next = memory.answered(.performDefault, course.url.origin)
        }
        switch next {
        case .send: return .send(after: 0)
        case .result, .ask: return .accept
        case .cancel:
            return .fail(
                ServiceError(.canceled, "The credentials for \(course.url.host) were not given."), later: nil)
        case .wait(let challenge):
            let pending = PendingChallenge.authentication(challenge)
            return .wait(pending, pending.error)
        }
    }

    /// Takes in the client's answer to a challenge.
    package mutating func answered(_ answer: ChallengeAnswer, _ memory: inout ConversationMemory) -> Step {
        let asked = state
        state = .requesting
        switch asked {
        case .provingToServer: return proving(memory.answered(answer, course.url.origin), &memory)
        case .provingToProxy(let proxy, let challenge, let error):
            switch answer {
            case .credentials(let credentials):
                memory.give(credentials, to: proxy)
                return .send(after: 0)
            case .cancel:
                return .fail(ServiceError(.canceled, "The credentials for the proxy were not given."), later: nil)
            case .wait: return .wait(.authentication(challenge), error)
            case .performDefault, .rejectProtectionSpace: return .fail(error, later: nil)
            }
        case .requesting, .redirecting: return Self.outOfTurn
        }
    }

    // MARK: Redirects

    private mutating func redirected(
        to location: String, _ head: ResponseHead, _ memory: ConversationMemory, now: @autoclosure () -> Date
    ) -> Step {
        let next: RequestCourse
        do throws(ServiceError) {
            next = try course.following(location, status: head.status, terms, memory.cookies)
        } catch {
            return .fail(error, later: nil)
        }
        guard terms.asksClient else { return follow(next, RetryAfterResponse(head), now: now()) }
        state = .redirecting(next, RetryAfterResponse(head))
        return .ask(
            .redirect(
                ProposedRedirect(
                    head: head, url: next.url.string, method: next.method, fields: next.given(terms.foreignFields),
                    keepsBody: next.sendsBody)))
    }

    /// Takes in the client's answer to a redirect.
    package mutating func answered(_ answer: RedirectAnswer, now: @autoclosure () -> Date) -> Step {
        guard case .redirecting(let next, let later) = state else { return Self.outOfTurn }
        state = .requesting
        switch answer {
        case .follow: return follow(next, later, now: now())
        case .stay: return .accept
        case .cancel: return .fail(ServiceError(.canceled, "A redirect was turned down."), later: nil)
        case .followOther(let url, let method, let fields):
            do throws(ServiceError) {
                let other = try HTTPURL(parsing: url)
                return follow(next.replaced(by: other, method: method, fields: fields), later, now: now())
            } catch {
                return .fail(error, later: nil)
            }
        }
    }

    private mutating func follow(_ next: RequestCourse, _ later: RetryAfterResponse?, now: @autoclosure () -> Date)
        -> Step
    {
        let asked = later.flatMap { RetryAfter(parsing: $0.value, now: now()) }?.seconds ?? 0
        if asked > Self.longestPause, terms.comesBack {
            return .fail(ServiceError(.serverBusy, "The server asked to follow its redirect later."), later: later)
        }
        course = next
        redirects += 1
        return .send(after: min(asked, Self.longestPause))
    }

    private static var outOfTurn: Step {
        .fail(ServiceError(.internal, "An answer came to a question that was not asked."), later: nil)
    }
}

/// What a server said that wants to be asked later.
package struct RetryAfterResponse: Hashable, Sendable {
    /// Its `Retry-After`.
    package let value: String
    package let origin: Origin

    /// What an answer says; nil if it asks for no time.
    package init?(_ head: ResponseHead) {
        guard let value = head.retryAfter else { return nil }
        self.value = value
        origin = head.origin
    }
}
