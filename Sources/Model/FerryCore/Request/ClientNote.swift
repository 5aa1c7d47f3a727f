/// A client's data stored with its transfer, by which the client recognizes it.
package struct ClientNote: Hashable, Codable, Sendable {
    package enum Kind: String, CaseIterable, Codable, Sendable { case download, upload, data }

    /// The app's identifier, as shown to the user.
    package var application: String
    /// The session's identifier within the app.
    package var identifier: String
    /// The task's number within the session.
    package var task: Int
    package var kind: Kind
    /// The client's data, at most 1 MiB. Not interpreted by the daemon.
    package var data: String

    package init(application: String, identifier: String, task: Int, kind: Kind, data: String) {
        self.application = application
        self.identifier = identifier
        self.task = task
        self.kind = kind
        self.data = data
    }
}

/// A partial file that a new transfer takes over by renaming it, with the identity of its bytes.
package struct PartialSource: Hashable, Codable, Sendable {
    /// Absolute path.
    package var path: String
    /// Number of valid bytes. The rest of the file is truncated.
    package var offset: Int64
    package var etag: String?
    package var lastModified: String?
    /// The response's `Date` field, which decides whether `lastModified` is strong.
    package var date: String?
    package var completeLength: Int64?
    /// The origin of the bytes. Nil for that of the new request.
    package var origin: Origin?
    /// Digests still to be verified. Nil for none.
    package var pendingDigests: PendingDigests?
    /// The upload to continue, whose file is `path`. Nil for a download.
    package var upload: UploadSource?

    package init(
        path: String, offset: Int64, etag: String?, lastModified: String?, date: String?, completeLength: Int64?,
        origin: Origin? = nil, pendingDigests: PendingDigests? = nil
    ) {
        self.path = path
        self.offset = offset
        self.etag = etag
        self.lastModified = lastModified
        self.date = date
        self.completeLength = completeLength
        self.origin = origin
        self.pendingDigests = pendingDigests
    }

    /// The error of a request that must not continue a file.
    package static let refusal = ServiceError(
        .invalidRequest, "Only a spooled transfer, or one that replaces a named file, can continue a file.")

    package init(_ upload: UploadSource) {
        self.init(
            path: upload.file.path, offset: upload.facts.offset, etag: nil, lastModified: nil, date: nil,
            completeLength: upload.file.size)
        self.upload = upload
    }

    private enum CodingKeys: String, CodingKey {
        case path, offset, etag, date, origin, upload
        case lastModified = "last_modified"
        case completeLength = "complete_length"
        case pendingDigests = "pending_digests"
    }
}
