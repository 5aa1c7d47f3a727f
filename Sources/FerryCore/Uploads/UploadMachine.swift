/// Decides the requests of one upload from what the server answers. Sends nothing.
///
/// The content goes out with the request that would be made anyway. A server that can resume says where it keeps the upload;
/// after a cut that upload resource is asked how much it has, and gets the rest
/// (draft-ietf-httpbis-resumable-upload). A server that cannot resume answers as always.
///
/// ```
///   create ──── a final answer ─────────────────────────────→ accept
///   create ──── Upload-Complete: ?0 ────→ append             append ── Upload-Complete: ?1 ──→ accept
///   offset ──── Upload-Offset ──────────→ append             append ── 409 ──→ append or offset
///   offset, append ── 404, 410 ──→ create                    create, offset, append ── cut, 5xx ──→ another attempt: offset
/// ```
package struct UploadMachine: Sendable {
    package enum Step: Hashable, Sendable {
        case send(UploadRequest)
        /// The response is the answer of the resource that the caller named.
        case accept
        case fail(ServiceError)
    }

    /// Answers in one attempt that bring the upload no further, before the attempt ends.
    package static let mostInVain = 16

    package private(set) var facts: UploadFacts
    /// Bytes of the whole content.
    package let length: Int64
    /// The caller's method.
    private let method: String
    private let policy: RedirectPolicy
    /// The request that is made next, or is under way.
    package private(set) var request: UploadRequest
    /// Answers since the last progress.
    private var inVain = 0
    /// Bytes that arrived in this attempt and had arrived before.
    private var sentAgain: Int64 = 0
    private var hasChangedVersion = false

    /// - Parameter facts: what earlier attempts left; facts of another URL do not count.
    package init(_ facts: UploadFacts?, url: String, method: String, length: Int64, policy: RedirectPolicy) {
        let url = (try? HTTPURL(parsing: url))?.withoutUserinfo.string ?? url
        var facts = facts ?? UploadFacts(url: url)
        if facts.url != url { facts = UploadFacts(url: url) }
        facts.clampNumbers()
        // Facts that come from elsewhere may name any URL.
        if let resource = facts.resource, !Self.mayKeep(resource, for: url, policy) { facts.forgetResource() }
        self.facts = facts
        self.length = length
        self.method = method
        self.policy = policy
        request = facts.resource == nil ? .create(until: min(length, facts.mostOfPart ?? length)) : .offset
    }

    private static func mayKeep(_ resource: String, for url: String, _ policy: RedirectPolicy) -> Bool {
        guard let target = try? HTTPURL(parsing: resource), let home = try? HTTPURL(parsing: url) else { return false }
        return (try? RedirectRule.check(target, from: home, policy)) != nil
    }

    /// Whether the server keeps what it gets, so that nothing is lost by a cut.
    package var isResumable: Bool { facts.resource != nil }

    // MARK: The request

    /// Notes that the request goes out: until its end is known the server may get all of its part.
    package mutating func begins() {
        if let part = request.part { facts.reach = max(facts.reach, part.upperBound) }
    }

    /// Notes that the first request is made again, after a redirect or a challenge: what its earlier answer announced is not for
    /// this one.
    package mutating func repeats() {
        if case .create = request { (facts.resource, facts.offset) = (nil, 0) }
    }

    /// Notes how far the content has been sent, whatever request is under way by now.
    package mutating func sent(to position: Int64) { facts.reach = max(facts.reach, min(position, length)) }

    /// Notes how far the content was sent before the request's end.
    ///
    /// - Parameters:
    ///   - position: the end of what was sent; 0 for nothing.
    ///   - before: the most bytes that may have been sent before this request.
    package mutating func ended(at position: Int64, before: Int64) {
        guard let part = request.part else { return }
        facts.reach = max(min(before, facts.reach), min(position, part.upperBound))
    }

    // MARK: Informational responses

    /// Takes in a 104 (Upload Resumption Supported).
    ///
    /// - Parameter position: how far the content has been sent: no more can have arrived.
    /// - Returns: whether the facts are to be recorded before more is sent.
    package mutating func informed(_ head: ResponseHead, from url: HTTPURL, sent position: Int64) -> Bool {
        guard head.status == 104 else { return false }
        let before = facts
        let statement = UploadStatement(head)
        take(statement, from: url)
        if isResumable, let offset = statement.offset, offset > facts.offset, offset <= min(length, position) {
            note(offset)
        }
        return facts.resource != before.resource
    }

    /// Takes in the upload resource's URL, the version and the limits.
    private mutating func take(_ statement: UploadStatement, from url: HTTPURL) {
        if let most = statement.mostOfPart { facts.mostOfPart = most }
        guard case .create = request, facts.resource == nil, let location = statement.location,
            let target = try? url.resolving(location: location),
            // A server may keep uploads anywhere, but not where a redirect would not be followed, nor at the caller's own origin
            // if it is another one: the caller's secrets would go to a place of its choice.
            (try? RedirectRule.check(target, from: url, policy)) != nil,
            target.origin == url.origin || target.origin != (try? HTTPURL(parsing: facts.url))?.origin
        else { return }
        facts.resource = target.withoutUserinfo.withoutFragment.string
        if let version = statement.version { facts.version = version }
    }

    private mutating func note(_ offset: Int64) {
        facts.offset = offset
        if let part = request.part { noteProgress(offset - part.lowerBound, of: part.upperBound - part.lowerBound) }
        facts.frontier = max(facts.frontier, offset)
    }

    /// Keeps the attempt alive if at least half of a part has arrived: one more byte with each answer is no progress. Bytes that
    /// the server has lost count once more in an attempt, and no more often.
    private mutating func noteProgress(_ arrived: Int64, of sent: Int64) {
        guard arrived > 0, arrived >= sent / 2 else { return }
        if facts.offset <= facts.frontier {
            guard sentAgain.addingSaturated(arrived) <= length else { return }
            sentAgain += arrived
        }
        inVain = 0
    }

    // MARK: Answers

    /// Takes in the head of a final response.
    ///
    /// - Parameter url: the URL that was asked, after redirects.
    package mutating func answered(_ head: ResponseHead, from url: HTTPURL) -> Step {
        let statement = UploadStatement(head)
        inVain += 1
        let step = judge(head, statement, from: url)
        if case .send(let next) = step {
            guard inVain <= Self.mostInVain else {
                return .fail(
                    head.error(
                        .badResponse, "The answers of \(head.shownURL) bring the upload no further; try again later."))
            }
            request = next
        }
        // A refusal is final for what was sent: an upload that is whole and refused is no success when it is asked about later.
        if step == .accept, !isSuccess(head) { facts.forgetResource() }
        return step
    }

    private mutating func judge(_ head: ResponseHead, _ statement: UploadStatement, from url: HTTPURL) -> Step {
        if let step = otherVersion(head, statement) { return step }
        if let most = statement.mostOfAll, most < length, !isSuccess(head), statement.isComplete != true {
            return .fail(
                head.error(.tooLarge, "\(head.shownURL) takes at most \(most) bytes, and the upload has \(length)."))
        }
        switch request {
        case .create: return created(head, statement, from: url)
        case .offset: return told(head, statement)
        case .append(_, let end): return appended(head, statement, until: end)
        case .cancel: return .accept
        }
    }

    /// A server that speaks an earlier version alone refuses all others, and says which one it speaks.
    private mutating func otherVersion(_ head: ResponseHead, _ statement: UploadStatement) -> Step? {
        guard case .create = request, head.status == 400, !isResumable, !hasChangedVersion,
            let version = statement.version, version != facts.version
        else { return nil }
        hasChangedVersion = true
        facts.version = version
        return .send(request)
    }

    private mutating func created(_ head: ResponseHead, _ statement: UploadStatement, from url: HTTPURL) -> Step {
        let isWhole = request.part?.upperBound == length
        if statement.isComplete == true, isWhole || !isSuccess(head) { return .accept }
        if isSuccess(head), statement.isComplete == false || !isWhole {
            if statement.isComplete == true { return .fail(lie(head, length)) }
            take(statement, from: url)
            guard isResumable else {
                return .fail(
                    head.error(
                        .badResponse, "\(head.shownURL) took a part of the upload and does not say where the rest goes."
                    ))
            }
            return goOn(head, statement.offset)
        }
        if let step = smallerPart(head, statement) { return step }
        guard isResumable else { return .accept }
        if let step = resumed(head, statement) { return step }
        return .accept
    }

    private mutating func told(_ head: ResponseHead, _ statement: UploadStatement) -> Step {
        if let step = resumed(head, statement) { return step }
        guard isSuccess(head) else { return .fail(head.statusError(.httpStatus, "the upload cannot go on")) }
        if statement.isComplete == true {
            guard statement.offset ?? length == length, facts.reach == length else {
                return .fail(lie(head, statement.offset ?? length))
            }
            note(length)
            // Its answer came to a connection that is gone: this one stands for it.
            return .accept
        }
        guard let offset = statement.offset else {
            return .fail(head.error(.badResponse, "\(head.shownURL) does not say how much of the upload it has."))
        }
        return goOn(head, offset)
    }

    private mutating func appended(_ head: ResponseHead, _ statement: UploadStatement, until end: Int64) -> Step {
        if statement.isComplete == true {
            return end == length || !isSuccess(head) ? .accept : .fail(lie(head, length))
        }
        if isSuccess(head) {
            if end == length, statement.isComplete == nil { return .accept }
            return goOn(head, statement.offset)
        }
        if let step = smallerPart(head, statement) ?? resumed(head, statement) { return step }
        return .accept
    }

    // MARK: -

    private func isSuccess(_ head: ResponseHead) -> Bool { StatusRange.success.contains(head.status) }

    /// Continues where the server has stopped, forward or back.
    private mutating func goOn(_ head: ResponseHead, _ offset: Int64?) -> Step {
        guard let offset else { return .send(.offset) }
        guard offset >= 0, offset <= length, offset <= facts.reach else { return .fail(lie(head, offset)) }
        note(offset)
        return .send(.append(from: offset, until: min(length, offset.addingSaturated(facts.mostOfPart ?? length))))
    }

    /// Sends a part in place of all, where the server takes no more at once.
    private mutating func smallerPart(_ head: ResponseHead, _ statement: UploadStatement) -> Step? {
        guard head.status == 413, let most = statement.mostOfPart, let part = request.part,
            part.upperBound - part.lowerBound > most
        else { return nil }
        facts.mostOfPart = most
        // A refused request may have left a beginning.
        return isResumable ? .send(.offset) : .send(.create(until: most))
    }

    /// Statuses that an upload resource has a meaning for.
    private mutating func resumed(_ head: ResponseHead, _ statement: UploadStatement) -> Step? {
        switch head.status {
        case 404, 410:
            guard request != .create(until: request.part?.upperBound ?? 0) else { return nil }
            return beginAgain(head)
        case 409:
            // The resource that the caller named may have a conflict of its own.
            guard let offset = statement.offset else {
                if case .append = request { return .send(.offset) }
                return nil
            }
            return goOn(head, offset)
        case 408, 425, 429, 500, 502, 503, 504, 520...524:
            return .fail(head.statusError(.serverBusy, "the upload goes on later"))
        default: return nil
        }
    }

    /// Begins again after the upload resource has gone, unless the content may have arrived and must not arrive twice.
    private mutating func beginAgain(_ head: ResponseHead) -> Step {
        guard facts.reach < length || RepetitionRule.mayRepeat(method, wasSent: true) else {
            var error = head.statusError(
                .notFound, "the upload was sent whole before, and \(method) must not be sent twice")
            error.classOverride = .final
            return .fail(error)
        }
        facts.forgetResource()
        facts.restarts += 1
        return .send(.create(until: min(length, facts.mostOfPart ?? length)))
    }

    private func lie(_ head: ResponseHead, _ offset: Int64) -> ServiceError {
        head.error(
            .uploadConflict,
            "\(head.shownURL) claims to have \(offset) bytes of the upload, of which at most \(facts.reach) were sent.")
    }
}
