import FerryAPI
package import FerryCore
import FerryFoundation

/// The rules for requests of jobs: those of every transfer, and nothing that means something on one machine only.
///
/// The command applies them before it submits a job. The worker applies them again before it fetches anything, because a
/// submitter can store any text as a request by calling the database's functions.
extension JobRequest {
    /// Maximum length of a request in bytes, as JSON.
    package static let largest = 64 << 10
    /// Maximum length of a key, a label and a batch in bytes.
    package static let longestWord = 255

    /// A validated request.
    package struct Admitted: Sendable {
        package var request: JobRequest
        package var origin: Origin
        /// The URL without secrets and without the values of its query.
        package var shownURL: String

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
    /// - Throws: ``ServiceError`` with code `invalid_url`, `unsupported_scheme` or `invalid_request`.
    package func admitted() throws(ServiceError) -> Admitted {
        let admitted = try TransferAdmission.admit(transfer)
        var request = self
        request.transfer = admitted.request
        try request.checkSecrets(admitted)
        try request.checkParts()
        try request.checkFile()
        for word in [key, batch, needs].compactMap({ $0 }) where word.utf8.count > Self.longestWord || word.hasControls
        {
            throw ServiceError(
                .invalidRequest,
                "A key, batch or label has at most \(Self.longestWord) bytes and no control characters.")
        }
        request.notBefore = request.transfer.timing.notBefore ?? notBefore
        request.transfer.timing.notBefore = nil
        request.transfer.session = .cli
        request.transfer.note = nil
        let shown = try HTTPURL(parsing: request.transfer.url).redacted
        return Admitted(request: request, origin: admitted.origin, shownURL: shown)
    }

    private func checkSecrets(_ admitted: TransferAdmission.Admitted) throws(ServiceError) {
        guard admitted.credentials == nil, !transfer.hasSecrets else {
            throw ServiceError(
                .invalidRequest,
                "The fleet's queue stores no secrets: remove the password, the cookies and the Authorization field.")
        }
    }

    private func checkParts() throws(ServiceError) {
        guard transfer.body == nil, transfer.method == "GET" else {
            throw ServiceError(.invalidRequest, "A fleet fetches with GET and without a request body.")
        }
        guard transfer.tls.trust == nil, transfer.transport.proxyEnvironment == nil else {
            throw ServiceError(
                .invalidRequest,
                "A proxy, a client certificate and a CA file belong to one machine. Set them on the workers.")
        }
        let file = transfer.file
        guard file.continues == nil, file.partialFolder == nil, file.allowedFolders == nil, !file.spooled else {
            throw ServiceError(
                .invalidRequest,
                "A partial file, its folder and a list of allowed folders belong to one machine. Remove them.")
        }
    }

    private func checkFile() throws(ServiceError) {
        guard let name = transfer.file.name, FileName.safe(name) == name, !name.hasPrefix(Self.reservedPrefix) else {
            throw ServiceError(
                .invalidRequest,
                "The name “\((transfer.file.name ?? "").escapingControls)” is not a plain file name.")
        }
        guard transfer.file.onConflict != .update else {
            throw ServiceError(.invalidRequest, "--on-conflict of a fleet is unique, fail, replace or skip.")
        }
    }

    /// Beginning of the names of copies and marks in stores.
    static let reservedPrefix = ".ferry-fleet-"

    /// Whether no part of an absolute path leads upwards.
    static func isPlain(_ path: String) -> Bool {
        path.isAbsolutePath && !path.pathParts.contains { $0 == ".." || $0 == "." }
    }
}

extension Lease {
    /// Returns the request as the worker may perform it.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_url`, `unsupported_scheme` or `invalid_request`, if the
    ///   request breaks the rules or differs from its description in the queue.
    func admitted(_ request: TransferRequest) throws(ServiceError) -> TransferRequest {
        let admitted = try JobRequest(transfer: request).admitted()
        _ = try admitted.text()
        guard admitted.request.path == path, admitted.origin.description == origin else {
            throw ServiceError(
                .invalidRequest, "The queue knows another destination or server than the request. Add the job again.")
        }
        return admitted.request.transfer
    }
}
