package import FerryCore

/// Decides the requests of one upload from the server's responses. Sends nothing.
///
/// The content is sent with the caller's own request. A server that supports resuming returns an upload resource. After
/// a lost connection that resource is asked for its offset and gets the remaining bytes
/// (draft-ietf-httpbis-resumable-upload). Other servers respond as usual.
///
/// ```
///   create ──── a final response ───────────────────────────→ accept
///   create ──── Upload-Complete: ?0 ────→ append             append ── Upload-Complete: ?1 ──→ accept
///   offset ──── Upload-Offset ──────────→ append             append ── 409 ──→ append or offset
///   offset, append ── 404, 410 ──→ create                    create, offset, append ── lost, 5xx ─→ another attempt: offset
/// ```
package struct UploadMachine: Sendable {
    package enum Step: Hashable, Sendable {
        case send(UploadRequest)
        /// The response is that of the caller's resource.
        case accept
        case fail(ServiceError)
    }

    /// Maximum number of responses without progress per attempt.
    package static let mostWithoutProgress = 16

    package private(set) var facts: UploadFacts
    /// Length of the whole content in bytes.
    package let length: Int64
    /// The caller's method.
    private let method: String
    private let policy: RedirectPolicy
    /// The next or current request.
    package private(set) var request: UploadRequest
    /// Responses since the last progress.
    private var withoutProgress = 0
    /// Bytes received by the server again in this attempt.
    private var sentAgain: Int64 = 0
    private var hasChangedVersion = false

    /// - Parameter facts: State of earlier attempts. Ignored if it belongs to another URL.
    package init(_ facts: UploadFacts?, url: String, method: String, length: Int64, policy: RedirectPolicy) {
        let url = (try? HTTPURL(parsing: url))?.withoutUserinfo.string ?? url
        var facts = facts ?? UploadFacts(url: url)
        if facts.url != url { facts = UploadFacts(url: url) }
        facts.clampNumbers()
        // Facts from elsewhere may name any URL.
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

    /// Whether the server stores received bytes, so that a lost connection loses none.
    package var isResumable: Bool { facts.resource != nil }

    // MARK: The request

    /// Records that the request is being sent: until it ends the server may receive its whole part.
    package mutating func begins() {
        if let part = request.part { facts.reach = max(facts.reach, part.upperBound) }
    }

    /// Records that the first request is repeated after a redirect or a challenge. Announcements of the previous
    /// response do not apply.
    package mutating func repeats() {
        if case .create = request { (facts.resource, facts.offset) = (nil, 0) }
    }

    /// Records the sent position, whichever request is current.
    package mutating func sent(to position: Int64) { facts.reach = max(facts.reach, min(position, length)) }

    /// Records the position sent when the request ended.
    ///
    /// - Parameters:
    ///   - position: End of the sent bytes, or 0.
    ///   - before: The largest position sent before this request.
    package mutating func ended(at position: Int64, before: Int64) {
        guard let part = request.part else { return }
        facts.reach = max(min(before, facts.reach), min(position, part.upperBound))
    }

    // MARK: Informational responses

    /// Processes a 104 (Upload Resumption Supported).
    ///
    /// - Parameter position: The sent position, an upper bound of the server's offset.
    /// - Returns: Whether to record the facts before sending more.
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

    /// Adopts the upload resource's URL, the version and the limits.
    private mutating func take(_ statement: UploadStatement, from url: HTTPURL) {
        if let most = statement.mostOfPart { facts.mostOfPart = most }
        guard case .create = request, facts.resource == nil, let location = statement.location,
            let target = try? url.resolving(location: location),
            // The upload resource must be a permitted redirect target, and not at the caller's own origin if the
            // response came from another one: the caller's secrets would be sent to a place of that server's choice.
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

    /// Keeps the attempt alive if at least half of a part has arrived. Single bytes are no progress. Bytes that the
    /// server has lost count again once per attempt.
    private mutating func noteProgress(_ arrived: Int64, of sent: Int64) {
        guard arrived > 0, arrived >= sent / 2 else { return }
        if facts.offset <= facts.frontier {
            guard sentAgain.addingSaturated(arrived) <= length else { return }
            sentAgain += arrived
        }
        withoutProgress = 0
    }

    // MARK: Answers

    /// Processes the head of a final response.
    ///
    /// - Parameter url: The requested URL, after redirects.
    package mutating func answered(_ head: ResponseHead, from url: HTTPURL) -> Step {
        let statement = UploadStatement(head)
        withoutProgress += 1
        let step = judge(head, statement, from: url)
        if case .send(let next) = step {
            guard withoutProgress <= Self.mostWithoutProgress else {
                return .fail(
                    head.error(
                        .badResponse, "The upload to \(head.shownURL) makes no progress; try again later."))
            }
            request = next
        }
        // A refusal is final for the sent content: a complete but refused upload must not count as a success when its
        // resource is asked later.
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

    /// A server that supports only an earlier version refuses others and states its own.
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
                        .badResponse,
                        "\(head.shownURL) accepted a part of the upload without saying where to send the rest."
                    ))
            }
            return resume(head, statement.offset)
        }
        if let step = smallerPart(head, statement) { return step }
        guard isResumable else { return .accept }
        if let step = resumed(head, statement) { return step }
        return .accept
    }

    private mutating func told(_ head: ResponseHead, _ statement: UploadStatement) -> Step {
        if let step = resumed(head, statement) { return step }
        guard isSuccess(head) else { return .fail(head.statusError(.httpStatus, "the upload cannot continue")) }
        if statement.isComplete == true {
            guard statement.offset ?? length == length, facts.reach == length else {
                return .fail(lie(head, statement.offset ?? length))
            }
            note(length)
            // The response was lost with its connection. This one replaces it.
            return .accept
        }
        guard let offset = statement.offset else {
            return .fail(head.error(.badResponse, "\(head.shownURL) does not say how much of the upload it has."))
        }
        return resume(head, offset)
    }

    private mutating func appended(_ head: ResponseHead, _ statement: UploadStatement, until end: Int64) -> Step {
        if statement.isComplete == true {
            return end == length || !isSuccess(head) ? .accept : .fail(lie(head, length))
        }
        if isSuccess(head) {
            // Only the server's word that the upload is complete ends it.
            return end == length && statement.isComplete == nil ? .send(.offset) : resume(head, statement.offset)
        }
        if let step = smallerPart(head, statement) ?? resumed(head, statement) { return step }
        return .accept
    }

    // MARK: -

    private func isSuccess(_ head: ResponseHead) -> Bool { StatusRange.success.contains(head.status) }

    /// Continues at the server's offset, forward or back.
    private mutating func resume(_ head: ResponseHead, _ offset: Int64?) -> Step {
        guard let offset else { return .send(.offset) }
        guard offset >= 0, offset <= length, offset <= facts.reach else { return .fail(lie(head, offset)) }
        note(offset)
        return .send(.append(from: offset, until: min(length, offset.addingSaturated(facts.mostOfPart ?? length))))
    }

    /// Sends a part instead of the whole content, if the server limits the size of requests.
    private mutating func smallerPart(_ head: ResponseHead, _ statement: UploadStatement) -> Step? {
        guard head.status == 413, let most = statement.mostOfPart, let part = request.part,
            part.upperBound - part.lowerBound > most
        else { return nil }
        facts.mostOfPart = most
        // A refused request may have left a beginning.
        return isResumable ? .send(.offset) : .send(.create(until: most))
    }

    /// Statuses with a meaning for upload resources.
    private mutating func resumed(_ head: ResponseHead, _ statement: UploadStatement) -> Step? {
        switch head.status {
        case 404, 410:
            guard request != .create(until: request.part?.upperBound ?? 0) else { return nil }
            return restart(head)
        case 409:
            // The caller's resource may have a conflict of its own.
            guard let offset = statement.offset else {
                if case .append = request { return .send(.offset) }
                return nil
            }
            return resume(head, offset)
        case 408, 425, 429, 500, 502, 503, 504, 520...524:
            return .fail(head.statusError(.serverBusy, "the upload continues later"))
        default: return nil
        }
    }

    /// Restarts after the upload resource is gone, unless the content may have arrived and must not be sent twice.
    private mutating func restart(_ head: ResponseHead) -> Step {
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
