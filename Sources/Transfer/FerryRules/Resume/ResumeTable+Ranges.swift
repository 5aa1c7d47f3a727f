import FerryCore

/// Responses to range requests (docs/behaviour/transfers.md#row-14 to row 26).
extension ResumeTable {
    /// Below this size a restart costs less than another request (docs/behaviour/transfers.md#row-21).
    private static let smallFile: Int64 = 1 << 20

    /// A 206 response (docs/behaviour/transfers.md#row-14 to row 20).
    static func part(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard head.status == 206, case .range(let from, let to, _) = situation.asked else { return nil }
        let complete = head.contentRange?.complete
        if let refusal = situation.refusedPart(head) {
            // Only a usable Content-Range proves another length.
            if refusal == .otherLength, let fault = sizeFault(situation, head, length: complete) {
                return ResumeVerdict(refusal.row, .fail(fault))
            }
            return refuse(situation, head, refusal)
        }
        guard let part = head.usablePart else { return nil }
        let identity = situation.identity?.completed(by: ResourceIdentity(head)) ?? ResourceIdentity(head)
        let row = situation.disk == .digest ? 20 : 19
        if let fault = sizeFault(situation, head, length: complete) { return ResumeVerdict(row, .fail(fault)) }
        let end = part.last + 1
        return ResumeVerdict(
            row, .continueAt(offset: from, until: to.map { min($0 + 1, end) } ?? end, identity: identity))
    }

    private static func refuse(
        _ situation: ResumeSituation, _ head: ResponseHead, _ refusal: PartRefusal
    ) -> ResumeVerdict {
        if refusal == .unusable { return unusable(refusal.row, situation, head) }
        return restart(refusal.row, situation, head, .restart(refusal.reason, rangesOff: false))
    }

    /// An unusable range (docs/behaviour/transfers.md#row-16 and row 25).
    private static func unusable(_ row: Int, _ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict {
        guard situation.usedFreshConnection else { return ResumeVerdict(row, .askOnceMoreFresh) }
        return restart(row, situation, head, .restart(.rangesUnusable, rangesOff: true))
    }

    /// A 200 response (docs/behaviour/transfers.md#row-21 to row 23).
    static func wholeInsteadOfPart(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard situation.isWhole(head), case .range(_, _, let ifRange) = situation.asked else { return nil }
        let whole = ResourceIdentity(head)
        let hasSameLength = whole.completeLength != nil && whole.completeLength == situation.knownLength
        let hasSameTag =
            situation.identity.map { $0.hasSameStrongTag(as: whole) && !$0.hasOtherDigest(than: whole) } ?? false
        switch (situation.disk, ifRange) {
        case (.strong, .etag?) where hasSameLength && hasSameTag:
            // Either the server compares the ETags of If-Range wrongly, or it does not support ranges. The next request
            // tells which.
            if situation.ranges.byteCount < smallFile { return accept(21, situation, head) }
            return ResumeVerdict(21, .askUnconditionalRange)
        case (.digest, _?) where hasSameLength:
            return ResumeVerdict(22, .askUnconditionalRange)
        default:
            return accept(23, situation, head)
        }
    }

    /// A 416 or 412 response (docs/behaviour/transfers.md#row-24 to row 26).
    static func refusedRange(_ situation: ResumeSituation, _ head: ResponseHead) -> ResumeVerdict? {
        guard head.status == 416 || head.status == 412, situation.asked.isRange,
            situation.disk == .strong || situation.disk == .digest
        else { return nil }
        if head.status == 416, case .unsatisfied(let length) = head.contentRange {
            if situation.knownLength == nil, situation.ranges.ranges == [0..<length] {
                if let fault = sizeFault(situation, head, length: length) { return ResumeVerdict(24, .fail(fault)) }
                return ResumeVerdict(24, .alreadyComplete(length: length))
            }
            if situation.knownLength == length { return unusable(25, situation, head) }
        }
        return restart(26, situation, head, .restart(.rangeRefused, rangesOff: false))
    }
}

/// Why a 206 is not joined to the bytes on disk. One case per row.
enum PartRefusal: Hashable, Sendable {
    case otherLength
    case otherVersion
    case unusable
    case noVersion
    case newTag

    /// Why the bytes on disk are dropped.
    var reason: RestartReason {
        switch self {
        case .otherLength: .lengthChanged
        case .otherVersion, .newTag: .versionChanged
        case .unusable: .rangesUnusable
        case .noVersion: .versionUnknown
        }
    }

    var row: Int {
        switch self {
        case .otherLength: 14
        case .otherVersion: 15
        case .unusable: 16
        case .noVersion: 17
        case .newTag: 18
        }
    }
}

extension ResumeSituation {
    /// Why a 206 cannot continue the file (docs/behaviour/transfers.md#row-14 to row 18), or nil if it can, and for any
    /// other status.
    ///
    /// - Parameter start: Start of the file in the resource: 0 except for a range given by the caller.
    func refusedPart(_ head: ResponseHead, start: Int64 = 0) -> PartRefusal? {
        guard head.status == 206, case .range(let from, _, let ifRange) = asked else { return nil }
        let response = ResourceIdentity(head)
        if let complete = head.contentRange?.complete, let knownLength, complete != knownLength { return .otherLength }
        let hasNewTag = identity?.etag == nil && response.etag != nil
        if disk == .strong, let identity {
            if identity.isContradicted(by: response) { return .otherVersion }
            // Without If-Range no row covers a new tag: it is another version.
            if hasNewTag, ifRange == nil { return .otherVersion }
        }
        guard let part = head.usablePart, part.first == start + from, knownLength.map({ part.last < $0 }) ?? true
        else { return .unusable }
        switch disk {
        case .digest: return nil
        case .strong:
            if ifRange == nil { return response.etag == nil ? .noVersion : nil }
            return hasNewTag ? .newTag : nil
        // Nothing proves that the part belongs to the bytes on disk (docs/behaviour/transfers.md#R2).
        case .nothing, .weak: return .noVersion
        }
    }
}

extension ResponseHead {
    /// The part of a 206, if its framing is sound (docs/behaviour/transfers.md#R4).
    var usablePart: (first: Int64, last: Int64)? {
        guard case .part(let first, let last, _) = contentRange, contentEncodings.isEmpty,
            mediaType != "multipart/byteranges",
            contentLength.map({ $0 == last - first + 1 }) ?? true
        else { return nil }
        return (first, last)
    }
}
