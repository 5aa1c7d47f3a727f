import FerryCore

/// What changed options mean to a transfer that is there.
extension OptionValues {
    /// The change that some options ask for.
    ///
    /// - Parameters:
    ///   - given: the names that the client has sent; the others are as they were.
    ///   - folder: absolute path, for a `dir` that is relative.
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
        if isGiven("out"), let name = try name(), name != transfer.givenName { change.name = name }
        return change
    }

    /// The options that a change cannot take over to a transfer that is there.
    static func notLive(_ given: Set<String>) -> Set<String> {
        given.intersection(OptionNames.mapped).subtracting(live)
    }

    private static let live = OptionNames.fields.union([
        "allow-overwrite", "auto-file-renaming", "checksum", "conditional-get", "dir", "max-connection-per-server",
        "max-download-limit", "out", "retry-wait", "split",
    ])
}
