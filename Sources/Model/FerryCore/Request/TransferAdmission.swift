import FerryFoundation

/// Validates a request and normalizes it for storage.
package enum TransferAdmission {
    /// A validated request.
    package struct Admitted: Sendable {
        /// Its URL has no userinfo. Its folder is an absolute path without `.` and `..`.
        package var request: TransferRequest
        /// The URL's userinfo.
        package var credentials: Credentials?
        package var origin: Origin
    }

    /// - Throws: ``ServiceError`` with code `invalid_url`, `unsupported_scheme` or `invalid_request`.
    package static func admit(_ request: TransferRequest) throws(ServiceError) -> Admitted {
        var request = request
        let url = try HTTPURL(parsing: request.url)
        request.url = url.withoutUserinfo.string
        request.mirrors = try mirrors(of: request, besides: url)
        _ = try RequestFieldRule.kind(method: request.method, fields: request.headers)
        request.headers = request.headers.compactMap { field in
            guard field.isNamed("Referer") else { return field }
            return RequestFields.referer(field.value).map { HeaderField(name: field.name, value: $0) }
        }
        if case .file(let file) = request.body {
            guard file.path.isAbsolutePath, !file.path.utf8.contains(0) else {
                throw ServiceError(
                    .invalidRequest, "The file “\(file.path.escapingControls)” to upload is not an absolute path.")
            }
            // Without a folder, the response of an upload is stored with the transfer.
            if request.file.folder.isEmpty {
                request.file.spooled = true
                request.response.maxSize = request.response.maxSize ?? mostOfAnswer
            }
        }
        // The service chooses the location of a spooled file.
        request.file.folder =
            try request.file.spooled && request.file.folder.isEmpty ? "/" : folder(request.file.folder)
        if let path = request.file.partialFolder { request.file.partialFolder = try folder(path) }
        try request.file.allowedFolders?.check()
        if let name = request.file.name { try request.file.allowedFolders?.check(name: name) }
        request.login = try request.login.admitted()
        try checkClient(request)
        if let name = request.file.name?.canonicalPath {
            try CallerPath.check(name)
            request.file.name = name
        }
        try checkNumbers(request)
        try request.tls.trust?.check()
        for tag in request.tags where tag.isEmpty || tag.utf8.count > 255 || tag.hasControls {
            throw ServiceError(.invalidRequest, "A tag has 1 to 255 bytes and no control characters.")
        }
        return Admitted(request: request, credentials: url.credentials, origin: url.origin)
    }

    /// Maximum size in bytes of an upload's stored response.
    private static let mostOfAnswer: Int64 = 16 << 20

    /// Maximum number of mirrors.
    private static let mostMirrors = 64

    /// The distinct mirrors in canonical form.
    private static func mirrors(
        of request: TransferRequest, besides url: HTTPURL
    ) throws(ServiceError) -> [String] {
        guard !request.mirrors.isEmpty else { return [] }
        guard request.mirrors.count <= mostMirrors else {
            throw ServiceError(.invalidRequest, "A file has at most \(mostMirrors) mirrors.")
        }
        guard request.method == "GET", request.body == nil else {
            throw ServiceError(.invalidRequest, "Only downloads by GET may have mirrors.")
        }
        var seen: Set = [url.withoutUserinfo.withoutFragment.string]
        var mirrors: [String] = []
        for text in request.mirrors {
            let mirror = try HTTPURL(parsing: text)
            guard mirror.credentials == nil else {
                throw ServiceError(
                    .invalidRequest,
                    "The mirror “\(mirror.redacted)” has a user or a password; only the first URL may have them.")
            }
            guard seen.insert(mirror.withoutFragment.string).inserted else {
                throw ServiceError(.invalidRequest, "The URL “\(mirror.redacted)” is given twice.")
            }
            mirrors.append(mirror.string)
        }
        return mirrors
    }

    private static func folder(_ path: String) throws(ServiceError) -> String {
        guard path.isAbsolutePath, !path.utf8.contains(0) else {
            throw ServiceError(
                .invalidRequest, "The folder “\(path.escapingControls)” is not an absolute path.")
        }
        var parts: [String] = []
        for part in path.canonicalPath.pathParts where part != "." {
            if part == ".." { _ = parts.popLast() } else { parts.append(part) }
        }
        return "/" + parts.joined(separator: "/")
    }

    /// Maximum size in bytes of a client's note.
    /// Maximum size of a note's data in bytes.
    package static let largestNote = 1 << 20

    private static func checkClient(_ request: TransferRequest) throws(ServiceError) {
        if let note = request.note, note.data.utf8.count > largestNote {
            throw ServiceError(.invalidRequest, "A note has at most \(largestNote >> 20) MiB of data.")
        }
        if let source = request.file.continues {
            guard source.upload != nil || source.offset > 0, source.path.isAbsolutePath else {
                throw ServiceError(.invalidRequest, "A transfer continues a file of an absolute path after an offset.")
            }
            guard request.file.spooled || source.upload == nil && request.file.onConflict == .replace else {
                throw PartialSource.refusal
            }
        }
    }

    private static func checkNumbers(_ request: TransferRequest) throws(ServiceError) {
        var request = request
        try request.bringNumbersIntoRange(.refuse)
        if let range = request.response.acceptableStatuses, range.lower > range.upper {
            throw ServiceError(.invalidRequest, "acceptable_statuses ends before it begins.")
        }
        if let size = request.response.expectedSize, let maximum = request.response.maxSize, size > maximum {
            throw ServiceError(.invalidRequest, "expected_size is larger than max_size.")
        }
    }
}
