import FerryCore

/// Responses with the file, or its beginning (docs/behaviour/transfers.md#row-8 to row 13, and row 5).
extension ResumeTable {
    /// The response to a caller's custom request (docs/behaviour/transfers.md#row-5).
    static func rawRange(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard let raw = situation.raw, raw != .coded, [206, 304, 412, 416].contains(head.status) else { return nil }
        let isAccepted = head.status == 206 && situation.acceptStatus.contains(206)
        guard isAccepted || situation.acceptsAnyStatus else {
            let code: ErrorCode = head.status == 304 ? .redirectRefused : .httpStatus
            return ResumeVerdict(5, .fail(head.statusError(code)))
        }
        if case .ownRange(let own) = raw, head.status == 206 { return ownPart(situation, head, own) }
        let body = verbatim(situation, head)
        if let fault = oversize(situation, head, length: body.end) { return ResumeVerdict(5, .fail(fault)) }
        return ResumeVerdict(5, .start(body))
    }

    /// A body that is the file whatever its head says, and is never resumed.
    static func verbatim(_ situation: ResumeSituation, _ head: ResponseHead) -> AcceptedBody {
        var body = body(situation, head)
        body.completeLength = body.end
        body.isResumable = false
        if head.status == 206 { body.identity.reprDigests = [] }
        return body
    }

    /// The part that the caller requested. Positions in the file count from its first byte.
    private static func ownPart(_ situation: ResumeSituation, _ head: ResponseHead, _ own: OwnRange) -> ResumeVerdict {
        let offset = situation.asked.offset ?? 0
        let known = ResourceIdentity(head).completeLength ?? situation.identity?.completeLength
        guard let part = head.usablePart, let start = own.start(completeLength: known),
            part.first == start + offset, own.last.map({ part.last <= $0 }) ?? true
        else {
            // Policy `any`: any response to the caller's range is the file, but nothing is joined to it.
            if situation.acceptsAnyStatus, offset == 0 { return ResumeVerdict(5, .start(verbatim(situation, head))) }
            let message =
                "The server's response for \(head.shownURL) does not contain the requested range; "
                + "request the whole file instead."
            return ResumeVerdict(5, .retryLater(head.error(.rangeMismatch, message)))
        }
        let end = part.last - start + 1
        if let fault = sizeFault(situation, head, length: own.length(completeLength: known)) {
            return ResumeVerdict(5, .fail(fault))
        }
        guard offset > 0 else {
            var body = body(situation, head)
            body.identity.reprDigests = []
            body.end = end
            body.completeLength = own.length(completeLength: known) ?? end
            return ResumeVerdict(5, .start(body))
        }
        if let refusal = situation.refusedPart(head, start: start) {
            return restart(5, situation, head, .restart(refusal.reason, rangesOff: false))
        }
        var identity = situation.identity?.completed(by: ResourceIdentity(head)) ?? ResourceIdentity(head)
        identity.reprDigests = []
        return ResumeVerdict(5, .continueAt(offset: offset, until: end, identity: identity))
    }

    /// A success status (docs/behaviour/transfers.md#row-8 to row 13).
    static func success(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard StatusRange.success.contains(head.status), situation.acceptStatus.contains(head.status) else {
            return nil
        }
        if head.status == 202, head.retryAfter != nil, !situation.acceptsAnyStatus {
            return ResumeVerdict(8, .retryLater(head.statusError(.serverBusy, "it is not ready yet")))
        }
        if head.status == 206 { return firstPart(situation, head) }
        if !head.contentEncodings.isEmpty { return accept(9, situation, head) }
        guard !situation.asked.isRange else { return nil }
        return switch body(situation, head).framing {
        case .length: accept(10, situation, head)
        case .chunked: accept(11, situation, head)
        case .untilClose: accept(12, situation, head)
        }
    }

    /// A part that was not requested (docs/behaviour/transfers.md#row-13).
    private static func firstPart(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard !situation.asked.isRange else { return nil }
        guard let part = head.usablePart, part.first == 0 else {
            let message =
                "The server sent a part of \(head.shownURL) although the whole file was requested; "
                + "use another URL if this continues."
            return ResumeVerdict(13, .retryLater(head.error(.badResponse, message, as: .doubtful)))
        }
        let verdict = accept(13, situation, head, end: part.last + 1)
        // A part that cannot be resumed would be sent repeatedly.
        if case .start(let body) = verdict.decision, body.completeLength != part.last + 1,
            !body.isResumable || situation.rangesOff
        {
            let message =
                "The server sent only the beginning of \(head.shownURL), and the rest cannot be requested; "
                + "use another URL if this continues."
            return ResumeVerdict(13, .retryLater(head.error(.badResponse, message, as: .doubtful)))
        }
        return verdict
    }

    /// Stores this body from byte 0, or fails because of its size.
    static func accept(
        _ row: Int, _ situation: ResumeSituation, _ head: ResponseHead, end: Int64? = nil
    ) -> ResumeVerdict {
        var body = body(situation, head)
        if let fault = sizeFault(situation, head, length: body.completeLength) {
            return ResumeVerdict(row, .fail(fault))
        }
        if let end { body.end = end }
        if situation.hasBytes { body.restart = situation.restart ?? reason(situation, body.identity) }
        return restart(row, situation, head, .start(body))
    }

    /// Why a whole file replaces the bytes on disk.
    private static func reason(_ situation: ResumeSituation, _ whole: ResourceIdentity) -> RestartReason {
        // Without a strong validator, a response's statements about its version prove nothing.
        if situation.disk != .weak, situation.identity?.isOtherVersion(than: whole) == true { return .versionChanged }
        return situation.asked.isRange ? .rangeIgnored : .versionUnknown
    }

    /// The head's description of its body, if stored from byte 0.
    static func body(_ situation: ResumeSituation, _ head: ResponseHead) -> AcceptedBody {
        let framing: BodyFraming = situation.method == "HEAD" ? .length(0) : head.framing
        let length: Int64? = if case .length(let length) = framing { length } else { nil }
        var identity = ResourceIdentity(head)
        if head.status != 206 { identity.completeLength = length }
        let isEncoded = !head.contentEncodings.isEmpty
        var body = AcceptedBody(
            framing: framing, end: length, completeLength: identity.completeLength, identity: identity,
            isResumable: !isEncoded && situation.raw != .verbatim
                && (situation.hasExpectedDigest || identity.strongValidator != nil))
        // The file has no content then, while the digests describe what a GET would bring (RFC 9530 §3).
        if situation.method == "HEAD" { body.identity.reprDigests = [] }
        if isEncoded { body.notes.append(.contentEncoded) }
        if framing == .untilClose, head.origin.scheme == "http", situation.expectedSize == nil,
            !situation.hasExpectedDigest
        {
            body.notes.append(.lengthUnverified)
        }
        return body
    }
}

extension Asked {
    package var isRange: Bool { offset != nil }

    /// Start of the requested range in the file.
    var offset: Int64? {
        if case .range(let from, _, _) = self { from } else { nil }
    }
}

extension OwnRange {
    /// Length of the part, if known.
    func length(completeLength: Int64?) -> Int64? {
        switch self {
        case .from(let first, let last):
            if let completeLength { return min(last.map { $0 + 1 } ?? completeLength, completeLength) - first }
            return last.map { $0 - first + 1 }
        case .suffix(let length):
            return completeLength.map { min(length, $0) }
        }
    }
}
