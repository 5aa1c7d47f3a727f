import FerryAPI
import FerryCore

/// Checks the requests of gateway clients.
struct GuardedRequest {
    let folders: AllowedFolders

    /// Returns a request limited to the allowed folders.
    ///
    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the option that is not offered.
    func limited(_ request: TransferRequest) throws(ServiceError) -> TransferRequest {
        try folders.check(folder: request.file.folder)
        if let name = request.file.name { try folders.check(name: name) }
        if case .file? = request.body { throw Self.refusal("does not send files of this machine") }
        if let trust = request.tls.trust, !trust.isUsual {
            throw Self.refusal("does not read certificates for its clients")
        }
        var limited = request
        limited.tls.trust = nil
        _ = try GatewayTable.isLimited(limited, by: GatewayTable.request)
        limited.file.allowedFolders = folders
        return limited
    }

    private static func refusal(_ what: String) -> ServiceError {
        ServiceError(.invalidRequest, "The gateway \(what).")
    }
}

/// The rules for the folders and names that a client sends.
extension AllowedFolders {
    /// - Throws: ``ServiceError`` with code `invalid_request`, naming the allowed folders.
    func check(folder: String) throws(ServiceError) {
        guard !contain(folder) else { return }
        throw ServiceError(
            .invalidRequest, "The gateway writes no files to \(folder.escapingControls), only to \(Self.advice(named))")
    }

    private static func advice(_ named: String) -> String {
        "\(named) and folders below; `ferry gateway folders --add FOLDER` allows another one."
    }

    /// The error for an existing file in a folder outside.
    ///
    /// - Parameter real: The folder's path without links.
    func refusal(of folder: String, real: String) -> ServiceError {
        let target = folder == real ? "" : ", which leads to \(real.escapingControls)"
        return ServiceError(
            .invalidRequest,
            "The gateway changes no files in \(folder.escapingControls)\(target), only in \(Self.advice(named))")
    }
}
