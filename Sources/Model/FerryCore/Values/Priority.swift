/// The precedence for slots and for shares of a rate limit: -10 to 10, with three named values.
package struct Priority: RawRepresentable, Hashable, Comparable, Sendable {
    /// The allowed numbers.
    package static let allowed = -10...10
    package static let low = Priority(clamping: -5)
    package static let normal = Priority(clamping: 0)
    /// That of transfers whose user waits for them: before all that were only added.
    package static let foreground = Priority(clamping: 1)
    package static let high = Priority(clamping: 5)

    /// -10 to 10. Higher goes first.
    package let rawValue: Int

    /// Returns nil for a number out of range.
    package init?(rawValue: Int) {
        guard Self.allowed.contains(rawValue) else { return nil }
        self.rawValue = rawValue
    }

    /// Clamps to the allowed range.
    package init(clamping value: Int) {
        rawValue = min(max(value, Self.allowed.lowerBound), Self.allowed.upperBound)
    }

    /// Parses a name or a number. Returns nil for other text.
    package init?(word: String) {
        switch word {
        case "low": self = .low
        case "normal": self = .normal
        case "high": self = .high
        default:
            guard let number = Int(word), let priority = Priority(rawValue: number) else { return nil }
            self = priority
        }
    }

    /// The name, or the number if it has none.
    package var word: String {
        switch self {
        case .low: "low"
        case .normal: "normal"
        case .high: "high"
        default: String(rawValue)
        }
    }

    /// Weight for sharing a limited rate.
    package var weight: Int {
        switch rawValue {
        case ...(-3): 1
        case 3...: 4
        default: 2
        }
    }

    package static func < (left: Priority, right: Priority) -> Bool { left.rawValue < right.rawValue }
}

/// Encoded as its name, or as a number if it has none.
extension Priority: Codable {
    package init(from decoder: any Decoder) throws {
        let box = try decoder.singleValueContainer()
        let number = try? box.decode(Int.self)
        let word = try number.map(String.init) ?? box.decode(String.self)
        guard let priority = Priority(word: word) else {
            throw DecodingError.dataCorruptedError(
                in: box, debugDescription: "A priority is low, normal, high or a number from -10 to 10.")
        }
        self = priority
    }

    package func encode(to encoder: any Encoder) throws {
        var box = encoder.singleValueContainer()
        switch self {
        case .low, .normal, .high: try box.encode(word)
        default: try box.encode(rawValue)
        }
    }
}
