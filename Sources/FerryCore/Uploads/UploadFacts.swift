/// The state of a resumable upload that survives a crash: where the server keeps it, and what the server has of it.
package struct UploadFacts: Hashable, Codable, Sendable {
    /// The URL that the content was sent to first; another one has an upload of its own.
    package var url: String
    /// The URL of the upload resource; nil while none is known.
    package var resource: String?
    /// The version of the protocol that the server speaks.
    package var version = UploadVersion.newest
    /// Bytes that the server had when it last said so.
    package var offset: Int64 = 0
    /// The most bytes that the server ever had of this upload.
    package var frontier: Int64 = 0
    /// The most bytes that may have been sent to this upload resource: the server cannot have more.
    package var reach: Int64 = 0
    /// The most bytes of one request.
    package var mostOfPart: Int64?
    /// How often the content was sent from its beginning again.
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
        // An upload of a version that this program does not speak begins again.
        if let known = UploadVersion(rawValue: number) { version = known } else { resource = nil }
        offset = try box.decodeIfPresent(Int64.self, forKey: .offset) ?? 0
        frontier = try box.decodeIfPresent(Int64.self, forKey: .frontier) ?? 0
        reach = try box.decodeIfPresent(Int64.self, forKey: .reach) ?? 0
        mostOfPart = try box.decodeIfPresent(Int64.self, forKey: .mostOfPart)
        restarts = try box.decodeIfPresent(Int.self, forKey: .restarts) ?? 0
    }

    /// Brings numbers of the journal into their ranges.
    mutating func clampNumbers() {
        let care = OutOfRangePolicy<Never>.clamp
        care.apply(.bytes, to: &offset)
        care.apply(.bytes, to: &frontier)
        care.apply(.bytes, to: &reach)
        // A limit of nothing is none.
        if let most = mostOfPart, most < 1 { mostOfPart = nil }
        care.apply(.count, to: &restarts)
    }

    /// Forgets the upload resource, which is gone or belongs to another version of the content.
    mutating func forgetResource() {
        (resource, offset, reach, mostOfPart) = (nil, 0, 0, nil)
    }
}

/// An upload that another transfer goes on with.
package struct UploadSource: Hashable, Codable, Sendable {
    package var facts: UploadFacts
    /// The file as it was when the upload began.
    package var file: RequestBody.SentFile

    package init(_ facts: UploadFacts, of file: RequestBody.SentFile) {
        self.facts = facts
        self.file = file
    }
}
