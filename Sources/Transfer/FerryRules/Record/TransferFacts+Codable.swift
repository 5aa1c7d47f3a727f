import FerryCore
import FerryFoundation

/// Omits properties with their initial values, which are most of them throughout a transfer's life.
extension TransferFacts: Codable {
    private enum CodingKeys: String, CodingKey {
        case ranges, identity, partial, name, destination, placement, redirects, restarts, joined, notes, response
        case upload
        case exchanges, challenge, released, copy, frontier, stamp
        case prefix = "prefix_digest"
        case bytesSpent = "bytes_spent"
        case startedAt = "started_at"
        case startsAfterRelaunch = "starts_after_relaunch"
        case cancelReason = "cancel_reason"
        case startedOver = "started_over"
        case unusableParts = "unusable_parts"
        case pendingDigests = "pending_digests"
        case bodySent = "body_sent"
        case requestMayHaveArrived = "request_may_have_arrived"
        case finalURL = "final_url"
        case rangesOff = "ranges_off"
        case bypassesCaches = "bypasses_caches"
        case restartedByDigest = "restarted_by_digest"
        case lengthVerified = "length_verified"
        case needsTruncation = "needs_truncation"
        case partialNameIsForeign = "partial_name_is_foreign"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        func flag(_ key: CodingKeys) throws -> Bool { try box.decodeIfPresent(Bool.self, forKey: key) ?? false }
        ranges = try box.decodeIfPresent(ByteRangeSet.self, forKey: .ranges) ?? ByteRangeSet()
        pendingDigests = try box.decodeIfPresent(PendingDigests.self, forKey: .pendingDigests) ?? PendingDigests()
        prefix = try box.decodeIfPresent(PrefixDigest.self, forKey: .prefix)
        identity = try box.decodeIfPresent(ResourceIdentity.self, forKey: .identity)
        partial = try box.decodeIfPresent(PartialFacts.self, forKey: .partial)
        stamp = try box.decodeIfPresent(FileStamp.self, forKey: .stamp)
        name = try box.decodeIfPresent(String.self, forKey: .name)
        destination = try box.decodeIfPresent(String.self, forKey: .destination)
        placement = try box.decodeIfPresent(PlacementIntent.self, forKey: .placement)
        finalURL = try box.decodeIfPresent(String.self, forKey: .finalURL)
        redirects = try box.decodeIfPresent([String].self, forKey: .redirects) ?? []
        restarts = try box.decodeIfPresent(Int.self, forKey: .restarts) ?? 0
        joined = try flag(.joined)
        rangesOff = try flag(.rangesOff)
        bypassesCaches = try flag(.bypassesCaches)
        restartedByDigest = try flag(.restartedByDigest)
        lengthVerified = try box.decodeIfPresent(Bool.self, forKey: .lengthVerified) ?? true
        needsTruncation = try flag(.needsTruncation)
        partialNameIsForeign = try flag(.partialNameIsForeign)
        notes = try box.decodeIfPresent([String].self, forKey: .notes) ?? []
        // Both usually equal the bytes on disk and are then omitted.
        bytesSpent = try box.decodeIfPresent(Int64.self, forKey: .bytesSpent) ?? ranges.byteCount
        restore(frontier: try box.decodeIfPresent(Int64.self, forKey: .frontier) ?? ranges.byteCount)
        startedAt = try box.decodeIfPresent(Date.self, forKey: .startedAt)
        copy = try box.decodeIfPresent(String.self, forKey: .copy)
        response = try box.decodeIfPresent(ResponseFacts.self, forKey: .response)
        exchanges = try box.decodeIfPresent([ExchangeFacts].self, forKey: .exchanges)
        startedOver = try box.decodeIfPresent(Int.self, forKey: .startedOver)
        unusableParts = try box.decodeIfPresent(Int.self, forKey: .unusableParts)
        sending.sent = try box.decodeIfPresent(Int64.self, forKey: .bodySent)
        sending.mayHaveArrived = try flag(.requestMayHaveArrived)
        sending.upload = try box.decodeIfPresent(UploadFacts.self, forKey: .upload)
        challenge = try box.decodeIfPresent(PendingChallenge.self, forKey: .challenge)
        released = try box.decodeIfPresent(PartialSource.self, forKey: .released)
        startsAfterRelaunch = try box.decodeIfPresent(Bool.self, forKey: .startsAfterRelaunch)
        cancelReason = try box.decodeIfPresent(Int.self, forKey: .cancelReason)
    }

    package func encode(to encoder: any Encoder) throws {
        // Most are nil and are tested here: asking the container for each costs more than the encoding.
        var box = encoder.container(keyedBy: CodingKeys.self)
        func encode(_ flag: Bool, _ key: CodingKeys, usual: Bool = false) throws {
            if flag != usual { try box.encode(flag, forKey: key) }
        }
        if !ranges.isEmpty { try box.encode(ranges, forKey: .ranges) }
        if !pendingDigests.isEmpty { try box.encode(pendingDigests, forKey: .pendingDigests) }
        if let prefix { try box.encode(prefix, forKey: .prefix) }
        if let identity { try box.encode(identity, forKey: .identity) }
        if let partial { try box.encode(partial, forKey: .partial) }
        if let stamp { try box.encode(stamp, forKey: .stamp) }
        if let name { try box.encode(name, forKey: .name) }
        if let destination { try box.encode(destination, forKey: .destination) }
        if let placement { try box.encode(placement, forKey: .placement) }
        if let finalURL { try box.encode(finalURL, forKey: .finalURL) }
        if !redirects.isEmpty { try box.encode(redirects, forKey: .redirects) }
        if restarts != 0 { try box.encode(restarts, forKey: .restarts) }
        try encode(joined, .joined)
        try encode(rangesOff, .rangesOff)
        try encode(bypassesCaches, .bypassesCaches)
        try encode(restartedByDigest, .restartedByDigest)
        try encode(lengthVerified, .lengthVerified, usual: true)
        try encode(needsTruncation, .needsTruncation)
        try encode(partialNameIsForeign, .partialNameIsForeign)
        if !notes.isEmpty { try box.encode(notes, forKey: .notes) }
        let onDisk = ranges.byteCount
        if bytesSpent != onDisk { try box.encode(bytesSpent, forKey: .bytesSpent) }
        if frontier != onDisk { try box.encode(frontier, forKey: .frontier) }
        if let startedAt { try box.encode(startedAt, forKey: .startedAt) }
        if let copy { try box.encode(copy, forKey: .copy) }
        if let response { try box.encode(response, forKey: .response) }
        if let exchanges { try box.encode(exchanges, forKey: .exchanges) }
        if let startedOver { try box.encode(startedOver, forKey: .startedOver) }
        if let unusableParts { try box.encode(unusableParts, forKey: .unusableParts) }
        if let sent = sending.sent { try box.encode(sent, forKey: .bodySent) }
        try encode(sending.mayHaveArrived, .requestMayHaveArrived)
        if let upload = sending.upload { try box.encode(upload, forKey: .upload) }
        if let challenge { try box.encode(challenge, forKey: .challenge) }
        if let released { try box.encode(released, forKey: .released) }
        if let startsAfterRelaunch { try box.encode(startsAfterRelaunch, forKey: .startsAfterRelaunch) }
        if let cancelReason { try box.encode(cancelReason, forKey: .cancelReason) }
    }
}
