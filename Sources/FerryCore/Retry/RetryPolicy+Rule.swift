// Ferry: FerryCore
// What a client's own rule says about statuses.

extension RetryPolicy {
    /// The class of a failure: a status that the client wants tried again is patient.
    package func errorClass(of error: TransferError) -> ErrorClass {
        guard let rule else { return error.errorClass }
        if let status = error.details.httpStatus, rule.statusCodes.contains(status) { return .patient }
        // Names and proxies come and go with the network.
        let comesAndGoes = error.code == .hostNotFound || error.code == .proxyFailed
        return comesAndGoes && error.errorClass == .doubtful ? .patient : error.errorClass
    }
}

extension TransferRequest {
    /// How long it keeps trying.
    package var retryPolicy: RetryPolicy {
        RetryPolicy(retries: retries, statusRetries: statusRetries, giveUpAfter: giveUpAfter, rule: retryRule)
    }
}
