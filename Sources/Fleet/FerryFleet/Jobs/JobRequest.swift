import FerryAPI
package import FerryCore
package import FerryFoundation

/// A request for a job: a file to fetch, by any worker, into a shared folder.
///
/// `transfer.file.folder` is the absolute path of the shared folder and `transfer.file.name` the final name, which must
/// be given: it cannot wait for a response, since a destination belongs to one unfinished job.
package struct JobRequest: Hashable, Sendable {
    package var transfer: TransferRequest
    /// The submitter's own identifier. A second submission with the same key is the same job.
    package var key: String?
    /// A label that the worker must have, or empty for any worker.
    package var needs: String

    package init(transfer: TransferRequest, key: String? = nil, needs: String = "") {
        self.transfer = transfer
        self.key = key
        self.needs = needs
    }

    /// The final path, which another unfinished job may not have. `nil` under a policy that chooses another name.
    package var exclusivePath: String? {
        guard transfer.file.onConflict != .unique else { return nil }
        return path
    }

    /// The final path.
    package var path: String { transfer.file.folder + "/" + (transfer.file.name ?? "") }
}

extension JobRequest {
    /// Maximum length of a request in bytes, as JSON.
    static let largest = 64 << 10
    /// Maximum length of a key and of a label in bytes.
    static let longestWord = 255

    /// A validated request.
    package struct Admitted: Sendable {
        package var request: JobRequest
        package var origin: Origin
        /// The URL without secrets and without the values of its query.
        package var shownURL: String
        /// Earliest moment of the first attempt, by the submitter's clock.
        package var notBefore: Date?

        /// The request as JSON, for storage.
        ///
        /// - Throws: ``ServiceError`` with code `invalid_request` if it is too long.
        package func text() throws(ServiceError) -> String {
            guard let bytes = try? APIJSON.bytes(request.transfer), bytes.count <= JobRequest.largest else {
                throw ServiceError(.invalidRequest, "A job's request has at most \(JobRequest.largest >> 10) KiB.")
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    /// Validates and normalizes a request for storage.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_url`, `unsupported_scheme` or `invalid_request`, for a request that
    ///   is invalid or means something on one machine only.
    package func admitted() throws(ServiceError) -> Admitted {
        let admitted = try TransferAdmission.admit(transfer)
        var request = self
        request.transfer = admitted.request
        if admitted.credentials != nil || admitted.request.hasSecrets {
            throw ServiceError(
                .invalidRequest,
                "The fleet's queue stores no secrets: remove the password, the cookies and the Authorization field.")
        }
        guard admitted.request.body == nil, admitted.request.method == "GET" else {
            throw ServiceError(.invalidRequest, "A fleet fetches with GET and without a request body.")
        }
        guard admitted.request.tls.trust == nil, admitted.request.transport.proxyEnvironment == nil else {
            throw ServiceError(
                .invalidRequest,
                "A proxy, a client certificate and a CA file belong to one machine. Set them on the workers.")
        }
        guard let name = admitted.request.file.name, FileName.safe(name) == name else {
            throw ServiceError(
                .invalidRequest,
                "The name “\((admitted.request.file.name ?? "").escapingControls)” is not a plain file name.")
        }
        guard admitted.request.file.onConflict != .update else {
            throw ServiceError(.invalidRequest, "--on-conflict of a fleet is unique, fail, replace or skip.")
        }
        for word in [key, needs].compactMap({ $0 }) where word.utf8.count > Self.longestWord || word.hasControls {
            throw ServiceError(
                .invalidRequest, "A key or label has at most \(Self.longestWord) bytes and no control characters.")
        }
        let notBefore = request.transfer.timing.notBefore
        request.transfer.timing.notBefore = nil
        let shown = try HTTPURL(parsing: request.transfer.url).redacted
        return Admitted(request: request, origin: admitted.origin, shownURL: shown, notBefore: notBefore)
    }
}

/// A submission's result for one request.
package struct JobSubmission: Hashable, Sendable {
    package enum Result: Hashable, Sendable {
        case added(JobID)
        /// A job with this key exists. It is the same job.
        case existing(JobID)
        case refused(ServiceError)
    }

    package var result: Result

    package init(_ result: Result) { self.result = result }

    package var id: JobID? {
        switch result {
        case .added(let id), .existing(let id): id
        case .refused: nil
        }
    }

    package var error: ServiceError? { if case .refused(let error) = result { error } else { nil } }

    /// Another unfinished job has the destination.
    package static func taken(_ path: String, by job: JobID) -> JobSubmission {
        JobSubmission(
            .refused(
                ServiceError(
                    .destinationExists,
                    "Job \(job) already delivers to “\(path.escapingControls)”. Wait for it, or choose another name.")))
    }

    /// No store of the fleet contains the destination.
    package static func outside(_ path: String) -> JobSubmission {
        JobSubmission(
            .refused(
                ServiceError(
                    .invalidRequest,
                    "No store of the fleet contains “\(path.escapingControls)”. See `ferry fleet store list`.")))
    }
}
