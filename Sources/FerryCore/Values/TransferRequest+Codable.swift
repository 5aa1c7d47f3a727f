import FerryFoundation

/// The JSON form of a request. Absent keys have default values.
extension TransferRequest: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case url, mirrors, connections, method, body, decode, spooled, continues, network, cookies, note, trust, umask
        case direction, file
        case session, folder, name, headers, checksums, priority, retries, deadline, insecure, paused, tags
        case onConflict = "on_conflict"
        case onMismatch = "on_mismatch"
        case partialFolder = "partial_folder"
        case skipsHostVerification = "skip_host_verification"
        case acceptableStatuses = "acceptable_statuses"
        case rateLimit = "rate_limit"
        case statusRetries = "status_retries"
        case giveUpAfter = "give_up_after"
        case expectedSize = "expected_size"
        case maxSize = "max_size"
        case minSpeed = "min_speed"
        case minSpeedTime = "min_speed_time"
        case createFolders = "create_folders"
        case nameFrom = "name_from"
        case remoteTime = "remote_time"
        case originAttribute = "origin_attribute"
        case allowDowngrade = "allow_downgrade"
        case allowPrivateRedirects = "allow_private_redirects"
        case proxyEnvironment = "proxy_environment"
        case statusPolicy = "status_policy"
        case foreignFields = "foreign_fields"
        case idleTimeout = "idle_timeout"
        case connectTimeout = "connect_timeout"
        case maxRedirects = "max_redirects"
        case resourceTimeout = "resource_timeout"
        case notBefore = "not_before"
        case onFullDisk = "on_full_disk"
        case retryRule = "retry_rule"
        case minimumTLS = "minimum_tls"
        case maximumTLS = "maximum_tls"
        case secretsForgotten = "secrets_forgotten"
    }

    /// The JSON keys of a request.
    package static let keys = Set(CodingKeys.allCases.filter { $0 != .secretsForgotten }.map(\.rawValue))

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        let direction = try box.decodeIfPresent(TransferDirection.self, forKey: .direction) ?? .download
        // An upload's response needs no folder.
        let folder = direction == .upload ? try box.decodeIfPresent(String.self, forKey: .folder) : nil
        self.init(
            url: try box.decode(String.self, forKey: .url),
            folder: try folder ?? (direction == .upload ? "" : box.decode(String.self, forKey: .folder)))
        if direction == .upload { method = "PUT" }
        func take<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let given = try box.decodeIfPresent(Value.self, forKey: key) { value = given }
        }
        try take(.mirrors, into: &mirrors)
        try take(.session, into: &session)
        partialFolder = try box.decodeIfPresent(String.self, forKey: .partialFolder)
        name = try box.decodeIfPresent(String.self, forKey: .name)
        try take(.headers, into: &headers)
        try take(.checksums, into: &checksums)
        try take(.onConflict, into: &onConflict)
        try take(.onMismatch, into: &onMismatch)
        try take(.priority, into: &priority)
        try take(.rateLimit, into: &rateLimit)
        connections = try box.decodeIfPresent(Int.self, forKey: .connections)
        retries = try box.decodeIfPresent(Int.self, forKey: .retries)
        statusRetries = try box.decodeIfPresent(Int.self, forKey: .statusRetries)
        try take(.giveUpAfter, into: &giveUpAfter)
        deadline = try box.decodeIfPresent(Date.self, forKey: .deadline)
        expectedSize = try box.decodeIfPresent(Int64.self, forKey: .expectedSize)
        maxSize = try box.decodeIfPresent(Int64.self, forKey: .maxSize)
        try take(.minSpeed, into: &minSpeed)
        try take(.minSpeedTime, into: &minSpeedTime)
        try take(.createFolders, into: &createFolders)
        try take(.nameFrom, into: &nameFrom)
        try take(.remoteTime, into: &remoteTime)
        try take(.originAttribute, into: &originAttribute)
        try take(.insecure, into: &insecure)
        try take(.skipsHostVerification, into: &skipsHostVerification)
        try take(.allowDowngrade, into: &redirects.allowDowngrade)
        try take(.allowPrivateRedirects, into: &redirects.allowPrivateRedirects)
        try take(.maxRedirects, into: &redirects.most)
        try take(.paused, into: &paused)
        try take(.tags, into: &tags)
        proxyEnvironment = try box.decodeIfPresent([String: String].self, forKey: .proxyEnvironment)
        trust = try box.decodeIfPresent(RequestTrust.self, forKey: .trust)
        umask = try box.decodeIfPresent(FileMask.self, forKey: .umask)
        try take(.method, into: &method)
        body = try box.decodeIfPresent(RequestBody.self, forKey: .body)
        if direction == .upload, body == nil {
            body = .file(RequestBody.SentFile(path: try box.decode(String.self, forKey: .file)))
        }
        try take(.statusPolicy, into: &statusPolicy)
        acceptableStatuses = try box.decodeIfPresent(StatusRange.self, forKey: .acceptableStatuses)
        try take(.foreignFields, into: &foreignFields)
        try take(.decode, into: &decode)
        try take(.spooled, into: &spooled)
        continues = try box.decodeIfPresent(PartialSource.self, forKey: .continues)
        idleTimeout = try box.decodeIfPresent(Double.self, forKey: .idleTimeout)
        connectTimeout = try box.decodeIfPresent(Double.self, forKey: .connectTimeout)
        resourceTimeout = try box.decodeIfPresent(Double.self, forKey: .resourceTimeout)
        notBefore = try box.decodeIfPresent(Date.self, forKey: .notBefore)
        try take(.network, into: &network)
        try take(.onFullDisk, into: &onFullDisk)
        retryRule = try box.decodeIfPresent(RetryRule.self, forKey: .retryRule)
        try take(.cookies, into: &cookies)
        minimumTLS = try box.decodeIfPresent(TLSVersion.self, forKey: .minimumTLS)
        maximumTLS = try box.decodeIfPresent(TLSVersion.self, forKey: .maximumTLS)
        note = try box.decodeIfPresent(ClientNote.self, forKey: .note)
        try take(.secretsForgotten, into: &secretsForgotten)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        let plain = TransferRequest(url: url, folder: folder)
        func put<Value: Encodable & Equatable>(_ value: Value, _ key: CodingKeys, unless usual: Value) throws {
            if value != usual { try box.encode(value, forKey: key) }
        }
        try box.encode(url, forKey: .url)
        try box.encode(folder, forKey: .folder)
        try put(mirrors, .mirrors, unless: [])
        try put(session, .session, unless: plain.session)
        try box.encodeIfPresent(partialFolder, forKey: .partialFolder)
        try box.encodeIfPresent(name, forKey: .name)
        try put(headers, .headers, unless: [])
        try put(checksums, .checksums, unless: [])
        try put(onConflict, .onConflict, unless: plain.onConflict)
        try put(onMismatch, .onMismatch, unless: .fail)
        try put(priority, .priority, unless: plain.priority)
        try put(rateLimit, .rateLimit, unless: 0)
        try box.encodeIfPresent(connections, forKey: .connections)
        try box.encodeIfPresent(retries, forKey: .retries)
        try box.encodeIfPresent(statusRetries, forKey: .statusRetries)
        try put(giveUpAfter, .giveUpAfter, unless: plain.giveUpAfter)
        try box.encodeIfPresent(deadline, forKey: .deadline)
        try box.encodeIfPresent(expectedSize, forKey: .expectedSize)
        try box.encodeIfPresent(maxSize, forKey: .maxSize)
        try put(minSpeed, .minSpeed, unless: 0)
        try put(minSpeedTime, .minSpeedTime, unless: plain.minSpeedTime)
        try put(createFolders, .createFolders, unless: true)
        try put(nameFrom, .nameFrom, unless: .original)
        try put(remoteTime, .remoteTime, unless: false)
        try put(originAttribute, .originAttribute, unless: false)
        try put(insecure, .insecure, unless: false)
        try put(skipsHostVerification, .skipsHostVerification, unless: false)
        try put(redirects.allowDowngrade, .allowDowngrade, unless: false)
        try put(redirects.allowPrivateRedirects, .allowPrivateRedirects, unless: false)
        try put(redirects.most, .maxRedirects, unless: RedirectChain.limit)
        try put(paused, .paused, unless: false)
        try put(tags, .tags, unless: [])
        try box.encodeIfPresent(proxyEnvironment, forKey: .proxyEnvironment)
        try box.encodeIfPresent(trust, forKey: .trust)
        try box.encodeIfPresent(umask, forKey: .umask)
        try put(method, .method, unless: plain.method)
        try box.encodeIfPresent(body, forKey: .body)
        try put(statusPolicy, .statusPolicy, unless: .strict)
        try box.encodeIfPresent(acceptableStatuses, forKey: .acceptableStatuses)
        try put(foreignFields, .foreignFields, unless: .drop)
        try put(decode, .decode, unless: false)
        try put(spooled, .spooled, unless: false)
        try box.encodeIfPresent(continues, forKey: .continues)
        try box.encodeIfPresent(idleTimeout, forKey: .idleTimeout)
        try box.encodeIfPresent(connectTimeout, forKey: .connectTimeout)
        try box.encodeIfPresent(resourceTimeout, forKey: .resourceTimeout)
        try box.encodeIfPresent(notBefore, forKey: .notBefore)
        try put(network, .network, unless: plain.network)
        try put(onFullDisk, .onFullDisk, unless: .wait)
        try box.encodeIfPresent(retryRule, forKey: .retryRule)
        try put(cookies, .cookies, unless: [])
        try box.encodeIfPresent(minimumTLS, forKey: .minimumTLS)
        try box.encodeIfPresent(maximumTLS, forKey: .maximumTLS)
        try box.encodeIfPresent(note, forKey: .note)
        try put(secretsForgotten, .secretsForgotten, unless: false)
    }
}
