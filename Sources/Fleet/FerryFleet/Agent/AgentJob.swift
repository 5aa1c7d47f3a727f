package import FerryCore

/// One job of the worker: its lease in the queue and its transfer in the daemon, either of which may be missing.
///
/// Without a lease it is a stray transfer: the worker still has bytes of a job that may be another's by now.
package struct AgentJob: Hashable, Sendable {
    /// How far a leased job is.
    package enum Step: Hashable, Sendable {
        /// Its destination has not been looked at.
        case unseen
        /// The worker asks the store whether a file is at the job's name.
        case looking
        /// To be submitted to the daemon.
        case ready
        /// Submitted to the daemon, which has not answered.
        case submitting
        case fetching
        /// Complete, and waiting to be delivered.
        case arrived(LocalFile)
        /// Being copied to the shared folder, under a name of its own.
        case preparing(LocalFile)
        /// Copied. The intent is being recorded.
        case intending(LocalFile, PreparedFile)
        /// Being given its final name.
        case placing(LocalFile, PreparedFile)
        /// The queue must learn the conclusion: at once, or once the daemon has removed the transfer.
        case concluding(Conclusion, afterRemoval: Bool)
    }

    /// How the worker parts with a job.
    package enum Conclusion: Hashable, Sendable {
        case end(JobOutcome)
        /// - Parameter attempts: Failed attempts since the job was claimed.
        case giveBack(JobReturn.Reason, delay: Double = 0, ServiceError? = nil, attempts: Int = 0)
    }

    package let reference: JobReference
    package internal(set) var lease: Lease?
    package internal(set) var transfer: LocalTransfer?
    package internal(set) var step = Step.unseen
    /// A conclusion that was drawn while the daemon had not answered yet.
    var pending: Conclusion?
    /// The daemon removes the transfer.
    var isRemoving = false
    /// The daemon has been told to run the transfer under the lease of its session only.
    var isLimiting = false
    /// The queue knows that a suspected job is about to be fetched.
    var isBegun = false
    /// The queue knows that its bytes have arrived, or is being told.
    var hasLanded = false
    /// Earliest time of the next look or delivery after a failed one, and their number.
    var retryDue = -Double.infinity
    var failures = 0
    /// When the store must have answered the step under way.
    var answerDue = Double.infinity
    /// When the store first failed, since it last worked for the job.
    var failingSince: Double?
    /// Number of the delivery under way, among all of the worker.
    var attempt = 0
    /// A delivery whose copies may be left in the store.
    var leftover: Delivery?

    init(_ reference: JobReference) { self.reference = reference }

    var token: JobToken { reference.token }
    package var key: LeaseKey? { lease?.key }

    /// Bytes that the daemon has.
    var received: Int64 {
        switch transfer?.state {
        case .active(let received, _), .waiting(_, let received, _): received
        case .succeeded(let file): file.size
        case .suspended, .failed, .canceled, nil: 0
        }
    }

    var expected: Int64? {
        switch transfer?.state {
        case .active(_, let expected): expected
        case .succeeded(let file): file.size
        case .waiting, .suspended, .failed, .canceled, nil: nil
        }
    }

    /// Whether it needs a slot of the worker.
    var isUnfinished: Bool {
        guard lease != nil else { return false }
        switch step {
        case .unseen, .looking, .ready, .submitting, .fetching: return true
        case .arrived, .preparing, .intending, .placing, .concluding: return false
        }
    }

    /// Whether the daemon has bytes of it, and does not have all.
    var isReceiving: Bool { isUnfinished && received > 0 }

    /// Whether the daemon may fetch more of it.
    var mayReceive: Bool {
        if step == .submitting { return true }
        return switch transfer?.state {
        case .active, .waiting, .suspended: true
        case .succeeded, .failed, .canceled, nil: false
        }
    }

    var progress: JobProgress? {
        key.map { JobProgress(key: $0, received: received, expected: expected) }
    }

    /// Whether a user's command still applies. It does not once the worker places the file.
    var isStoppable: Bool {
        guard lease != nil else { return false }
        switch step {
        case .unseen, .ready, .submitting, .fetching, .arrived, .preparing: return true
        case .looking, .intending, .placing, .concluding: return false
        }
    }

    /// The conclusion that the queue may learn now.
    var tellable: Conclusion? {
        guard case .concluding(let conclusion, let afterRemoval) = step, !afterRemoval || transfer == nil else {
            return nil
        }
        return conclusion
    }

    /// Begins a step of the store.
    ///
    /// - Parameter patience: Seconds after which it counts as failed.
    mutating func ask(_ step: Step, patience: Double, at now: Double) {
        self.step = step
        answerDue = now + patience
    }

    /// Whether the store has not answered in time. A network file system may hang for ever.
    func isOverdue(at now: Double) -> Bool {
        switch step {
        case .looking, .preparing, .placing: answerDue <= now
        case .unseen, .ready, .submitting, .fetching, .arrived, .intending, .concluding: false
        }
    }

    /// Notes that the store has failed.
    mutating func storeFailed(at now: Double) {
        failures += 1
        failingSince = failingSince ?? now
        retryDue = now + Backoff(first: 1, longest: 60).delay(afterFailures: failures)
    }

    mutating func storeWorked() {
        (failures, failingSince, retryDue) = (0, nil, -.infinity)
    }

    /// The delivery under way, or about to begin.
    ///
    /// - Parameter writer: Distinguishes this worker's process in names of copies.
    func delivery(by writer: String) -> Delivery? {
        guard let lease, let request = lease.request, let name = request.file.name else { return nil }
        let file: LocalFile
        switch step {
        case .arrived(let local), .preparing(let local), .intending(let local, _), .placing(let local, _): file = local
        case .unseen, .looking, .ready, .submitting, .fetching, .concluding: return nil
        }
        return Delivery(
            key: lease.key, file: file, folder: request.file.folder, name: name, policy: request.file.onConflict,
            writer: writer, attempt: attempt)
    }
}
