// Ferry: FerryCore
// The wire form of a request: absent keys take their defaults.

import Foundation

extension TransferRequest: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case url, session, folder, name, headers, checksums, priority, retries, deadline, insecure, paused, tags
        case onConflict = "on_conflict"
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
    }

    /// The keys that a request may have on the wire.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        self.init(url: try box.decode(String.self, forKey: .url), folder: try box.decode(String.self, forKey: .folder))
        func take<Value: Decodable>(_ key: CodingKeys, into value: inout Value) throws {
            if let given = try box.decodeIfPresent(Value.self, forKey: key) { value = given }
        }
        try take(.session, into: &session)
        name = try box.decodeIfPresent(String.self, forKey: .name)
        try take(.headers, into: &headers)
        try take(.checksums, into: &checksums)
        try take(.onConflict, into: &onConflict)
        try take(.priority, into: &priority)
        try take(.rateLimit, into: &rateLimit)
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
        try take(.allowDowngrade, into: &allowDowngrade)
        try take(.allowPrivateRedirects, into: &allowPrivateRedirects)
        try take(.paused, into: &paused)
        try take(.tags, into: &tags)
        proxyEnvironment = try box.decodeIfPresent([String: String].self, forKey: .proxyEnvironment)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        let plain = TransferRequest(url: url, folder: folder)
        func put<Value: Encodable & Equatable>(_ value: Value, _ key: CodingKeys, unless usual: Value) throws {
            if value != usual { try box.encode(value, forKey: key) }
        }
        try box.encode(url, forKey: .url)
        try box.encode(folder, forKey: .folder)
        try put(session, .session, unless: plain.session)
        try box.encodeIfPresent(name, forKey: .name)
        try put(headers, .headers, unless: [])
        try put(checksums, .checksums, unless: [])
        try put(onConflict, .onConflict, unless: plain.onConflict)
        try put(priority, .priority, unless: plain.priority)
        try put(rateLimit, .rateLimit, unless: 0)
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
        try put(allowDowngrade, .allowDowngrade, unless: false)
        try put(allowPrivateRedirects, .allowPrivateRedirects, unless: false)
        try put(paused, .paused, unless: false)
        try put(tags, .tags, unless: [])
        try box.encodeIfPresent(proxyEnvironment, forKey: .proxyEnvironment)
    }
}
