package import FerryCore

/// The limits of a job's request across its claims: retries and times count in the queue, whichever worker used them.
extension Lease {
    /// The return of a job whose next attempt is far away, or its end if its attempts are used up.
    func retry(after seconds: Double, _ error: ServiceError?) -> AgentJob.Conclusion {
        let attempts = max(1, error?.details.attempts ?? 1)
        let total = spent.attempts + attempts
        // The other limits are lowered with each claim (``limited()``), so that the daemon ends the transfer itself.
        if let error, let request, request.timing.retries == nil, request.timing.retryRule == nil,
            request.retryPolicy.errorClass(of: error) == .doubtful, total > RetryPolicy.doubtfulRetries
        {
            return .end(.failed(error))
        }
        return .giveBack(.retry, delay: seconds, error, attempts: attempts)
    }

    /// The request with the limits that earlier claims have left of it, or `nil` if there is none.
    package func limited() -> TransferRequest? {
        guard var request else { return nil }
        func left(_ limit: Int?) -> Int? { limit.map { max(0, $0 - spent.attempts) } }
        request.timing.retries = left(request.timing.retries)
        request.timing.statusRetries = left(request.timing.statusRetries)
        if var rule = request.timing.retryRule {
            rule.doubtfulRetries = left(rule.doubtfulRetries)
            rule.unreachableRetries = left(rule.unreachableRetries)
            rule.maximumAttemptsWithoutProgress = left(rule.maximumAttemptsWithoutProgress).map { max(1, $0) }
            request.timing.retryRule = rule
        }
        if let failing = spent.failing, request.timing.giveUpAfter > 0 {
            request.timing.giveUpAfter = max(1, request.timing.giveUpAfter - failing)
        }
        if let elapsed = spent.sinceStart, let most = request.timing.resourceTimeout {
            request.timing.resourceTimeout = max(1, most - elapsed)
        }
        return request
    }
}

extension TransferRequest {
    var origin: Origin? { try? HTTPURL(parsing: url).origin }
}
