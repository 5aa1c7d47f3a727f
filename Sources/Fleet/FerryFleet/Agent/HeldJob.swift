package import FerryCore

/// A job that the worker holds, and how far it is.
package struct HeldJob: Hashable, Sendable {
    package enum Phase: Hashable, Sendable {
        /// A holder may have placed its file already.
        case unseen
        /// The store is being asked whether the file is there.
        case looking
        /// The daemon has not got it yet.
        case unsubmitted
        /// Handed to the daemon, which has not answered.
        case submitting
        case fetching(TransferID)
        /// Complete, and waiting to be delivered.
        case arrived(TransferID, LocalFile)
        /// Being copied to the shared folder, under a name of its own.
        case preparing(TransferID, LocalFile)
        /// Copied. The intent is being recorded.
        case intending(TransferID, LocalFile, PreparedFile)
        /// Being given its final name.
        case placing(TransferID, LocalFile, PreparedFile)
        /// The daemon must remove its transfer before the queue learns the conclusion.
        case stopping(TransferID, Conclusion)
        /// The queue must learn the conclusion before the daemon removes its transfer.
        case concluding(TransferID?, Conclusion)
    }

    /// How the worker parts with a job.
    package enum Conclusion: Hashable, Sendable {
        case end(JobOutcome)
        case giveBack(JobReturn.Reason, delay: Double, ServiceError?)
    }

    package var lease: Lease
    package var phase: Phase
    /// A conclusion that was drawn while the daemon had not answered yet.
    var pending: Conclusion?
    /// Earliest time of the next delivery after a failed one, and their number.
    var deliveryDue = -Double.infinity
    var failedDeliveries = 0
    /// Number of the delivery under way, among all of the worker.
    var attempt = 0
    /// A delivery whose copies may be left in the store.
    var leftover: Delivery?
    /// The queue knows that its bytes have arrived.
    var hasLanded = false
    var received: Int64 = 0
    var expected: Int64?

    init(_ lease: Lease, phase: Phase = .unsubmitted) {
        self.lease = lease
        self.phase = phase
    }

    package var key: LeaseKey { lease.key }

    /// Its transfer in the daemon.
    package var transfer: TransferID? {
        switch phase {
        case .unseen, .looking, .unsubmitted, .submitting: nil
        case .fetching(let id), .arrived(let id, _), .preparing(let id, _), .intending(let id, _, _),
            .placing(let id, _, _), .stopping(let id, _):
            id
        case .concluding(let id, _): id
        }
    }

    /// Whether it needs a slot of the worker.
    var isUnfinished: Bool {
        switch phase {
        case .unseen, .looking, .unsubmitted, .submitting, .fetching: true
        case .arrived, .preparing, .intending, .placing, .stopping, .concluding: false
        }
    }

    /// Whether a user's command still applies: nobody has begun to place its file.
    var isStoppable: Bool {
        switch phase {
        case .unseen, .unsubmitted, .submitting, .fetching, .arrived, .preparing: true
        case .looking, .intending, .placing, .stopping, .concluding: false
        }
    }

    /// Seconds until another delivery, after a failed one.
    var deliveryDelay: Double { Backoff(first: 1, longest: 60).delay(afterFailures: failedDeliveries + 1) }

    /// The delivery under way, or about to begin.
    ///
    /// - Parameter writer: Distinguishes this worker's process in names of copies.
    func delivery(by writer: String) -> Delivery? {
        guard let request = lease.request, let name = request.file.name else { return nil }
        let file: LocalFile
        switch phase {
        case .arrived(_, let local), .preparing(_, let local), .intending(_, let local, _), .placing(_, let local, _):
            file = local
        case .unseen, .looking, .unsubmitted, .submitting, .fetching, .stopping, .concluding: return nil
        }
        return Delivery(
            key: key, file: file, folder: request.file.folder, name: name, policy: request.file.onConflict,
            writer: writer, attempt: attempt)
    }
}
