package import FerryCore
package import FerryFoundation

/// Decides which requests are sent until a response head is accepted. Does no I/O.
///
/// The first connection of an attempt, each part fetched by a further worker and each load of an app is one
/// conversation. The caller performs each step and passes its outcome, and gets the next step.
package struct Conversation: Sendable {
    package enum Step: Sendable {
        /// Drops the response and sends the request again after a delay in seconds.
        case send(after: Double)
        /// Asks the client what to do.
        case ask(Question)
        /// Accepts the response, whatever its status.
        case accept
        /// The conversation has failed.
        ///
        /// - Parameter later: The server's `Retry-After`, if it sent one.
        case fail(ServiceError, later: RetryAfterResponse?)
        /// The attempt ends until the client is available to answer.
        case wait(PendingChallenge, ServiceError)
    }

    package enum Question: Hashable, Sendable {
        case redirect(ProposedRedirect)
        case challenge(AuthenticationChallenge)
    }

    private enum State {
        /// A request is about to be made, or in flight.
        case requesting
        /// The client decides whether to follow a redirect.
        case redirecting(RequestCourse, RetryAfterResponse?)
        /// The client answers the server's challenge.
        case provingToServer
        /// The client answers the proxy's challenge. Without an answer the error applies.
        case provingToProxy(ProxyChoice, AuthenticationChallenge, ServiceError)
    }

    /// Longest delay before a redirect is followed, in seconds. Longer ones are left to the next attempt
    /// (docs/behaviour/transfers.md#T5).
    private static let longestPause = 10.0
    /// Maximum number of requests repeated because another worker has answered the same challenge.
    private static let mostRenewals = 3
    /// Maximum number of stale connections in a row. The second replacement request uses a new connection.
    private static let mostStale = 2
    /// Maximum number of requests repeated because an address did not respond.
    private static let mostOtherAddresses = 2

    package let terms: ConversationTerms
    package private(set) var course: RequestCourse
    /// Number of redirects followed.
    package private(set) var redirects = 0
    private let planned: [HeaderField]
    private let wantsFresh: Bool
    private var state = State.requesting
    private var proxy: ProxyChoice?
    /// Version of the server's authenticator when the request was made.
    private var version = 0
    private var renewals = 0
    private var stale = 0
    private var otherAddresses = 0

    /// - Parameters:
    ///   - planned: Fields that the request's purpose needs. They replace the caller's.
    ///   - isFresh: Whether each request uses a new connection.
    package init(
        _ terms: ConversationTerms, from course: RequestCourse, planned: [HeaderField] = [], isFresh: Bool = false
    ) {
        self.terms = terms
        self.course = course
        self.planned = planned
        wantsFresh = isFresh
    }

    // MARK: The request

    /// Whether the client is asked for cookies. The caller's own `Cookie` field replaces them.
    package var wantsCookies: Bool {
        terms.asksClient && !course.given(terms.foreignFields).contains { $0.isNamed("Cookie") }
    }

    /// The next request.
    ///
    /// - Parameter met: Cookies of the client's storage for it, if the client stores cookies.
    /// - Throws: ``ServiceError`` with code `invalid_request` for an unusable proxy.
    package mutating func request(
        cookies met: String?, _ memory: inout ConversationMemory, _ proofs: ProofSource
    ) throws(ServiceError) -> OutgoingRequest {
        let url = course.url
        proxy = try memory.proxy(for: url, environment: terms.environment)
        version = memory.version(url.origin)
        let given = course.given(terms.foreignFields)
        var fields = OutgoingFields(url, given: given, planned: planned, acceptEncoding: terms.acceptEncoding)
        if terms.login.isPreemptive, url.isSecure, !given.contains(where: { $0.isNamed("Authorization") }),
            let credentials = course.ownCredentials(terms)
        {
            memory.presume(credentials, url.origin)
        }
        if let proof = memory.authorization(url, method: course.method, proofs) {
            fields.replace("Authorization", with: proof)
        }
        let own = fields.cookie
        if own == nil || !terms.ownCookieWins {
            let stored = terms.asksClient ? met : memory.cookies.header(for: url)
            let cookies = terms.login.cookies
            let known = cookies.isEmpty ? stored : GivenCookie.field(cookies, for: url, met: stored)
            if let known, !known.isEmpty { fields.replace("Cookie", with: own.map { "\($0); \(known)" } ?? known) }
        }
        return OutgoingRequest(
            url: url, method: course.method, fields: fields.all, proxy: proxy,
            sendsBody: course.sendsBody, isFresh: wantsFresh || stale == Self.mostStale || otherAddresses > 0)
    }

    // MARK: Outcomes

    /// Processes a request that got no response head.
    ///
    /// - Parameter wasSent: Whether the server may have received the whole request.
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
        case .silentAddress where mayRepeat && otherAddresses < Self.mostOtherAddresses:
            otherAddresses += 1
            return .send(after: 0)
        case .proxyRefused:
            guard terms.asksClient, let proxy else { break }
            let challenge = memory.challenged(proxy)
            state = .provingToProxy(proxy, challenge, error)
            return .ask(.challenge(challenge))
        case .staleConnection, .notOverHTTP2, .silentAddress, .other: break
        }
        return .fail(error, later: nil)
    }

    /// Processes a response head.
    package mutating func received(
        _ head: ResponseHead, _ memory: inout ConversationMemory, now: @autoclosure () -> Date
    ) -> Step {
        stale = 0
        let url = course.url
        if !terms.asksClient {
            for field in head.values("Set-Cookie") {
                memory.cookies.store(setCookie: field, from: url, now: now(), suffixes: terms.suffixes)
            }
        }
        // Only 401 counts: origins are reached through a tunnel, so an origin that sends 407 gets no proxy credentials.
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

    /// Processes the client's answer to a challenge.
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

    /// Processes the client's answer to a redirect.
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
        if asked > Self.longestPause, terms.allowsLaterAttempt {
            return .fail(ServiceError(.serverBusy, "The server asked to follow its redirect later."), later: later)
        }
        course = next
        redirects += 1
        return .send(after: min(asked, Self.longestPause))
    }

    private static var outOfTurn: Step {
        .fail(ServiceError(.internal, "An answer arrived without a question."), later: nil)
    }
}

/// A server's request to come back later.
package struct RetryAfterResponse: Hashable, Sendable {
    /// The `Retry-After` value.
    package let value: String
    package let origin: Origin

    /// Returns nil for a response without `Retry-After`.
    package init?(_ head: ResponseHead) {
        guard let value = head.retryAfter else { return nil }
        self.value = value
        origin = head.origin
    }
}
