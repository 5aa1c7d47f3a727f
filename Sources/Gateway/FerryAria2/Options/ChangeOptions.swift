import FerryCore

/// Converts changed options to a change of an existing transfer.
extension OptionValues {
    /// Returns the change that the given options describe.
    ///
    /// - Parameters:
    ///   - given: The names sent by the client. The other options are unchanged.
    ///   - folder: Absolute path, the base of a relative `dir`.
    func change(
        of transfer: Transfer, given: Set<String>, urls: DownloadURLs, folder: String
    ) throws(RPCFault) -> TransferChange {
        guard size <= Self.mostBytes else {
            throw RPCFault("The options of a download have at most \(Self.mostBytes >> 10) KiB.")
        }
        var change = TransferChange()
        func isGiven(_ names: String...) -> Bool { !given.isDisjoint(with: names) }
        if isGiven("max-download-limit") { change.rateLimit = try rateLimit("max-download-limit") }
        if isGiven("split", "max-connection-per-server") { change.connections = try connections(of: urls) }
        if isGiven("allow-overwrite", "auto-file-renaming", "conditional-get") {
            change.onConflict = try conflictPolicy()
        }
        if isGiven("checksum") { change.checksums = try checksums() ?? [] }
        if isGiven("retry-wait") { change.retryRule = try retryRule() }
        if !given.isDisjoint(with: OptionNames.fields) { change.headers = try headers(for: urls.first) }
        if isGiven("dir") {
            let folder = self.folder(in: folder)
            change.folder = folder == transfer.folder ? nil : folder
        }
        if isGiven("out"), let name = try name(), name != transfer.names.given { change.name = name }
        return change
    }

    /// Returns the options that cannot be changed on an existing transfer.
    static func notLive(_ given: Set<String>) -> Set<String> {
        given.intersection(OptionNames.mapped).subtracting(live)
    }

    private static let live = OptionNames.fields.union([
        "allow-overwrite", "auto-file-renaming", "checksum", "conditional-get", "dir", "max-connection-per-server",
        "max-download-limit", "out", "retry-wait", "split",
    ])
}
