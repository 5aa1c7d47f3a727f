package import FerryCore
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

/// Range of the delays in a stored record.
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
        policy.apply(.bytes, to: &facts.sending.sent)
        if var upload = facts.sending.upload {
            upload.clampNumbers()
            facts.sending.upload = upload
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

extension TransferRecord {
    /// Whether it contains secrets that ``forgetSecrets()`` removes.
    package var hasSecrets: Bool {
        credentials != nil || request.hasSecrets || facts.sending.upload != nil
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
        facts.sending.upload = nil
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
