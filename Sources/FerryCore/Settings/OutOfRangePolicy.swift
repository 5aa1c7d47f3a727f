/// The treatment of out-of-range numbers: refusing them at admission, clamping them in the journal.
package struct OutOfRangePolicy<Failure: Error>: Sendable {
    private let judge: @Sendable (ServiceError) throws(Failure) -> Void

    /// Clamps a number to its range, or throws.
    func apply<Number>(_ range: SettingRange<Number>, to value: inout Number) throws(Failure) {
        guard !range.contains(value) else { return }
        try judge(range.refusal(of: value))
        value = range.clamp(value)
    }

    func apply<Number>(_ range: SettingRange<Number>, to value: inout Number?) throws(Failure) {
        guard var number = value else { return }
        try apply(range, to: &number)
        value = number
    }
}

extension OutOfRangePolicy {
    /// Removes out-of-range numbers from a set, or throws.
    func apply<Number: Hashable>(_ range: SettingRange<Number>, to values: inout Set<Number>) throws(Failure) {
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
    package mutating func bringNumbersIntoRange<Failure>(_ care: OutOfRangePolicy<Failure>) throws(Failure) {
        try care.apply(.rateLimit, to: &rateLimit)
        try care.apply(.connections, to: &connections)
        try care.apply(.retries, to: &retries)
        try care.apply(.statusRetries, to: &statusRetries)
        try care.apply(.giveUpAfter, to: &giveUpAfter)
        try care.apply(.expectedSize, to: &expectedSize)
        try care.apply(.maxSize, to: &maxSize)
        try care.apply(.minSpeed, to: &minSpeed)
        try care.apply(.minSpeedTime, to: &minSpeedTime)
        try care.apply(.idleTimeout, to: &idleTimeout)
        try care.apply(.connectTimeout, to: &connectTimeout)
        try care.apply(.maxRedirects, to: &redirects.most)
        try care.apply(.resourceTimeout, to: &resourceTimeout)
        if var statuses = acceptableStatuses {
            try care.apply(.acceptableStatus, to: &statuses.lower)
            try care.apply(.acceptableStatus, to: &statuses.upper)
            acceptableStatuses = statuses
        }
        if var rule = retryRule {
            try rule.bringNumbersIntoRange(care)
            retryRule = rule
        }
        if case .file(var file) = body {
            try care.apply(.sentSize, to: &file.size)
            body = .file(file)
        }
        if var source = continues {
            if source.upload == nil { try care.apply(.offset, to: &source.offset) }
            source.upload?.facts.clampNumbers()
            try care.apply(.completeLength, to: &source.completeLength)
            continues = source
        }
        if var own = note {
            try care.apply(.task, to: &own.task)
            note = own
        }
    }
}

extension RetryRule {
    package mutating func bringNumbersIntoRange<Failure>(_ care: OutOfRangePolicy<Failure>) throws(Failure) {
        try care.apply(.initialDelay, to: &initialDelay)
        try care.apply(.multiplier, to: &multiplier)
        try care.apply(.maximumDelay, to: &maximumDelay)
        try care.apply(.jitter, to: &jitter)
        try care.apply(.attemptsWithoutProgress, to: &maximumAttemptsWithoutProgress)
        try care.apply(.doubtfulRetries, to: &doubtfulRetries)
        try care.apply(.unreachableRetries, to: &unreachableRetries)
        try care.apply(.retriedStatus, to: &statusCodes)
        try care.apply(.expiredStatus, to: &expiredStatusCodes)
    }
}

extension ServiceSettings {
    package mutating func bringNumbersIntoRange<Failure>(_ care: OutOfRangePolicy<Failure>) throws(Failure) {
        try care.apply(.connectionsPerHost, to: &connectionsPerHost)
        try care.apply(.connectionsTotal, to: &connectionsTotal)
        try care.apply(.activeTransfers, to: &activeTransfers)
        try care.apply(.rateLimit, to: &rateLimit)
        try care.apply(.uploadRateLimit, to: &uploadRateLimit)
        try care.apply(.slowRateLimit, to: &slowRateLimit)
        try care.apply(.reserve, to: &reserve)
    }
}

extension SessionSettings {
    package mutating func bringNumbersIntoRange<Failure>(_ care: OutOfRangePolicy<Failure>) throws(Failure) {
        try care.apply(.activeTransfers, to: &activeTransfers)
        try care.apply(.hostConnections, to: &hostConnections)
        try care.apply(.rateLimit, to: &rateLimit)
        try care.apply(.idleTimeout, to: &idleTimeout)
    }
}
