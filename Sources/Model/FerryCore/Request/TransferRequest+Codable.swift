import FerryFoundation

/// The JSON form of a request: one object, whatever group a property belongs to. Absent keys have default values.
extension TransferRequest: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case url, mirrors, connections, method, body, decode, spooled, continues, network, cookies, logins, note, trust,
            umask
        case direction, file
        case preemptiveAuth = "preemptive_auth"
        case sessionCookies = "session_cookies"
        case addressFamily = "address_family"
        case session, folder, name, headers, checksums, priority, retries, deadline, insecure, paused, tags
        case allowedFolders = "allowed_folders"
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
        case addressScope = "address_scope"
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
        url = try box.decode(String.self, forKey: .url)
        file = try RequestedFile(from: box, direction)
        response = try ResponseOptions(from: box)
        timing = try TimingOptions(from: box)
        transport = try TransportOptions(from: box)
        tls = try TLSOptions(from: box)
        if direction == .upload { method = "PUT" }
        try box.take(.mirrors, into: &mirrors)
        try box.take(.method, into: &method)
        try box.take(.headers, into: &headers)
        login = try LoginOptions(from: box)
        body = try box.decodeIfPresent(RequestBody.self, forKey: .body)
        if direction == .upload, body == nil {
            body = .file(RequestBody.SentFile(path: try box.decode(String.self, forKey: .file)))
        }
        try box.take(.session, into: &session)
        note = try box.decodeIfPresent(ClientNote.self, forKey: .note)
        try box.take(.tags, into: &tags)
        try box.take(.secretsForgotten, into: &secretsForgotten)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        let usual = TransferRequest(url: url, folder: file.folder)
        try box.encode(url, forKey: .url)
        try file.encode(to: &box)
        try response.encode(to: &box)
        try timing.encode(to: &box)
        try transport.encode(to: &box)
        try tls.encode(to: &box)
        try box.put(mirrors, .mirrors, unless: usual.mirrors)
        try box.put(method, .method, unless: usual.method)
        try box.put(headers, .headers, unless: usual.headers)
        try login.encode(to: &box)
        try box.encodeIfPresent(body, forKey: .body)
        try box.put(session, .session, unless: usual.session)
        try box.encodeIfPresent(note, forKey: .note)
        try box.put(tags, .tags, unless: usual.tags)
        try box.put(secretsForgotten, .secretsForgotten, unless: usual.secretsForgotten)
    }
}

extension KeyedDecodingContainer {
    /// Replaces a value if its key is present.
    func take<Value: Decodable>(_ key: Key, into value: inout Value) throws {
        if let given = try decodeIfPresent(Value.self, forKey: key) { value = given }
    }
}

extension KeyedEncodingContainer {
    /// Encodes a value that differs from the usual one.
    mutating func put<Value: Encodable & Equatable>(_ value: Value, _ key: Key, unless usual: Value) throws {
        if value != usual { try encode(value, forKey: key) }
    }
}
