import ArgumentParser
import FerryCore

/// Options for TLS and certificates.
struct SecurityOptions: ParsableArguments {
    @Flag(name: [.customShort("k"), .long], help: "Do not verify the server's certificate.")
    var insecure = false

    @Flag(help: "Refuse URLs other than https.")
    var httpsOnly = false

    @Option(
        help: ArgumentHelp("Lowest version of TLS: 1.2 (default) or 1.3.", valueName: "version"),
        transform: SecurityOptions.version)
    var minTls: TLSVersion?

    @Option(
        help: ArgumentHelp(
            "Trust the authorities in this PEM file, or folder of hashed certificates, instead of the system's.",
            valueName: "file"),
        completion: .file())
    var cacert: String?

    @Option(
        help: ArgumentHelp(
            "A client certificate (PEM), for the URL's own server if it asks for one.", valueName: "file"),
        completion: .file())
    var cert: String?

    @Option(
        help: ArgumentHelp("Private key (PEM) of --cert (default: it is in the same file).", valueName: "file"),
        completion: .file())
    var key: String?

    func validate() throws {
        guard key == nil || cert != nil else { throw ValidationError("--key is the key of --cert; give both.") }
    }

    /// - Throws: ``ServiceError`` for a URL that `--https-only` forbids.
    func check(_ urls: some Sequence<String>) throws(ServiceError) {
        guard httpsOnly, let url = urls.first(where: { $0.prefix(8).lowercased() != "https://" }) else { return }
        throw ServiceError(.invalidRequest, "--https-only forbids \(HTTPURL.shown(url)).")
    }

    func apply(to request: inout TransferRequest) {
        request.tls.insecure = insecure
        request.tls.minimumVersion = minTls
    }

    func apply(to trust: inout RequestTrust, _ paths: TypedPath) throws {
        if let cacert { trust.authorities = [try paths.folder(cacert)] }
        trust.certificate = try cert.map(paths.folder)
        trust.key = try key.map(paths.folder)
    }

    @Sendable private static func version(_ text: String) throws -> TLSVersion {
        switch text {
        case "1.2": return .v1_2
        case "1.3": return .v1_3
        default: throw ValidationError("“\(text.escapingControls)” is not a version of TLS; write 1.2 or 1.3.")
        }
    }
}

extension HTTPURL {
    /// A typed URL for messages: without a password, and only with the names of query items.
    static func shown(_ typed: String) -> String {
        (try? HTTPURL(parsing: typed))?.redacted.escapingControls ?? "a URL"
    }
}
