/// The persistent state of a resumable upload: its resource on the server and the received bytes.
package struct UploadFacts: Hashable, Codable, Sendable {
    /// The URL of the first request. Another URL has a separate upload.
    package var url: String
    /// The URL of the upload resource, or nil if unknown.
    package var resource: String?
    /// The protocol version of the server.
    package var version = UploadVersion.newest
    /// The last offset reported by the server, in bytes.
    package var offset: Int64 = 0
    /// The largest offset that the server ever had.
    package var frontier: Int64 = 0
    /// The largest position ever sent to this upload resource. The server cannot have more.
    package var reach: Int64 = 0
    /// Maximum number of bytes per request.
    package var mostOfPart: Int64?
    /// Number of restarts from byte 0.
    package var restarts = 0

    package init(url: String) { self.url = url }

    private enum CodingKeys: String, CodingKey {
        case url, resource, version, offset, frontier, reach, restarts
        case mostOfPart = "most_of_part"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        url = try box.decode(String.self, forKey: .url)
        resource = try box.decodeIfPresent(String.self, forKey: .resource)
        let number = try box.decodeIfPresent(Int.self, forKey: .version) ?? UploadVersion.newest.rawValue
        // An upload with an unsupported protocol version restarts.
        if let known = UploadVersion(rawValue: number) { version = known } else { resource = nil }
        offset = try box.decodeIfPresent(Int64.self, forKey: .offset) ?? 0
        frontier = try box.decodeIfPresent(Int64.self, forKey: .frontier) ?? 0
        reach = try box.decodeIfPresent(Int64.self, forKey: .reach) ?? 0
        mostOfPart = try box.decodeIfPresent(Int64.self, forKey: .mostOfPart)
        restarts = try box.decodeIfPresent(Int.self, forKey: .restarts) ?? 0
    }

    /// Clamps numbers from the journal.
    package mutating func clampNumbers() {
        let policy = OutOfRangePolicy<Never>.clamp
        policy.apply(.bytes, to: &offset)
        policy.apply(.bytes, to: &frontier)
        policy.apply(.bytes, to: &reach)
        // A limit of 0 counts as none.
        if let most = mostOfPart, most < 1 { mostOfPart = nil }
        policy.apply(.count, to: &restarts)
    }

    /// Removes the upload resource, which is gone or belongs to another version of the content.
    package mutating func forgetResource() {
        (resource, offset, reach, mostOfPart) = (nil, 0, 0, nil)
    }
}

/// An upload that another transfer continues.
package struct UploadSource: Hashable, Codable, Sendable {
    package var facts: UploadFacts
    /// The file's attributes when the upload began.
    package var file: RequestBody.SentFile

    package init(_ facts: UploadFacts, of file: RequestBody.SentFile) {
        self.facts = facts
        self.file = file
    }
}

/// Draft versions of the protocol for resumable uploads (draft-ietf-httpbis-resumable-upload, appendix A).
package enum UploadVersion: Int, Hashable, Codable, CaseIterable, Sendable {
    /// Has `Upload-Incomplete`, where later versions have `Upload-Complete`.
    case three = 3
    case five = 5
    /// Has a media type for parts, and `Upload-Length`.
    case six = 6
    case eight = 8

    package static let newest = UploadVersion.eight
}
