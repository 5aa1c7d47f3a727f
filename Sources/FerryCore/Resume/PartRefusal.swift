// Ferry: FerryCore
// Why a 206 is not joined to the bytes on disk.

/// Why a 206 is not joined to the bytes on disk; a case a row.
enum PartRefusal: Hashable, Sendable {
    case otherLength
    case otherVersion
    case unusable
    case noVersion
    case newTag

    /// Why the bytes on disk are given up for it.
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
    /// Why a 206 cannot continue the file (docs/behaviour/transfers.md#row-14 to row 18).
    ///
    /// Nil if it can, and for any other status.
    ///
    /// - Parameter start: Where the file begins in the resource: 0 but for a range of the caller's own.
    func refusedPart(_ head: ResponseHead, start: Int64 = 0) -> PartRefusal? {
        guard head.status == 206, case .range(let from, _, let ifRange) = asked else { return nil }
        let response = ResourceIdentity(head)
        if let complete = head.contentRange?.complete, let knownLength, complete != knownLength { return .otherLength }
        let hasNewTag = identity?.etag == nil && response.etag != nil
        if disk == .strong, let identity {
            if identity.isContradicted(by: response) { return .otherVersion }
            // Without If-Range there is no row for a new tag of its own: the version is another.
            if hasNewTag, ifRange == nil { return .otherVersion }
        }
        guard let part = head.usablePart, part.first == start + from, knownLength.map({ part.last < $0 }) ?? true
        else { return .unusable }
        switch disk {
        case .digest: return nil
        case .strong:
            if ifRange == nil { return response.etag == nil ? .noVersion : nil }
            return hasNewTag ? .newTag : nil
        // Nothing proves that the part belongs to what is on disk (docs/behaviour/transfers.md#R2).
        case .nothing, .weak: return .noVersion
        }
    }
}

extension ResponseHead {
    /// The part that a 206 holds, if nothing about its framing speaks against it (docs/behaviour/transfers.md#R4).
    var usablePart: (first: Int64, last: Int64)? {
        guard case .part(let first, let last, _) = contentRange, contentEncodings.isEmpty,
            mediaType != "multipart/byteranges",
            contentLength.map({ $0 == last - first + 1 }) ?? true
        else { return nil }
        return (first, last)
    }
}
