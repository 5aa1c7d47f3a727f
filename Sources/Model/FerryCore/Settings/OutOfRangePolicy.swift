/// The treatment of out-of-range numbers: refusing them at admission, clamping them in the journal.
package struct OutOfRangePolicy<Failure: Error>: Sendable {
    private let judge: @Sendable (ServiceError) throws(Failure) -> Void

    /// Clamps a number to its range, or throws.
    package func apply<Number>(_ range: SettingRange<Number>, to value: inout Number) throws(Failure) {
        guard !range.contains(value) else { return }
        try judge(range.refusal(of: value))
        value = range.clamp(value)
    }

    package func apply<Number>(_ range: SettingRange<Number>, to value: inout Number?) throws(Failure) {
        guard var number = value else { return }
        try apply(range, to: &number)
        value = number
    }
}

extension OutOfRangePolicy {
    /// Removes out-of-range numbers from a set, or throws.
    package func apply<Number: Hashable>(_ range: SettingRange<Number>, to values: inout Set<Number>) throws(Failure) {
        for value in values.sorted() where !range.contains(value) {
            try judge(range.refusal(of: value))
            values.remove(value)
        }
    }
}

extension OutOfRangePolicy<ServiceError> {
    /// For requests of clients: throws `invalid_request`.
    package static var refuse: Self { Self { (error) throws(ServiceError) in throw error } }
}

extension OutOfRangePolicy<Never> {
    /// For stored values: clamps to the nearest number in range.
    package static var clamp: Self { Self { _ in } }
}

extension TransferRequest {
    /// Clamps all numbers, or refuses the request.
    package mutating func bringNumbersIntoRange<Failure>(_ policy: OutOfRangePolicy<Failure>) throws(Failure) {
        try policy.apply(.rateLimit, to: &transport.rateLimit)
        try policy.apply(.connections, to: &transport.connections)
        try policy.apply(.retries, to: &timing.retries)
        try policy.apply(.statusRetries, to: &timing.statusRetries)
        try policy.apply(.giveUpAfter, to: &timing.giveUpAfter)
        try policy.apply(.expectedSize, to: &response.expectedSize)
        try policy.apply(.maxSize, to: &response.maxSize)
        try policy.apply(.minSpeed, to: &timing.minSpeed)
        try policy.apply(.minSpeedTime, to: &timing.minSpeedTime)
        try policy.apply(.idleTimeout, to: &timing.idleTimeout)
        try policy.apply(.connectTimeout, to: &timing.connectTimeout)
        try policy.apply(.maxRedirects, to: &transport.redirects.most)
        try policy.apply(.resourceTimeout, to: &timing.resourceTimeout)
        if var statuses = response.acceptableStatuses {
            try policy.apply(.acceptableStatus, to: &statuses.lower)
            try policy.apply(.acceptableStatus, to: &statuses.upper)
            response.acceptableStatuses = statuses
        }
        if var rule = timing.retryRule {
            try rule.bringNumbersIntoRange(policy)
            timing.retryRule = rule
        }
        if case .file(var file) = body {
            try policy.apply(.sentSize, to: &file.size)
            body = .file(file)
        }
        if var source = file.continues {
            if source.upload == nil { try policy.apply(.offset, to: &source.offset) }
            source.upload?.facts.clampNumbers()
            try policy.apply(.completeLength, to: &source.completeLength)
            file.continues = source
        }
        if var own = note {
            try policy.apply(.task, to: &own.task)
            note = own
        }
    }
}

extension RetryRule {
    package mutating func bringNumbersIntoRange<Failure>(_ policy: OutOfRangePolicy<Failure>) throws(Failure) {
        try policy.apply(.initialDelay, to: &initialDelay)
        try policy.apply(.multiplier, to: &multiplier)
        try policy.apply(.maximumDelay, to: &maximumDelay)
        try policy.apply(.jitter, to: &jitter)
        try policy.apply(.attemptsWithoutProgress, to: &maximumAttemptsWithoutProgress)
        try policy.apply(.doubtfulRetries, to: &doubtfulRetries)
        try policy.apply(.unreachableRetries, to: &unreachableRetries)
        try policy.apply(.retriedStatus, to: &statusCodes)
        try policy.apply(.expiredStatus, to: &expiredStatusCodes)
    }
}

extension ServiceSettings {
    package mutating func bringNumbersIntoRange<Failure>(_ policy: OutOfRangePolicy<Failure>) throws(Failure) {
        try policy.apply(.connectionsPerHost, to: &connectionsPerHost)
        try policy.apply(.connectionsTotal, to: &connectionsTotal)
        try policy.apply(.activeTransfers, to: &activeTransfers)
        try policy.apply(.smallFilesPerHost, to: &smallFilesPerHost)
        try policy.apply(.rateLimit, to: &rateLimit)
        try policy.apply(.uploadRateLimit, to: &uploadRateLimit)
        try policy.apply(.slowRateLimit, to: &slowRateLimit)
        try policy.apply(.reserve, to: &reserve)
    }
}

extension SessionSettings {
    package mutating func bringNumbersIntoRange<Failure>(_ policy: OutOfRangePolicy<Failure>) throws(Failure) {
        try policy.apply(.activeTransfers, to: &activeTransfers)
        try policy.apply(.hostConnections, to: &hostConnections)
        try policy.apply(.rateLimit, to: &rateLimit)
        try policy.apply(.idleTimeout, to: &idleTimeout)
    }
}
