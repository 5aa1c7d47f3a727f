/// The range of a numeric setting, shared by every request body and command line that has it.
///
/// An out-of-range number from a client is refused. A stored one is clamped, so that no journal stops the daemon: see
/// ``OutOfRangePolicy``.
package struct SettingRange<Number: Comparable & Sendable>: Sendable {
    package let key: String
    package let allowed: ClosedRange<Number>
    /// A value outside the range that is also allowed, such as 0 for no limit.
    package let special: Number?

    package init(_ key: String, _ allowed: ClosedRange<Number>, or special: Number? = nil) {
        self.key = key
        self.allowed = allowed
        self.special = special
    }

    /// Whether the value is allowed. False for NaN.
    package func contains(_ value: Number) -> Bool { value == special || allowed.contains(value) }

    /// The nearest allowed value. The minimum for NaN.
    package func clamp(_ value: Number) -> Number {
        if let special, !(value > special) { return special }
        if value >= allowed.upperBound { return allowed.upperBound }
        return value > allowed.lowerBound ? value : allowed.lowerBound
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` that names the key and its range.
    package func check(_ value: Number?) throws(ServiceError) {
        if let value, !contains(value) { throw refusal(of: value) }
    }

    package func refusal(of value: Number) -> ServiceError {
        ServiceError(.invalidRequest, "\(key) is \(words), not \(Self.text(value)).")
    }

    /// The range as text: `1 to 64`, `0 or at least 1024`.
    package var words: String {
        let bounds = (Self.text(allowed.lowerBound), Self.text(allowed.upperBound))
        let isOpen = bounds.1 == String(Int64.max)
        let range = isOpen ? "at least \(bounds.0)" : "\(bounds.0) to \(bounds.1)"
        return special.map { "\(Self.text($0)) or \(range)" } ?? range
    }

    private static func text(_ value: Number) -> String {
        (value as? Double).flatMap { Int64(exactly: $0) }.map(String.init) ?? "\(value)"
    }
}

// MARK: Integers

extension SettingRange<Int> {
    package static var activeTransfers: Self { Self("active_transfers", 1...1000) }
    /// Number of connections for one file.
    package static var connections: Self { Self("connections", 1...64) }
    package static var connectionsPerHost: Self { Self("connections_per_host", 1...64) }
    package static var connectionsTotal: Self { Self("connections_total", 1...4096) }
    package static var smallFilesPerHost: Self { Self("small_files_per_host", 1...1000) }
    package static var hostConnections: Self { Self("host_connections", 1...64) }
    package static var retries: Self { Self("retries", 0...1000) }
    package static var statusRetries: Self { Self("status_retries", 0...1000) }
    package static var attemptsWithoutProgress: Self { Self("maximum_attempts_without_progress", 0...1_000_000) }
    package static var doubtfulRetries: Self { Self("doubtful_retries", 0...1_000_000) }
    package static var unreachableRetries: Self { Self("unreachable_retries", 0...1_000_000) }
    package static var maxRedirects: Self { Self("max_redirects", 0...100) }
    /// Bounds of a half-open range of statuses.
    package static var acceptableStatus: Self { Self("acceptable_statuses", 0...1000) }
    package static var retriedStatus: Self { Self("status_codes", 100...999) }
    package static var expiredStatus: Self { Self("expired_status_codes", 100...999) }
    package static var task: Self { Self("task", 0...1 << 53) }

    package static var all: [Self] {
        [
            activeTransfers, connections, connectionsPerHost, connectionsTotal, smallFilesPerHost, hostConnections,
            retries,
            statusRetries, attemptsWithoutProgress, doubtfulRetries, unreachableRetries, maxRedirects, acceptableStatus,
            retriedStatus,
            expiredStatus, task,
        ]
    }
}

// MARK: Bytes

extension SettingRange<Int64> {
    /// Maximum size of a file in bytes. Sums of a few such numbers do not overflow.
    package static let mostBytes: Int64 = 1 << 60

    package static var rateLimit: Self { Self("rate_limit", 1024...Int64.max, or: 0) }
    package static var uploadRateLimit: Self { Self("upload_rate_limit", 1024...Int64.max, or: 0) }
    package static var slowRateLimit: Self { Self("slow_rate_limit", 1024...Int64.max) }
    package static var reserve: Self { Self("reserve", 0...Int64.max) }
    package static var expectedSize: Self { Self("expected_size", 0...Int64.max) }
    package static var maxSize: Self { Self("max_size", 0...Int64.max) }
    package static var minSpeed: Self { Self("min_speed", 0...Int64.max) }
    /// Size of an uploaded file.
    package static var sentSize: Self { Self("size", 0...Int64.max) }
    package static var offset: Self { Self("offset", 1...mostBytes) }
    package static var completeLength: Self { Self("complete_length", 0...mostBytes) }

    package static var all: [Self] {
        [
            rateLimit, uploadRateLimit, slowRateLimit, reserve, expectedSize, maxSize, minSpeed, sentSize, offset,
            completeLength,
        ]
    }
}

// MARK: Seconds and factors

extension SettingRange<Double> {
    /// Ten years in seconds: longer than any intended wait.
    package static let longest = 3650.0 * 86_400

    package static var giveUpAfter: Self { Self("give_up_after", 0...365 * 86_400) }
    package static var minSpeedTime: Self { Self("min_speed_time", 1...3600) }
    package static var idleTimeout: Self { Self("idle_timeout", 0.001...longest) }
    package static var connectTimeout: Self { Self("connect_timeout", 0.001...longest) }
    package static var resourceTimeout: Self { Self("resource_timeout", 0.001...longest) }
    package static var initialDelay: Self { Self("initial_delay", 0...longest) }
    package static var maximumDelay: Self { Self("maximum_delay", 0...longest) }
    /// Values below 1 count as 1.
    package static var multiplier: Self { Self("multiplier", 0...1000) }
    package static var jitter: Self { Self("jitter", 0...1) }

    package static var all: [Self] {
        [
            giveUpAfter, minSpeedTime, idleTimeout, connectTimeout, resourceTimeout, initialDelay, maximumDelay,
            multiplier, jitter,
        ]
    }
}

// MARK: Stored numbers

/// Ranges of the numbers in a stored record.
extension SettingRange<Int> {
    /// Range of counters, with room for any number of further increments.
    package static var count: Self { Self("count", 0...Int(Int32.max)) }
}

extension SettingRange<Int64> {
    package static var bytes: Self { Self("bytes", 0...mostBytes) }
}
