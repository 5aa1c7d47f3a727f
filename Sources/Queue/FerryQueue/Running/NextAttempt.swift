package import FerryCore
package import FerryRules

/// When a transfer is attempted again, and why not earlier.
package struct NextAttempt: Sendable {
    package let record: TransferRecord
    /// Delay in seconds. 0 is as soon as a slot is free.
    package let delay: Double
    package let reason: WaitReason
    /// The error to wait for, if the journal could not record it.
    package var error: ServiceError?

    package init(record: TransferRecord, delay: Double, reason: WaitReason, error: ServiceError? = nil) {
        self.record = record
        self.delay = delay
        self.reason = reason
        self.error = error
    }

    /// Returns this attempt with a request that changed while the last attempt was being settled.
    package func following(_ request: TransferRequest) -> NextAttempt {
        var record = record
        record.request = request
        let isNew = request.hasOtherAddress(than: self.record.request)
        return NextAttempt(
            record: record, delay: isNew ? 0 : delay, reason: isNew ? .retry : reason, error: isNew ? nil : error)
    }
}
