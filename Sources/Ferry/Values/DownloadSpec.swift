// Ferry: Ferry
// A download as a value.

public import Foundation

/// A download as a value.
public struct DownloadSpec: Sendable {
    /// What identifies the download among those of its manager; nil lets one be made.
    public var id: DownloadTask.ID?
    public var url: URL
    public var method = HTTPMethod.get
    public var headers: HTTPHeaders = [:]
    public var body: Data?
    public var destination = DownloadDestination.cache()
    public var conflict = FileConflictPolicy.unique
    /// The code that the file must have; a file of another one does not come to its place.
    public var checksum: Checksum?
    /// From -10 to 10, the higher the sooner.
    public var priority = 0
    /// The moment before which nothing is asked.
    public var notBefore: Date?
    /// Bytes that the file must have.
    public var expectedSize: Int64?
    /// What the app keeps with the download; at most 64 KiB.
    public var metadata: [String: String] = [:]
    public var tags: Set<String> = []

    /// - Throws: ``FerryError/invalidURL(url:)`` if this is no http or https URL with a host.
    public init(_ url: some URLConvertible) throws(FerryError) {
        self.url = try url.address()
    }
}
