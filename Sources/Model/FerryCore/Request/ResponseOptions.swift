/// The requirements for the response and its content.
package struct ResponseOptions: Hashable, Sendable {
    package var statusPolicy: StatusPolicy = .strict
    /// Acceptable statuses under policy `strict`. Every other one fails the transfer, those of a busy server after
    /// retries.
    package var acceptableStatuses: StatusRange?
    /// Whether to decode a single gzip or deflate coding (docs/behaviour/transfers.md#I8).
    package var decode = false
    /// Expected size of the file in bytes.
    package var expectedSize: Int64?
    /// Maximum size of the file in bytes.
    package var maxSize: Int64?
    /// Expected digests of the whole file. All must match.
    package var checksums: [Checksum] = []
    /// The behavior if a digest differs.
    package var onMismatch: MismatchPolicy = .fail

    package init() {}
}

extension ResponseOptions {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    init(from box: KeyedDecodingContainer<CodingKeys>) throws {
        self.init()
        try box.take(.statusPolicy, into: &statusPolicy)
        acceptableStatuses = try box.decodeIfPresent(StatusRange.self, forKey: .acceptableStatuses)
        try box.take(.decode, into: &decode)
        expectedSize = try box.decodeIfPresent(Int64.self, forKey: .expectedSize)
        maxSize = try box.decodeIfPresent(Int64.self, forKey: .maxSize)
        try box.take(.checksums, into: &checksums)
        try box.take(.onMismatch, into: &onMismatch)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = ResponseOptions()
        try box.put(statusPolicy, .statusPolicy, unless: usual.statusPolicy)
        try box.encodeIfPresent(acceptableStatuses, forKey: .acceptableStatuses)
        try box.put(decode, .decode, unless: usual.decode)
        try box.encodeIfPresent(expectedSize, forKey: .expectedSize)
        try box.encodeIfPresent(maxSize, forKey: .maxSize)
        try box.put(checksums, .checksums, unless: usual.checksums)
        try box.put(onMismatch, .onMismatch, unless: usual.onMismatch)
    }
}
