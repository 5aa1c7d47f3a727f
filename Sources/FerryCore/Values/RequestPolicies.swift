/// Which networks a transfer may use.
package struct NetworkPolicy: Hashable, Codable, Sendable {
    package var allowsCellular: Bool
    package var allowsExpensive: Bool
    package var allowsConstrained: Bool
    /// Whether it runs only on external power and on a network that is not expensive.
    package var isDiscretionary: Bool
    /// Whether it waits for a network that it may use; else it fails with `offline`.
    package var waits: Bool

    package init(
        allowsCellular: Bool = true, allowsExpensive: Bool = true, allowsConstrained: Bool = true,
        isDiscretionary: Bool = false, waits: Bool = true
    ) {
        self.allowsCellular = allowsCellular
        self.allowsExpensive = allowsExpensive
        self.allowsConstrained = allowsConstrained
        self.isDiscretionary = isDiscretionary
        self.waits = waits
    }

    private enum CodingKeys: String, CodingKey {
        case waits
        case allowsCellular = "allows_cellular"
        case allowsExpensive = "allows_expensive"
        case allowsConstrained = "allows_constrained"
        case isDiscretionary = "discretionary"
    }
}

/// What happens when a file of the destination's name is there already.
package enum ConflictPolicy: String, CaseIterable, Codable, Sendable {
    /// Another name: `name-1.ext`, up to 9999.
    case unique
    /// The transfer fails with `destination_exists`.
    case fail
    /// The new file takes the old one's place, in one step, once it is whole.
    case replace
    /// Nothing is fetched; the transfer has succeeded.
    case skip
    /// Fetched only if the server has another version; then as `replace`.
    case update
}

/// What a full disk means to a transfer (docs/behaviour/transfers.md#L7).
package enum FullDiskPolicy: String, CaseIterable, Codable, Sendable {
    /// It waits for room.
    case wait
    /// It fails with `disk_full`.
    case fail
    /// It fails if its size is known not to fit, and waits for room where the disk becomes full meanwhile.
    case failAtStart = "fail_at_start"
}

/// What happens to a whole file that has another digest than the one that was given.
package enum MismatchPolicy: String, CaseIterable, Codable, Sendable {
    /// The transfer fails with `digest_mismatch`; the bytes go.
    case fail
    /// The file is placed all the same, and the transfer tells the digests that it has.
    case keep
}

/// Which responses are results (docs/behaviour/transfers.md#R11).
package enum StatusPolicy: String, CaseIterable, Codable, Sendable {
    /// Success statuses alone; every other one fails the transfer.
    case strict
    /// Every final response is the result and its body the file, as URLSession does it.
    case any
}

/// Final statuses whose responses are results, from `lower` up to, but not including, `upper`.
package struct StatusRange: Hashable, Codable, Sendable {
    package var lower: Int
    package var upper: Int

    /// The statuses of success.
    package static let success = StatusRange(lower: 200, upper: 300)

    package init(lower: Int, upper: Int) {
        self.lower = lower
        self.upper = upper
    }

    package func contains(_ status: Int) -> Bool { lower <= status && status < upper }
}
