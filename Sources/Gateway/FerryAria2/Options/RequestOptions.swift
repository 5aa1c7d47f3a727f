import FerryCore

/// Converts the options of a download to Ferry's request.
extension OptionValues {
    /// Maximum size of one download's option names and values, in bytes.
    static let mostBytes = 64 << 10

    /// Returns a request for the first URL, with the others as mirrors.
    ///
    /// - Parameter folder: Absolute path, used if `dir` is missing, or as the base of a relative `dir`.
    func request(for urls: DownloadURLs, folder: String) throws(RPCFault) -> TransferRequest {
        try refuseWhatFerryCannot()
        var request = TransferRequest(url: urls.first, folder: self.folder(in: folder))
        request.mirrors = urls.mirrors
        request.file.name = try name()
        request.timing.paused = try flag("pause") ?? false
        request.headers = try headers(for: urls.first)
        request.response.checksums = try checksums() ?? []
        request.file.onConflict = try conflictPolicy() ?? .unique
        request.transport.connections = try connections(of: urls)
        request.transport.rateLimit = try rateLimit("max-download-limit") ?? 0
        request.timing.minSpeed = try bytes("lowest-speed-limit") ?? 0
        request.file.remoteTime = try flag("remote-time") ?? false
        request.response.decode = try flag("http-accept-gzip") ?? false
        try limitAttempts(of: &request)
        request.timing.retryRule = try retryRule()
        request.timing.idleTimeout = try seconds("timeout").flatMap { $0 > 0 ? $0 : nil }
        request.timing.connectTimeout = try seconds("connect-timeout").flatMap { $0 > 0 ? $0 : nil }
        request.transport.proxyEnvironment = try proxies()
        request.tls.insecure = try flag("check-certificate").map { !$0 } ?? false
        request.tls.trust = trust
        request.tls.minimumVersion = try minimumTLS()
        return request
    }

    /// Rejects options that change the kind of download and that Ferry does not support, and options that are too
    /// large.
    private func refuseWhatFerryCannot() throws(RPCFault) {
        for name in ["dry-run", "hash-check-only"] where try flag(name) == true {
            throw RPCFault("Ferry has no --\(name); leave the option out.")
        }
        guard size <= Self.mostBytes else {
            throw RPCFault("The options of a download have at most \(Self.mostBytes >> 10) KiB.")
        }
    }

    /// Returns the absolute path of the folder named by `dir`.
    func folder(in folder: String) -> String {
        guard let path = text("dir") else { return folder }
        return path.utf8.first == UInt8(ascii: "/") ? path : folder.appendingPathPart(path)
    }

    /// Returns the file's name or relative path, or `nil` if none is given. The path may not leave the download's
    /// folder.
    func name() throws(RPCFault) -> String? {
        guard let path = text("out") else { return nil }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard path.utf8.first != UInt8(ascii: "/"), !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw RPCFault("The file of --out has to be below the folder of --dir.")
        }
        return path
    }

    /// Parses aria2's form of a digest, `sha-256=HEX`.
    func checksums() throws(RPCFault) -> [Checksum]? {
        guard let text = text("checksum") else { return nil }
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw .option("checksum") }
        do throws(ServiceError) { return [try Checksum(parsing: "\(halves[0]):\(halves[1])")] } catch {
            throw RPCFault.option("checksum")
        }
    }

    /// Returns the policy for an existing file from three flags, or `nil` if none is given.
    func conflictPolicy() throws(RPCFault) -> ConflictPolicy? {
        let (overwrites, renames) = (try flag("allow-overwrite"), try flag("auto-file-renaming"))
        let updates = try flag("conditional-get")
        guard overwrites != nil || renames != nil || updates != nil else { return nil }
        if overwrites == true { return updates == true ? .update : .replace }
        return renames == false ? .fail : .unique
    }

    /// Returns the number of connections. aria2 limits the total and each server; Ferry limits each file.
    func connections(of urls: DownloadURLs) throws(RPCFault) -> Int? {
        let split = try whole("split", 1...1_000_000)
        let each = try whole("max-connection-per-server", 1...1_000_000)
        let ofServers = each.map { $0.multipliedSaturated(by: urls.all.count) }
        return [split, ofServers].compactMap(\.self).min().map(SettingRange<Int>.connections.clamp)
    }

    /// Returns a rate limit. Values below the lowest limit that Ferry can enforce are raised to it.
    func rateLimit(_ name: String) throws(RPCFault) -> Int64? {
        try bytes(name).map { $0 == 0 ? 0 : max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) }
    }

    /// Applies `max-tries`, which counts all attempts. With 0, neither attempts nor time are limited.
    private func limitAttempts(of request: inout TransferRequest) throws(RPCFault) {
        guard let tries = try whole("max-tries", 0...Int.max) else { return }
        let range = SettingRange<Int>.retries
        request.timing.retries = tries > 0 ? range.clamp(tries - 1) : range.allowed.upperBound
        if tries == 0 { request.timing.giveUpAfter = 0 }
    }

    /// Returns a rule with a constant delay before each attempt, or `nil` to use Ferry's growing delays.
    func retryRule() throws(RPCFault) -> RetryRule? {
        guard let wait = try seconds("retry-wait"), wait > 0 else { return nil }
        return RetryRule(
            initialDelay: wait, multiplier: 1, maximumDelay: wait, jitter: 0,
            doubtfulRetries: RetryPolicy.doubtfulRetries)
    }

    private var trust: RequestTrust? {
        let trust = RequestTrust(
            authorities: text("ca-certificate"), certificate: text("certificate"), key: text("private-key"))
        return trust.isUsual ? nil : trust
    }

    private func minimumTLS() throws(RPCFault) -> TLSVersion? {
        guard let text = text("min-tls-version") else { return nil }
        guard text.hasPrefix("TLSv"), let version = TLSVersion(rawValue: String(text.dropFirst(4))) else {
            throw .option("min-tls-version")
        }
        return version
    }
}
