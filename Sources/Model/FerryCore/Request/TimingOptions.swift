package import FerryFoundation

/// The times of a transfer: when it runs, how long it waits, and how often it is attempted.
package struct TimingOptions: Hashable, Sendable {
    /// Whether it is submitted suspended, until `resume`.
    package var paused = false
    package var priority: Priority = .normal
    /// Earliest date of the first request.
    package var notBefore: Date?
    /// Deadline of the whole transfer.
    package var deadline: Date?
    /// Maximum seconds since the first start, without suspended periods.
    package var resourceTimeout: Double?
    /// Seconds without progress before a patient failure is final. 0 for never.
    package var giveUpAfter: Double = 7 * 86_400
    /// Maximum number of failures without progress. Nil for the limits of the error classes.
    package var retries: Int?
    package var statusRetries: Int?
    /// The client's own retry rule.
    package var retryRule: RetryRule?
    /// Seconds for establishing a connection, including TLS. Nil for the engine's default.
    package var connectTimeout: Double?
    /// Seconds without a byte before a connection is closed. Nil for the engine's default.
    package var idleTimeout: Double?
    /// Bytes per second below which a connection is replaced after `minSpeedTime` seconds. 0 to disable.
    package var minSpeed: Int64 = 0
    package var minSpeedTime: Double = 30

    package init() {}
}

extension TimingOptions {
    typealias CodingKeys = TransferRequest.CodingKeys

    /// Decodes the group's keys of a request's JSON object. Absent keys have default values.
    init(from box: KeyedDecodingContainer<CodingKeys>) throws {
        self.init()
        try box.take(.paused, into: &paused)
        try box.take(.priority, into: &priority)
        notBefore = try box.decodeIfPresent(Date.self, forKey: .notBefore)
        deadline = try box.decodeIfPresent(Date.self, forKey: .deadline)
        resourceTimeout = try box.decodeIfPresent(Double.self, forKey: .resourceTimeout)
        try box.take(.giveUpAfter, into: &giveUpAfter)
        retries = try box.decodeIfPresent(Int.self, forKey: .retries)
        statusRetries = try box.decodeIfPresent(Int.self, forKey: .statusRetries)
        retryRule = try box.decodeIfPresent(RetryRule.self, forKey: .retryRule)
        connectTimeout = try box.decodeIfPresent(Double.self, forKey: .connectTimeout)
        idleTimeout = try box.decodeIfPresent(Double.self, forKey: .idleTimeout)
        try box.take(.minSpeed, into: &minSpeed)
        try box.take(.minSpeedTime, into: &minSpeedTime)
    }

    func encode(to box: inout KeyedEncodingContainer<CodingKeys>) throws {
        let usual = TimingOptions()
        try box.put(paused, .paused, unless: usual.paused)
        try box.put(priority, .priority, unless: usual.priority)
        try box.encodeIfPresent(notBefore, forKey: .notBefore)
        try box.encodeIfPresent(deadline, forKey: .deadline)
        try box.encodeIfPresent(resourceTimeout, forKey: .resourceTimeout)
        try box.put(giveUpAfter, .giveUpAfter, unless: usual.giveUpAfter)
        try box.encodeIfPresent(retries, forKey: .retries)
        try box.encodeIfPresent(statusRetries, forKey: .statusRetries)
        try box.encodeIfPresent(retryRule, forKey: .retryRule)
        try box.encodeIfPresent(connectTimeout, forKey: .connectTimeout)
        try box.encodeIfPresent(idleTimeout, forKey: .idleTimeout)
        try box.put(minSpeed, .minSpeed, unless: usual.minSpeed)
        try box.put(minSpeedTime, .minSpeedTime, unless: usual.minSpeedTime)
    }
}
