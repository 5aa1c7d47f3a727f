package import FerryCore
package import FerryRules

/// Work on uploads outside of their attempts.
package struct UploadUpkeep: Sendable {
    private let engine: Engine

    package init(_ engine: Engine) { self.engine = engine }

    /// Returns the properties of a file to be uploaded.
    ///
    /// - Throws: ``ServiceError`` with Foundation's code for a path that is missing, a directory or unreadable.
    package func inspect(at path: String) async throws(ServiceError) -> RequestBody.SentFile {
        guard case .file(let file, _) = try await UploadContent(path: path, disk: engine.disk) else {
            throw ServiceError(.internal, "A file's content is none.")
        }
        return file.noted
    }

    /// Time limit in seconds for requesting a server to cancel an upload.
    private static let cancelTimeout = 10.0

    /// Requests the server to cancel an upload, and returns at once. The server's response is ignored.
    package func cancel(_ upload: UploadFacts, of record: TransferRecord) {
        guard let resource = upload.resource, let url = try? HTTPURL(parsing: resource),
            let home = try? HTTPURL(parsing: record.request.url)
        else { return }
        let isHome = url.origin == home.origin
        var request = LoadRequest(
            url: resource, method: "DELETE",
            fields: UploadRequest.cancel.fields(upload.version, length: 0)
                + (isHome ? record.request.headers.filter { !RequestCourse.isAboutBody($0) } : []))
        request.credentials = isHome ? record.credentials : nil
        request.idleTimeout = Self.cancelTimeout
        request.insecure = record.request.tls.insecure
        request.proxyEnvironment = record.request.transport.proxyEnvironment
        (request.minimumTLS, request.maximumTLS) = (
            record.request.tls.minimumVersion, record.request.tls.maximumVersion
        )
        let load = Load(request, engine: engine, advisor: nil)
        Task(name: "end of an upload") {
            _ = try? await load.head()
            load.cancel()
        }
    }
}
