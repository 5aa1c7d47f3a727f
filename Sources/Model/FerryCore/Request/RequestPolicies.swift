/// The networks that a transfer may use, and what else must hold while it runs.
package struct NetworkPolicy: Hashable, Codable, Sendable {
    package var allowsCellular: Bool
    package var allowsExpensive: Bool
    package var allowsConstrained: Bool
    /// Whether it runs only on external power and an inexpensive network.
    package var isDiscretionary: Bool
    /// Whether it waits for an allowed network. Otherwise it fails with `offline`.
    package var waits: Bool
    /// Whether it runs only while its session has a lease (docs/control-api.md#leases).
    package var needsLease: Bool

    package init(
        allowsCellular: Bool = true, allowsExpensive: Bool = true, allowsConstrained: Bool = true,
        isDiscretionary: Bool = false, waits: Bool = true, needsLease: Bool = false
    ) {
        self.allowsCellular = allowsCellular
        self.allowsExpensive = allowsExpensive
        self.allowsConstrained = allowsConstrained
        self.isDiscretionary = isDiscretionary
        self.waits = waits
        self.needsLease = needsLease
    }

    /// Returns this policy of a session, for a request that has a policy of its own: the stricter value of each setting,
    /// except that the session decides whether it waits.
    package func restricted(by own: NetworkPolicy) -> NetworkPolicy {
        NetworkPolicy(
            allowsCellular: allowsCellular && own.allowsCellular,
            allowsExpensive: allowsExpensive && own.allowsExpensive,
            allowsConstrained: allowsConstrained && own.allowsConstrained,
            isDiscretionary: isDiscretionary || own.isDiscretionary, waits: waits,
            needsLease: needsLease || own.needsLease)
    }

    private enum CodingKeys: String, CodingKey {
        case waits
        case allowsCellular = "allows_cellular"
        case allowsExpensive = "allows_expensive"
        case allowsConstrained = "allows_constrained"
        case isDiscretionary = "discretionary"
        case needsLease = "needs_lease"
    }

    package init(from decoder: any Decoder) throws {
        let box = try decoder.container(keyedBy: CodingKeys.self)
        allowsCellular = try box.decode(Bool.self, forKey: .allowsCellular)
        allowsExpensive = try box.decode(Bool.self, forKey: .allowsExpensive)
        allowsConstrained = try box.decode(Bool.self, forKey: .allowsConstrained)
        isDiscretionary = try box.decode(Bool.self, forKey: .isDiscretionary)
        waits = try box.decode(Bool.self, forKey: .waits)
        needsLease = try box.decodeIfPresent(Bool.self, forKey: .needsLease) ?? false
    }

    /// Leaves `needs_lease` out unless it is set: a journal finds the waiting transfers of a policy by its text, and those of
    /// earlier versions have no such key.
    package func encode(to encoder: any Encoder) throws {
        var box = encoder.container(keyedBy: CodingKeys.self)
        try box.encode(allowsCellular, forKey: .allowsCellular)
        try box.encode(allowsExpensive, forKey: .allowsExpensive)
        try box.encode(allowsConstrained, forKey: .allowsConstrained)
        try box.encode(isDiscretionary, forKey: .isDiscretionary)
        try box.encode(waits, forKey: .waits)
        if needsLease { try box.encode(true, forKey: .needsLease) }
    }
}

/// The behavior if the destination exists.
package enum ConflictPolicy: String, CaseIterable, Codable, Sendable {
    /// Uses another name: `name-1.ext`, up to 9999.
    case unique
    /// Fails with `destination_exists`.
    case fail
    /// Atomically replaces the existing file once the new one is complete.
    case replace
    /// Succeeds without fetching.
    case skip
    /// Fetches only if the server has another version, then as `replace`.
    case update
}

/// The behavior when the disk is full (docs/behaviour/transfers.md#L7).
package enum FullDiskPolicy: String, CaseIterable, Codable, Sendable {
    /// Waits for free space.
    case wait
    /// Fails with `disk_full`.
    case fail
    /// Fails if its known size does not fit, but waits if the disk fills up later.
    case failAtStart = "fail_at_start"
}

/// The behavior if the digest of a complete file differs from the expected one.
package enum MismatchPolicy: String, CaseIterable, Codable, Sendable {
    /// Fails with `digest_mismatch` and removes the bytes.
    case fail
    /// Places the file and reports the computed digests.
    case keep
}

/// The acceptable responses (docs/behaviour/transfers.md#R11).
package enum StatusPolicy: String, CaseIterable, Codable, Sendable {
    /// Only success statuses. Every other one fails the transfer.
    case strict
    /// Every final response, whose body becomes the file, as in URLSession.
    case any
}

/// A half-open range of acceptable statuses, from `lower` up to, but not including, `upper`.
package struct StatusRange: Hashable, Codable, Sendable {
    package var lower: Int
    package var upper: Int

    /// The success statuses.
    package static let success = StatusRange(lower: 200, upper: 300)

    package init(lower: Int, upper: Int) {
        self.lower = lower
        self.upper = upper
    }

    package func contains(_ status: Int) -> Bool { lower <= status && status < upper }
}
