package import FerryFoundation

/// Changes to one transfer. Absent keys stay as they are.
package struct TransferChange: Hashable, Sendable {
    package var action: TransferAction?
    package var priority: Priority?
    /// Bytes per second. 0 for no limit.
    package var rateLimit: Int64?
    /// Number of parallel connections, 1 to 64.
    package var connections: Int?
    /// A new URL of the same file. Ranges and identity stay and are compared with its first response.
    package var url: String?
    /// Other URLs of the same file, replacing the current ones.
    package var mirrors: [String]?
    package var file = FileChange()
    /// New header fields for all future requests.
    package var headers: [HeaderField]?
    /// New cookies and credentials for all future requests, replacing the current ones.
    package var login = LoginChange()
    package var network: NetworkPolicy?
    /// Earliest date of the next request. A date in the distant past removes it.
    package var notBefore: Date?
    package var note: ClientNote?
    package var retryRule: RetryRule?
    /// Expected digests of the whole file, replacing the current ones.
    package var checksums: [Checksum]?
    /// The answer to the challenge that it waits with.
    package var answer: ChallengeAnswer?
    package var trustAnswer: TrustAnswer?

    package init() {}
}

/// Changes to a transfer's cookies and credentials.
package struct LoginChange: Hashable, Sendable {
    package var cookies: [GivenCookie]?
    package var logins: [GivenLogin]?

    package init() {}
}

/// Changes to the place of a transfer's file, and to what happens if its digest differs.
package struct FileChange: Hashable, Sendable {
    /// A new folder for a transfer that has not succeeded.
    package var folder: String?
    /// The folders to which a changed file is limited. A new folder without them removes the former limit.
    package var allowedFolders: AllowedFolders?
    /// A new name for a transfer that has not succeeded, or for the finished file within its folder.
    package var name: String?
    package var onConflict: ConflictPolicy?
    package var onMismatch: MismatchPolicy?

    package init() {}
}

extension TransferChange {
    package var folder: String? {
        get { file.folder }
        set { file.folder = newValue }
    }

    package var name: String? {
        get { file.name }
        set { file.name = newValue }
    }

    package var onMismatch: MismatchPolicy? {
        get { file.onMismatch }
        set { file.onMismatch = newValue }
    }

    package var onConflict: ConflictPolicy? {
        get { file.onConflict }
        set { file.onConflict = newValue }
    }
}

/// The JSON form of a change: one object, whatever group a property belongs to.
extension TransferChange: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case action, priority, url, mirrors, connections, folder, name, headers, network, note, answer, checksums
        case cookies, logins
        case allowedFolders = "allowed_folders"
        case retryRule = "retry_rule"
        case onConflict = "on_conflict"
        case onMismatch = "on_mismatch"
        case notBefore = "not_before"
        case trustAnswer = "trust_answer"
        case rateLimit = "rate_limit"
    }

    /// The JSON keys of a change.
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value? {
            try box.decodeIfPresent(Value.self, forKey: key)
        }
        action = try value(.action)
        priority = try value(.priority)
        rateLimit = try value(.rateLimit)
        connections = try value(.connections)
        url = try value(.url)
        mirrors = try value(.mirrors)
        onMismatch = try value(.onMismatch)
        headers = try value(.headers)
        login.cookies = try value(.cookies)
        login.logins = try value(.logins)
        network = try value(.network)
        notBefore = try value(.notBefore)
        note = try value(.note)
        retryRule = try value(.retryRule)
        checksums = try value(.checksums)
        answer = try value(.answer)
        trustAnswer = try value(.trustAnswer)
        file.folder = try value(.folder)
        file.allowedFolders = try value(.allowedFolders)
        file.name = try value(.name)
        file.onConflict = try value(.onConflict)
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encodeIfPresent(action, forKey: .action)
        try box.encodeIfPresent(priority, forKey: .priority)
        try box.encodeIfPresent(rateLimit, forKey: .rateLimit)
        try box.encodeIfPresent(connections, forKey: .connections)
        try box.encodeIfPresent(url, forKey: .url)
        try box.encodeIfPresent(mirrors, forKey: .mirrors)
        try box.encodeIfPresent(onMismatch, forKey: .onMismatch)
        try box.encodeIfPresent(headers, forKey: .headers)
        try box.encodeIfPresent(login.cookies, forKey: .cookies)
        try box.encodeIfPresent(login.logins, forKey: .logins)
        try box.encodeIfPresent(network, forKey: .network)
        try box.encodeIfPresent(notBefore, forKey: .notBefore)
        try box.encodeIfPresent(note, forKey: .note)
        try box.encodeIfPresent(retryRule, forKey: .retryRule)
        try box.encodeIfPresent(checksums, forKey: .checksums)
        try box.encodeIfPresent(answer, forKey: .answer)
        try box.encodeIfPresent(trustAnswer, forKey: .trustAnswer)
        try box.encodeIfPresent(file.folder, forKey: .folder)
        try box.encodeIfPresent(file.allowedFolders, forKey: .allowedFolders)
        try box.encodeIfPresent(file.name, forKey: .name)
        try box.encodeIfPresent(file.onConflict, forKey: .onConflict)
    }
}
