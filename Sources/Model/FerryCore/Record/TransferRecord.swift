package import FerryFoundation

/// Everything about one transfer that survives a crash: intent and facts, no transient state.
package struct TransferRecord: Hashable, Sendable {
    package let id: TransferID
    /// Revision of the row that it was read from.
    @Beside package var revision = Revision()
    package let createdAt: Date
    /// The validated request. Its URL has no userinfo.
    @Boxed package var request: TransferRequest
    /// The URL's userinfo, for the origin of the request's URL.
    package var credentials: Credentials?
    package var intent: TransferIntent
    @Boxed package var facts = TransferFacts()
    package var failures = FailureLedger()
    /// Active time, for `resourceTimeout`.
    package var active = ActiveTime()
    /// Number of attempts started.
    package var attempts = 0
    package var retry: RetryPlan?
    package var outcome: Outcome?
    package var finishedAt: Date?

    package init(id: TransferID, createdAt: Date, request: TransferRequest, credentials: Credentials?) {
        self.id = id
        self.createdAt = createdAt
        self.request = request
        self.credentials = credentials
        self.intent = request.timing.paused ? .suspend : .run
    }

    /// Whether the scheduler may start it.
    package var isEligible: Bool { outcome == nil && intent == .run }
}

/// Ranges of the numbers in a stored record.
extension SettingRange<Int> {
    /// Range of counters, with room for any number of further increments.
    static var count: Self { Self("count", 0...Int(Int32.max)) }
}

extension SettingRange<Int64> {
    static var bytes: Self { Self("bytes", 0...mostBytes) }
}

extension SettingRange<Double> {
    static var delay: Self { Self("delay", 0...TransferMachine.untilAnswered) }
}

extension TransferRecord {
    /// Clamps all numbers: the journal may come from an earlier version, or have been edited.
    package mutating func clampNumbers() {
        request.bringNumbersIntoRange(.clamp)
        failures.clampCounts()
        let policy = OutOfRangePolicy<Never>.clamp
        policy.apply(.count, to: &attempts)
        policy.apply(.count, to: &facts.restarts)
        policy.apply(.count, to: &facts.startedOver)
        policy.apply(.count, to: &facts.unusableParts)
        policy.apply(.bytes, to: &facts.bodySent)
        if var upload = facts.upload {
            upload.clampNumbers()
            facts.upload = upload
        }
        facts.clampBytes(policy)
        if var identity = facts.identity {
            policy.apply(.bytes, to: &identity.completeLength)
            facts.identity = identity
        }
        if var plan = retry {
            policy.apply(.delay, to: &plan.delay)
            retry = plan
        }
    }
}

/// Finds the secrets of a request.
package enum SecretParts {
    /// Parts of the names of secret fields, such as `Authorization`, `Cookie`, `X-Api-Key`, `Private-Token`.
    private static let words = [
        "auth", "cookie", "credential", "key", "passw", "secret", "session", "signature", "token",
    ]

    package static func isSecret(_ field: HeaderField) -> Bool {
        let name = field.name.lowercased()
        return words.contains { name.contains($0) }
    }

    /// The value of a proxy variable without user name and password.
    package static func withoutUserinfo(_ variable: String) -> String {
        let start = variable.firstRange(of: "://")?.upperBound ?? variable.startIndex
        let end = variable[start...].firstIndex { "/?#".contains($0) } ?? variable.endIndex
        guard let mark = variable[start..<end].lastIndex(of: "@") else { return variable }
        return String(variable[..<start] + variable[variable.index(after: mark)...])
    }
}

extension TransferRequest {
    /// Whether it contains secrets.
    package var hasSecrets: Bool {
        !cookies.isEmpty || headers.contains(where: SecretParts.isSecret)
            || transport.proxyEnvironment?.values.contains { SecretParts.withoutUserinfo($0) != $0 } == true
    }

    /// Removes the secrets and records that they are missing.
    ///
    /// URL, body and the client's note stay.
    package mutating func forgetSecrets() {
        guard hasSecrets else { return }
        headers.removeAll(where: SecretParts.isSecret)
        cookies = []
        transport.proxyEnvironment = transport.proxyEnvironment?.mapValues(SecretParts.withoutUserinfo)
        secretsForgotten = true
    }
}

extension TransferRecord {
    /// Whether it contains secrets that ``forgetSecrets()`` removes.
    package var hasSecrets: Bool {
        credentials != nil || request.hasSecrets || facts.upload != nil
            || request.note == nil && facts.response?.fields.contains { $0.isNamed("Set-Cookie") } == true
    }

    /// Removes the secrets: no further request is made.
    package mutating func forgetSecrets() {
        request.forgetSecrets()
        if credentials != nil {
            credentials = nil
            request.secretsForgotten = true
        }
        // Anyone with the URL of an upload resource can append to it.
        facts.upload = nil
        // A client with a note sees the whole response.
        if request.note == nil { facts.response?.fields.removeAll { $0.isNamed("Set-Cookie") } }
    }

    /// - Throws: ``ServiceError`` with code `auth_required` if it has finished and cannot be requested again without
    ///   its secrets.
    package func checkHasSecrets() throws(ServiceError) {
        if outcome != nil, request.secretsForgotten { throw Self.lacksSecrets(id) }
    }

    package static func lacksSecrets(_ id: TransferID) -> ServiceError {
        ServiceError(
            .authRequired,
            "The transfer \(id) has finished, and its password, cookies and secret fields were deleted; "
                + "submit it again with them.")
    }
}

extension Outcome {
    /// Whether no further request follows. A failed transfer can be retried as it is.
    package var forgetsSecrets: Bool {
        switch self {
        case .succeeded, .canceled: true
        case .failed: false
        }
    }
}
