import FerryCore

/// What the options of a download mean to Ferry's request.
extension OptionValues {
    /// Bytes of names and values that the options of one download may have.
    static let mostBytes = 64 << 10

    /// A request for the first of some URLs, the others being its mirrors.
    ///
    /// - Parameter folder: absolute path, for a `dir` that is missing or relative.
    func request(for urls: DownloadURLs, folder: String) throws(RPCFault) -> TransferRequest {
        try refuseWhatFerryCannot()
        var request = TransferRequest(url: urls.first, folder: self.folder(in: folder))
        request.mirrors = urls.mirrors
        request.name = try name()
        request.paused = try flag("pause") ?? false
        request.headers = try headers(for: urls.first)
        request.checksums = try checksums() ?? []
        request.onConflict = try conflictPolicy() ?? .unique
        request.connections = try connections(of: urls)
        request.rateLimit = try rateLimit("max-download-limit") ?? 0
        request.minSpeed = try bytes("lowest-speed-limit") ?? 0
        request.remoteTime = try flag("remote-time") ?? false
        request.decode = try flag("http-accept-gzip") ?? false
        try limitAttempts(of: &request)
        request.retryRule = try retryRule()
        request.idleTimeout = try seconds("timeout").flatMap { $0 > 0 ? $0 : nil }
        request.connectTimeout = try seconds("connect-timeout").flatMap { $0 > 0 ? $0 : nil }
        request.proxyEnvironment = try proxies()
        request.insecure = try flag("check-certificate").map { !$0 } ?? false
        request.trust = trust
        request.minimumTLS = try minimumTLS()
        return request
    }

    /// Options that change what a download is, and that Ferry has nothing for.
    private func refuseWhatFerryCannot() throws(RPCFault) {
        for name in ["dry-run", "hash-check-only"] where try flag(name) == true {
            throw RPCFault("Ferry has no --\(name); leave the option out.")
        }
        guard size <= Self.mostBytes else {
            throw RPCFault("The options of a download have at most \(Self.mostBytes >> 10) KiB.")
        }
    }

    /// The absolute path of the folder that `dir` names.
    func folder(in folder: String) -> String {
        guard let path = text("dir") else { return folder }
        return path.utf8.first == UInt8(ascii: "/") ? path : folder.appendingPathPart(path)
    }

    /// The file's name or path, which stays below the download's folder; nil if none is given.
    func name() throws(RPCFault) -> String? {
        guard let path = text("out") else { return nil }
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard path.utf8.first != UInt8(ascii: "/"), !parts.contains(where: { $0.elementsEqual("..".utf8) }) else {
            throw RPCFault("The file of --out has to be below the folder of --dir.")
        }
        return path
    }

    /// aria2 writes the digest as `sha-256=HEX`.
    func checksums() throws(RPCFault) -> [Checksum]? {
        guard let text = text("checksum") else { return nil }
        let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard halves.count == 2 else { throw .option("checksum") }
        do throws(ServiceError) { return [try Checksum(parsing: "\(halves[0]):\(halves[1])")] } catch {
            throw RPCFault.option("checksum")
        }
    }

    /// What three switches say of a name that is taken; nil if none of them is given.
    func conflictPolicy() throws(RPCFault) -> ConflictPolicy? {
        let (overwrites, renames) = (try flag("allow-overwrite"), try flag("auto-file-renaming"))
        let updates = try flag("conditional-get")
        guard overwrites != nil || renames != nil || updates != nil else { return nil }
        if overwrites == true { return updates == true ? .update : .replace }
        return renames == false ? .fail : .unique
    }

    /// aria2 has one limit for all servers and one for each; Ferry has one for the file.
    func connections(of urls: DownloadURLs) throws(RPCFault) -> Int? {
        let split = try whole("split", 1...1_000_000)
        let each = try whole("max-connection-per-server", 1...1_000_000)
        let ofServers = each.map { $0.multipliedSaturated(by: urls.all.count) }
        return [split, ofServers].compactMap(\.self).min().map(SettingRange<Int>.connections.clamp)
    }

    /// A limit of a speed; one that is too low to be kept to is the lowest that is kept.
    func rateLimit(_ name: String) throws(RPCFault) -> Int64? {
        try bytes(name).map { $0 == 0 ? 0 : max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) }
    }

    /// Takes over `max-tries`, which counts all attempts; 0 is no limit, neither of attempts nor of time.
    private func limitAttempts(of request: inout TransferRequest) throws(RPCFault) {
        guard let tries = try whole("max-tries", 0...Int.max) else { return }
        let range = SettingRange<Int>.retries
        request.retries = tries > 0 ? range.clamp(tries - 1) : range.allowed.upperBound
        if tries == 0 { request.giveUpAfter = 0 }
    }

    /// The same wait before each attempt; nil leaves Ferry its growing delays.
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
